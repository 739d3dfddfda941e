// SPDX-License-Identifier: GPL-2.0-only

#include "deal.h"

#include <algorithm>
#include <numeric>

namespace TOFU_NS {

static constexpr double BYTES_PER_HOP = 680.0;

std::vector<int> deal(const std::vector<double> &costs, int nhands)
{
  std::vector<int> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return costs[a] > costs[b]; });

  std::vector<double> load(nhands, 0.0);
  std::vector<int> hand(costs.size());
  for (int item : order) {
    const auto least = std::min_element(load.begin(), load.end());
    hand[item] = static_cast<int>(least - load.begin());
    *least += costs[item];
  }
  return hand;
}

double message_cost(double nbytes, int nhops)
{
  return nbytes + BYTES_PER_HOP * nhops;
}

}    // namespace TOFU_NS
