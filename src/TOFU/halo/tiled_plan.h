// SPDX-License-Identifier: GPL-2.0-only
//
// The direct HaloPlan of a tiled layout, where sub-boxes are no grid.
//
// Ghosts come from every rank whose sub-box, or a periodic image of it, is within the cut-off of
// this rank's sub-box along each dimension: one swap for each such image, all in one stage.  Of two
// ranks both find the same images with opposite shifts.  Both compute distances as the lower one
// sees them, so that they come to the same bits, and order swaps alike: nearest image first.

#ifndef TOFU_HALO_TILED_PLAN_H
#define TOFU_HALO_TILED_PLAN_H

#include "halo_plan.h"
#include "tiles.h"

#include <vector>

namespace TOFU_NS {

/** The geometry of a tiled layout: box and cut-off of a HaloGeometry, and the sub-boxes. */
struct TiledGeometry {
  HaloGeometry box;                // procgrid, myloc, split and uniform are not used
  const Tiles *tiles = nullptr;    // sub-boxes of all ranks

  /** Bounds of a sub-box, bitwise as Domain has them. */
  TileBox sub_box(int rank) const;

  /** Rank whose sub-box contains a position, -1 if none.

      \param x   [3] in the units of the geometry */
  int locate(const double *x) const;

  /** Rank whose sub-box contains the position nearest to x in the box. */
  int nearest(const double *x) const;

  /** Volume of a rank's sub-box as a fraction of the box. */
  double fraction(int rank) const;
};

/** The plan of a rank.  `complete` is false, and `signature` is empty: the caller sets what depends
    on all ranks.

    \param geometry   of the decomposition
    \param me         this rank
    \param half       ghosts come from upper neighbors only: those whose center is higher in z,
                      else in y, else in x */
HaloPlan tiled_plan(const TiledGeometry &geometry, int me, bool half = false);

/** Ranks of which an image is within `factor` cut-offs of this rank's sub-box, ascending, without
    this rank; the relation is symmetric. */
std::vector<int> tiled_neighbors(const TiledGeometry &geometry, int me, double factor);

}    // namespace TOFU_NS

#endif
