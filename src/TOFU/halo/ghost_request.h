// SPDX-License-Identifier: GPL-2.0-only
//
// GhostRequest: request for an atom as a ghost that the swaps of the pattern do not bring, with the
// rank that can send it.
//
// A rank `via` that has the atom as a ghost identifies it by the swap that brought it and the place
// in that swap.  With these two numbers a third rank can request the atom from its owner.

#ifndef TOFU_HALO_GHOST_REQUEST_H
#define TOFU_HALO_GHOST_REQUEST_H

#include "halo_plan.h"

#include <array>
#include <tuple>

namespace TOFU_NS {

struct GhostRequest {
  enum : int {
    OWNED = -1,    // the place is the index of an atom that the sender owns
    GHOST = -2     // the place is the index of a ghost of the sender, forwarded one stage later
  };               // other codes: the swap by which the sender sends the atom to rank `via`

  int sender = -1;
  int via = -1;
  int code = OWNED;
  int place = 0;
  std::array<int, 3> box_shift{};    // box lengths from the image of `via` to that of the requester

  /** Key that is equal for all requests that one swap can serve. */
  std::tuple<bool, int, int, int, std::array<int, 3>> swap() const
  {
    return {code == GHOST, sender, via, code, box_shift};    // forwarded atoms come last
  }
};

/** A number for a shift in the grid of ranks. */
inline int code_of_offset(const std::array<int, 3> &offset)
{
  return (offset[0] + 512) + 1024 * (offset[1] + 512) + 1024 * 1024 * (offset[2] + 512);
}

/** Code of a swap, the same on the rank that sends and on the one that receives.  Swaps of tiles
    between the same two ranks differ in the box lengths that the sender adds. */
inline int code_of_sent(const HaloPlan &plan, const HaloSwap &swap)
{
  const bool tiles = !plan.receivers.empty();
  return code_of_offset(tiles ? std::array<int, 3>{swap.pbc[0], swap.pbc[1], swap.pbc[2]}
                              : swap.offset);
}

inline int code_of_received(const HaloPlan &plan, const HaloSwap &swap)
{
  const bool tiles = !plan.receivers.empty();    // received atoms cross boundaries the other way
  return code_of_offset(tiles ? std::array<int, 3>{-swap.pbc[0], -swap.pbc[1], -swap.pbc[2]}
                              : swap.offset);
}

}    // namespace TOFU_NS

#endif
