// SPDX-License-Identifier: GPL-2.0-only

#include "transfer_sender.h"

#include "ring_decision.h"
#include "ring_ranks.h"
#include "row_lists.h"

#include "halo/ghost_sources.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "neigh_list.h"
#include "neighbor.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   the amounts of a plan hold for all builds until the next plan; a donor gives no
   more than it owns
------------------------------------------------------------------------- */

void TransferSender::select(const RingDecision &decision, const RingRanks &ranks,
                            const std::vector<std::int64_t> *work)
{
  DonorState state;
  std::copy_n(domain->boxlo, 3, state.metric.lo.data());
  std::copy_n(domain->prd, 3, state.metric.lengths.data());
  std::copy_n(domain->h_inv, 6, state.metric.inverse.data());
  std::copy_n(domain->periodicity, 3, state.periodicity.data());
  state.nlocal = atom->nlocal;
  state.nghost = atom->nghost;
  if (state.nlocal + state.nghost) state.x = atom->x[0];
  receivers_build = !work;
  selected.begin(state);
  for (const Transfer &transfer : decision.transfers()) {
    if (transfer.from != comm->me) continue;
    const SubBox box = ranks.sub_box_of(transfer.to);
    if (receivers_build)
      selected.give_atoms(transfer.to, box, decision.amount(transfer));
    else
      selected.give_rows(transfer.to, box, decision.amount(transfer), work->data());
  }
  selected.mark_given();
}

/* ---------------------------------------------------------------------- */

AppendedGhosts::Sent TransferSender::send(AppendedGhosts::Offer offer, const RingDecision &decision,
                                          const RowLists &lists, bool forward,
                                          AppendedGhosts::Messages &in)
{
  std::set<int> receivers, donors;
  for (const Transfer &transfer : decision.transfers()) {
    if (transfer.from == comm->me) receivers.insert(transfer.to);
    if (transfer.to == comm->me) donors.insert(transfer.from);
  }
  make_empty(out, receivers);
  make_empty(in, donors);
  if (receivers_build) selected.mark_seam(neighbor->cutneighmax, !lists.all_need_positions());
  for (auto &[receiver, message] : out) pack(receiver, lists, forward, offer, message);
  return std::move(offer).send(out, in);
}

/* ----------------------------------------------------------------------
   rows or atoms come first, since they determine which extra ghosts have to go
   with them
------------------------------------------------------------------------- */

void TransferSender::pack(int receiver, const RowLists &lists, bool forward,
                          AppendedGhosts::Offer &offer, std::vector<char> &message)
{
  const int nall = atom->nlocal + atom->nghost;
  const DonorAtoms<tagint> atoms = {nall, atom->tag, nall ? atom->x[0] : nullptr};
  GhostSources &sources = offer.sources_for(receiver, forward);
  const auto as_source = [](const GhostSources::Source &source) {
    return AtomSource{source.rank, source.code, source.place};
  };

  for (const SelectedTransfer &transfer : selected.transfers()) {
    if (selected.rank_of(transfer) != receiver) continue;
    const std::array<int, 3> &box_shift = selected.box_shift_of(transfer);
    const std::array<double, 3> shift = {
        box_shift[0] * domain->xprd + box_shift[1] * domain->xy + box_shift[2] * domain->xz,
        box_shift[1] * domain->yprd + box_shift[2] * domain->yz, box_shift[2] * domain->zprd};
    sources.set_frame(box_shift);
    if (receivers_build) {
      const TransferredRegion &region =
          selected.region_of(transfer, neighbor->cutneighmax, !lists.any_needs_positions(),
                             [&](int i) { return sources.names(i); });
      int nwritten = 0;    // given atoms come first
      RegionWriter::write(
          atoms, shift, box_shift, region,
          [&](int i) {
            return as_source(nwritten++ < region.ngiven ? sources.of_row(i) : sources.of(i));
          },
          message);
    } else {
      const int *const given = selected.atoms_of(transfer);
      for (int k = 0; k < transfer.natoms; k++) sources.of_row(given[k]);
      writer.write(
          atoms, shift, box_shift, rows_of(transfer, lists),
          [&](int i) { return as_source(sources.of(i)); }, message);
    }
  }
  offer.pack_for(receiver, message);
}

/* ---------------------------------------------------------------------- */

const std::vector<DonorRows> &TransferSender::rows_of(const SelectedTransfer &transfer,
                                                      const RowLists &lists)
{
  const int *const given = selected.atoms_of(transfer);
  rows.resize(lists.lists().size());
  for (std::size_t m = 0; m < rows.size(); m++) {
    const RowLists::List &list = lists.lists()[m];
    rows[m].atoms.clear();
    std::copy_if(given, given + transfer.natoms, std::back_inserter(rows[m].atoms),
                 [&](int i) { return list.has_row[i] != 0; });
    rows[m].first = list.stock->firstneigh;
    rows[m].numneigh = list.stock->numneigh;
  }
  return rows;
}

/* ---------------------------------------------------------------------- */

double TransferSender::memory_usage() const
{
  double bytes = 0.0;
  for (const auto &message : out) bytes += static_cast<double>(message.second.capacity());
  return bytes;
}
