// SPDX-License-Identifier: GPL-2.0-only

#include "ghost_sources.h"

#include <algorithm>
#include <limits>

namespace TOFU_NS {

static std::array<int, 3> boxes_of(const HaloSwap &swap)
{
  return {swap.pbc[0], swap.pbc[1], swap.pbc[2]};
}

/* ---------------------------------------------------------------------- */

void GhostSources::begin(const HaloPlan &plan, const SendLists &lists,
                         const std::vector<int> &firstrecv, int nlocal, int nall, int me,
                         int receiver, const std::function<bool(int)> &asks)
{
  me_ = me;
  nlocal_ = nlocal;
  ships_ = plan.stages.size() == 1;
  forwards_ = !ships_;
  shipments_.clear();
  places_.clear();
  find_origins(plan, lists, firstrecv, nall, receiver, asks);
  if (ships_) list_what_receiver_has(plan, lists, receiver);
  set_frame({0, 0, 0});
}

/* ----------------------------------------------------------------------
   of ghosts, by the swap that brought them; regions follow each other, some
   are empty
------------------------------------------------------------------------- */

void GhostSources::find_origins(const HaloPlan &plan, const SendLists &lists,
                                const std::vector<int> &firstrecv, int nall, int receiver,
                                const std::function<bool(int)> &asks)
{
  const int nswaps = plan.stages.back().last;
  origins_.resize(1 + nswaps);
  origins_[OWNED_SWAP] = {Origin::MINE, me_, GhostWish::OWNED, 0};
  swap_of_.resize(nall - nlocal_);
  for (int i = 0; i < nswaps; i++) {
    const HaloSwap &swap = plan.swaps[i];
    Origin &origin = origins_[1 + i];
    origin = {Origin::FORWARDED, swap.recvproc, code_of_offset(swap.offset), firstrecv[i]};
    if (ships_ && swap.recvproc == me_) {
      origin.kind = Origin::MINE;
      origin.sent = lists.list(i);
      origin.pbc = boxes_of(swap);
    } else if (ships_ && swap.recvproc >= 0 && (swap.recvproc == receiver || asks(swap.recvproc))) {
      origin.kind = Origin::OWNER;
    }
    const int end = i + 1 < nswaps ? firstrecv[i + 1] : nall;
    std::fill(swap_of_.begin() + (firstrecv[i] - nlocal_), swap_of_.begin() + (end - nlocal_),
              static_cast<std::uint16_t>(1 + i));
  }
}

/* ----------------------------------------------------------------------
   a bit for each displacement; what does not fit in 64 of them, the receiver
   gets twice, which changes nothing
------------------------------------------------------------------------- */

void GhostSources::list_what_receiver_has(const HaloPlan &plan, const SendLists &lists,
                                          int receiver)
{
  constexpr std::size_t NBITS = std::numeric_limits<std::uint64_t>::digits;
  displaced_.clear();
  has_.assign(nlocal_, 0);
  for (int i = 0; i < plan.stages.back().last; i++) {
    if (plan.swaps[i].sendproc != receiver) continue;
    const std::array<int, 3> boxes = boxes_of(plan.swaps[i]);
    const std::size_t n =
        std::find(displaced_.begin(), displaced_.end(), boxes) - displaced_.begin();
    if (n == NBITS) continue;
    if (n == displaced_.size()) displaced_.push_back(boxes);
    const int *const list = lists.list(i);
    for (int k = 0; k < lists.count(i); k++) has_[list[k]] |= std::uint64_t{1} << n;
  }
}

/* ---------------------------------------------------------------------- */

void GhostSources::set_frame(const std::array<int, 3> &boxes)
{
  if (!ships_) return;
  for (Origin &origin : origins_) {
    if (origin.kind != Origin::MINE) continue;
    for (int dim = 0; dim < 3; dim++) origin.boxes[dim] = origin.pbc[dim] + boxes[dim];
    const auto had = std::find(displaced_.begin(), displaced_.end(), origin.boxes);
    origin.bit = had == displaced_.end() ? 0 : std::uint64_t{1} << (had - displaced_.begin());
    origin.shipment = -1;
  }
}

/* ---------------------------------------------------------------------- */

GhostSources::Source GhostSources::mine(int i, Origin &origin)
{
  const int owned = origin.sent ? origin.sent[i - origin.first] : i;
  if (!ships_ || (has_[owned] & origin.bit)) return {me_, GhostWish::OWNED, owned};
  if (origin.shipment < 0) origin.shipment = shipment_for(origin.boxes);
  std::vector<int> &atoms = shipments_[origin.shipment].atoms;
  int &place = places_[origin.shipment][owned];
  if (place < 0) {
    place = static_cast<int>(atoms.size());
    atoms.push_back(owned);
  }
  return {me_, SHIPPED - origin.shipment, place};
}

/* ---------------------------------------------------------------------- */

int GhostSources::shipment_for(const std::array<int, 3> &boxes)
{
  const auto known =
      std::find_if(shipments_.begin(), shipments_.end(),
                   [&](const Shipment &shipment) { return shipment.boxes == boxes; });
  if (known != shipments_.end()) return static_cast<int>(known - shipments_.begin());
  shipments_.push_back({boxes, {}});
  places_.emplace_back(nlocal_, -1);
  return static_cast<int>(shipments_.size()) - 1;
}

}    // namespace TOFU_NS
