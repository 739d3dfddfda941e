// SPDX-License-Identifier: GPL-2.0-only

#include "brick_grid.h"

#include <algorithm>

namespace TOFU_NS {

BrickGrid::BrickGrid(const MeshGeometry &geometry) : bricks_(geometry.bricks)
{
  for (int dim = 0; dim < 3; dim++) {
    std::vector<int> &cuts = cuts_[dim];
    cuts = {0, geometry.npoints[dim]};
    for (const MeshBox &brick : bricks_)
      if (!brick.empty()) cuts.insert(cuts.end(), {brick.lo[dim], brick.hi[dim]});
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  }
  busy_.assign(static_cast<std::size_t>(length(0)) * length(1) * length(2), -1);
  for (int rank = 0; rank < static_cast<int>(bricks_.size()); rank++) {
    if (bricks_[rank].empty()) {
      idle_.push_back(rank);
      continue;
    }
    const std::array<int, 3> at = place(rank);
    for (int dim = 0; dim < 3; dim++)
      if (cuts_[dim][at[dim] + 1] != bricks_[rank].hi[dim] && why_not_.empty())
        why_not_ = "the brick of rank " + std::to_string(rank) + " in dimension " + "xyz"[dim] +
            ", points " + std::to_string(bricks_[rank].lo[dim]) + " to " +
            std::to_string(bricks_[rank].hi[dim] - 1) + ", is cut by the border of another at " +
            std::to_string(cuts_[dim][at[dim] + 1]) + ": bricks are no regular grid";
    busy_[at[0] + length(0) * (at[1] + static_cast<std::size_t>(length(1)) * at[2])] = rank;
  }
}

/* ---------------------------------------------------------------------- */

int BrickGrid::longest(int dim) const
{
  int found = 0;
  for (int p = 0; p < length(dim); p++) found = std::max(found, cuts_[dim][p + 1] - cuts_[dim][p]);
  return found;
}

/* ---------------------------------------------------------------------- */

std::array<int, 3> BrickGrid::place(int rank) const
{
  std::array<int, 3> at{};
  for (int dim = 0; dim < 3; dim++)
    at[dim] = static_cast<int>(
        std::lower_bound(cuts_[dim].begin(), cuts_[dim].end(), bricks_[rank].lo[dim]) -
        cuts_[dim].begin());
  return at;
}

/* ---------------------------------------------------------------------- */

std::vector<int> BrickGrid::row(const std::array<int, 3> &place, int dim) const
{
  std::vector<int> ranks;
  std::array<int, 3> at = place;
  for (at[dim] = 0; at[dim] < length(dim); at[dim]++)
    ranks.push_back(
        busy_[at[0] + length(0) * (at[1] + static_cast<std::size_t>(length(1)) * at[2])]);
  return ranks;
}

}    // namespace TOFU_NS
