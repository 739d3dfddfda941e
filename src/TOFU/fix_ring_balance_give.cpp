/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// What a rank gives: which of its atoms, and messages with their rows, or with what these are made of.

#include "fix_ring_balance.h"

#include "comm_p2p_rdma.h"
#include "fix_ring_balance_engine.h"
#include "halo/ghost_sources.h"
#include "npair_threadpool.h"

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
   the amounts of a plan serve until the next one; what a donor does not own
   any more, he does not give.  A receiver gets all atoms in one place, even if
   it is on several sides: where given atoms border on others, it needs the
   others as ghosts
------------------------------------------------------------------------- */

void FixRingBalance::choose_gifts()
{
  engine->receivers.clear();
  engine->images.clear();
  engine->donation.begin(atom->nlocal);
  std::array<double, 3> center{};
  for (const Transfer &transfer : engine->transfers) {
    if (transfer.from != comm->me) continue;
    if (engine->receivers.empty()) center = find_center();
    engine->receivers.push_back(transfer.to);
    engine->images.push_back(image_of(transfer.to, center));
    const double amount = static_cast<double>(transfer.amount) / engine->per_unit;
    choose_gift(std::llround(amount));
  }
}

/* ----------------------------------------------------------------------
   for the last receiver.  Before lists are built each atom has a row, and all
   cost the same; distances of ghosts tell then what is near given atoms
------------------------------------------------------------------------- */

void FixRingBalance::choose_gift(std::int64_t amount)
{
  const std::size_t n = engine->receivers.size() - 1;
  if (engine->squares.size() <= n) engine->squares.emplace_back();
  std::vector<double> &squares = engine->squares[n];
  squares.resize(atom->nlocal + (engine->begun ? atom->nghost : 0));
  if (squares.empty()) return;
  find_squares(engine->metric, atom->x[0], static_cast<int>(squares.size()), engine->images[n].box,
               squares.data());
  const int receiver = static_cast<int>(n);
  if (engine->begun)
    engine->donation.give_nearest(receiver, amount, squares.data());
  else
    engine->donation.give_by_work(receiver, amount, squares.data(), engine->row_work.data());
}

/* ----------------------------------------------------------------------
   of all owned atoms, as fractions of the box
------------------------------------------------------------------------- */

std::array<double, 3> FixRingBalance::find_center()
{
  BoxMetric &metric = engine->metric;
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
  const double *const splits[3] = {comm->xsplit, comm->ysplit, comm->zsplit};
  const std::array<int, 3> &loc = engine->place_of.at(rank);
  SubBox box;
  for (int dim = 0; dim < 3; dim++) {
    box.lo[dim] = splits[dim][loc[dim]];
    box.hi[dim] = splits[dim][loc[dim] + 1];
  }
  return nearest_image(center, box, {domain->xperiodic, domain->yperiodic, domain->zperiodic});
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

void FixRingBalance::send_gifts()
{
  CommP2PRDMA *const p2p = CommP2PRDMA::find(comm);
  (engine->begun ? engine->natoms_handed : engine->nrows_handed)++;
  p2p->begin_shipments();
  choose_gifts();

  std::set<int> receivers, donors;
  for (const Transfer &transfer : engine->transfers) {
    if (transfer.from == comm->me) receivers.insert(transfer.to);
    if (transfer.to == comm->me) donors.insert(transfer.from);
  }
  make_empty(engine->out, receivers);
  make_empty(engine->in, donors);
  engine->given.assign(atom->nlocal + atom->nghost, 0);
  for (int i : engine->donation.atoms()) engine->given[i] = 1;
  engine->counts.given = static_cast<std::int64_t>(engine->donation.atoms().size());
  if (engine->begun) find_seam();
  for (auto &[receiver, message] : engine->out) pack_gifts_for(receiver, message);
  p2p->send_messages(engine->out, engine->in);
}

/* ----------------------------------------------------------------------
   rows or atoms first: their parcels tell what has to be shipped with them
------------------------------------------------------------------------- */

void FixRingBalance::pack_gifts_for(int receiver, std::vector<char> &message)
{
  CommP2PRDMA *const p2p = CommP2PRDMA::find(comm);
  const int nall = atom->nlocal + atom->nghost;
  const DonorAtoms<tagint> atoms = {nall, atom->tag, nall ? atom->x[0] : nullptr};
  GhostSources &sources = p2p->sources_for(receiver, engine->mode == Engine::Mode::FORWARD);

  for (const Gift &gift : engine->donation.gifts()) {
    if (engine->receivers[gift.receiver] != receiver) continue;
    const std::array<int, 3> &boxes = engine->images[gift.receiver].boxes;
    const std::array<double, 3> shift = {
        boxes[0] * domain->xprd + boxes[1] * domain->xy + boxes[2] * domain->xz,
        boxes[1] * domain->yprd + boxes[2] * domain->yz, boxes[2] * domain->zprd};
    sources.set_frame(boxes);
    const int *const first = engine->donation.atoms().data() + gift.first;
    const auto as_source = [](const GhostSources::Source &source) {
      return AtomSource{source.rank, source.code, source.place};
    };
    if (engine->begun) {
      int nasked = 0;    // given ones come first
      RegionWriter::write(
          atoms, shift, boxes, region_of(gift, sources),
          [&](int i) {
            return as_source(nasked++ < gift.natoms ? sources.of_row(i) : sources.of(i));
          },
          message);
    } else {
      for (int k = 0; k < gift.natoms; k++) sources.of_row(first[k]);
      engine->writer.write(
          atoms, shift, boxes, rows_of(gift), [&](int i) { return as_source(sources.of(i)); },
          message);
    }
  }
  p2p->pack_shipments(receiver, message);
}

/* ---------------------------------------------------------------------- */

const std::vector<DonorRows> &FixRingBalance::rows_of(const Gift &gift)
{
  std::vector<DonorRows> &rows = engine->gift_rows;
  const int *const first = engine->donation.atoms().data() + gift.first;
  rows.resize(engine->lists.size());
  for (std::size_t m = 0; m < rows.size(); m++) {
    const std::vector<char> &has_row = engine->has_row[m];
    rows[m].atoms.clear();
    std::copy_if(first, first + gift.natoms, std::back_inserter(rows[m].atoms),
                 [&](int i) { return has_row[i] != 0; });
    rows[m].first = engine->lists[m].stock->firstneigh;
    rows[m].numneigh = engine->lists[m].stock->numneigh;
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
      std::all_of(engine->lists.begin(), engine->lists.end(),
                  [](const Engine::Rows &rows) { return rows.build->needs_donor_positions(); });
  engine->seam.assign(atom->nlocal, !all_half);
  for (const Gift &gift : engine->donation.gifts()) {
    if (!all_half) break;
    const std::vector<double> &squares = engine->squares[gift.receiver];
    const double most = RegionFinder::limit_square(
        squares, engine->donation.atoms().data() + gift.first, gift.natoms,
        SEAM * neighbor->cutneighmax * engine->metric.stretch());
    for (int i = 0; i < atom->nlocal; i++) engine->seam[i] |= squares[i] <= most;
  }
}

/* ----------------------------------------------------------------------
   ghosts that the receiver knows by name come before the others
------------------------------------------------------------------------- */

const DonatedRegion &FixRingBalance::region_of(const Gift &gift, const GhostSources &sources)
{
  DonatedRegion &region = engine->region;
  region.given = engine->donation.atoms().data() + gift.first;
  region.ngiven = gift.natoms;
  region.owned.clear();
  region.ghosts.clear();
  engine->elsewhere.clear();
  engine->strangers.clear();

  const int nlocal = atom->nlocal;
  engine->finder.find(engine->squares[gift.receiver], atom->x[0], region.given, region.ngiven,
                      neighbor->cutneighmax, engine->metric.stretch());
  engine->in_gift.resize(nlocal, 0);
  for (int k = 0; k < region.ngiven; k++) engine->in_gift[region.given[k]] = 1;
  for (int i : engine->finder.atoms())
    if (i >= nlocal)
      (sources.names(i) ? region.ghosts : engine->strangers).push_back(i);
    else if (!engine->given[i] && engine->seam[i])
      region.owned.push_back(i);
    else if (engine->given[i] && !engine->in_gift[i])
      engine->elsewhere.push_back(i);
  for (int k = 0; k < region.ngiven; k++) engine->in_gift[region.given[k]] = 0;

  region.nseam = static_cast<int>(region.owned.size());
  region.owned.insert(region.owned.end(), engine->elsewhere.begin(), engine->elsewhere.end());
  const std::size_t nnamed = region.ngiven + region.owned.size() + region.ghosts.size();
  const bool by_name =
      std::none_of(engine->lists.begin(), engine->lists.end(),
                   [](const Engine::Rows &rows) { return rows.build->needs_donor_positions(); });
  region.nnamed = by_name && sources.names(0) ? static_cast<int>(nnamed) : 0;
  region.ghosts.insert(region.ghosts.end(), engine->strangers.begin(), engine->strangers.end());
  return region;
}
