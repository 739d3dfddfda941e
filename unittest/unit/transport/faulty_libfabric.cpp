// SPDX-License-Identifier: GPL-2.0-only

#include "faulty_libfabric.h"

#ifdef TOFU_OFI

#include "transport/ofi/ofi_endpoint.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

using namespace TOFU_NS;

namespace TOFU_TEST {

namespace {

  /** A table of functions of a libfabric object: a copy of the object's own one, in which some
      functions are replaced.  A function gets the object, and from it its table. */
  template <class Functions> struct Table : Functions {
    explicit Table(Functions *functions) : Functions(*functions), real(functions)
    {
      this->size = sizeof(Functions);    // the library may have a later one
    }
    Functions *const real;
  };

  /** Registration of memory. */
  struct MemoryTable : Table<fi_ops_mr> {
    MemoryTable(fid_domain *domain, const OfiFaults &given) : Table(domain->mr), faults(given)
    {
      reg = [](fid *object, const void *bytes, std::size_t nbytes, std::uint64_t access,
               std::uint64_t offset, std::uint64_t key, std::uint64_t flags, fid_mr **region,
               void *context) {
        auto &table = *static_cast<MemoryTable *>(reinterpret_cast<fid_domain *>(object)->mr);
        if (++table.ncalls == table.faults.refuse_registration) return -FI_ENOMEM;
        return table.real->reg(object, bytes, nbytes, access, offset, key, flags, region, context);
      };
    }

    const OfiFaults faults;
    int ncalls = 0;
  };

  /** A queue of completions, of one endpoint. */
  struct QueueTable : Table<fi_ops_cq> {
    QueueTable(fid_cq *queue, const OfiFaults &given) :
        Table(queue->ops), faults(given), random(given.scramble)
    {
      read = [](fid_cq *object, void *entries, std::size_t n) {
        return static_cast<QueueTable *>(object->ops)
            ->read_some(object, static_cast<fi_cq_data_entry *>(entries), n);
      };
    }

    // with a seed, one of three calls returns one of the entries that libfabric has reported

    ssize_t read_some(fid_cq *queue, fi_cq_data_entry *entries, std::size_t n)
    {
      if (!faults.scramble) {
        ssize_t status, nleft = 0;
        while (nleft == 0 && (status = real->read(queue, entries, n)) > 0)
          nleft = with_faults(entries, status);
        return nleft ? nleft : status;
      }
      ssize_t status;
      fi_cq_data_entry reported[16];
      while ((status = real->read(queue, reported, 16)) > 0)
        held_back.insert(held_back.end(), reported, reported + with_faults(reported, status));
      if (status != -FI_EAGAIN && status != 0) return status;
      random = random * 6364136223846793005ULL + 1442695040888963407ULL;
      const std::uint64_t drawn = random >> 33;
      if (held_back.empty() || drawn % 3 != 0) return -FI_EAGAIN;
      std::swap(held_back[drawn / 3 % held_back.size()], held_back.back());
      entries[0] = held_back.back();
      held_back.pop_back();
      return 1;
    }

    /** \return   # of entries that are not lost, which move to the front */
    ssize_t with_faults(fi_cq_data_entry *entries, ssize_t n)
    {
      for (ssize_t i = 0; i < n; i++) disguise(entries[i]);
      return std::remove_if(entries, entries + n, [this](auto &entry) { return is_lost(entry); }) -
          entries;
    }

    OfiEvent event(const fi_cq_data_entry &entry) const
    {
      return event_of(entry.flags, own_writes.count(entry.op_context) != 0);
    }

    void disguise(fi_cq_data_entry &entry)
    {
      if (event(entry) == OfiEvent::NOTICE) {
        if (faults.notices_without_write) entry.flags &= ~(FI_REMOTE_WRITE | FI_RMA);
        if (faults.notices_with_context) entry.op_context = this;    // of no request
      } else {
        if (faults.own_with_data_flag) entry.flags |= FI_REMOTE_CQ_DATA;
        if (faults.own_without_write) entry.flags &= ~(FI_WRITE | FI_RMA);
      }
    }

    bool is_lost(const fi_cq_data_entry &entry)
    {
      switch (event(entry)) {
        case OfiEvent::NOTICE:
          return OfiNotice::unpack(static_cast<std::uint32_t>(entry.data)).kind ==
              OfiNotice::MESSAGE &&
              ++nmessages == faults.lose_message;
        case OfiEvent::WRITE_DONE:
          return ++ncompletions == faults.lose_completion;
        default:
          return false;
      }
    }

    const OfiFaults faults;
    std::unordered_set<const void *> own_writes;    // contexts of writes that were started
    std::uint64_t random;
    std::vector<fi_cq_data_entry> held_back;
    int ncompletions = 0, nmessages = 0;
  };

  /** Writes of an endpoint. */
  struct WriteTable : Table<fi_ops_rma> {
    WriteTable(fid_ep *endpoint, QueueTable *queue_of_endpoint) :
        Table(endpoint->rma), queue(queue_of_endpoint)
    {
      writedata = [](fid_ep *object, const void *bytes, std::size_t nbytes, void *description,
                     std::uint64_t data, fi_addr_t peer, std::uint64_t address, std::uint64_t key,
                     void *context) -> ssize_t {
        auto &table = *static_cast<WriteTable *>(object->rma);
        if (table.is_full(context)) return -FI_EAGAIN;
        return table.real->writedata(object, bytes, nbytes, description, data, peer, address, key,
                                     context);
      };
      writemsg = [](fid_ep *object, const fi_msg_rma *message, std::uint64_t flags) -> ssize_t {
        auto &table = *static_cast<WriteTable *>(object->rma);
        if (table.is_full(message->context)) return -FI_EAGAIN;
        return table.real->writemsg(object, message, flags);
      };
    }

    bool is_full(const void *context)
    {
      queue->own_writes.insert(context);
      const auto now = std::chrono::steady_clock::now();
      if (queue->ncompletions > 0 && nattempts_then++ == 0)
        full_until = now + queue->faults.full_for;
      return nattempts++ % 8 < queue->faults.busy_writes || now < full_until;
    }

    QueueTable *const queue;
    unsigned nattempts = 0, nattempts_then = 0;    // all; after the first completed write
    std::chrono::steady_clock::time_point full_until{};
  };

}    // namespace

/* ----------------------------------------------------------------------
   all tables; they outlive the objects, whose last calls go through them
------------------------------------------------------------------------- */

struct FaultyLibfabric::Tables {
  explicit Tables(const OfiFaults &given) : faults(given) {}

  /** Calls about an endpoint as such: its queue is known when it is bound.  Providers may set
      functions when an endpoint is enabled. */
  struct EndpointTable : Table<fi_ops> {
    EndpointTable(fid_ep *endpoint, Tables &tables) : Table(endpoint->fid.ops), all(tables)
    {
      bind = [](fid *object, fid *other, std::uint64_t flags) {
        auto &table = *static_cast<EndpointTable *>(object->ops);
        if (other->fclass == FI_CLASS_CQ)
          table.queue = static_cast<QueueTable *>(reinterpret_cast<fid_cq *>(other)->ops);
        return table.real->bind(object, other, flags);
      };
      control = [](fid *object, int command, void *argument) {
        auto &table = *static_cast<EndpointTable *>(object->ops);
        const int status = table.real->control(object, command, argument);
        if (command == FI_ENABLE && status == 0) {
          auto endpoint = reinterpret_cast<fid_ep *>(object);
          endpoint->rma = table.all.keep(table.all.writes, endpoint, table.queue);
        }
        return status;
      };
    }

    Tables &all;
    QueueTable *queue = nullptr;
  };

  struct DomainTable : Table<fi_ops_domain> {
    DomainTable(fid_domain *domain, Tables &tables) : Table(domain->ops), all(tables)
    {
      cq_open = [](fid_domain *object, fi_cq_attr *attributes, fid_cq **queue, void *context) {
        auto &table = *static_cast<DomainTable *>(object->ops);
        const int status = table.real->cq_open(object, attributes, queue, context);
        if (status == 0) (*queue)->ops = table.all.keep(table.all.queues, *queue, table.all.faults);
        return status;
      };
      endpoint = [](fid_domain *object, fi_info *info, fid_ep **made, void *context) {
        auto &table = *static_cast<DomainTable *>(object->ops);
        const int status = table.real->endpoint(object, info, made, context);
        if (status == 0) (*made)->fid.ops = table.all.keep(table.all.endpoints, *made, table.all);
        return status;
      };
    }

    Tables &all;
  };

  struct FabricTable : Table<fi_ops_fabric> {
    FabricTable(fid_fabric *fabric, Tables &tables) : Table(fabric->ops), all(tables)
    {
      domain = [](fid_fabric *object, fi_info *info, fid_domain **made, void *context) {
        auto &table = *static_cast<FabricTable *>(object->ops);
        const int status = table.real->domain(object, info, made, context);
        if (status == 0) {
          (*made)->ops = table.all.keep(table.all.domains, *made, table.all);
          (*made)->mr = table.all.keep(table.all.memories, *made, table.all.faults);
        }
        return status;
      };
    }

    Tables &all;
  };

  template <class T, class... Arguments>
  T *keep(std::vector<std::unique_ptr<T>> &kept, Arguments &&...arguments)
  {
    kept.push_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
    return kept.back().get();
  }

  const OfiFaults faults;
  std::vector<std::unique_ptr<FabricTable>> fabrics;
  std::vector<std::unique_ptr<DomainTable>> domains;
  std::vector<std::unique_ptr<MemoryTable>> memories;
  std::vector<std::unique_ptr<QueueTable>> queues;
  std::vector<std::unique_ptr<EndpointTable>> endpoints;
  std::vector<std::unique_ptr<WriteTable>> writes;

  static thread_local Tables *of_this_thread;
};

thread_local FaultyLibfabric::Tables *FaultyLibfabric::Tables::of_this_thread = nullptr;

/* ---------------------------------------------------------------------- */

FaultyLibfabric::FaultyLibfabric(const OfiFaults &faults) : tables_(new Tables(faults))
{
  if (faults.any()) Tables::of_this_thread = tables_.get();
}

/* ---------------------------------------------------------------------- */

FaultyLibfabric::~FaultyLibfabric()
{
  Tables::of_this_thread = nullptr;
}

}    // namespace TOFU_TEST

/* ----------------------------------------------------------------------
   what the linker takes for fi_fabric(), and what it calls fi_fabric() itself
------------------------------------------------------------------------- */

extern "C" int __real_fi_fabric(fi_fabric_attr *, fid_fabric **, void *);
extern "C" int __wrap_fi_fabric(fi_fabric_attr *attributes, fid_fabric **fabric, void *context)
{
  const int status = __real_fi_fabric(attributes, fabric, context);
  TOFU_TEST::FaultyLibfabric::Tables *const tables =
      TOFU_TEST::FaultyLibfabric::Tables::of_this_thread;
  if (status == 0 && tables) (*fabric)->ops = tables->keep(tables->fabrics, *fabric, *tables);
  return status;
}

#else

namespace TOFU_TEST {

struct FaultyLibfabric::Tables {};

FaultyLibfabric::FaultyLibfabric(const OfiFaults &) {}
FaultyLibfabric::~FaultyLibfabric() = default;

}    // namespace TOFU_TEST

#endif
