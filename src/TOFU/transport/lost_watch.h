// SPDX-License-Identifier: GPL-2.0-only
//
// Detection of what is lost, in a wait.  Time is counted in seconds that have begun, since the
// clock goes on while this process is stopped.

#ifndef TOFU_TRANSPORT_LOST_WATCH_H
#define TOFU_TRANSPORT_LOST_WATCH_H

#include <chrono>
#include <string>

namespace TOFU_NS {

class SecondsClock {
 public:
  using Clock = std::chrono::steady_clock;

  /** True once a second or more has passed; then the next one begins. */
  bool next(Clock::time_point now = Clock::now())
  {
    if (now - start_ < std::chrono::seconds(1)) return false;
    start_ = now;
    return true;
  }

 private:
  Clock::time_point start_ = Clock::now();
};

class LostWatch {
 public:
  /** To be called once a second.

      \param missing   whether something that is expected has not come yet
      \return          true if it has been missing for more than limit() */
  bool is_lost(bool missing)
  {
    nseconds_ = missing ? nseconds_ + 1 : 0;
    return nseconds_ > LIMIT;
  }

  static std::string limit() { return std::to_string(LIMIT) + " s"; }

 private:
  static constexpr int LIMIT = 4;
  int nseconds_ = 0;
};

}    // namespace TOFU_NS

#endif
