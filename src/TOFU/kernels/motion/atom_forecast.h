// SPDX-License-Identifier: GPL-2.0-only
//
// Predicted displacements of atoms in the next steps.

#ifndef TOFU_KERNELS_ATOM_FORECAST_H
#define TOFU_KERNELS_ATOM_FORECAST_H

#include "base/path_forecast.h"

namespace TOFU_NS {

/** Positions of atoms at five times, [natoms][3] each. */
struct AtomHistory {
  const double *hold;       // origin of displacements
  const double *before3;    // three steps ago
  const double *before2;
  const double *before1;
  const double *now;
};

/** Merge the paths of atoms in the next steps into a forecast.  Atoms with positions that are not
    numbers are left out.  The result has the same bits for any order of atoms. */
void add_forecast(const AtomHistory &history, int natoms, PathForecast &forecast);

}    // namespace TOFU_NS

#endif
