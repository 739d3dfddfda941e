// SPDX-License-Identifier: GPL-2.0-only
//
// Tabulated forces between the atoms of some rows.

#ifndef TOFU_KERNELS_DISTANCE_TABLES_H
#define TOFU_KERNELS_DISTANCE_TABLES_H

#include "kernels/data/pair_data.h"

#include <atomic>

namespace TOFU_NS {

/** Tables of the force divided by the distance, and of the energy, over the distance squared, one
    behind the other.  A row is

      linear   force, slope, energy, slope: value = force + slope * x
      spline   force, its curvature, energy, its curvature: at the begin of an interval

    where x is the distance in intervals from the begin of the table, or with `bitmap` the distance
    squared in single precision.  Curvatures have the factor (width of an interval)^2 / 6. */
struct DistanceTables {
  static constexpr int ROW = 4, NCOEFFICIENTS = 4;

  enum class Kind { LINEAR, SPLINE, BITMAP };

  Kind kind = Kind::LINEAR;
  int ntypes = 0;
  /** [ntypes+1][ntypes+1][NCOEFFICIENTS] cut-off squared, first row of the table, least distance
      squared, and 1 / (width of an interval); with bitmap, the bits of the distance squared below
      those that are the row. */
  PairTable table;
  double largest_cutsq = 0.0;
  const double *rows = nullptr;
  double last = 0.0;                          // interval of one table
  int mask = 0;                               // bitmap: rows of one table - 1
  std::atomic<bool> *is_outside = nullptr;    // set if a pair is nearer than its table begins
};

/** Rows [first, last) of half lists, in double precision. */
void distance_tables(const DistanceTables &, const PairJob &, int first, int last, PairTally &);

}    // namespace TOFU_NS

#endif
