// SPDX-License-Identifier: GPL-2.0-only

#include "work_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace TOFU_NS {

std::vector<double> plan_scales(const std::vector<MeasuredWork> &ranks)
{
  const bool timed = std::all_of(ranks.begin(), ranks.end(), [](const MeasuredWork &rank) {
    return rank.units == 0.0 || rank.nanoseconds_per_unit > 0.0;
  });
  std::vector<double> scales;
  for (const MeasuredWork &rank : ranks)
    scales.push_back(timed && rank.nanoseconds_per_unit > 0.0 ? rank.nanoseconds_per_unit : 1.0);
  return scales;
}

/* ---------------------------------------------------------------------- */

std::vector<Transfer> plan_work(const RankRing &ring, const std::vector<int> &node_of_rank,
                                const std::vector<MeasuredWork> &ranks, const PlanOptions &options)
{
  const std::vector<double> scales = plan_scales(ranks);
  std::vector<std::int64_t> work;
  for (std::size_t rank = 0; rank < ranks.size(); rank++)
    work.push_back(std::llround(ranks[rank].units * scales[rank]));

  const std::int64_t total = std::accumulate(work.begin(), work.end(), std::int64_t{0});
  const double average = static_cast<double>(total) / static_cast<double>(work.size());
  const double largest = static_cast<double>(*std::max_element(work.begin(), work.end()));
  if (total == 0 || largest <= options.thresh * average) return {};
  return options.level_node ? plan_nodes(ring, node_of_rank, work, options.direction)
                            : plan_ring(ring, work, options.direction);
}

}    // namespace TOFU_NS
