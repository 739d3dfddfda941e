// SPDX-License-Identifier: GPL-2.0-only

#include "settings.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace TOFU_EMULATOR {

void end_process(const std::string &text)
{
  std::fprintf(stderr, "utofu: process %d: %s\n", static_cast<int>(getpid()), text.c_str());
  std::fflush(stderr);
  std::signal(SIGABRT, SIG_DFL);    // handlers of libraries may run what this thread must not
  std::abort();
}

namespace {

  long number_in(const char *name, const char *text, char **end)
  {
    const long value = std::strtol(text, end, 10);
    if (*end == text) end_process(std::string(name) + "=" + text + " is no number");
    return value;
  }

  bool is_on(const char *name)
  {
    const char *text = std::getenv(name);
    return text && (std::strcmp(text, "on") == 0 || std::strcmp(text, "1") == 0);
  }

  // "n" or "n@rank"

  Nth nth(const char *name)
  {
    const char *text = std::getenv(name);
    if (!text || !*text) return {};
    char *end;
    Nth result;
    result.n = static_cast<int>(number_in(name, text, &end));
    if (*end == '@') result.rank = static_cast<int>(number_in(name, end + 1, &end));
    return result;
  }

  /** # of entries that the library makes of UTOFU_NUM_MRQ_ENTRIES: the nearest of six values. */
  std::size_t mrq_entries()
  {
    static constexpr long ALLOWED[] = {2048, 8192, 32768, 131072, 524288, 2097152};
    const char *name = "UTOFU_NUM_MRQ_ENTRIES";
    const char *text = std::getenv(name);
    if (!text || !*text) return 131072;
    char *end;
    long wanted = number_in(name, text, &end);
    if (std::strcmp(end, "Ki") == 0) wanted *= 1024;
    if (std::strcmp(end, "Mi") == 0) wanted *= 1024 * 1024;
    return *std::min_element(std::begin(ALLOWED), std::end(ALLOWED), [wanted](long a, long b) {
      return std::labs(a - wanted) < std::labs(b - wanted);
    });
  }

}    // namespace

/* ---------------------------------------------------------------------- */

long environment_number(const char *name, long absent)
{
  const char *text = std::getenv(name);
  char *end;
  return text && *text ? number_in(name, text, &end) : absent;
}

/* ---------------------------------------------------------------------- */

Settings Settings::read()
{
  Settings s;
  s.seed = environment_number("TOFU_EMULATOR_SEED", 0);
  s.toq = environment_number("TOFU_EMULATOR_TOQ", 2048);
  s.mrq = environment_number("TOFU_EMULATOR_MRQ", static_cast<long>(mrq_entries()));
  s.ntnis = static_cast<int>(environment_number("TOFU_EMULATOR_TNIS", NTNIS));
  s.nvcqs = static_cast<int>(environment_number("TOFU_EMULATOR_VCQS", NVCQS));
  s.nexclusive = static_cast<int>(environment_number("UTOFU_NUM_EXCLUSIVE_CQS", 0));
  s.nends = static_cast<int>(environment_number("TOFU_EMULATOR_START_GATES", NENDS));
  s.nrelays = static_cast<int>(environment_number("TOFU_EMULATOR_RELAY_GATES", NGATES - NENDS));
  s.full_registration = nth("TOFU_EMULATOR_FULL_REGISTRATION");
  s.full_queue = nth("TOFU_EMULATOR_FULL_QUEUE");
  s.death = nth("TOFU_EMULATOR_DEATH");
  s.extra_notices = is_on("TOFU_EMULATOR_EXTRA_NOTICES");
  s.report = is_on("TOFU_EMULATOR_REPORT");
  s.check_mpi = is_on("TOFU_EMULATOR_CHECK_MPI");
  return s;
}

}    // namespace TOFU_EMULATOR
