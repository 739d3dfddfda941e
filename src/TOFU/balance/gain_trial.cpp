// SPDX-License-Identifier: GPL-2.0-only

#include "gain_trial.h"

#include <algorithm>

namespace TOFU_NS {

void GainTrial::start(std::int64_t step, double now)
{
  window_ = 0;
  times_ = Times();
  resume(step, now);
}

/* ---------------------------------------------------------------------- */

void GainTrial::resume(std::int64_t step, double now)
{
  first_step_ = step;
  began_ = now;
}

/* ---------------------------------------------------------------------- */

bool GainTrial::at_build(std::int64_t step, double now)
{
  const std::int64_t nsteps = step - first_step_;
  if (!running() || nsteps < WINDOW) return false;
  double &shortest = hands_over() ? times_.with : times_.without;
  if (window_ > 0) shortest = std::min(shortest, (now - began_) / static_cast<double>(nsteps));
  window_++;
  resume(step, now);
  return true;
}

/* ---------------------------------------------------------------------- */

void GainTrial::conclude(std::int64_t step, const Times &of_all_ranks)
{
  window_ = NO_TRIAL;
  times_ = of_all_ranks;
  rests_ = !of_all_ranks.pays();
  next_ = step + VALID;
}

}    // namespace TOFU_NS
