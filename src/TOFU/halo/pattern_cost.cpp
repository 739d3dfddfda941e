// SPDX-License-Identifier: GPL-2.0-only

#include "pattern_cost.h"

#include <algorithm>
#include <limits>

namespace TOFU_NS {

namespace {

  // microseconds; measured between two ranks of a node (doc/internals/measures.md)

  constexpr double PER_SWAP = 0.08;
  constexpr double PER_MESSAGE = 0.3;
  constexpr double PER_ROUND = 4.0;    // most of it waiting for the slowest neighbor
  constexpr double PER_GHOST = 0.005;
  constexpr double PER_ATOM = 0.01;    // in messages

  constexpr double MOST_SWAPS = 500.0;

  /** Lengths along one dimension, as parts of the box. */
  struct Extent {
    int n;            // ranks
    int reach;        // sub-boxes
    double own;       // sub-box
    double all;       // sub-box and ghosts
    double images;    // of these what the rank has itself
  };

  std::array<Extent, 3> extents(const HaloGeometry &geometry)
  {
    const HaloReach reach = HaloPlan::reach_of(geometry);
    std::array<Extent, 3> result;
    for (int dim = 0; dim < 3; dim++) {
      Extent &extent = result[dim];
      extent.n = geometry.procgrid[dim];
      extent.reach = reach[dim];
      extent.own = 1.0 / extent.n;
      extent.all = extent.images = extent.own;
      if (extent.reach == 0) continue;
      const double cut = geometry.cutghost[dim] / geometry.prd[dim];
      extent.all += 2.0 * cut;
      if (!geometry.periodicity[dim]) {
        extent.all = std::min(extent.all, 1.0);
      } else {
        for (int m = extent.n; m <= extent.reach; m += extent.n)
          extent.images += 2.0 * std::clamp(cut - (m - 1) * extent.own, 0.0, extent.own);
      }
    }
    return result;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

PatternCounts count_direct(const HaloGeometry &geometry, double natoms, bool half)
{
  PatternCounts counts;
  double nshifts = 1.0, npeers = 1.0, all = 1.0, images = 1.0, own = 1.0;
  for (const Extent &extent : extents(geometry)) {
    nshifts *= 2.0 * extent.reach + 1.0;
    npeers *= std::min(2 * extent.reach + 1, extent.n);
    all *= extent.all;
    images *= extent.images;
    own *= extent.own;
  }
  const double part = half ? 0.5 : 1.0;
  counts.nswaps = part * (nshifts - 1.0);
  counts.nmessages = npeers - 1.0;
  counts.nrounds = npeers > 1.0 ? 1.0 : 0.0;
  counts.natoms = part * natoms * (all - images);
  counts.nghosts = part * natoms * (all - own);
  return counts;
}

/* ---------------------------------------------------------------------- */

PatternCounts count_staged(const HaloGeometry &geometry, double natoms)
{
  PatternCounts counts;
  const std::array<Extent, 3> along = extents(geometry);
  counts.nghosts = count_direct(geometry, natoms, false).nghosts;
  for (int dim = 0; dim < 3; dim++) {
    const Extent &extent = along[dim];
    counts.nswaps += 2.0 * extent.reach;
    if (extent.n == 1) continue;
    counts.nrounds += extent.reach;
    counts.nmessages += extent.reach * std::min(extent.n - 1, 2);
    double cross = 1.0;
    for (int other = 0; other < 3; other++)
      if (other != dim) cross *= other < dim ? along[other].all : along[other].own;
    counts.natoms += natoms * cross * (extent.all - extent.own);
  }
  return counts;
}

/* ---------------------------------------------------------------------- */

double cost_of(const PatternCounts &counts)
{
  return PER_SWAP * counts.nswaps + PER_MESSAGE * counts.nmessages + PER_ROUND * counts.nrounds +
      PER_GHOST * counts.nghosts + PER_ATOM * counts.natoms;
}

/* ---------------------------------------------------------------------- */

double staged_advantage(const HaloGeometry &geometry, double natoms, bool half)
{
  if (count_direct(geometry, natoms, false).nswaps > MOST_SWAPS)
    return std::numeric_limits<double>::infinity();
  return cost_of(count_direct(geometry, natoms, half)) / cost_of(count_staged(geometry, natoms));
}

}    // namespace TOFU_NS
