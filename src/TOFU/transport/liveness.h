// SPDX-License-Identifier: GPL-2.0-only
//
// Is the process of a peer still there?  Asked only by a rank that has been waiting for a while.

#ifndef TOFU_TRANSPORT_LIVENESS_H
#define TOFU_TRANSPORT_LIVENESS_H

#include <cstdint>

namespace TOFU_NS {

/** Identifies a process beyond the reuse of its number.  Plain data, sent to peers. */
struct ProcessIdentity {
  std::uint64_t host;          // hash of host name and boot id
  std::uint64_t start_time;    // field 22 of /proc/<pid>/stat, clock ticks since boot; 0 unknown
  std::int64_t pid;

  static ProcessIdentity self();

  /** True if a process of another rank can be watched from here: same host, and its number
      means the same process in this process' name space. */
  bool watchable() const;

  /** False if the process has ended (also if nobody has reaped it yet).  Only for watchable(). */
  bool alive() const;
};

}    // namespace TOFU_NS

#endif
