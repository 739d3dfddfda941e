/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Work at each build of neighbor lists: the plan of the rows that ranks compute for each other, and
// the lists that pair styles get in place of their own.

#include "fix_ring_balance.h"

#include "fix_ring_balance-impl.h"
#include "lammps/styles/pair_styles_in_use.h"
#include "p2p/appended_ghosts.h"
#include "p2p/comm_p2p_rdma.h"
#include "threadpool/lists/npair_threadpool.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair.h"
#include "platform.h"
#include "timer.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   the rank that computes rows can make them if their lists are those of the
   suffix threadpool and nothing else uses them, since they lack the rows then.
   The same on all ranks
------------------------------------------------------------------------- */

bool FixRingBalance::receivers_make_rows()
{
  if (impl->settings.mode == Impl::Mode::FORWARD || impl->settings.weight != Impl::Weight::ATOMS ||
      impl->lists_are_read || impl->lists.empty())
    return false;
  for (Impl::Rows &rows : impl->lists) {
    rows.build = dynamic_cast<NPairThreadpool *>(rows.stock->np);
    if (!rows.build || rows.stock->copy || !rows.build->can_make_received(rows.stock)) return false;
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
  impl->work.of_row.assign(atom->nlocal, 1);
  impl->counts.owned = atom->nlocal;
  if (update->ntimestep >= impl->next_decision) decide();
  if (impl->transfers.empty())
    keep_all();
  else
    send_transfers();
  for (const Impl::Rows &rows : impl->lists)
    rows.build->leave_out(impl->counts.given ? &impl->giving.given : nullptr, &impl->giving.seam);
}

/* ----------------------------------------------------------------------
   all ranks come here at the same time, and all pair styles get lists of
   this fix if any rank hands over rows: some send messages because of it
------------------------------------------------------------------------- */

void FixRingBalance::hand_over()
{
  if (!impl->begun) {
    find_lists();
    if (!impl->off.empty()) return;
    weigh_rows();
    impl->work.units_done += static_cast<double>(impl->work.units) *
        static_cast<double>(update->ntimestep - impl->work.last_step);
    if (update->ntimestep >= impl->next_decision) decide();
    if (impl->transfers.empty())
      keep_all();
    else
      send_transfers();
  }
  impl->ncalls = neighbor->ncalls;
  impl->gathered = false;
  if (impl->transfers.empty()) {
    restore_lists();
  } else {
    AppendedGhosts::Received ghosts = std::move(*impl->taking.sent).receive();
    unpack_transfers(ghosts);
    get_ghosts(ghosts);
    send_bodies();
    install_lists();
  }
  impl->begun = false;
  if (impl->settings.weight == Impl::Weight::TIME) count_units();
  note_computing_ranks();
}

/* ----------------------------------------------------------------------
   fix rigid/small has sent its bodies to the ghosts that there were before
   lists were built, and sends what changes in each step to all ghosts
------------------------------------------------------------------------- */

void FixRingBalance::send_bodies()
{
  for (Fix *fix : modify->get_fix_by_style("^rigid.*/small")) fix->pre_neighbor();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::keep_all()
{
  impl->giving.selection.begin(0);
  impl->giving.receivers.clear();
  impl->taking.received.clear();
  impl->taking.regions.clear();
  impl->counts.given = impl->counts.received = impl->counts.extra_ghosts = 0;
  impl->counts.computed = impl->counts.owned;
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::find_lists()
{
  for (int i = 0; i < neighbor->nlist && impl->off.empty(); i++)
    if (neighbor->lists[i]->ghost) object("a neighbor list has rows for ghost atoms");
  if (!impl->off.empty()) return;

  std::size_t n = 0;
  for (const PairInUse &used : pair_styles_in_use(force)) {
    NeighList *const stock = neighbor->find_list(used.pair, 0);
    if (!stock) continue;
    if (n == impl->lists.size()) impl->lists.emplace_back();
    Impl::Rows &rows = impl->lists[n++];
    rows.pair = used.pair;
    rows.stock = stock;
    if (!rows.own) rows.own = std::make_unique<RingNeighList>(lmp);
  }
  if (n < impl->lists.size()) restore_lists();
  impl->lists.resize(n);
}

/* ----------------------------------------------------------------------
   an atom costs a unit, or one for each neighbor and one for itself; plans
   count nanoseconds if times are measured
------------------------------------------------------------------------- */

void FixRingBalance::weigh_rows()
{
  const int nlocal = atom->nlocal;
  const bool plain = impl->settings.weight == Impl::Weight::ATOMS;
  impl->work.of_row.assign(nlocal, 0);
  impl->has_row.resize(impl->lists.size());
  impl->counts.owned = 0;
  for (std::size_t m = 0; m < impl->lists.size(); m++) {
    const NeighList &stock = *impl->lists[m].stock;
    impl->has_row[m].assign(nlocal, 0);
    for (int n = 0; n < stock.inum; n++) {
      const int i = stock.ilist[n];
      impl->has_row[m][i] = 1;
      if (plain)
        impl->work.of_row[i] = 1;
      else
        impl->work.of_row[i] += stock.numneigh[i] + 1;
    }
  }
  for (int i = 0; i < nlocal; i++) impl->counts.owned += impl->work.of_row[i] > 0;
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::decide()
{
  impl->next_decision = impl->settings.nevery ? update->ntimestep + impl->settings.nevery
                                              : MAXBIGINT;
  impl->ndecisions++;
  plan_transfers();
  if (impl->settings.rest) rest_unless_it_pays();
}

/* ----------------------------------------------------------------------
   the last window of the trial ends; times are added up so that all ranks come
   to the same result
------------------------------------------------------------------------- */

void FixRingBalance::go_on_with_trial()
{
  GainTrial &trial = impl->trial;
  if (!trial.running()) return;
  const bigint step = update->ntimestep;
  if (update->whichflag != 1) {
    trial.resume(step, platform::walltime());
    return;
  }
  if (!trial.at_build(step, platform::walltime())) return;
  if (trial.complete()) {
    const double mine[2] = {trial.times().with, trial.times().without};
    double sums[2];
    MPI_Allreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, world);
    trial.conclude(step, {sums[0] / comm->nprocs, sums[1] / comm->nprocs});
  }
  impl->next_decision = step;
}

/* ----------------------------------------------------------------------
   there is no decision as long as nothing is handed over on purpose
------------------------------------------------------------------------- */

void FixRingBalance::rest_unless_it_pays()
{
  GainTrial &trial = impl->trial;
  const bigint step = update->ntimestep;
  if (impl->transfers.empty()) {
    trial.stop();
    return;
  }
  if (trial.due(step) && update->whichflag == 1) trial.start(step, platform::walltime());
  if (trial.hands_over()) return;
  impl->transfers.clear();
  impl->next_decision = trial.running() ? MAXBIGINT : std::max<bigint>(trial.next(), step + 1);
}

/* ----------------------------------------------------------------------
   every rank comes to the same plan from the same numbers
------------------------------------------------------------------------- */

void FixRingBalance::plan_transfers()
{
  const int nprocs = comm->nprocs;

  // units, and what a unit takes; as long as one rank does not know, no rank counts it

  const double units = static_cast<double>(
      std::accumulate(impl->work.of_row.begin(), impl->work.of_row.end(), std::int64_t{0}));
  const double mine[2] = {units, nanoseconds_per_unit()};
  std::vector<std::array<double, 2>> all(nprocs);
  MPI_Allgather(mine, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, world);
  const bool timed = std::all_of(all.begin(), all.end(), [](const std::array<double, 2> &one) {
    return one[0] == 0.0 || one[1] > 0.0;
  });
  impl->work.per_unit = timed && mine[1] > 0.0 ? mine[1] : 1.0;

  std::vector<std::int64_t> work(nprocs);
  for (int rank = 0; rank < nprocs; rank++)
    work[rank] = std::llround(all[rank][0] * (timed && all[rank][1] > 0.0 ? all[rank][1] : 1.0));
  const std::int64_t total = std::accumulate(work.begin(), work.end(), std::int64_t{0});
  const double average = static_cast<double>(total) / nprocs;
  const double largest = static_cast<double>(*std::max_element(work.begin(), work.end()));
  impl->transfers.clear();
  if (total == 0 || largest <= impl->settings.thresh * average) return;
  impl->transfers = impl->settings.level_node
      ? plan_nodes(impl->ring, impl->node_of_rank, work, impl->settings.direction)
      : plan_ring(impl->ring, work, impl->settings.direction);
}

/* ----------------------------------------------------------------------
   of the time since the last decision; 0 if it is not known or not wanted.
   LAMMPS' timer begins anew with each run
------------------------------------------------------------------------- */

double FixRingBalance::nanoseconds_per_unit()
{
  if (impl->settings.weight != Impl::Weight::TIME) return 0.0;
  const double now = timer->get_wall(Timer::PAIR), seconds = now - impl->work.seconds_before;
  const double done = impl->work.units_done;
  impl->work.seconds_before = now;
  impl->work.units_done = 0.0;
  return seconds > 0.0 && done > 0.0 ? 1.0e9 * seconds / done : 0.0;
}

/* ----------------------------------------------------------------------
   pair styles may have been replaced, and Neighbor's lists too
------------------------------------------------------------------------- */

void FixRingBalance::restore_lists()
{
  for (const PairInUse &used : pair_styles_in_use(force))
    for (const Impl::Rows &rows : impl->lists)
      if (used.pair->list && used.pair->list == rows.own.get())
        used.pair->init_list(0, neighbor->find_list(used.pair, 0));
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::count_units()
{
  impl->work.last_step = update->ntimestep;
  impl->work.units = 0;
  for (const Impl::Rows &rows : impl->lists) {
    const NeighList &list = *rows.pair->list;
    for (int n = 0; n < list.inum; n++) impl->work.units += list.numneigh[list.ilist[n]] + 1;
  }
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::note_computing_ranks()
{
  std::fill_n(impl->computing_rank.begin(), atom->nlocal, comm->me);
  for (const SelectedTransfer &transfer : impl->giving.selection.transfers())
    for (int k = transfer.first; k < transfer.first + transfer.natoms; k++)
      impl->computing_rank[impl->giving.selection.atoms()[k]] =
          impl->giving.receivers[transfer.receiver];
}
