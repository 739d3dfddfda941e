// SPDX-License-Identifier: GPL-2.0-only

#include "ghost_sources.h"

#include <algorithm>

namespace TOFU_NS {

static std::array<int, 3> box_shift_of(const HaloSwap &swap)
{
  return {swap.pbc[0], swap.pbc[1], swap.pbc[2]};
}

/* ---------------------------------------------------------------------- */

void GhostSources::begin(const HaloPlan &plan, const SendLists &lists,
                         const std::vector<int> &firstrecv, int nlocal, int nall, int me,
                         int receiver, const std::function<bool(int)> &is_linked)
{
  lists_ = &lists;
  me_ = me;
  nlocal_ = nlocal;
  adds_ = plan.stages.size() == 1;
  forwards_ = !adds_;
  extra_swaps_.clear();
  find_origins(plan, lists, firstrecv, nall, receiver, is_linked);
  find_sent(plan, receiver);
}

/* ----------------------------------------------------------------------
   of ghosts, by the swap that brought them; regions follow each other, some
   are empty
------------------------------------------------------------------------- */

void GhostSources::find_origins(const HaloPlan &plan, const SendLists &lists,
                                const std::vector<int> &firstrecv, int nall, int receiver,
                                const std::function<bool(int)> &is_linked)
{
  const int nswaps = plan.stages.back().last;
  origins_.resize(1 + nswaps);
  origins_[OWNED_SWAP] = {Origin::MINE, me_, GhostRequest::OWNED, 0};
  swap_of_.resize(nall - nlocal_);
  for (int i = 0; i < nswaps; i++) {
    const HaloSwap &swap = plan.swaps[i];
    Origin &origin = origins_[1 + i];
    origin = {Origin::FORWARDED, swap.recvproc, code_of_received(plan, swap), firstrecv[i]};
    if (adds_ && swap.recvproc == me_) {
      origin.kind = Origin::MINE;
      origin.sent = lists.list(i);
      origin.pbc = box_shift_of(swap);
    } else if (adds_ && swap.recvproc >= 0 &&
               (swap.recvproc == receiver || is_linked(swap.recvproc))) {
      origin.kind = Origin::OWNER;
    }
    const int end = i + 1 < nswaps ? firstrecv[i + 1] : nall;
    std::fill(swap_of_.begin() + (firstrecv[i] - nlocal_), swap_of_.begin() + (end - nlocal_),
              static_cast<std::uint16_t>(1 + i));
  }
}

/* ----------------------------------------------------------------------
   swaps to the same rank cross different numbers of periodic boundaries
------------------------------------------------------------------------- */

void GhostSources::find_sent(const HaloPlan &plan, int receiver)
{
  sent_.clear();
  for (int i = 0; adds_ && i < plan.stages.back().last; i++)
    if (plan.swaps[i].sendproc == receiver)
      sent_.push_back({box_shift_of(plan.swaps[i]), i, code_of_sent(plan, plan.swaps[i])});
  if (listed_.size() < sent_.size()) listed_.resize(sent_.size());
}

/* ---------------------------------------------------------------------- */

const int *GhostSources::places_in(std::size_t sent)
{
  AtomPlaces &places = listed_[sent];
  if (!sent_[sent].listed) {
    places.begin(nlocal_);
    const int *const list = lists_->list(sent_[sent].swap);
    for (int k = 0; k < lists_->count(sent_[sent].swap); k++) places.put(list[k]);
    sent_[sent].listed = true;
  }
  return places.places();
}

/* ---------------------------------------------------------------------- */

void GhostSources::set_frame(const std::array<int, 3> &box_shift)
{
  if (!adds_) return;
  for (Origin &origin : origins_) {
    if (origin.kind != Origin::MINE) continue;
    for (int dim = 0; dim < 3; dim++) origin.box_shift[dim] = origin.pbc[dim] + box_shift[dim];
    origin.place_sent = nullptr;
    origin.extra_swap = -1;
    for (std::size_t n = 0; n < sent_.size(); n++) {
      if (sent_[n].pbc != origin.box_shift) continue;
      origin.place_sent = places_in(n);
      origin.sent_by = static_cast<int>(n);
    }
  }
}

/* ---------------------------------------------------------------------- */

GhostSources::Source GhostSources::of_row(int i)
{
  const Source source = of(i);
  if (source.code <= EXTRA) {
    int &nrows = extra_swaps_[EXTRA - source.code].nrows;
    nrows = std::max(nrows, source.place + 1);
  } else if (adds_) {
    sent_[origins_[OWNED_SWAP].sent_by].has_rows = true;
  }
  return source;
}

/* ---------------------------------------------------------------------- */

std::vector<GhostSources::SwapWithRows> GhostSources::swaps_with_rows() const
{
  std::vector<SwapWithRows> found;
  for (const Sent &sent : sent_)
    if (sent.has_rows) found.push_back({sent.swap, sent.code});
  return found;
}

/* ---------------------------------------------------------------------- */

int GhostSources::extra_swap_for(const std::array<int, 3> &box_shift)
{
  const auto known =
      std::find_if(extra_swaps_.begin(), extra_swaps_.end(),
                   [&](const ExtraSwap &swap) { return swap.box_shift == box_shift; });
  if (known != extra_swaps_.end()) return static_cast<int>(known - extra_swaps_.begin());
  const std::size_t n = extra_swaps_.size();
  if (n == extra_atoms_.size()) extra_atoms_.emplace_back();
  extra_atoms_[n].begin(nlocal_);
  extra_swaps_.push_back({box_shift, &extra_atoms_[n], 0});
  return static_cast<int>(extra_swaps_.size()) - 1;
}

/* ---------------------------------------------------------------------- */

void KnownSources::begin(const HaloPlan &plan, const SendLists &lists,
                         const std::vector<int> &firstrecv, int nlocal, int me, int donor,
                         const std::array<int, 3> &box_shift)
{
  plan_ = &plan;
  lists_ = &lists;
  firstrecv_ = &firstrecv;
  nlocal_ = nlocal;
  me_ = me;
  donor_ = donor;
  box_shift_ = box_shift;
  ways_.clear();
  nimages_ = 0;
  last_ = 0;
}

/* ----------------------------------------------------------------------
   atoms that the donor sends here are ghosts here.  Atoms that it has as ghosts
   from here are owned here, or other images of them are meant, which may be
   ghosts here
------------------------------------------------------------------------- */

std::size_t KnownSources::way(int rank, int code)
{
  const auto known = std::find_if(ways_.begin(), ways_.end(), [&](const Way &way) {
    return way.rank == rank && way.code == code;
  });
  if (known != ways_.end()) return known - ways_.begin();

  Way way{rank, code};
  for (int i = 0; code >= 0 && i < plan_->stages.back().last; i++) {
    const HaloSwap &swap = plan_->swaps[i];
    if (rank == donor_ && swap.recvproc == donor_ && code_of_received(*plan_, swap) == code)
      way.first = (*firstrecv_)[i];
    if (rank != me_ || swap.sendproc != donor_ || code_of_sent(*plan_, swap) != code) continue;
    std::array<int, 3> box_shift = box_shift_;
    for (int dim = 0; dim < 3; dim++) box_shift[dim] += swap.pbc[dim];
    const bool same = box_shift == std::array<int, 3>{};
    if (!same) find_images(way, box_shift);
    if (same || way.image) way.list = lists_->list(i);
  }
  ways_.push_back(way);
  return ways_.size() - 1;
}

/* ----------------------------------------------------------------------
   ghosts that this rank has from itself, so many box lengths away
------------------------------------------------------------------------- */

void KnownSources::find_images(Way &way, const std::array<int, 3> &box_shift)
{
  if (plan_->stages.size() > 1) return;    // a swap may send ghosts
  for (int i = 0; i < plan_->stages.back().last; i++) {
    const HaloSwap &swap = plan_->swaps[i];
    if (swap.recvproc != me_ || box_shift_of(swap) != box_shift) continue;
    if (nimages_ == images_.size()) images_.emplace_back();
    AtomPlaces &places = images_[nimages_++];
    places.begin(nlocal_);
    for (int k = 0; k < lists_->count(i); k++) places.put(lists_->list(i)[k]);
    way.first = (*firstrecv_)[i];
    way.image = places.places();
  }
}

}    // namespace TOFU_NS
