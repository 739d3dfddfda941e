// SPDX-License-Identifier: GPL-2.0-only

#include "node_bricks.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace TOFU_NS {

std::vector<int> node_leaders(const std::vector<int> &nodes)
{
  std::vector<int> leaders;
  for (int node : nodes)
    leaders.push_back(
        static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin()));
  return leaders;
}

/* ---------------------------------------------------------------------- */

static void extend(MeshBox &whole, const MeshBox &part)
{
  if (part.empty()) return;
  if (whole.empty()) whole = part;
  for (int dim = 0; dim < 3; dim++) {
    whole.lo[dim] = std::min(whole.lo[dim], part.lo[dim]);
    whole.hi[dim] = std::max(whole.hi[dim], part.hi[dim]);
  }
}

/* ---------------------------------------------------------------------- */

MeshGeometry geometry_of_leaders(const MeshGeometry &ranks, const std::vector<int> &leaders)
{
  MeshGeometry geometry{-1, ranks.npoints, {}, {}};
  const int nranks = static_cast<int>(leaders.size());
  for (int leader = 0; leader < nranks; leader++) {
    if (leaders[leader] != leader) continue;
    if (leader == ranks.me) geometry.me = static_cast<int>(geometry.bricks.size());
    MeshBox brick, box;
    std::size_t npoints = 0;
    for (int rank = 0; rank < nranks; rank++) {
      if (leaders[rank] != leader) continue;
      extend(brick, ranks.bricks[rank]);
      extend(box, ranks.boxes[rank]);
      npoints += ranks.bricks[rank].npoints();
    }
    if (npoints != brick.npoints())
      throw std::invalid_argument(
          "with gather node the sub-domains of a node's ranks must make up a box, those of the "
          "node of rank " +
          std::to_string(leader) + " do not; use 'processors * * * grid numa' or gather none");
    geometry.bricks.push_back(brick);
    geometry.boxes.push_back(box);
  }
  return geometry;
}

}    // namespace TOFU_NS
