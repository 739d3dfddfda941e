// SPDX-License-Identifier: GPL-2.0-only

#include "switch_network.h"

#include "node_bisection.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace TOFU_NS {

/* ----------------------------------------------------------------------
   switches are counted in the order of their first nodes, so that neighbors in
   the launcher's order stay neighbors
------------------------------------------------------------------------- */

SwitchNetwork::SwitchNetwork(const std::vector<Switches> &switches)
{
  std::map<Switches, int> numbers;
  for (const Switches &names : switches) {
    std::vector<int> path;
    for (auto end = names.begin() + 1; end <= names.end(); ++end)
      path.push_back(numbers.emplace(Switches(names.begin(), end), static_cast<int>(numbers.size()))
                         .first->second);
    path_of_.push_back(std::move(path));
  }
  in_order_.resize(path_of_.size());
  std::iota(in_order_.begin(), in_order_.end(), 0);
  std::stable_sort(in_order_.begin(), in_order_.end(),
                   [this](int a, int b) { return path_of_[a] < path_of_[b]; });
  nswitches_ =
      static_cast<int>(std::set<std::vector<int>>(path_of_.begin(), path_of_.end()).size());
}

/* ---------------------------------------------------------------------- */

int SwitchNetwork::levels_shared(int node, int other) const
{
  const std::vector<int> &a = path_of_[node], &b = path_of_[other];
  const std::size_t most = std::min(a.size(), b.size());
  return static_cast<int>(std::mismatch(a.begin(), a.begin() + most, b.begin()).first - a.begin());
}

/* ---------------------------------------------------------------------- */

int SwitchNetwork::links(int node, int other) const
{
  if (node == other) return 0;
  const int nboth = static_cast<int>(path_of_[node].size() + path_of_[other].size());
  return nboth + 2 - 2 * levels_shared(node, other);
}

/* ----------------------------------------------------------------------
   the best cuts are between switches, and of these between those that are
   furthest from each other
------------------------------------------------------------------------- */

std::vector<std::vector<int>> SwitchNetwork::layouts(const GridSize &size,
                                                     const std::array<double, 3> &edge) const
{
  BisectionRule rule;
  rule.sort = [](std::vector<int> &, int, int) {
  };
  rule.better = [this](const std::vector<int> &nodes, int begin, const GridCut &a,
                       const GridCut &b) {
    const auto split = [&](const GridCut &cut) {
      const int second = begin + cut.nfirst;
      return levels_shared(nodes[second - 1], nodes[second]);
    };
    const int split_by_a = split(a), split_by_b = split(b);
    return split_by_a != split_by_b ? split_by_a < split_by_b : is_shorter_cut(a, b);
  };
  return {bisect_nodes(size, edge, in_order_, rule)};
}

/* ---------------------------------------------------------------------- */

std::string SwitchNetwork::text() const
{
  return std::to_string(nswitches_) + (nswitches_ == 1 ? " switch" : " switches");
}

}    // namespace TOFU_NS
