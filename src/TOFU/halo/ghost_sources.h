// SPDX-License-Identifier: GPL-2.0-only
//
// GhostSources: how the receiver of rows gets the atoms that they name, as the donor of the rows sees it.
//
// The donor knows which of its own atoms the receiver has as ghosts, since it sends them, and ships the
// others with the rows.  What it has as a ghost itself came from an owner, whom the receiver can ask by
// name (ghost_wish.h); or the donor forwards it.

#ifndef TOFU_HALO_GHOST_SOURCES_H
#define TOFU_HALO_GHOST_SOURCES_H

#include "ghost_wish.h"
#include "halo_plan.h"
#include "send_lists.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** Owned atoms that one swap ships to the receiver. */
struct Shipment {
  std::array<int, 3> boxes{};    // box lengths to be added
  std::vector<int> atoms;        // local indices, in the order of places
};

class GhostSources {
 public:
  /** Whoever wants the atom asks rank `rank` for it, as a GhostWish says. */
  struct Source {
    int rank, code, place;
  };

  /** Codes from here downwards: the place-th atom of shipment SHIPPED - code. */
  static constexpr int SHIPPED = GhostWish::GHOST - 1;

  /** A new receiver.  The plan has nothing appended.  With the staged pattern nothing is shipped:
      others forward the donor's atoms to the receiver, so the donor does not know which he has.

      Args:
        lists       what the swaps send; it and the plan must live as long as it is used
        firstrecv   [nswaps] index of the first ghost that each of them brings, ascending
        nlocal      # of owned atoms
        nall        # of them and of ghosts
        me          this rank
        receiver    another rank
        asks        owner -> whether the receiver can ask him */
  void begin(const HaloPlan &plan, const SendLists &lists, const std::vector<int> &firstrecv,
             int nlocal, int nall, int me, int receiver, const std::function<bool(int)> &asks);

  /** The next atoms are for coordinates that differ by these box lengths from the donor's. */
  void set_frame(const std::array<int, 3> &boxes);

  /** Local atom i; what it ships is shipped once. */
  Source of(int i)
  {
    const int swap = i < nlocal_ ? OWNED_SWAP : swap_of_[i - nlocal_];
    Origin &origin = origins_[swap];
    switch (origin.kind) {
      case Origin::MINE:
        return mine(i, origin);
      case Origin::OWNER:
        return {origin.owner, origin.code, i - origin.first};
      default:
        forwards_ = true;
        return {me_, GhostWish::GHOST, i};
    }
  }

  const std::vector<Shipment> &shipments() const { return shipments_; }

  /** Whether the receiver may have to ask this rank for something. */
  bool forwards() const { return forwards_; }

 private:
  static constexpr int OWNED_SWAP = 0;    // origins_ of ghosts follow

  struct Origin {
    enum Kind { MINE, OWNER, FORWARDED };
    Kind kind;
    int owner, code, first;
    const int *sent = nullptr;            // MINE: owned atom of each ghost; nullptr: itself
    std::array<int, 3> pbc{}, boxes{};    // from the owned atom to this rank, and to the receiver
    std::uint64_t bit = 0;                // in has_, 0: the receiver has no atom from there
    int shipment = -1;
  };

  Source mine(int i, Origin &origin);
  void find_origins(const HaloPlan &plan, const SendLists &lists, const std::vector<int> &firstrecv,
                    int nall, int receiver, const std::function<bool(int)> &asks);
  void list_what_receiver_has(const HaloPlan &plan, const SendLists &lists, int receiver);
  int shipment_for(const std::array<int, 3> &boxes);

  int me_ = -1, nlocal_ = 0;
  bool ships_ = false, forwards_ = false;
  std::vector<Origin> origins_;           // [1+nswaps]
  std::vector<std::uint16_t> swap_of_;    // [nghost] in origins_
  std::vector<std::array<int, 3>>
      displaced_;                     // by bit of has_, what the receiver has it displaced by
  std::vector<std::uint64_t> has_;    // [nlocal] bits
  std::vector<Shipment> shipments_;
  std::vector<std::vector<int>> places_;    // by shipment, [nlocal] -1: not in it
};

}    // namespace TOFU_NS

#endif
