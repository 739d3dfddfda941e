// SPDX-License-Identifier: GPL-2.0-only

#include "torus_network.h"

#include "node_bisection.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace TOFU_NS {

/* ---------------------------------------------------------------------- */

TorusNetwork::TorusNetwork(std::vector<int> sizes, std::vector<std::vector<int>> coords) :
    sizes_(std::move(sizes)), coords_(std::move(coords))
{
  find_block();
}

/* ---------------------------------------------------------------------- */

int TorusNetwork::links(int node, int other) const
{
  if (node == other) return 0;
  int sum = 0;
  for (int dim = 0; dim < ndims(); dim++) {
    const int distance = std::abs(coords_[node][dim] - coords_[other][dim]);
    sum += sizes_[dim] ? std::min(distance, sizes_[dim] - distance) : distance;
  }
  return std::max(sum, 1);
}

/* ---------------------------------------------------------------------- */

std::size_t TorusNetwork::place_of(const std::vector<int> &coords) const
{
  std::size_t place = 0;
  for (int dim = ndims() - 1; dim >= 0; dim--)
    place = place * extent_[dim] + coords[dim] - lowest_[dim];
  return place;
}

/* ----------------------------------------------------------------------
   the block around all nodes, and the node at each of its places
------------------------------------------------------------------------- */

void TorusNetwork::find_block()
{
  long nplaces = 1;
  for (int dim = 0; dim < ndims(); dim++) {
    const auto less = [dim](const auto &a, const auto &b) {
      return a[dim] < b[dim];
    };
    const auto [low, high] = std::minmax_element(coords_.begin(), coords_.end(), less);
    lowest_.push_back((*low)[dim]);
    extent_.push_back((*high)[dim] - (*low)[dim] + 1);
    nplaces = std::min<long>(nplaces * extent_[dim], nnodes() + 1);    // enough to be different
  }
  if (nplaces != nnodes()) return;
  node_at_.assign(nplaces, -1);
  for (int node = 0; node < nnodes(); node++) node_at_[place_of(coords_[node])] = node;
  if (std::count(node_at_.begin(), node_at_.end(), -1) > 0) node_at_.clear();
}

/* ---------------------------------------------------------------------- */

std::vector<std::vector<int>> TorusNetwork::layouts(const GridSize &size,
                                                    const std::array<double, 3> &edge) const
{
  std::vector<std::vector<int>> found;
  for (const Fold &fold : folds(size)) found.push_back(folded(size, fold));
  if (found.empty()) found.push_back(bisected(size, edge));
  return found;
}

/* ----------------------------------------------------------------------
   all ways to have dimensions of the torus along those of a grid, if nodes fill
   a block of it; a dimension in which the block has one place may go anywhere
------------------------------------------------------------------------- */

std::vector<TorusNetwork::Fold> TorusNetwork::folds(const GridSize &size) const
{
  std::vector<Fold> found;
  if (node_at_.empty()) return found;
  long nways = 1;
  for (int dim = 0; dim < ndims(); dim++) nways *= extent_[dim] > 1 ? 3 : 1;
  for (long way = 0; way < nways; way++) {
    Fold fold(ndims(), 0);
    GridSize product{1, 1, 1};
    long digits = way;
    for (int dim = 0; dim < ndims(); dim++) {
      if (extent_[dim] == 1) continue;
      fold[dim] = static_cast<int>(digits % 3);
      digits /= 3;
      product[fold[dim]] *= extent_[dim];
    }
    if (product == size) found.push_back(fold);
  }
  return found;
}

/* ----------------------------------------------------------------------
   dimensions of the torus that go along the same one of the grid are a walk
   from node to node, so that cells beside each other have nodes beside each other
------------------------------------------------------------------------- */

std::vector<int> TorusNetwork::folded(const GridSize &size, const Fold &dim_of) const
{
  std::array<Walk, 3> walks;
  for (int dim = ndims() - 1; dim >= 0; dim--)
    walks[dim_of[dim]] = crossed(line(dim), walks[dim_of[dim]]);
  std::vector<int> nodes(ncells(size));
  for (int index = 0; index < ncells(size); index++) {
    const Cell cell = cell_at(size, index);
    std::size_t place = 0;    // coordinates that a walk does not change are 0 on it
    for (int dim = 0; dim < 3; dim++) place += walks[dim].places[cell[dim]];
    nodes[index] = node_at_[place];
  }
  return nodes;
}

/* ---------------------------------------------------------------------- */

TorusNetwork::Walk TorusNetwork::line(int dim) const
{
  std::vector<int> coords = lowest_;
  Walk walk{{}, extent_[dim] <= 2 || sizes_[dim] == extent_[dim]};
  for (int step = 0; step < extent_[dim]; step++, coords[dim]++)
    walk.places.push_back(place_of(coords));
  return walk;
}

/* ----------------------------------------------------------------------
   each place of the first walk with each of the second.  A closed walk: along
   the first with the start of the second, then back, at each place to and fro
   through the others of the second.  With an odd number of places of the first
   the end is that of the second, which must be beside its start
------------------------------------------------------------------------- */

TorusNetwork::Walk TorusNetwork::crossed(const Walk &first, const Walk &second)
{
  const int nfirst = static_cast<int>(first.places.size());
  const int nsecond = static_cast<int>(second.places.size());
  if (nsecond == 1) return first;
  if (nfirst == 1) return second;
  const auto closes = [](const Walk &along, const Walk &across) {
    return along.places.size() % 2 == 0 || across.closed;
  };
  if (!closes(first, second) && closes(second, first)) return crossed(second, first);

  Walk walk{{}, closes(first, second)};
  const int begin = walk.closed ? 1 : 0;
  if (walk.closed) walk.places = first.places;    // the second is at 0, its start
  for (int i = 0; i < nfirst; i++)
    for (int j = begin; j < nsecond; j++)
      walk.places.push_back(first.places[walk.closed ? nfirst - 1 - i : i] +
                            second.places[i % 2 ? nsecond - 1 - (j - begin) : j]);
  return walk;
}

/* ----------------------------------------------------------------------
   sets of nodes are cut where they are longest
------------------------------------------------------------------------- */

std::vector<int> TorusNetwork::bisected(const GridSize &size,
                                        const std::array<double, 3> &edge) const
{
  BisectionRule rule;
  rule.sort = [this](std::vector<int> &nodes, int begin, int end) {
    int longest = 0, most = -1;
    for (int dim = 0; dim < ndims(); dim++) {
      const auto less = [&](int a, int b) {
        return coords_[a][dim] < coords_[b][dim];
      };
      const auto [low, high] =
          std::minmax_element(nodes.begin() + begin, nodes.begin() + end, less);
      const int extent = coords_[*high][dim] - coords_[*low][dim];
      if (extent <= most) continue;
      longest = dim;
      most = extent;
    }
    std::sort(nodes.begin() + begin, nodes.begin() + end, [&](int a, int b) {
      const int first = coords_[a][longest], second = coords_[b][longest];
      return first != second ? first < second : std::pair(coords_[a], a) < std::pair(coords_[b], b);
    });
  };
  rule.better = [](const std::vector<int> &, int, const GridCut &a, const GridCut &b) {
    return is_shorter_cut(a, b);
  };
  std::vector<int> nodes(nnodes());
  std::iota(nodes.begin(), nodes.end(), 0);
  return bisect_nodes(size, edge, nodes, rule);
}

/* ---------------------------------------------------------------------- */

std::string TorusNetwork::text() const
{
  bool closed = false;
  std::string sizes;
  for (int dim = 0; dim < ndims(); dim++) {
    closed = closed || sizes_[dim];
    sizes += (dim ? " by " : "") + std::to_string(sizes_[dim] ? sizes_[dim] : extent_[dim]);
  }
  return (closed ? "a torus of " : "a mesh of ") + sizes + " nodes";
}

}    // namespace TOFU_NS
