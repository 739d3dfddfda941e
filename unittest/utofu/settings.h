// SPDX-License-Identifier: GPL-2.0-only
//
// Settings of the emulator: limits of the machine and faults, from the environment (README.md).

#ifndef TOFU_EMULATOR_SETTINGS_H
#define TOFU_EMULATOR_SETTINGS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace TOFU_EMULATOR {

constexpr int NTNIS = 6, NCQS = 9, NVCQS = 8, NENDS = 16, NGATES = 48;
constexpr std::size_t LINE = 256, PAGE = 65536;
constexpr std::size_t MAX_LENGTH = 16777215, MAX_PIGGYBACK = 32;

/** The n-th event is to fail, counted from 1; 0: none. */
struct Nth {
  int n = 0;
  int rank = -1;    // of this rank only; -1: of all
};

struct Settings {
  std::uint64_t seed = 0;    // 0: everything in order and at once
  std::size_t toq = 2048, mrq = 131072;
  int ntnis = NTNIS;
  int nvcqs = NVCQS;    // of a queue of the hardware
  int nexclusive = 0;
  int nends = NENDS, nrelays = NGATES - NENDS;    // gates of an interface
  Nth full_registration, full_queue, death;
  bool extra_notices = false, report = false, check_mpi = false;

  static Settings read();
};

/** A variable of the environment as a number; the default if it is not set.  A text that is no
    number ends the process. */
long environment_number(const char *name, long absent);

/** Print "tofu emulator, rank ...: text" and end the process, as the hardware's driver would. */
[[noreturn]] void end_process(const std::string &text);

/** Random numbers of this process (splitmix64). */
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next()
  {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return next() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}    // namespace TOFU_EMULATOR

#endif
