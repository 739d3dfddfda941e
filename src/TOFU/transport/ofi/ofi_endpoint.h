// SPDX-License-Identifier: GPL-2.0-only
//
// OfiEndpoint: one libfabric endpoint with its address vector, completion queue and memory.  For
// the files of the libfabric backend only, which alone include the vendor's headers.
//
// Memory, per peer: `nslots` incoming slots and one line that credits are written to; and one array
// of the caller that messages may land in (landing.h).  Written by the peer, read by this rank
// after the completion entry of the write, which is what makes the data visible.  Nothing else of
// this process can be written from outside.

#ifndef TOFU_TRANSPORT_OFI_ENDPOINT_H
#define TOFU_TRANSPORT_OFI_ENDPOINT_H

#include "ofi_options.h"
#include "transport/backend.h"
#include "transport/transport_error.h"

#include <memory>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <string>
#include <unordered_map>
#include <vector>

namespace TOFU_NS {

/** Close libfabric objects in the order of C++ destruction. */
struct FidCloser {
  template <class Fid> void operator()(Fid *fid) const { fi_close(&fid->fid); }
};
template <class Fid> using FidPtr = std::unique_ptr<Fid, FidCloser>;

struct InfoFreer {
  void operator()(fi_info *info) const { fi_freeinfo(info); }
};

struct BytesFreer {
  void operator()(std::byte *bytes) const;
};
using AlignedBytes = std::unique_ptr<std::byte, BytesFreer>;    // whole zeroed cache lines

/** Resources that all endpoints of a rank share; they live as long as any of the endpoints. */
struct OfiDomain {
  std::unique_ptr<fi_info, InfoFreer> info;
  FidPtr<fid_fabric> fabric;
  FidPtr<fid_domain> domain;
  std::string provider;
};

/** "what failed: libfabric's words". */
std::string ofi_message(const char *what, long status);

/** The completion data of a write: the number of the sender among the receiver's peers, and the
    kind of the write. */
struct OfiNotice {
  enum Kind : std::uint32_t { MESSAGE, CREDIT, ALIVE, GOODBYE };
  static constexpr std::uint32_t MAX_INDEX = (1u << 14) - 1;

  Kind kind;
  std::uint32_t index;     // of the sender, as the receiver counts
  std::uint32_t number;    // slot of a message, or landed(); low 16 bits of # of released slots;
                           // alive()

  std::uint32_t pack() const { return number | index << 16 | kind << 30; }
  static OfiNotice unpack(std::uint32_t data)
  {
    return {static_cast<Kind>(data >> 30), data >> 16 & MAX_INDEX, data & 0xffffu};
  }

  /** Number of a message that has landed in an array: its header has stayed behind, and with it the
      # of released slots, of which 8 bits travel here. */
  static constexpr std::uint32_t MAX_LANDED_SLOTS = 128;
  static std::uint32_t landed(int slot, std::uint64_t nreleased)
  {
    return 0x8000u | static_cast<std::uint32_t>(slot) << 8 |
        static_cast<std::uint32_t>(nreleased & 0xffu);
  }
  bool is_landed() const { return kind == MESSAGE && (number & 0x8000u); }
  std::uint32_t slot() const { return is_landed() ? number >> 8 & 0x7fu : number; }
  std::uint32_t nreleased() const { return is_landed() ? number & 0xffu : number; }

  /** Number of a sign of life: the lowest bits of # of messages so far, and whether it requests a
      sign of life of the peer. */
  static constexpr std::uint32_t SENT_RANGE = 0x8000u;
  static std::uint32_t alive(std::uint64_t nsent, bool requests_reply)
  {
    return (requests_reply ? SENT_RANGE : 0u) | static_cast<std::uint32_t>(nsent % SENT_RANGE);
  }
  bool requests_reply() const { return number & SENT_RANGE; }
  std::uint32_t nsent() const { return number % SENT_RANGE; }
};

/** Listener to the completions of an endpoint: a channel. */
class OfiListener {
 public:
  virtual ~OfiListener() = default;
  virtual void notice(const OfiNotice &notice) = 0;
  virtual void write_done() = 0;
  virtual void write_failed(const std::string &why) = 0;
};

/** Meaning of an entry of a completion queue.  Providers set more flags than required: an own
    write that carried completion data may come back with FI_REMOTE_CQ_DATA (sockets), one of a peer
    without FI_REMOTE_WRITE.

    \param flags   of the entry
    \param own     whether its context is that of a write of this endpoint */
enum class OfiEvent { NOTICE, WRITE_DONE, NOTHING };
OfiEvent event_of(std::uint64_t flags, bool own);

/** Context of a write under way.  The first member is the provider's to use. */
struct OfiWrite {
  fi_context2 context;
  OfiListener *listener;
  bool busy = false;
};

/** Sources and destinations of a write; both lists have the same number of bytes. */
struct OfiIov {
  static constexpr int MAX_FROM = 1 + Landing::MAX_PLACES;

  int nfrom = 0, nto = 0;
  iovec from[MAX_FROM];
  fi_rma_iov to[Landing::MAX_PLACES];

  void add_from(const void *data, std::size_t nbytes)
  {
    from[nfrom++] = {const_cast<void *>(data), nbytes};
  }
  void add_to(std::uint64_t address, std::size_t nbytes, std::uint64_t key)
  {
    to[nto++] = {address, nbytes, key};
  }
};

class OfiEndpoint {
 public:
  /** \param domain         kept alive
      \param ncompletions   entries that may be outstanding at the same time
      \throws TransportError. */
  OfiEndpoint(std::shared_ptr<OfiDomain> domain, std::size_t ncompletions);
  ~OfiEndpoint();
  OfiEndpoint(const OfiEndpoint &) = delete;
  OfiEndpoint &operator=(const OfiEndpoint &) = delete;

  /** Allocate and register: bytes that peers write, bytes that are sent.  Once.  Throws. */
  void set_memory(std::size_t nbytes_in, std::size_t nbytes_out);
  std::byte *incoming() const { return incoming_.get(); }
  std::byte *outgoing() const { return outgoing_.get(); }
  std::uint64_t remote_base() const;    // address of incoming() for peers
  std::uint64_t remote_key() const { return fi_mr_key(incoming_mr_.get()); }

  std::vector<std::byte> address() const;

  /** Number that a peer adds to each notice, so that notices of other processes in the network are
      ignored; 0 if the provider has no room for it. */
  std::uint32_t secret() const { return secret_; }
  fi_addr_t add_peer(const std::byte *address);

  /** Reason of a failure if the limit of descriptors has become so small that poll() over all
      sockets of a provider fails; else empty. */
  std::string lack_of_descriptors() const;

  void listen(std::uint32_t index, OfiListener *listener);

  /** A context for writes, one at a time.  It lives as long as the endpoint, since a completion may
      come after its listener has been destroyed, which sets `listener` to nullptr. */
  OfiWrite *make_write(OfiListener *listener);

  /** Arrays of the caller, in place of those of the last call.

      \return   # of registrations that it took, 0 if nothing has changed.  Throws. */
  int set_arrays(const ArrayMemory &landing, const ArrayMemory &source);
  bool can_leave_from(const void *data, std::size_t nbytes) const;
  Landing make_offer(const ArrayPieces &pieces) const;
  int max_from() const { return max_from_; }    // of an OfiIov
  int max_to() const { return max_to_; }

  /** Write and raise a notice; the source is in outgoing() or in the source array.

      \param write    a free context of make_write()
      \param iov      sources and destinations
      \param peer     of add_peer()
      \param notice   packed, with the secret of the peer in the upper half
      \return   false if the queue is full, try again after progress()
      \throws TransportError if the peer cannot be reached any more. */
  bool write(OfiWrite &write, const OfiIov &iov, fi_addr_t peer, std::uint64_t notice);

  /** Process all completions.  Never blocks. */
  void progress();

  const OfiDomain &domain() const { return *domain_; }

 private:
  void handle(const fi_cq_data_entry &entry);
  OfiWrite *own_write(const void *context) const;
  void finish(OfiWrite &write, const std::string *why);
  FidPtr<fid_mr> make_region(const void *bytes, std::size_t nbytes, std::uint64_t access);
  std::uint64_t remote_address(const void *base, const void *at) const;
  void *description(const void *data) const;
  void read_error();

  std::shared_ptr<OfiDomain> domain_;
  const std::uint32_t secret_;
  AlignedBytes incoming_, outgoing_;
  FidPtr<fid_cq> queue_;
  FidPtr<fid_av> peers_;
  FidPtr<fid_ep> endpoint_;
  FidPtr<fid_mr> incoming_mr_, outgoing_mr_;
  ArrayMemory landing_, source_;             // of the caller
  FidPtr<fid_mr> landing_mr_, source_mr_;    // the latter only if the provider needs it
  int max_from_, max_to_;
  std::vector<OfiListener *> listeners_;
  std::unordered_map<const void *, std::unique_ptr<OfiWrite>> writes_;    // by context
  std::size_t npeers_ = 0;
};

/** A channel over an endpoint.

    \param endpoint   that serves the peer
    \param need       the peer, its slots and their sizes
    \param index      number that the peer gives when it writes
    \param in,out     first of this peer's slots in the endpoint's memory
    \param theirs     address that the peer has for this rank */
std::unique_ptr<Channel> make_ofi_channel(std::shared_ptr<OfiEndpoint> endpoint,
                                          const PeerNeed &need, std::uint32_t index, std::byte *in,
                                          std::byte *out, const OfiAddress &theirs);

/** Bytes between two slots with this payload. */
constexpr std::size_t ofi_slot_bytes(std::size_t capacity)
{
  return CACHE_LINE + capacity;
}

/** Bytes of the slots of one peer in one direction, and the line of the credits. */
constexpr std::size_t ofi_region_bytes(int nslots, std::size_t capacity)
{
  return nslots * ofi_slot_bytes(capacity) + CACHE_LINE;
}

}    // namespace TOFU_NS

#endif
