// SPDX-License-Identifier: GPL-2.0-only

#include "tiled_links.h"

#include <algorithm>
#include <iterator>

namespace TOFU_NS {

namespace {

  constexpr int TILES = -1;    // begin of a signature; that of a grid is a number of ranks

  std::vector<int> joined(const std::vector<int> &some, const std::vector<int> &others)
  {
    std::vector<int> all;
    std::set_union(some.begin(), some.end(), others.begin(), others.end(), std::back_inserter(all));
    return all;
  }

}    // namespace

/* ----------------------------------------------------------------------
   cuts come back to where they were, in particular where two dimensions of a part
   are nearly as long: links that are kept serve then
------------------------------------------------------------------------- */

bool TiledLinks::choose(const Rank &rank, bool are_for_tiles, std::vector<int> &peers,
                        const Largest &largest)
{
  if (are_for_tiles && serve(rank.basis)) return false;
  int lacks_one = !are_for_tiles ||
      !std::includes(peers.begin(), peers.end(), rank.wanted.begin(), rank.wanted.end());
  largest(&lacks_one, 1);
  basis_ = rank.basis;
  if (!lacks_one) return false;

  const std::vector<int> near = joined(rank.nearby(), rank.wanted);
  const std::vector<int> all = are_for_tiles ? joined(near, peers) : near;
  const int nlinks = static_cast<int>(all.size());
  int fewest_and_most[2] = {-nlinks, nlinks};
  largest(fewest_and_most, 2);
  complete_ = -fewest_and_most[0] == rank.nranks - 1;
  peers = complete_ || fewest_and_most[1] <= MOST_LINKS ? all : near;
  signature_ = {TILES, ++nchoices_};
  return true;
}

}    // namespace TOFU_NS
