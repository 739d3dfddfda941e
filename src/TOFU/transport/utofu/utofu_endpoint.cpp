// SPDX-License-Identifier: GPL-2.0-only

#ifdef TOFU_UTOFU

#include "utofu_endpoint.h"

#include "transport/lost_watch.h"

#include <atomic>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <thread>
#include <utility>

namespace TOFU_NS {

namespace {

  const char *name_of(int code)
  {
    switch (code) {
#define TOFU_NAME(name)  \
  case UTOFU_ERR_##name: \
    return #name;
      TOFU_NAME(NOT_FOUND)
      TOFU_NAME(BUSY)
      TOFU_NAME(USED)
      TOFU_NAME(FULL)
      TOFU_NAME(NOT_AVAILABLE)
      TOFU_NAME(NOT_SUPPORTED)
      TOFU_NAME(TCQ_OTHER)
      TOFU_NAME(TCQ_DESC)
      TOFU_NAME(TCQ_MEMORY)
      TOFU_NAME(TCQ_STADD)
      TOFU_NAME(TCQ_LENGTH)
      TOFU_NAME(MRQ_OTHER)
      TOFU_NAME(MRQ_PEER)
      TOFU_NAME(MRQ_LCL_MEMORY)
      TOFU_NAME(MRQ_RMT_MEMORY)
      TOFU_NAME(MRQ_LCL_STADD)
      TOFU_NAME(MRQ_RMT_STADD)
      TOFU_NAME(MRQ_LCL_LENGTH)
      TOFU_NAME(MRQ_RMT_LENGTH)
      TOFU_NAME(INVALID_FLAGS)
      TOFU_NAME(INVALID_TNI_ID)
      TOFU_NAME(INVALID_VCQ_HDL)
      TOFU_NAME(INVALID_VCQ_ID)
      TOFU_NAME(INVALID_STADD)
      TOFU_NAME(INVALID_ADDRESS)
      TOFU_NAME(INVALID_SIZE)
      TOFU_NAME(INVALID_EDATA)
      TOFU_NAME(OUT_OF_RESOURCE)
      TOFU_NAME(OUT_OF_MEMORY)
      TOFU_NAME(FATAL)
#undef TOFU_NAME
      default:
        return nullptr;
    }
  }

  void require(int code, const char *what)
  {
    if (code != UTOFU_SUCCESS) throw TransportError(utofu_message(what, code));
  }

  std::uint32_t next_epoch()
  {
    static std::atomic<std::uint32_t> n{0};
    return n++ % UtofuTag::NEPOCHS;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

std::string utofu_message(const char *what, int code)
{
  const char *const name = name_of(code);
  return std::string(what) + ": " +
      (name ? std::string("UTOFU_ERR_") + name : "code " + std::to_string(code));
}

/* ----------------------------------------------------------------------
   on a boundary of 64 KiB, to which the driver rounds what it takes from children
------------------------------------------------------------------------- */

UtofuPages::UtofuPages(std::size_t nbytes) : nbytes_((nbytes + PAGE - 1) / PAGE * PAGE)
{
  nmapped_ = nbytes_ + PAGE;
  mapped_ = mmap(nullptr, nmapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped_ == MAP_FAILED) {
    mapped_ = nullptr;
    throw std::bad_alloc();
  }
  const auto at = reinterpret_cast<std::uintptr_t>(mapped_);
  data_ = static_cast<std::byte *>(mapped_) + (PAGE - at % PAGE) % PAGE;
  std::memset(data_, 0, nbytes_);    // the pages exist before they are registered
}

UtofuPages::~UtofuPages()
{
  if (data_) munmap(mapped_, nmapped_);
}

UtofuPages::UtofuPages(UtofuPages &&other) noexcept
{
  *this = std::move(other);
}

UtofuPages &UtofuPages::operator=(UtofuPages &&other) noexcept
{
  std::swap(data_, other.data_);
  std::swap(nbytes_, other.nbytes_);
  std::swap(mapped_, other.mapped_);
  std::swap(nmapped_, other.nmapped_);
  return *this;
}

/* ----------------------------------------------------------------------
   thread-safe, since a queue may share one of the hardware with another endpoint or with MPI, which
   other threads may use at the same time
------------------------------------------------------------------------- */

UtofuEndpoint::UtofuEndpoint(int interface, bool &full) :
    interface_(interface), epoch_(next_epoch())
{
  const int code =
      utofu_create_vcq(static_cast<utofu_tni_id_t>(interface), UTOFU_VCQ_FLAG_THREAD_SAFE, &queue_);
  full = code == UTOFU_ERR_FULL || code == UTOFU_ERR_NOT_AVAILABLE;
  require(code, "creation of a queue");
  require(utofu_query_vcq_id(queue_, &id_), "id of a queue");
}

/* ----------------------------------------------------------------------
   a queue may not be freed while orders are under way; if they never end, it stays
------------------------------------------------------------------------- */

UtofuEndpoint::~UtofuEndpoint()
{
  if (!finish_orders()) {
    incoming_.abandon();
    outgoing_.abandon();
    return;
  }
  forget(landing_);
  forget(source_);
  forget(in_);
  forget(out_);
  utofu_free_vcq(queue_);
}

/* ----------------------------------------------------------------------
   entries come in the order of the posts: that of an order that does nothing is the last.  Of a
   queue that has none for the seconds of a LostWatch, each with a look, none will come
------------------------------------------------------------------------- */

bool UtofuEndpoint::finish_orders()
{
  SecondsClock seconds;
  LostWatch entry;
  bool posted = false;
  end_.busy = true;
  while (true) {
    if (!posted) {
      const int code = utofu_nop(queue_, UTOFU_ONESIDED_FLAG_TCQ_NOTICE, &end_);
      posted = code == UTOFU_SUCCESS;
      if (!posted && code != UTOFU_ERR_BUSY) return false;
    }
    try {
      progress();
    } catch (const TransportError &) {
      return false;
    }
    if (!end_.busy) return true;
    if (seconds.next() && entry.is_lost(true)) return false;
    std::this_thread::yield();
  }
}

/* ---------------------------------------------------------------------- */

std::uint64_t UtofuEndpoint::register_memory(const void *data, std::size_t nbytes,
                                             unsigned long flags)
{
  utofu_stadd_t address;
  require(utofu_reg_mem(queue_, const_cast<void *>(data), nbytes, flags, &address),
          "registration of memory");
  return address;
}

/* ---------------------------------------------------------------------- */

void UtofuEndpoint::set_memory(std::size_t nbytes_in, std::size_t nbytes_out)
{
  incoming_ = UtofuPages(nbytes_in);
  outgoing_ = UtofuPages(nbytes_out);
  int n = 0;
  set_array(in_, {incoming_.data(), nbytes_in}, 0, n);
  set_array(out_, {outgoing_.data(), nbytes_out}, UTOFU_REG_MEM_FLAG_READ_ONLY, n);
}

/* ---------------------------------------------------------------------- */

std::uint64_t UtofuEndpoint::remote_address(const std::byte *incoming) const
{
  return in_.address + static_cast<std::uint64_t>(incoming - incoming_.data());
}

/* ---------------------------------------------------------------------- */

std::uint64_t UtofuEndpoint::local_address(const void *data) const
{
  const auto at = static_cast<const std::byte *>(data);
  if (outgoing_.contains(at))
    return out_.address + static_cast<std::uint64_t>(at - outgoing_.data());
  return source_.address +
      static_cast<std::uint64_t>(at - static_cast<const std::byte *>(source_.memory.data));
}

/* ----------------------------------------------------------------------
   the old registration goes first: the memory may have been freed.  No write concerns it any more:
   no offer is open, and what was sent has left
------------------------------------------------------------------------- */

void UtofuEndpoint::set_array(Registered &present, const ArrayMemory &wanted, unsigned long flags,
                              int &n)
{
  if (present.memory == wanted) return;
  forget(present);
  if (wanted.nbytes == 0) return;
  present.address = register_memory(wanted.data, wanted.nbytes, flags);
  present.memory = wanted;
  n++;
}

void UtofuEndpoint::forget(Registered &array)
{
  if (array.memory.nbytes) utofu_dereg_mem(queue_, array.address, 0);
  array = Registered();
}

int UtofuEndpoint::set_arrays(const ArrayMemory &landing, const ArrayMemory &source)
{
  int n = 0;
  set_array(landing_, landing, 0, n);
  set_array(source_, source, UTOFU_REG_MEM_FLAG_READ_ONLY, n);
  return n;
}

/* ---------------------------------------------------------------------- */

Landing UtofuEndpoint::make_offer(const ArrayPieces &pieces) const
{
  if (!landing_.memory.nbytes) return {};
  Landing offer;
  for (int i = 0; i < pieces.npieces; i++) {
    const ArrayMemory &piece = pieces.pieces[i];
    if (!landing_.memory.contains(piece.data, piece.nbytes)) return {};
    const auto offset = static_cast<const std::byte *>(piece.data) -
        static_cast<const std::byte *>(landing_.memory.data);
    offer.places[offer.nplaces++] = {landing_.address + static_cast<std::uint64_t>(offset),
                                     piece.nbytes};
  }
  return offer;
}

/* ---------------------------------------------------------------------- */

void UtofuEndpoint::listen(const std::byte *region, std::size_t nbytes, const UtofuAddress &peer,
                           UtofuListener *listener)
{
  regions_[remote_address(region)] = {nbytes, peer, listener};
}

void UtofuEndpoint::stop_listening(const std::byte *region)
{
  regions_.erase(remote_address(region));
}

/* ---------------------------------------------------------------------- */

UtofuWrite *UtofuEndpoint::make_write(UtofuListener *listener)
{
  writes_.push_back(std::make_unique<UtofuWrite>(UtofuWrite{listener}));
  return writes_.back().get();
}

/* ----------------------------------------------------------------------
   stores of this processor into the source must be visible to the interface before the order is
------------------------------------------------------------------------- */

bool UtofuEndpoint::post(const UtofuOrder &order, UtofuWrite *context, std::uint64_t peer,
                         std::uint64_t tag, UtofuWrite *on_failure)
{
  std::atomic_thread_fence(std::memory_order_release);
  const unsigned long flags = order.flags | UTOFU_ONESIDED_FLAG_CACHE_INJECTION |
      (context ? UTOFU_ONESIDED_FLAG_TCQ_NOTICE : 0);
  UtofuWrite *const of_entry = context ? context : on_failure;
  const bool was_busy = of_entry->busy;
  if (context) context->busy = true;
  int code;
  if (order.is_inline && order.nbytes <= sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, order.data, order.nbytes);
    code = utofu_put_piggyback8(queue_, peer, value, order.to, order.nbytes, tag, flags, of_entry);
  } else if (order.is_inline) {
    UtofuOrder copy = order;    // the call takes no pointer to const
    code =
        utofu_put_piggyback(queue_, peer, copy.data, order.to, order.nbytes, tag, flags, of_entry);
  } else {
    code = utofu_put(queue_, peer, order.from, order.to, order.nbytes, tag, flags, of_entry);
  }
  if (code == UTOFU_SUCCESS) return true;
  of_entry->busy = was_busy;
  if (code != UTOFU_ERR_BUSY) throw TransportError(utofu_message("put", code));
  return false;
}

/* ----------------------------------------------------------------------
   errors come without any wish for notices, and do not end the queue: read until there is no more
------------------------------------------------------------------------- */

void UtofuEndpoint::progress()
{
  void *data = nullptr;
  for (int code; (code = utofu_poll_tcq(queue_, 0, &data)) != UTOFU_ERR_NOT_FOUND;)
    read_entry(code, data);
  utofu_mrq_notice notice;
  for (int code; (code = utofu_poll_mrq(queue_, 0, &notice)) != UTOFU_ERR_NOT_FOUND;)
    read_notice(code, notice);
}

/* ---------------------------------------------------------------------- */

void UtofuEndpoint::read_entry(int code, void *data)
{
  if (code <= UTOFU_ERR_INVALID_ARG) throw TransportError(utofu_message("entries", code));
  auto const write = static_cast<UtofuWrite *>(data);
  if (!write) return;
  write->busy = false;
  if (code != UTOFU_SUCCESS && write->listener) write->listener->failed(utofu_message("put", code));
}

/* ----------------------------------------------------------------------
   what was written where tells the end of the data; an answer or an error names the place at the
   peer, and the peer by the id of its queue as it was asked for.  Others are let pass: some have
   seen notices of puts that should leave none
------------------------------------------------------------------------- */

void UtofuEndpoint::read_notice(int code, const utofu_mrq_notice &notice)
{
  if (code <= UTOFU_ERR_INVALID_ARG) throw TransportError(utofu_message("notices", code));
  std::atomic_thread_fence(std::memory_order_acquire);
  if (code == UTOFU_SUCCESS && notice.notice_type == UTOFU_MRQ_TYPE_RMT_PUT) {
    const UtofuTag tag = UtofuTag::unpack(notice.edata);
    const std::uint64_t last = notice.rmt_stadd - 1;
    auto found = regions_.upper_bound(last);
    if (found == regions_.begin() || tag.epoch != epoch_) return;
    --found;
    const std::uint64_t at = last - found->first;
    if (at < found->second.nbytes && found->second.peer.queue == notice.vcq_id)
      found->second.listener->notice(tag.kind, at);
    return;
  }
  bool known = false;
  for (auto &[begin, region] : regions_) {
    if (!is_of_peer(region, notice)) continue;
    known = true;
    if (code == UTOFU_SUCCESS)
      region.listener->answered();
    else
      region.listener->failed(utofu_message("put", code));
  }
  if (!known && code != UTOFU_SUCCESS && regions_.size() == 1)
    regions_.begin()->second.listener->failed(utofu_message("put", code));
}

/* ----------------------------------------------------------------------
   a queue has one region for this queue, so that its id is enough
------------------------------------------------------------------------- */

bool UtofuEndpoint::is_of_peer(const Region &region, const utofu_mrq_notice &notice) const
{
  return region.peer.queue == notice.vcq_id;
}

}    // namespace TOFU_NS

#endif
