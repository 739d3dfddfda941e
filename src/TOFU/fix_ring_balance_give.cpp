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
  engine->frames.clear();
  std::vector<DonationReceiver> receivers;
  for (const Transfer &transfer : engine->transfers)
    if (transfer.from == comm->me) engine->receivers.push_back(transfer.to);
  const DonationCandidates candidates = engine->receivers.empty() ? DonationCandidates()
                                                                  : find_candidates();
  std::array<double, 3> center{};
  for (int n = 0; n < candidates.natoms; n++)
    for (int dim = 0; dim < 3; dim++)
      center[dim] +=
          candidates.fractions[3 * static_cast<std::size_t>(n) + dim] / candidates.natoms;

  for (const Transfer &transfer : engine->transfers) {
    if (transfer.from != comm->me) continue;
    const double amount = static_cast<double>(transfer.amount) / engine->per_unit;
    const ReceiverImage image = nearest_image(images_of(transfer.to), center, candidates.lengths);
    receivers.push_back({std::llround(amount), {image}});
    engine->frames.push_back(image.boxes);
  }
  engine->donation.choose(candidates, receivers);
}

/* ----------------------------------------------------------------------
   before lists are built each atom has a row, and all cost the same
------------------------------------------------------------------------- */

DonationCandidates FixRingBalance::find_candidates()
{
  const bool all = engine->begun;
  engine->candidates.clear();
  engine->candidate_work.clear();
  engine->fractions.resize(3 * static_cast<std::size_t>(atom->nlocal));
  int n = 0;
  for (int i = 0; i < atom->nlocal; i++) {
    if (!all && engine->row_work[i] == 0) continue;
    domain->x2lamda(atom->x[i], engine->fractions.data() + 3 * static_cast<std::size_t>(n++));
    if (all) continue;
    engine->candidates.push_back(i);
    engine->candidate_work.push_back(engine->row_work[i]);
  }
  return {n,
          all ? nullptr : engine->candidates.data(),
          engine->fractions.data(),
          all ? nullptr : engine->candidate_work.data(),
          {domain->xprd, domain->yprd, domain->zprd}};
}

/* ---------------------------------------------------------------------- */

std::vector<ReceiverImage> FixRingBalance::images_of(int rank) const
{
  const double *const splits[3] = {comm->xsplit, comm->ysplit, comm->zsplit};
  const auto box_at = [&](const int *loc) {
    SubBox box;
    for (int dim = 0; dim < 3; dim++) {
      box.lo[dim] = splits[dim][loc[dim]];
      box.hi[dim] = splits[dim][loc[dim] + 1];
    }
    return box;
  };
  const std::array<int, 3> periodicity = {domain->xperiodic, domain->yperiodic, domain->zperiodic};
  return receiver_images(box_at(comm->myloc), box_at(engine->place_of.at(rank).data()),
                         periodicity);
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
  engine->counts.given = 0;
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
    const std::array<int, 3> &boxes = engine->frames[gift.receiver];
    const std::array<double, 3> shift = {
        boxes[0] * domain->xprd + boxes[1] * domain->xy + boxes[2] * domain->xz,
        boxes[1] * domain->yprd + boxes[2] * domain->yz, boxes[2] * domain->zprd};
    sources.set_frame(boxes);
    const auto source_of = [&](int i) {
      const GhostSources::Source source = sources.of(i);
      return AtomSource{source.rank, source.code, source.place};
    };
    const int *const first = engine->donation.atoms().data() + gift.first;
    for (int k = 0; k < gift.natoms; k++) {
      engine->given[first[k]] = 1;
      sources.note_row(first[k]);
    }
    engine->counts.given += gift.natoms;
    if (engine->begun)
      RegionWriter::write(atoms, shift, boxes, region_of(gift), source_of, message);
    else
      engine->writer.write(atoms, shift, boxes, rows_of(gift), source_of, message);
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

/* ---------------------------------------------------------------------- */

const DonatedRegion &FixRingBalance::region_of(const Gift &gift)
{
  DonatedRegion &region = engine->region;
  region.given = engine->donation.atoms().data() + gift.first;
  region.ngiven = gift.natoms;
  region.owned.clear();
  region.ghosts.clear();

  const int nlocal = atom->nlocal, nall = nlocal + atom->nghost;
  engine->finder.find(atom->x[0], nall, region.given, region.ngiven, neighbor->cutneighmax);
  engine->in_gift.resize(nall, 0);
  for (int k = 0; k < region.ngiven; k++) engine->in_gift[region.given[k]] = 1;
  for (int i : engine->finder.atoms())
    if (i >= nlocal)
      region.ghosts.push_back(i);
    else if (!engine->in_gift[i])
      region.owned.push_back(i);
  for (int k = 0; k < region.ngiven; k++) engine->in_gift[region.given[k]] = 0;
  return region;
}
