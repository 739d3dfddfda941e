// SPDX-License-Identifier: GPL-2.0-only
//
// UtofuEndpoint: one virtual queue of a network interface, with its memory.  For the files of the
// uTofu backend only, which alone include the vendor's header.
//
// Memory: pages of their own for the regions that peers write to and for the slots that messages
// leave from, since children of this process lack registered pages; and arrays of the caller
// (landing.h).  What a peer has written is read only after its notice.
//
// Both queues of completions are drained at every progress(): the hardware ends a process whose
// receive queue is full, and takes no more orders when entries of those it has taken are not read.

#ifndef TOFU_TRANSPORT_UTOFU_ENDPOINT_H
#define TOFU_TRANSPORT_UTOFU_ENDPOINT_H

#include "transport/backend.h"
#include "transport/transport_error.h"
#include "utofu_address.h"

#include <map>
#include <memory>
#include <string>
#include <utofu.h>
#include <vector>

namespace TOFU_NS {

/** "what failed: name of the code". */
std::string utofu_message(const char *what, int code);

/** Whole zeroed pages; nothing else is on them. */
class UtofuPages {
 public:
  UtofuPages() = default;

  /** Throws std::bad_alloc. */
  explicit UtofuPages(std::size_t nbytes);
  ~UtofuPages();
  UtofuPages(UtofuPages &&other) noexcept;
  UtofuPages &operator=(UtofuPages &&other) noexcept;

  std::byte *data() const { return data_; }
  bool contains(const void *at) const
  {
    const auto place = static_cast<const std::byte *>(at);
    return place >= data_ && place < data_ + nbytes_;
  }

  /** Keep them until the end of the program. */
  void abandon() { data_ = nullptr; }

 private:
  static constexpr std::size_t PAGE = 65536;    // that the interconnect's rules know

  std::byte *data_ = nullptr;
  std::size_t nbytes_ = 0;
  void *mapped_ = nullptr;
  std::size_t nmapped_ = 0;
};

/** The byte that travels with an order: its kind, and the epoch of the queue that it is for. */
struct UtofuTag {
  enum Kind : std::uint8_t { MESSAGE, LANDED, LINE };
  static constexpr std::uint32_t NEPOCHS = 64;

  Kind kind;
  std::uint32_t epoch;

  std::uint64_t pack() const { return kind | epoch << 2; }
  static UtofuTag unpack(std::uint64_t edata)
  {
    return {static_cast<Kind>(edata & 3), static_cast<std::uint32_t>(edata >> 2 & (NEPOCHS - 1))};
  }
};

/** Listener to the completions of an endpoint: a channel. */
class UtofuListener {
 public:
  virtual ~UtofuListener() = default;

  /** A peer has written into the region.

      \param kind   a message in a slot, a message in an array, or a line without a message
      \param at     last byte, from the beginning of the region */
  virtual void notice(UtofuTag::Kind kind, std::size_t at) = 0;

  /** An order that requested an answer has arrived. */
  virtual void answered() = 0;
  virtual void failed(const std::string &why) = 0;
};

/** Context of orders under way: of the last of those that belong together. */
struct UtofuWrite {
  UtofuListener *listener;
  bool busy = false;
};

/** One put. */
struct UtofuOrder {
  static constexpr std::size_t MAX_INLINE = 32;

  std::uint64_t from = 0;    // STADD, unless the data travel in the order
  std::uint64_t to = 0;
  std::size_t nbytes = 0;
  bool is_inline = false;
  std::byte data[MAX_INLINE] = {};
  unsigned long flags = 0;
};

class UtofuEndpoint {
 public:
  /** \param interface   number of the network interface
      \param full        gets whether another interface may have room
      \throws TransportError. */
  UtofuEndpoint(int interface, bool &full);
  ~UtofuEndpoint();
  UtofuEndpoint(const UtofuEndpoint &) = delete;
  UtofuEndpoint &operator=(const UtofuEndpoint &) = delete;

  int interface() const { return interface_; }
  std::uint64_t id() const { return id_; }
  std::uint32_t epoch() const { return epoch_; }

  /** Allocate and register: bytes that peers write, bytes that are sent.  Once.  Throws. */
  void set_memory(std::size_t nbytes_in, std::size_t nbytes_out);
  std::byte *incoming() const { return incoming_.data(); }
  std::byte *outgoing() const { return outgoing_.data(); }
  std::uint64_t remote_address(const std::byte *incoming) const;

  /** Register the listener for notices of what a peer writes into a region, and for completions of
      writes to the peer.

      \param region     first byte of the region for the peer; it may be in one call only
      \param nbytes     size of the region
      \param peer       its queue, and the paths to it
      \param listener   gets both; it must live until stop_listening() */
  void listen(const std::byte *region, std::size_t nbytes, const UtofuAddress &peer,
              UtofuListener *listener);
  void stop_listening(const std::byte *region);

  /** A context for orders; lives as long as the endpoint. */
  UtofuWrite *make_write(UtofuListener *listener);

  /** Arrays of the caller, in place of those of the last call.

      \return   # of registrations that it took.  Throws. */
  int set_arrays(const ArrayMemory &landing, const ArrayMemory &source);
  bool can_leave_from(const void *data, std::size_t nbytes) const
  {
    return source_.memory.nbytes && source_.memory.contains(data, nbytes);
  }
  Landing make_offer(const ArrayPieces &pieces) const;

  /** STADD of bytes in outgoing() or in the source array. */
  std::uint64_t local_address(const void *data) const;

  /** Hand an order to the network.

      \param order        what goes where
      \param context      busy until the entry of the order has been read; nullptr: there will be
                          none, unless the order fails
      \param peer         id of its queue, with the path to it
      \param tag          UtofuTag, which travels with the order
      \param on_failure   gets the error of an order without a context
      \return             false if there is no room, try again after progress().  Throws. */
  bool post(const UtofuOrder &order, UtofuWrite *context, std::uint64_t peer, std::uint64_t tag,
            UtofuWrite *on_failure);

  /** Read all entries.  Never blocks. */
  void progress();

 private:
  struct Registered {
    ArrayMemory memory;
    std::uint64_t address = 0;
  };
  struct Region {
    std::size_t nbytes;
    UtofuAddress peer;
    UtofuListener *listener;
  };

  std::uint64_t register_memory(const void *data, std::size_t nbytes, unsigned long flags);
  void set_array(Registered &present, const ArrayMemory &wanted, unsigned long flags, int &n);
  void forget(Registered &array);
  void read_entry(int code, void *data);
  void read_notice(int code, const utofu_mrq_notice &notice);
  bool is_of_peer(const Region &region, const utofu_mrq_notice &notice) const;
  bool finish_orders();

  const int interface_;
  utofu_vcq_hdl_t queue_ = 0;
  std::uint64_t id_ = 0;
  std::uint32_t epoch_;
  UtofuPages incoming_, outgoing_;
  Registered in_, out_;    // the same
  Registered landing_, source_;
  std::map<std::uint64_t, Region> regions_;    // by STADD of the first byte
  std::vector<std::unique_ptr<UtofuWrite>> writes_;
  UtofuWrite end_{nullptr};    // the last order of all
};

/** A channel over an endpoint.

    \param endpoint   that serves the peer
    \param need       the peer, its slots and their sizes
    \param in,out     first of this peer's bytes in the endpoint's memory
    \param theirs     address that the peer has for this rank
    \throws TransportError. */
std::unique_ptr<Channel> make_utofu_channel(std::shared_ptr<UtofuEndpoint> endpoint,
                                            const PeerNeed &need, std::byte *in, std::byte *out,
                                            const UtofuAddress &theirs);

}    // namespace TOFU_NS

#endif
