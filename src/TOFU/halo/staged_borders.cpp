// SPDX-License-Identifier: GPL-2.0-only

#include "staged_borders.h"

#include <cstddef>

namespace TOFU_NS {

void StagedBorders::build(const HaloPlan &plan, int stage, const StagedAtoms &atoms,
                          const std::function<Slab(int)> &slab_of, SendLists &lists)
{
  const int first_swap = plan.stages[stage].first;
  const auto &offset = plan.swaps[first_swap].offset;
  const int dim = offset[0] ? 0 : (offset[1] ? 1 : 2);
  const bool first_round = stage == 0 || plan.swaps[plan.stages[stage - 1].first].offset[dim] == 0;
  first_ = first_round ? 0 : last_;
  last_ = atoms.nall;

  for (int swap = first_swap; swap < plan.stages[stage].last; swap++) {
    const Slab slab = slab_of(swap);
    const auto add_range = [&](int from, int to) {
      lists.add_range(from, to, [&](int i) {
        const int kind = atoms.kind ? atoms.kind[i] : 0;
        const double place = atoms.x[3 * static_cast<std::size_t>(i) + dim];
        return static_cast<bool>((place >= slab.lo[kind]) & (place <= slab.hi[kind]));
      });
    };
    if (plan.swaps[swap].sendproc >= 0) {
      if (first_round) {
        add_range(0, atoms.nsent);
        add_range(atoms.nlocal, last_);
      } else {
        add_range(first_, last_);
      }
    }
    lists.finish_swap();
  }
}

}    // namespace TOFU_NS
