// SPDX-License-Identifier: GPL-2.0-only

#include "tiles.h"

#include <algorithm>
#include <utility>

namespace TOFU_NS {

namespace {

  bool overlap(const TileBox &a, const TileBox &b)
  {
    for (int dim = 0; dim < 3; dim++)
      if (a.hi[dim] < b.lo[dim] || b.hi[dim] < a.lo[dim]) return false;
    return true;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

Tiles::Tiles(std::vector<TileBox> fractions) : fractions_(std::move(fractions))
{
  nodes_.reserve(2 * fractions_.size());
  if (!fractions_.empty()) add_node(0, nranks() - 1);
}

/* ----------------------------------------------------------------------
   halves as LAMMPS' recursive bisection makes them, so that each is a box
------------------------------------------------------------------------- */

int Tiles::add_node(int first, int last)
{
  const int node = static_cast<int>(nodes_.size());
  nodes_.push_back({fractions_[first], first, -1, -1});
  if (first == last) return node;

  const int middle = first + (last - first) / 2 + 1;
  const int lower = add_node(first, middle - 1), upper = add_node(middle, last);
  TileBox box = nodes_[lower].box;
  for (int dim = 0; dim < 3; dim++) {
    box.lo[dim] = std::min(box.lo[dim], nodes_[upper].box.lo[dim]);
    box.hi[dim] = std::max(box.hi[dim], nodes_[upper].box.hi[dim]);
  }
  nodes_[node] = {box, first, lower, upper};
  return node;
}

/* ---------------------------------------------------------------------- */

void Tiles::find_overlapping(const TileBox &box, std::vector<int> &found) const
{
  if (!nodes_.empty()) search(0, box, found);
}

/* ---------------------------------------------------------------------- */

void Tiles::search(int node, const TileBox &box, std::vector<int> &found) const
{
  if (!overlap(nodes_[node].box, box)) return;
  if (nodes_[node].lower < 0) {
    found.push_back(nodes_[node].first);
    return;
  }
  search(nodes_[node].lower, box, found);
  search(nodes_[node].upper, box, found);
}

}    // namespace TOFU_NS
