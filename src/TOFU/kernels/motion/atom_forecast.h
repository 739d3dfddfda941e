// SPDX-License-Identifier: GPL-2.0-only
//
// Where atoms are going: their paths in the next steps.

#ifndef TOFU_KERNELS_ATOM_FORECAST_H
#define TOFU_KERNELS_ATOM_FORECAST_H

#include "base/path_forecast.h"

namespace TOFU_NS {

/** Positions of atoms at five times, [natoms][3] each. */
struct AtomHistory {
  const double *hold;       // where distances count from
  const double *before3;    // three steps ago
  const double *before2;
  const double *before1;
  const double *now;
};

/** Add the paths of atoms in the next steps to what is known; positions that are not numbers count
    for nothing.  The same bits whatever the order of atoms. */
void add_forecast(const AtomHistory &history, int natoms, PathForecast &forecast);

}    // namespace TOFU_NS

#endif
