// SPDX-License-Identifier: GPL-2.0-only
//
// Transport: one-sided messages between this rank and its peers.
//
//   connect()           once, collective: swap addresses, choose a backend per peer
//   open ... close()    put one message with notice into the peer's next slot
//   wait(), release()   read the next message of a peer where it landed
//
// A transport knows bytes, slots and peers; it knows nothing of atoms.  A thread that waits drives
// every backend.  No call waits for a peer that may sit in an MPI collective: outgoing transfers
// are completed when their slot is used again.
//
// Threads: links are assigned to lanes.  Calls that concern links of different lanes may be made by
// different threads at the same time.  All other calls, and all calls for one lane, must be made by
// one thread at a time.  Links of backends for the thread that initialised MPI are all in lane 0,
// which is for that thread.

#ifndef TOFU_TRANSPORT_TRANSPORT_H
#define TOFU_TRANSPORT_TRANSPORT_H

#include "backends.h"
#include "bootstrap.h"
#include "link.h"
#include "liveness.h"
#include "transport_error.h"
#include "transport_options.h"

#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {

struct HandshakePeer;

class Transport : private CreditWaiter {
 public:
  /** A transport without links.

      \param bootstrap   used in connect() only, must live as long as the transport
      \param comm        pointer to an MPI_Comm, which must live until connect() returns;
                         nullptr: this program has no MPI
      \param options     copied
      \param backends    table to choose from, which must live until connect() returns */
  Transport(Bootstrap &bootstrap, const void *comm, const TransportOptions &options,
            const BackendTable &backends = all_backends());
  ~Transport() override;

  /** Make a link to every peer; each peer lists this rank as well.  To be called once, collective
      over the communicator.  A failure that a fall-back can serve does not throw; the caller looks
      at the report on all ranks.

      \param peers        ranks other than this one, ascending
      \param capacities   [peers.size()] bytes of the largest message that is usually sent to each
                          peer; larger ones work, in fragments
      \param hops         [peers.size()] distance of each peer, for the assignment to lanes; empty:
                          the same for all
      \return             # of peers that each backend serves, and failures */
  ConnectReport connect(const std::vector<int> &peers, const std::vector<std::size_t> &capacities,
                        const std::vector<int> &hops = {});

  int npeers() const { return static_cast<int>(links_.size()); }

  /** Index of a rank's link, -1 if it is no peer. */
  int find(int rank) const;
  Link &link(int index) { return *links_[index]; }
  std::size_t capacity(int index) const { return capacities_[index]; }
  int nlanes() const { return static_cast<int>(lanes_.size()); }
  int lane_of(int index) const { return lane_of_[index]; }

  /** True if some link can move arrays of the caller without a copy. */
  bool takes_arrays() const;

  /** While one of these exists a thread per lane is at work.  Then a waiting thread serves its own
      lane only; otherwise it serves all lanes, so that ranks cannot deadlock on a lane that no
      thread serves. */
  class Concurrent {
   public:
    explicit Concurrent(Transport &transport) : transport_(transport)
    {
      transport_.concurrent_ = true;
    }
    ~Concurrent() { transport_.concurrent_ = false; }
    Concurrent(const Concurrent &) = delete;
    Concurrent &operator=(const Concurrent &) = delete;

   private:
    Transport &transport_;
  };

  /** Block until the next message of this peer is here.  Throws TransportError if the peer has
      died or its message is of another kind. */
  const Message &wait(int index, MessageKind kind);

  /** Block until a message of any of these links is here and take the link out of the list.

      \param pending   indices of links, not empty; the served one is removed
      \param kind      that all of them must have
      \return          its index; wait() on it returns at once */
  int wait_any(std::vector<int> &pending, MessageKind kind);

  /** To be called when all messages of a stage have been read: return when no message that was sent
      needs this process any more.  The call may wait for a receiver to read, but never for a
      receiver in an MPI collective that this rank has not entered: a message of this stage that has
      not left this process keeps its receiver in this stage.

      \param lane   whose links; ALL_LANES: of all */
  void settle(int lane);

  /** Let what this lane has under way move on, for a thread that waits for something else.  It
      takes in messages in fragments as well: else four ranks, of which two send long messages and
      two wait for others, could deadlock. */
  void progress(int lane);
  static constexpr int ALL_LANES = -1;

  /** Arrays that messages may land in and leave from (landing.h).  To be called when no offer is
      open; a call for memory that is known costs nothing.  Memory that a backend cannot register is
      copied, after one warning.

      \return   # of registrations that it took */
  int set_arrays(const ArrayMemory &landing, const ArrayMemory &source);

  /** Sleep time between polls, after a few polls at first; for a core that is shared with a thread
      that works.  0 polls without sleeping. */
  void set_nap(double seconds) { nap_ = seconds; }

  /** To be called by a rank that waits for all peers in some other way.  Throws TransportError if
      the process of a peer has ended. */
  void expect_all_alive() const;

  /** Tell the user something that all goes on without. */
  void warn(const std::string &text) const
  {
    if (options_.warn) options_.warn(text);
  }

  /** To be called when a call has thrown: a peer may be lost, so that the destructor waits for a
      goodbye of living peers no longer than a second. */
  void mark_broken() { broken_ = true; }

  LinkCounters counters() const;
  void reset_counters();
  double seconds_waited() const;    // of the lane that waited most

 private:
  void add_link(HandshakePeer &made, int lane);
  void wait_for_credit(Link &link) override;
  const Message *poll(int index, MessageKind kind);
  bool hold_back(int lane);
  const std::vector<int> &served_with(int lane) const;

  struct alignas(CACHE_LINE) Lane {    // data that one thread at a time writes
    std::vector<int> links;
    std::uint64_t shuffle_state = 0;
    double seconds_waited = 0.0;
  };

  class Patience;    // how a wait spins, yields, checks peers and warns

  Bootstrap &bootstrap_;
  const void *comm_;
  const BackendTable &backends_;
  TransportOptions options_;
  int me_;
  double nap_ = 0.0;
  bool crowded_;    // more ranks than cores on this node: yield the core early

  std::vector<std::unique_ptr<Link>> links_;
  std::vector<std::size_t> capacities_;    // of outgoing slots
  std::vector<ProcessWatch> watches_;      // of the peers
  std::vector<Lane> lanes_;
  std::vector<int> lane_of_;      // [nlinks]
  std::vector<int> all_links_;    // [nlinks] 0, 1, 2 ...
  bool concurrent_ = false;
  bool no_arrays_ = false;    // their registration has failed
  bool broken_ = false;
};

}    // namespace TOFU_NS

#endif
