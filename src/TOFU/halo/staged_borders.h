// SPDX-License-Identifier: GPL-2.0-only
//
// StagedBorders: assigns atoms to the swaps of a staged plan, stage by stage.
//
// The first round of a dimension sends owned atoms and ghosts of earlier dimensions, later rounds
// only the ghosts of the round before, as in comm_style brick.

#ifndef TOFU_HALO_STAGED_BORDERS_H
#define TOFU_HALO_STAGED_BORDERS_H

#include "halo_plan.h"
#include "send_lists.h"

#include <functional>

namespace TOFU_NS {

/** Atoms of a rank before a stage. */
struct StagedAtoms {
  const double *x;     // [nall][3] coordinates, distance or fraction of the box
  int nlocal, nall;    // # of owned atoms, and with the ghosts of earlier stages
  int nsent;           // # of owned atoms, the first ones, that may become ghosts
  const int *kind;     // [nall] as in BorderCandidates; nullptr: all are of kind 0
};

class StagedBorders {
 public:
  /** Bounds of a slab for each kind of atom; an atom on a bound is inside. */
  struct Slab {
    const double *lo, *hi;    // [nkinds]
  };

  /** Append the lists of a stage.  To be called for all stages, in their order.

      \param plan      staged
      \param stage     number in the plan
      \param atoms     owned atoms and ghosts of the stages before
      \param slab_of   slab of a swap, by its number in the plan
      \param lists     of the stages before */
  void build(const HaloPlan &plan, int stage, const StagedAtoms &atoms,
             const std::function<Slab(int)> &slab_of, SendLists &lists);

 private:
  int first_ = 0, last_ = 0;    // atoms that this round may send
};

}    // namespace TOFU_NS

#endif
