// SPDX-License-Identifier: GPL-2.0-only
//
// BuildForecast: estimates whether neighbor lists will be due in a step, from the displacement of
// the fastest atom of all ranks in earlier steps.  Where a build is likely, ranks wait for the
// result of the collective check before they compute forces; otherwise they compute meanwhile.  A
// wrong estimate costs time and changes no result.

#ifndef TOFU_BASE_BUILD_FORECAST_H
#define TOFU_BASE_BUILD_FORECAST_H

#include <algorithm>

namespace TOFU_NS {

class BuildForecast {
 public:
  /** Lists are new. */
  void begin() { before_ = now_ = {0, 0.0}; }

  /** Record the displacement of the fastest atom.

      \param nsteps   steps since the build; more than in earlier calls
      \param part     displacement as a fraction of the one at which lists are due */
  void note(int nsteps, double part)
  {
    if (nsteps <= now_.nsteps) return;
    before_ = now_;
    now_ = {nsteps, part};
    if (before_.nsteps == 0) first_ = now_;
  }

  /** Whether lists will probably be due nsteps after the build.  Before the first note() the speed
      of the fastest atom is that of the lists before; for the first lists of a run the result is
      true. */
  bool is_likely(int nsteps) const
  {
    if (first_.nsteps == 0) return true;
    const double rate = now_.nsteps ? rate_of(before_, now_) : rate_of({0, 0.0}, first_);
    return now_.part + rate * (nsteps - now_.nsteps) >= LIKELY;
  }

 private:
  /** Below 1, since a wait that was not needed takes less time than forces that are discarded. */
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
