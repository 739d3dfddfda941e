// SPDX-License-Identifier: GPL-2.0-only
//
// BuildForecast: whether neighbor lists will probably be due in a step, by how far the fastest atom
// of all ranks had come in earlier steps.  Ranks that are told so wait for the answer of all, and
// go on without it otherwise: a wrong forecast costs time, and changes no result.

#ifndef TOFU_BASE_BUILD_FORECAST_H
#define TOFU_BASE_BUILD_FORECAST_H

#include <algorithm>

namespace TOFU_NS {

class BuildForecast {
 public:
  /** Lists are new. */
  void begin() { before_ = now_ = {0, 0.0}; }

  /** So many steps after the build.

      \param nsteps   more than in earlier calls
      \param part     of the distance at which lists are due, that the fastest atom has come */
  void note(int nsteps, double part)
  {
    if (nsteps <= now_.nsteps) return;
    before_ = now_;
    now_ = {nsteps, part};
    if (before_.nsteps == 0) first_ = now_;
  }

  /** Whether lists will probably be due so many steps after the build.  Before the first note() the
      fastest atom is as fast as with the last lists; nothing is known of the first ones. */
  bool is_likely(int nsteps) const
  {
    if (first_.nsteps == 0) return true;
    const double rate = now_.nsteps ? rate_of(before_, now_) : rate_of({0, 0.0}, first_);
    return now_.part + rate * (nsteps - now_.nsteps) >= LIKELY;
  }

 private:
  /** Waiting for an answer in vain takes less time than computing forces in vain. */
  static constexpr double LIKELY = 0.95;

  struct Place {
    int nsteps;
    double part;
  };
  Place before_{0, 0.0}, now_{0, 0.0}, first_{0, 0.0};

  static double rate_of(const Place &from, const Place &to)
  {
    return std::max(0.0, (to.part - from.part) / (to.nsteps - from.nsteps));
  }
};

}    // namespace TOFU_NS

#endif
