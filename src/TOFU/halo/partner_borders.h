// SPDX-License-Identifier: GPL-2.0-only
//
// PartnerBorders: assigns bonded partners to the upward swaps of the half shell.
//
// The owner of an atom computes the bonds, angles, dihedrals and impropers that this atom stores.
// Their other atoms, the partners, may be owned by a lower neighbor, of which the half shell has no
// ghosts.  A rank requests its partners by their IDs of all its lower neighbors, in the messages
// that bring these their ghosts.  The owner of a partner sends it by each upward swap to that rank
// in whose region the partner is, so that the rank gets the images that the full shell would have,
// and of no other atoms.

#ifndef TOFU_HALO_PARTNER_BORDERS_H
#define TOFU_HALO_PARTNER_BORDERS_H

#include "halo_plan.h"
#include "send_lists.h"

#include <map>
#include <vector>

namespace TOFU_NS {

class PartnerBorders {
 public:
  /** Forget all requests. */
  void clear() { requested_.clear(); }

  /** Add atoms that a rank requests.

      \param rank    may be this rank: atoms of which it needs images
      \param atoms   owned, in any order, some maybe several times */
  void add(int rank, std::vector<int> atoms);

  /** Fill one list for each upward swap of a plan.

      \param plan    has the upward swaps
      \param x       [nlocal][3] coordinates in the units of the plan
      \param cut     [3] ghost cut-off per dimension
      \param lists   atoms of each upward swap, in place of those of before */
  void build(const HaloPlan &plan, const double *x, const double *cut, SendLists &lists) const;

 private:
  std::map<int, std::vector<int>> requested_;    // by rank, ascending
};

}    // namespace TOFU_NS

#endif
