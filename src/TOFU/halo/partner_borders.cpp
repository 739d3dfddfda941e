// SPDX-License-Identifier: GPL-2.0-only

#include "partner_borders.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace TOFU_NS {

namespace {

  // both compare as border_bins.cpp and tile_borders.cpp do, so that regions are those of the full
  // shell

  bool is_in_region_of_grid(const HaloPlan &plan, int swap, const double *x, const double *cut)
  {
    const auto &offset = plan.upward[swap].offset;
    bool inside = true;
    for (int dim = 0; dim < 3; dim++) {
      const int m = offset[dim];
      if (m > 0) inside = inside && x[dim] >= plan.above[dim][m - 1] - cut[dim];
      if (m < 0) inside = inside && x[dim] <= plan.below[dim][-m - 1] + cut[dim];
    }
    return inside;
  }

  bool is_in_region_of_tile(const TileBox &receiver, const double *x, const double *cut)
  {
    bool inside = true;
    for (int dim = 0; dim < 3; dim++)
      inside =
          inside && x[dim] >= receiver.lo[dim] - cut[dim] && x[dim] <= receiver.hi[dim] + cut[dim];
    return inside;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void PartnerBorders::add(int rank, std::vector<int> atoms)
{
  std::sort(atoms.begin(), atoms.end());
  atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
  requested_[rank] = std::move(atoms);
}

/* ---------------------------------------------------------------------- */

void PartnerBorders::build(const HaloPlan &plan, const double *x, const double *cut,
                           SendLists &lists) const
{
  const bool tiled = !plan.upward_receivers.empty();
  lists.clear();
  for (int swap = 0; swap < static_cast<int>(plan.upward.size()); swap++) {
    const auto wanted = requested_.find(plan.upward[swap].sendproc);
    if (wanted != requested_.end())
      for (const int i : wanted->second) {
        const double *const xi = x + 3 * static_cast<std::size_t>(i);
        if (tiled ? is_in_region_of_tile(plan.upward_receivers[swap], xi, cut)
                  : is_in_region_of_grid(plan, swap, xi, cut))
          lists.add(i);
      }
    lists.finish_swap();
  }
}

}    // namespace TOFU_NS
