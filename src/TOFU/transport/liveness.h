// SPDX-License-Identifier: GPL-2.0-only
//
// Is the process of another rank still there?
//
// A process counts as ended only on proof: a pidfd that says so, no process of its number, a
// zombie, or another process under its number.  That it cannot be looked at (no free descriptor, no
// /proc, hidepid) proves nothing.

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
};

/** Looks after one process.  Holds a pidfd, if the kernel has them and enough descriptors are left:
    opened while the process lives, it stays right when its number is used again. */
class ProcessWatch {
 public:
  explicit ProcessWatch(const ProcessIdentity &process);
  ~ProcessWatch();
  ProcessWatch(ProcessWatch &&other) noexcept;
  ProcessWatch(const ProcessWatch &) = delete;
  ProcessWatch &operator=(const ProcessWatch &) = delete;

  const ProcessIdentity &process() const { return process_; }

  /** True if the process has ended for certain (also if it has not been reaped yet); never for one
      that is not watchable(). */
  bool ended() const;

  /** For poll(): readable when the process has ended.  -1 if there is none. */
  int descriptor() const { return fd_; }

 private:
  ProcessIdentity process_;
  bool watchable_;
  int fd_ = -1;
};

}    // namespace TOFU_NS

#endif
