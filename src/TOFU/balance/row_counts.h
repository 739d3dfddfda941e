// SPDX-License-Identifier: GPL-2.0-only
//
// Statistics of transfers: rows of each rank, and the imbalance without and with transfers.

#ifndef TOFU_BALANCE_ROW_COUNTS_H
#define TOFU_BALANCE_ROW_COUNTS_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Rows of one rank since the last build of neighbor lists, and ghosts appended for them. */
struct RowCounts {
  static constexpr int N = 5;    // 64-bit numbers in it
  std::int64_t owned = 0, computed = 0, given = 0, received = 0, extra_ghosts = 0;

  /** The numbers in their order. */
  std::array<std::int64_t, N> columns() const
  {
    return {owned, computed, given, received, extra_ghosts};
  }

  /** Set all but `owned` for a rank without transfers. */
  void set_no_transfers()
  {
    given = received = extra_ghosts = 0;
    computed = owned;
  }
};

/** Statistics of all ranks. */
struct RowSummary {
  double imbalance_owned = 1.0;       // largest number of rows over the average, without transfers
  double imbalance_computed = 1.0;    // and with them
  double given = 0.0, extra_ghosts = 0.0;    // sums over ranks
};

inline RowSummary summarize(const std::vector<RowCounts> &ranks)
{
  RowSummary summary;
  double owned = 0.0, computed = 0.0, most_owned = 0.0, most_computed = 0.0;
  for (const RowCounts &rank : ranks) {
    owned += rank.owned;
    computed += rank.computed;
    most_owned = std::max<double>(most_owned, rank.owned);
    most_computed = std::max<double>(most_computed, rank.computed);
    summary.given += rank.given;
    summary.extra_ghosts += rank.extra_ghosts;
  }
  const double nranks = static_cast<double>(ranks.size());
  if (owned > 0.0) summary.imbalance_owned = most_owned * nranks / owned;
  if (computed > 0.0) summary.imbalance_computed = most_computed * nranks / computed;
  return summary;
}

}    // namespace TOFU_NS

#endif
