/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Each time neighbor lists have been built: who computes how much for whom, which rows go, and what pair
// styles get in place of their lists.

#include "fix_ring_balance.h"

#include "comm_p2p_rdma.h"
#include "fix_ring_balance_engine.h"
#include "halo/ghost_sources.h"
#include "npair_threadpool.h"
#include "pair_styles_in_use.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair.h"
#include "timer.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// positions travel as floats; images of an atom are a box length apart

static constexpr double SAME_PLACE = 0.25;

/* ----------------------------------------------------------------------
   rows can be made by whoever computes them if their lists are those of the
   suffix threadpool and nobody else uses them, since they lack the rows then.
   The same on all ranks
------------------------------------------------------------------------- */

bool FixRingBalance::receivers_make_rows()
{
  if (engine->mode == Engine::Mode::FORWARD || engine->weight != Engine::Weight::ATOMS ||
      atom->molecular != Atom::ATOMIC || engine->lists.empty())
    return false;
  for (Engine::Rows &rows : engine->lists) {
    rows.build = dynamic_cast<NPairThreadpool *>(rows.stock->np);
    if (!rows.build || rows.stock->copy || !rows.build->can_build(rows.stock)) return false;
    for (int i = 0; i < neighbor->nlist; i++) {
      const NeighList *const other = neighbor->lists[i];
      if (other->listcopy == rows.stock || other->listfull == rows.stock ||
          other->listskip == rows.stock)
        return false;
    }
  }
  return true;
}

/* ----------------------------------------------------------------------
   each atom has a row in each list.  Messages are under way while lists are
   built
------------------------------------------------------------------------- */

void FixRingBalance::begin_hand_over()
{
  engine->row_work.assign(atom->nlocal, 1);
  engine->counts.owned = atom->nlocal;
  if (update->ntimestep >= engine->next_decision) decide();
  if (engine->transfers.empty())
    keep_all();
  else
    send_gifts();
  for (const Engine::Rows &rows : engine->lists)
    rows.build->leave_out(engine->counts.given ? &engine->given : nullptr);
}

/* ----------------------------------------------------------------------
   all ranks come here at the same time, and all pair styles get lists of
   this fix if any rank hands over rows: some send messages because of it
------------------------------------------------------------------------- */

void FixRingBalance::hand_over()
{
  if (!engine->begun) {
    find_lists();
    weigh_rows();
    engine->units_done += static_cast<double>(engine->units) *
        static_cast<double>(update->ntimestep - engine->last_step);
    if (update->ntimestep >= engine->next_decision) decide();
    if (engine->transfers.empty())
      keep_all();
    else
      send_gifts();
  }
  engine->ncalls = neighbor->ncalls;
  engine->gathered = false;
  if (engine->transfers.empty()) {
    restore_lists();
  } else {
    CommP2PRDMA::find(comm)->receive_messages();
    unpack_gifts();
    get_ghosts();
    install_lists();
  }
  engine->begun = false;
  if (engine->weight == Engine::Weight::TIME) count_units();
  note_computing_ranks();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::keep_all()
{
  engine->donation.choose({}, {});
  engine->receivers.clear();
  engine->parcels.clear();
  engine->regions.clear();
  engine->counts.given = engine->counts.received = engine->counts.extra_ghosts = 0;
  engine->counts.computed = engine->counts.owned;
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::find_lists()
{
  for (int i = 0; i < neighbor->nlist; i++)
    if (neighbor->lists[i]->ghost)
      error->all(FLERR,
                 "Fix ring_balance is not possible: a neighbor list has rows for ghost atoms");

  std::size_t n = 0;
  for (const PairInUse &used : pair_styles_in_use(force)) {
    NeighList *const stock = neighbor->find_list(used.pair, 0);
    if (!stock) continue;
    if (n == engine->lists.size()) engine->lists.emplace_back();
    Engine::Rows &rows = engine->lists[n++];
    rows.pair = used.pair;
    rows.stock = stock;
    if (!rows.own) rows.own = std::make_unique<RingNeighList>(lmp);
  }
  if (n < engine->lists.size()) restore_lists();
  engine->lists.resize(n);
}

/* ----------------------------------------------------------------------
   an atom costs a unit, or one for each neighbor and one for itself; with
   measured times a unit is a nanosecond
------------------------------------------------------------------------- */

void FixRingBalance::weigh_rows()
{
  const int nlocal = atom->nlocal;
  const bool plain = engine->weight == Engine::Weight::ATOMS;
  engine->row_work.assign(nlocal, 0);
  engine->has_row.resize(engine->lists.size());
  engine->counts.owned = 0;
  for (std::size_t m = 0; m < engine->lists.size(); m++) {
    const NeighList &stock = *engine->lists[m].stock;
    engine->has_row[m].assign(nlocal, 0);
    for (int n = 0; n < stock.inum; n++) {
      const int i = stock.ilist[n];
      engine->has_row[m][i] = 1;
      if (plain)
        engine->row_work[i] = 1;
      else
        engine->row_work[i] += stock.numneigh[i] + 1;
    }
  }
  for (int i = 0; i < nlocal; i++) engine->counts.owned += engine->row_work[i] > 0;
}

/* ----------------------------------------------------------------------
   every rank comes to the same plan from the same numbers
------------------------------------------------------------------------- */

void FixRingBalance::decide()
{
  const int nprocs = comm->nprocs;
  engine->next_decision = engine->nevery ? update->ntimestep + engine->nevery : MAXBIGINT;
  engine->ndecisions++;

  // units, and what a unit takes; as long as one rank does not know, nobody counts it

  const double units = static_cast<double>(
      std::accumulate(engine->row_work.begin(), engine->row_work.end(), std::int64_t{0}));
  const double mine[2] = {units, nanoseconds_per_unit()};
  std::vector<std::array<double, 2>> all(nprocs);
  MPI_Allgather(mine, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, world);
  const bool timed = std::all_of(all.begin(), all.end(), [](const std::array<double, 2> &one) {
    return one[0] == 0.0 || one[1] > 0.0;
  });
  engine->per_unit = timed && mine[1] > 0.0 ? mine[1] : 1.0;

  std::vector<std::int64_t> work(nprocs);
  for (int rank = 0; rank < nprocs; rank++)
    work[rank] = std::llround(all[rank][0] * (timed && all[rank][1] > 0.0 ? all[rank][1] : 1.0));
  const std::int64_t total = std::accumulate(work.begin(), work.end(), std::int64_t{0});
  const double average = static_cast<double>(total) / nprocs;
  const double largest = static_cast<double>(*std::max_element(work.begin(), work.end()));
  engine->transfers.clear();
  if (total == 0 || largest <= engine->thresh * average) return;
  engine->transfers = engine->level_node
      ? plan_nodes(engine->ring, engine->node_of_rank, work, engine->direction)
      : plan_ring(engine->ring, work, engine->direction);
}

/* ----------------------------------------------------------------------
   of the time since the last decision; 0 if it is not known or not wanted.
   LAMMPS' timer begins anew with each run
------------------------------------------------------------------------- */

double FixRingBalance::nanoseconds_per_unit()
{
  if (engine->weight != Engine::Weight::TIME) return 0.0;
  const double now = timer->get_wall(Timer::PAIR), seconds = now - engine->seconds_before;
  const double done = engine->units_done;
  engine->seconds_before = now;
  engine->units_done = 0.0;
  return seconds > 0.0 && done > 0.0 ? 1.0e9 * seconds / done : 0.0;
}

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
    for (int k = 0; k < gift.natoms; k++) engine->given[first[k]] = 1;
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

/* ---------------------------------------------------------------------- */

void FixRingBalance::unpack_gifts()
{
  engine->tables.clear();
  engine->donors.clear();
  if (engine->begun)
    read_parcels(engine->regions);
  else
    read_parcels(engine->parcels);
}

/* ---------------------------------------------------------------------- */

template <class Parcel> void FixRingBalance::read_parcels(std::vector<Parcel> &parcels)
{
  std::size_t n = 0;
  for (const auto &[donor, bytes] : engine->in) {
    const std::size_t end = CommP2PRDMA::find(comm)->find_shipments(donor, bytes);
    for (std::size_t cursor = 0; cursor < end;) {
      if (n == parcels.size()) parcels.emplace_back();
      try {
        parcels[n++].read(bytes.data(), end, cursor);
      } catch (std::runtime_error &failure) {
        error->one(FLERR, "Fix ring_balance: rows from rank {} at rank {}: {}", donor, comm->me,
                   failure.what());
      }
      engine->donors.push_back(donor);
    }
  }
  parcels.resize(n);
  for (const Parcel &parcel : parcels) engine->tables.push_back(&parcel);
}

/* ----------------------------------------------------------------------
   what rows name and this rank does not have
------------------------------------------------------------------------- */

void FixRingBalance::get_ghosts()
{
  const int nall = atom->nlocal + atom->nghost;
  double shortest = domain->zprd;    // distance between images
  if (domain->dimension == 2 || !domain->zperiodic) shortest = domain->prd[0];
  for (int dim = 0; dim < 3; dim++)
    if (domain->periodicity[dim]) shortest = std::min(shortest, domain->prd[dim]);
  CommP2PRDMA *const p2p = CommP2PRDMA::find(comm);
  KnownSources &sources = engine->known;
  int current = -1;
  const auto known = [&](int parcel, const AtomSource &source) {
    const int donor = engine->donors[parcel];
    if (parcel != current) p2p->know_sources(donor, engine->tables[parcel]->boxes(), sources);
    current = parcel;
    if (source.code <= GhostSources::SHIPPED)
      return ~p2p->shipped_ghost(donor, source.code, source.place);
    const int i = sources.find(source.rank, source.code, source.place);
    return i < 0 ? AtomMatcher::UNKNOWN : i;
  };
  engine->matcher.match(engine->tables, nall, atom->tag, nall ? atom->x[0] : nullptr,
                        SAME_PLACE * shortest, known, p2p->nshipped(), engine->local);

  std::vector<GhostWish> wishes;
  for (const WantedAtom &wanted : engine->matcher.wanted()) {
    const AtomSource &source = wanted.atom.source;
    wishes.push_back(
        {source.rank, engine->donors[wanted.parcel], source.code, source.place, wanted.boxes});
  }
  std::map<int, int> donors;    // by asker
  for (const Transfer &transfer : engine->transfers)
    if (!donors.insert({transfer.to, transfer.from}).second) donors[transfer.to] = -1;
  std::vector<CommP2PRDMA::GhostAsker> askers;
  for (const auto &[asker, donor] : donors) askers.push_back({asker, donor});

  engine->matcher.put_in(p2p->append_ghosts(wishes, askers), engine->local);
  engine->counts.extra_ghosts = p2p->nshipped() + static_cast<std::int64_t>(wishes.size());
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::install_lists()
{
  const int nall = atom->nlocal + atom->nghost;
  for (Engine::Rows &rows : engine->lists) rows.own->take(*rows.stock, engine->given, nall);
  if (engine->begun)
    make_received_rows();
  else
    add_received_rows();
  for (Engine::Rows &rows : engine->lists) {
    rows.own->publish();
    rows.pair->init_list(0, rows.own.get());
  }
  engine->counts.computed = engine->counts.owned - engine->counts.given + engine->counts.received;
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::add_received_rows()
{
  std::vector<char> received(atom->nlocal + atom->nghost, 0);
  for (std::size_t p = 0; p < engine->parcels.size(); p++) {
    ReceivedParcel &parcel = engine->parcels[p];
    parcel.make_rows(engine->local[p]);
    for (std::size_t m = 0; m < engine->lists.size(); m++) {
      const ReceivedRows rows = parcel.rows(static_cast<int>(m));
      int *row = rows.entries;
      for (int k = 0; k < rows.nrows; k++) {
        engine->lists[m].own->add(rows.atoms[k], rows.numneigh[k], row);
        row += rows.numneigh[k];
        received[rows.atoms[k]] = 1;
      }
    }
  }
  engine->counts.received = std::count(received.begin(), received.end(), 1);
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::make_received_rows()
{
  for (Engine::Rows &rows : engine->lists) {
    rows.build->leave_out(nullptr);
    rows.build->extend_rows(rows.stock);
    rows.build->reset_received();
    for (std::size_t p = 0; p < engine->regions.size(); p++)
      rows.build->add_received(engine->regions[p], engine->local[p], *rows.own);
    rows.own->nspecial = rows.build->nspecial();
  }
  engine->counts.received = 0;
  for (const ReceivedRegion &region : engine->regions) engine->counts.received += region.ngiven();
}

/* ----------------------------------------------------------------------
   pair styles may have been replaced, and Neighbor's lists too
------------------------------------------------------------------------- */

void FixRingBalance::restore_lists()
{
  for (const PairInUse &used : pair_styles_in_use(force))
    for (const Engine::Rows &rows : engine->lists)
      if (used.pair->list && used.pair->list == rows.own.get())
        used.pair->init_list(0, neighbor->find_list(used.pair, 0));
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::count_units()
{
  engine->last_step = update->ntimestep;
  engine->units = 0;
  for (const Engine::Rows &rows : engine->lists) {
    const NeighList &list = *rows.pair->list;
    for (int n = 0; n < list.inum; n++) engine->units += list.numneigh[list.ilist[n]] + 1;
  }
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::note_computing_ranks()
{
  if (static_cast<int>(engine->computing_rank.size()) < atom->nmax)
    engine->computing_rank.resize(atom->nmax);
  std::fill_n(engine->computing_rank.begin(), atom->nlocal, comm->me);
  for (const Gift &gift : engine->donation.gifts())
    for (int k = gift.first; k < gift.first + gift.natoms; k++)
      engine->computing_rank[engine->donation.atoms()[k]] = engine->receivers[gift.receiver];
  vector_atom = engine->computing_rank.data();
}
