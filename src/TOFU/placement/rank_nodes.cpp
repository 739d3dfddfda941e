// SPDX-License-Identifier: GPL-2.0-only

#include "rank_nodes.h"

#include <algorithm>
#include <map>

namespace TOFU_NS {

namespace {

  bool shorter(const std::vector<int> &a, const std::vector<int> &b)
  {
    return a.size() < b.size();
  }

}    // namespace

/* ---------------------------------------------------------------------- */

RankNodes::RankNodes(const std::vector<int> &ids)
{
  std::map<int, int> nodes;
  for (int rank = 0; rank < static_cast<int>(ids.size()); rank++) {
    const auto [found, is_new] = nodes.emplace(ids[rank], nnodes());
    if (is_new) ranks_of_.emplace_back();
    node_of_.push_back(found->second);
    ranks_of_[found->second].push_back(rank);
  }
}

/* ---------------------------------------------------------------------- */

int RankNodes::fewest() const
{
  return static_cast<int>(std::min_element(ranks_of_.begin(), ranks_of_.end(), shorter)->size());
}

/* ---------------------------------------------------------------------- */

int RankNodes::most() const
{
  return static_cast<int>(std::max_element(ranks_of_.begin(), ranks_of_.end(), shorter)->size());
}

}    // namespace TOFU_NS
