// SPDX-License-Identifier: GPL-2.0-only

#include "liveness.h"

#include "message.h"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace TOFU_NS {

namespace {

  struct ProcessState {
    char state = '\0';               // as in ps: R, S, D, Z ...; \0 = unknown
    std::uint64_t start_time = 0;    // clock ticks since boot
  };

  ProcessState read_process_state(std::int64_t pid)
  {
    ProcessState result;
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line)) return result;

    // the command name in parentheses may itself hold blanks and parentheses: start after the last
    const auto end_of_name = line.rfind(')');
    if (end_of_name == std::string::npos) return result;
    std::istringstream fields(line.substr(end_of_name + 1));
    fields >> result.state;
    std::string skipped;
    for (int field = 4; field < 22; field++) fields >> skipped;
    fields >> result.start_time;
    return result;
  }

  std::uint64_t host_hash()
  {
    char name[256] = {};
    gethostname(name, sizeof(name) - 1);
    std::string identity = name;
    std::string boot_id;
    if (std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot_id))
      identity += boot_id;
    return message_checksum(reinterpret_cast<const std::byte *>(identity.data()), identity.size());
  }

  /** -1 where the kernel has none, and where it would take one of the last descriptors. */
  int open_pidfd(std::int64_t pid)
  {
#ifdef SYS_pidfd_open
    const int fd = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0));
    rlimit limit;
    if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return fd;
    if (static_cast<rlim_t>(fd) < limit.rlim_cur / 2) return fd;
    close(fd);
#else
    (void) pid;
#endif
    return -1;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

ProcessIdentity ProcessIdentity::self()
{
  ProcessIdentity me;
  me.host = host_hash();
  me.pid = getpid();
  me.start_time = read_process_state(me.pid).start_time;
  return me;
}

/* ---------------------------------------------------------------------- */

bool ProcessIdentity::watchable() const
{
  if (start_time == 0 || host != host_hash()) return false;
  return read_process_state(pid).start_time == start_time;
}

/* ---------------------------------------------------------------------- */

ProcessWatch::ProcessWatch(const ProcessIdentity &process) :
    process_(process), watchable_(process.watchable())
{
  if (!watchable_ || process_.pid == getpid()) return;
  fd_ = open_pidfd(process_.pid);

  // the number may have changed hands before it was opened

  if (fd_ >= 0 && !process_.watchable()) {
    close(fd_);
    fd_ = -1;
  }
}

/* ---------------------------------------------------------------------- */

ProcessWatch::~ProcessWatch()
{
  if (fd_ >= 0) close(fd_);
}

/* ---------------------------------------------------------------------- */

ProcessWatch::ProcessWatch(ProcessWatch &&other) noexcept :
    process_(other.process_), watchable_(other.watchable_), fd_(other.fd_)
{
  other.fd_ = -1;
}

/* ---------------------------------------------------------------------- */

bool ProcessWatch::ended() const
{
  if (!watchable_ || process_.pid == getpid()) return false;
  if (fd_ >= 0) {
    pollfd look = {fd_, POLLIN, 0};
    return poll(&look, 1, 0) == 1 && (look.revents & POLLIN);
  }
  if (kill(static_cast<pid_t>(process_.pid), 0) != 0 && errno == ESRCH) return true;
  const ProcessState now = read_process_state(process_.pid);
  if (now.state == '\0') return false;    // it cannot be looked at
  return now.state == 'Z' || now.state == 'X' || now.start_time != process_.start_time;
}

}    // namespace TOFU_NS
