// SPDX-License-Identifier: GPL-2.0-only
//
// Detection of the end of another rank's process.
//
// A process counts as ended only on proof: a readable pidfd, no process of its number, a zombie, or
// another process with its number.  A process that cannot be inspected (no free descriptor, no
// /proc, hidepid) counts as alive.

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

  /** True if this process can watch the other: same host, and the number stands for the same
      process in this process' name space. */
  bool watchable() const;
};

/** Watches one process.  Owns a pidfd, if the kernel has them and enough descriptors are left: one
    that was opened while the process lives stays valid when its number is reused. */
class ProcessWatch {
 public:
  explicit ProcessWatch(const ProcessIdentity &process);
  ~ProcessWatch();
  ProcessWatch(ProcessWatch &&other) noexcept;
  ProcessWatch(const ProcessWatch &) = delete;
  ProcessWatch &operator=(const ProcessWatch &) = delete;

  const ProcessIdentity &process() const { return process_; }

  /** True if the process is proven to have ended, reaped or not; false if it is not watchable(). */
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
