// SPDX-License-Identifier: GPL-2.0-only

#include "message_sizes.h"

#include <algorithm>

namespace TOFU_NS {

namespace {

  constexpr int SPARE = 4096;    // bytes

  // rows of other ranks: bytes for an atom and for an extra ghost, and the most of a slot to each
  // of the two partners in a row, less to each of more partners, since slots are in shared memory

  constexpr double PER_ATOM_WITH_ROW = 96.0;
  constexpr double MOST_OF_ROWS = 1024.0 * 1024.0;

}    // namespace

/* ---------------------------------------------------------------------- */

std::size_t MessageSizes::to(int rank, const HaloPlan &plan, const PartnerLinks &partners,
                             double safety) const
{
  const auto estimate = [&](const std::vector<int> &swaps, double HaloSwap::*fraction,
                            double values) {
    double sum = 0.0;
    for (const int swap : swaps)
      sum += 2 + safety * values * densest * (plan.swaps[swap].*fraction);
    return SPARE + static_cast<std::size_t>(sum * sizeof(double));
  };
  const bool in_plan = std::binary_search(plan.neighbors.begin(), plan.neighbors.end(), rank);
  std::size_t largest = SPARE;
  for (const HaloStage &stage : plan.stages)
    for (const HaloPeer &peer : stage.peers) {
      if (in_plan && peer.rank != rank) continue;    // links beside the plan get appended swaps
      largest = std::max({largest, estimate(peer.sends, &HaloSwap::sent_fraction, values_per_atom),
                          estimate(peer.recvs, &HaloSwap::received_fraction, values_per_ghost)});
    }
  return partners.is_partner(rank) ? std::max(largest, of_rows(partners.npartners(), safety))
                                   : largest;
}

/* ----------------------------------------------------------------------
   atoms whose rows a partner makes, all of this rank's at most.  The partner reads
   them after it has built its neighbor lists: until then they are in slots, of
   which those of the borders may not be free yet
------------------------------------------------------------------------- */

std::size_t MessageSizes::of_rows(int npartners, double safety) const
{
  const double nbytes =
      safety * PER_ATOM_WITH_ROW * densest * own_fraction / std::max(nslots / 2, 1);
  const double most = 2.0 * MOST_OF_ROWS / std::max(npartners, 2);
  return SPARE + static_cast<std::size_t>(std::min(nbytes, most));
}

}    // namespace TOFU_NS
