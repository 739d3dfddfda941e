/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Donor: selection of the atoms that a rank gives, and messages with their rows, or with the atoms
// from which receivers make the rows.

#include "fix_ring_balance.h"

#include "fix_ring_balance-impl.h"
#include "halo/ghost_sources.h"
#include "halo/tiles.h"
#include "p2p/appended_ghosts.h"
#include "p2p/comm_p2p_rdma.h"
#include "threadpool/lists/npair_threadpool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "neigh_list.h"
#include "neighbor.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   the amounts of a plan serve until the next one; a donor gives no more than
   it owns.  A receiver gets all atoms in one place, even if
   it is on several sides: where given atoms border on others, it needs the
   others as ghosts
------------------------------------------------------------------------- */

void FixRingBalance::select_transfers()
{
  impl->giving.receivers.clear();
  impl->giving.images.clear();
  impl->giving.selection.begin(atom->nlocal);
  std::array<double, 3> center{};
  for (const Transfer &transfer : impl->transfers) {
    if (transfer.from != comm->me) continue;
    if (impl->giving.receivers.empty()) center = find_center();
    impl->giving.receivers.push_back(transfer.to);
    impl->giving.images.push_back(image_of(transfer.to, center));
    const double amount = static_cast<double>(transfer.amount) / impl->work.per_unit;
    select_transfer(std::llround(amount));
  }
}

/* ----------------------------------------------------------------------
   for the last receiver.  Before lists are built each atom has a row, and all
   cost the same; distances of ghosts then tell which atoms are near given atoms
------------------------------------------------------------------------- */

void FixRingBalance::select_transfer(std::int64_t amount)
{
  const std::size_t n = impl->giving.receivers.size() - 1;
  if (impl->giving.squares.size() <= n) impl->giving.squares.emplace_back();
  std::vector<double> &squares = impl->giving.squares[n];
  squares.resize(atom->nlocal + (impl->begun ? atom->nghost : 0));
  if (squares.empty()) return;
  find_squares(impl->giving.metric, atom->x[0], static_cast<int>(squares.size()),
               impl->giving.images[n].box, squares.data());
  const int receiver = static_cast<int>(n);
  if (impl->begun)
    impl->giving.selection.give_nearest(receiver, amount, squares.data());
  else
    impl->giving.selection.give_by_work(receiver, amount, squares.data(), impl->work.of_row.data());
}

/* ----------------------------------------------------------------------
   of all owned atoms, as fractions of the box
------------------------------------------------------------------------- */

std::array<double, 3> FixRingBalance::find_center()
{
  BoxMetric &metric = impl->giving.metric;
  std::copy_n(domain->boxlo, 3, metric.lo.data());
  std::copy_n(domain->prd, 3, metric.lengths.data());
  std::copy_n(domain->h_inv, 6, metric.inverse.data());
  double sum[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < atom->nlocal; i++)
    for (int dim = 0; dim < 3; dim++) sum[dim] += atom->x[i][dim];
  for (double &one : sum) one /= std::max(atom->nlocal, 1);
  std::array<double, 3> center;
  metric.find_fraction(sum, center.data());
  return center;
}

/* ---------------------------------------------------------------------- */

ReceiverImage FixRingBalance::image_of(int rank, const std::array<double, 3> &center) const
{
  return nearest_image(center, sub_box_of(rank),
                       {domain->xperiodic, domain->yperiodic, domain->zperiodic});
}

/* ----------------------------------------------------------------------
   fix balance rcb may have made it anew
------------------------------------------------------------------------- */

SubBox FixRingBalance::sub_box_of(int rank) const
{
  if (const Tiles *tiles = CommP2PRDMA::find(comm)->tiles())
    return {tiles->of(rank).lo, tiles->of(rank).hi};
  const double *const splits[3] = {comm->xsplit, comm->ysplit, comm->zsplit};
  const std::array<int, 3> &loc = impl->place_of.at(rank);
  SubBox box;
  for (int dim = 0; dim < 3; dim++) {
    box.lo[dim] = splits[dim][loc[dim]];
    box.hi[dim] = splits[dim][loc[dim] + 1];
  }
  return box;
}

/* ----------------------------------------------------------------------
   large messages: memory that is given back to the system would be cleared by
   it each time
------------------------------------------------------------------------- */

static void make_empty(std::map<int, std::vector<char>> &messages, const std::set<int> &ranks)
{
  for (auto message = messages.begin(); message != messages.end();)
    message = ranks.count(message->first) ? std::next(message) : messages.erase(message);
  for (int rank : ranks) messages[rank].clear();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::send_transfers()
{
  (impl->begun ? impl->natoms_handed : impl->nrows_handed)++;
  AppendedGhosts::Offer offer = CommP2PRDMA::find(comm)->appended_ghosts().begin();
  select_transfers();

  std::set<int> receivers, donors;
  for (const Transfer &transfer : impl->transfers) {
    if (transfer.from == comm->me) receivers.insert(transfer.to);
    if (transfer.to == comm->me) donors.insert(transfer.from);
  }
  make_empty(impl->giving.out, receivers);
  make_empty(impl->taking.in, donors);
  impl->giving.given.assign(atom->nlocal + atom->nghost, 0);
  for (int i : impl->giving.selection.atoms()) impl->giving.given[i] = 1;
  impl->counts.given = static_cast<std::int64_t>(impl->giving.selection.atoms().size());
  if (impl->begun) find_seam();
  for (auto &[receiver, message] : impl->giving.out) pack_transfers_for(receiver, offer, message);
  impl->taking.sent.emplace(std::move(offer).send(impl->giving.out, impl->taking.in));
}

/* ----------------------------------------------------------------------
   rows or atoms first: these tell which extra ghosts have to go with them
------------------------------------------------------------------------- */

void FixRingBalance::pack_transfers_for(int receiver, AppendedGhosts::Offer &offer,
                                        std::vector<char> &message)
{
  const int nall = atom->nlocal + atom->nghost;
  const DonorAtoms<tagint> atoms = {nall, atom->tag, nall ? atom->x[0] : nullptr};
  GhostSources &sources = offer.sources_for(receiver, impl->settings.mode == Impl::Mode::FORWARD);

  for (const SelectedTransfer &transfer : impl->giving.selection.transfers()) {
    if (impl->giving.receivers[transfer.receiver] != receiver) continue;
    const std::array<int, 3> &boxes = impl->giving.images[transfer.receiver].boxes;
    const std::array<double, 3> shift = {
        boxes[0] * domain->xprd + boxes[1] * domain->xy + boxes[2] * domain->xz,
        boxes[1] * domain->yprd + boxes[2] * domain->yz, boxes[2] * domain->zprd};
    sources.set_frame(boxes);
    const int *const first = impl->giving.selection.atoms().data() + transfer.first;
    const auto as_source = [](const GhostSources::Source &source) {
      return AtomSource{source.rank, source.code, source.place};
    };
    if (impl->begun) {
      int nasked = 0;    // given ones come first
      RegionWriter::write(
          atoms, shift, boxes, region_of(transfer, sources),
          [&](int i) {
            return as_source(nasked++ < transfer.natoms ? sources.of_row(i) : sources.of(i));
          },
          message);
    } else {
      for (int k = 0; k < transfer.natoms; k++) sources.of_row(first[k]);
      impl->giving.writer.write(
          atoms, shift, boxes, rows_of(transfer), [&](int i) { return as_source(sources.of(i)); },
          message);
    }
  }
  offer.pack_for(receiver, message);
}

/* ---------------------------------------------------------------------- */

const std::vector<DonorRows> &FixRingBalance::rows_of(const SelectedTransfer &transfer)
{
  std::vector<DonorRows> &rows = impl->giving.rows;
  const int *const first = impl->giving.selection.atoms().data() + transfer.first;
  rows.resize(impl->lists.size());
  for (std::size_t m = 0; m < rows.size(); m++) {
    const std::vector<char> &has_row = impl->has_row[m];
    rows[m].atoms.clear();
    std::copy_if(first, first + transfer.natoms, std::back_inserter(rows[m].atoms),
                 [&](int i) { return has_row[i] != 0; });
    rows[m].first = impl->lists[m].stock->firstneigh;
    rows[m].numneigh = impl->lists[m].stock->numneigh;
  }
  return rows;
}

/* ----------------------------------------------------------------------
   kept atoms whose pairs with given ones are the receivers'.  A full list has
   rows for both atoms of a pair: then they need all kept atoms nearby
------------------------------------------------------------------------- */

void FixRingBalance::find_seam()
{
  const bool all_half =
      std::all_of(impl->lists.begin(), impl->lists.end(),
                  [](const Impl::Rows &rows) { return rows.build->needs_donor_positions(); });
  impl->giving.seam.assign(atom->nlocal, !all_half);
  for (const SelectedTransfer &transfer : impl->giving.selection.transfers()) {
    if (!all_half) break;
    const std::vector<double> &squares = impl->giving.squares[transfer.receiver];
    const double most = RegionFinder::limit_square(
        squares, impl->giving.selection.atoms().data() + transfer.first, transfer.natoms,
        SEAM * neighbor->cutneighmax * impl->giving.metric.stretch());
    for (int i = 0; i < atom->nlocal; i++) impl->giving.seam[i] |= squares[i] <= most;
  }
}

/* ----------------------------------------------------------------------
   ghosts that the receiver knows by name come before the others
------------------------------------------------------------------------- */

const TransferredRegion &FixRingBalance::region_of(const SelectedTransfer &transfer,
                                                   const GhostSources &sources)
{
  TransferredRegion &region = impl->giving.region;
  region.given = impl->giving.selection.atoms().data() + transfer.first;
  region.ngiven = transfer.natoms;
  region.owned.clear();
  region.ghosts.clear();
  impl->giving.elsewhere.clear();
  impl->giving.strangers.clear();

  const int nlocal = atom->nlocal;
  impl->giving.finder.find(impl->giving.squares[transfer.receiver], atom->x[0], region.given,
                           region.ngiven, neighbor->cutneighmax, impl->giving.metric.stretch());
  impl->giving.in_transfer.resize(nlocal, 0);
  for (int k = 0; k < region.ngiven; k++) impl->giving.in_transfer[region.given[k]] = 1;
  for (int i : impl->giving.finder.atoms())
    if (i >= nlocal)
      (sources.names(i) ? region.ghosts : impl->giving.strangers).push_back(i);
    else if (!impl->giving.given[i] && impl->giving.seam[i])
      region.owned.push_back(i);
    else if (impl->giving.given[i] && !impl->giving.in_transfer[i])
      impl->giving.elsewhere.push_back(i);
  for (int k = 0; k < region.ngiven; k++) impl->giving.in_transfer[region.given[k]] = 0;

  region.nseam = static_cast<int>(region.owned.size());
  region.owned.insert(region.owned.end(), impl->giving.elsewhere.begin(),
                      impl->giving.elsewhere.end());
  const std::size_t nnamed = region.ngiven + region.owned.size() + region.ghosts.size();
  const bool by_name =
      std::none_of(impl->lists.begin(), impl->lists.end(),
                   [](const Impl::Rows &rows) { return rows.build->needs_donor_positions(); });
  region.nnamed = by_name && sources.names(0) ? static_cast<int>(nnamed) : 0;
  region.ghosts.insert(region.ghosts.end(), impl->giving.strangers.begin(),
                       impl->giving.strangers.end());
  return region;
}
