// SPDX-License-Identifier: GPL-2.0-only
//
// RankWatch: detects that another rank of this node has ended, while this rank waits for anything.
//
// A wait of the transport watches the peer for which it waits.  A rank in an MPI collective watches
// no rank, and some launchers do not end it when another rank is killed.  Therefore one thread of
// each rank sleeps until the process of another rank ends; the kernel wakes it.

#ifndef TOFU_TRANSPORT_RANK_WATCH_H
#define TOFU_TRANSPORT_RANK_WATCH_H

#include "liveness.h"

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace TOFU_NS {

/** The process of a rank. */
struct RankProcess {
  int rank;
  ProcessIdentity process;
};

class RankWatch {
 public:
  using Alarm = std::function<void(const std::string &)>;

  /** \param me       this rank
      \param others   ranks to watch; those that are not watchable() are left out
      \param grace    seconds between the end of a rank and the alarm, in which the launcher, or a
                      wait of the transport, may end this rank, or the rank itself come to its own
                      end
      \param alarm    called at most once, from another thread, with a sentence that names the rank
                      that has ended; it is expected to end this process.  A new process with the
                      number of one that ended is distinguished from it.
      \throws std::system_error if there can be no thread. */
  RankWatch(int me, const std::vector<RankProcess> &others, double grace, Alarm alarm);

  /** After it there is no alarm. */
  ~RankWatch();
  RankWatch(const RankWatch &) = delete;
  RankWatch &operator=(const RankWatch &) = delete;

 private:
  void watch();
  int find_ended() const;
  bool wait_for_stop(double seconds);
  bool wait_for_an_end();

  const int me_;
  const double grace_;
  const Alarm alarm_;
  std::vector<int> ranks_;               // [n] of the watched processes
  std::vector<ProcessWatch> watches_;    // [n]
  bool all_have_descriptors_ = true;     // the kernel reports every end
  int stop_[2] = {-1, -1};               // pipe: closing the end to write stops the thread
  std::thread thread_;
};

}    // namespace TOFU_NS

#endif
