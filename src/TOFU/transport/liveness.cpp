// SPDX-License-Identifier: GPL-2.0-only

#include "liveness.h"

#include "message.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace TOFU_NS {

namespace {

  struct ProcessState {
    char state = '\0';               // as in ps: R, S, D, Z ...; \0 = no such process
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

bool ProcessIdentity::alive() const
{
  const ProcessState now = read_process_state(pid);
  if (now.state == '\0' || now.state == 'Z' || now.state == 'X') return false;
  return now.start_time == start_time;
}

}    // namespace TOFU_NS
