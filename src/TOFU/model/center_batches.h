// SPDX-License-Identifier: GPL-2.0-only
//
// Centers of one type among the owners of some rows, in batches.

#ifndef TOFU_MODEL_CENTER_BATCHES_H
#define TOFU_MODEL_CENTER_BATCHES_H

#include "deep_nets.h"

#include <algorithm>
#include <vector>

namespace TOFU_NS {

/** Owners of rows [first, last) that have a type. */
inline void find_centers(const PairJob &job, int type, int first, int last,
                         std::vector<int> &centers)
{
  centers.clear();
  for (int n = first; n < last; n++) {
    const int i = job.list.atoms[n];
    if (job.atoms.rows[4 * static_cast<std::size_t>(i) + 3] == type) centers.push_back(i);
  }
}

/** Call work() for one batch after the other, each of which is in `batch`. */
template <class Work>
void for_batches(const std::vector<int> &centers, std::vector<int> &batch, Work work)
{
  for (std::size_t begin = 0; begin < centers.size(); begin += DeepNets::MOST_CENTERS) {
    const std::size_t end = std::min(begin + DeepNets::MOST_CENTERS, centers.size());
    batch.assign(centers.begin() + begin, centers.begin() + end);
    work();
  }
}

}    // namespace TOFU_NS

#endif
