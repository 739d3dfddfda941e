// SPDX-License-Identifier: GPL-2.0-only
//
// GhostWish: an atom that a rank wants as a ghost although the pattern of the exchange does not
// bring it, and the rank that can send it.
//
// A rank that has an atom as a ghost knows which rank sent it: it is the place-th atom of what that
// rank sends by one swap.  So it can tell a third rank where to ask for the same atom.

#ifndef TOFU_HALO_GHOST_WISH_H
#define TOFU_HALO_GHOST_WISH_H

#include "halo_plan.h"

#include <array>
#include <tuple>

namespace TOFU_NS {

struct GhostWish {
  enum : int {
    OWNED = -1,    // the place is the index of an atom that the sender owns
    GHOST = -2     // it is the index of a ghost of the sender, which forwards it one stage later
  };               // other codes: the swap by which the sender sends the atom to rank `via`

  int sender = -1;
  int via = -1;
  int code = OWNED;
  int place = 0;
  std::array<int, 3> boxes{};    // box lengths to be added on the way from `via` to the asker

  /** Key that is equal for all wishes that one swap can fulfil. */
  std::tuple<bool, int, int, int, std::array<int, 3>> swap() const
  {
    return {code == GHOST, sender, via, code, boxes};    // forwarded atoms come last
  }
};

/** A number for a shift in the grid of ranks. */
inline int code_of_offset(const std::array<int, 3> &offset)
{
  return (offset[0] + 512) + 1024 * (offset[1] + 512) + 1024 * 1024 * (offset[2] + 512);
}

/** What a swap of a plan is called by the rank that sends by it and by the one that receives.
    Swaps of tiles between the same two ranks differ in the box lengths that the sender adds. */
inline int code_of_sent(const HaloPlan &plan, const HaloSwap &swap)
{
  const bool tiles = !plan.receivers.empty();
  return code_of_offset(tiles ? std::array<int, 3>{swap.pbc[0], swap.pbc[1], swap.pbc[2]}
                              : swap.offset);
}

inline int code_of_received(const HaloPlan &plan, const HaloSwap &swap)
{
  const bool tiles = !plan.receivers.empty();    // what comes crosses boundaries the other way
  return code_of_offset(tiles ? std::array<int, 3>{-swap.pbc[0], -swap.pbc[1], -swap.pbc[2]}
                              : swap.offset);
}

}    // namespace TOFU_NS

#endif
