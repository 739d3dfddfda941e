// SPDX-License-Identifier: GPL-2.0-only
//
// Transport: one-sided messages between this rank and its peers.
//
//   connect()           once, collective: swap addresses, choose a backend per peer
//   open ... close()    put one message with notice into the peer's next slot
//   wait(), release()   read the next message of a peer where it landed
//
// A transport moves bytes between slots of peers; atoms are unknown to it.  A thread that waits
// advances every backend.  No call waits for a peer that may be in an MPI collective: outgoing
// transfers are completed when their slot is used again.
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
      over the communicator.  A failure for which there is a fall-back does not throw; the caller
      evaluates the report on all ranks.

      \param peers        ranks other than this one, ascending
      \param capacities   [peers.size()] bytes of the largest usual message to each peer; larger
                          ones are sent in fragments
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

  /** While an object exists, there is a thread per lane, and a waiting thread serves its own lane
      only.  Otherwise a waiting thread serves all lanes, so that ranks cannot deadlock on a lane
      that no thread serves. */
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

  /** Block until the next message of a peer has arrived.  Throws TransportError if the peer has
      died or its message is of another kind. */
  const Message &wait(int index, MessageKind kind);

  /** Block until a message of any of some links has arrived, and remove the link from the list.

      \param pending   indices of links, not empty; the served one is removed
      \param kind      that all of them must have
      \return          its index; wait() on it returns at once */
  int wait_any(std::vector<int> &pending, MessageKind kind);

  /** Return when all messages that were sent have left this process.  To be called when all
      messages of a stage have been read.  The call may wait for a receiver to read, but never for
      one in an MPI collective that this rank has not entered: a message of this stage that has not
      left this process keeps its receiver in this stage.

      \param lane   whose links; ALL_LANES: of all */
  void settle(int lane);

  /** Advance the transfers of a lane, for a thread that waits for something else.  Messages in
      fragments are joined as well: otherwise four ranks, of which two send long messages and two
      wait for others, could deadlock. */
  void progress(int lane);
  static constexpr int ALL_LANES = -1;

  /** Register arrays that messages may land in and leave from (landing.h).  To be called when no
      offer is open; a call for arrays that are registered returns at once.  Messages from and to
      memory that a backend cannot register are copied, after one warning.

      \return   # of registrations that it took */
  int set_arrays(const ArrayMemory &landing, const ArrayMemory &source);

  /** Set the sleep between polls, after the first few polls; for a core that is shared with a
      thread that computes.  0: no sleep. */
  void set_nap(double seconds) { nap_ = seconds; }

  /** Check all peers, for a rank that waits for them outside of the transport.  Throws
      TransportError if the process of a peer has ended. */
  void expect_all_alive() const;

  /** Print a warning through the options' callback. */
  void warn(const std::string &text) const
  {
    if (options_.warn) options_.warn(text);
  }

  /** To be called when a call has thrown.  A peer may be lost; the destructor then waits for the
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

  class WaitPolicy;    // spins, yields, checks peers and warns

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
  bool no_arrays_ = false;    // the registration of arrays has failed
  bool broken_ = false;
};

}    // namespace TOFU_NS

#endif
