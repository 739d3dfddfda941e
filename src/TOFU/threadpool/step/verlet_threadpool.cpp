/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#include "verlet_threadpool.h"

#include "clear_forces.h"
#include "lammps/styles/between_steps.h"
#include "lammps/ghost_exchange.h"
#include "lammps/styles/known_styles.h"
#include "lammps/styles/ring_styles.h"
#include "lammps/io/run_advice.h"
#include "lammps/io/run_summary.h"
#include "threadpool/lists/npair_threadpool.h"
#include "pbc_on_pool.h"
#include "threadpool/pool/rank_pool.h"
#include "threadpool/pool/step_sums.h"

#include "angle.h"
#include "atom.h"
#include "atom_vec.h"
#include "bond.h"
#include "comm.h"
#include "dihedral.h"
#include "domain.h"
#include "fix.h"
#include "force.h"
#include "improper.h"
#include "kspace.h"
#include "modify.h"
#include "neighbor.h"
#include "output.h"
#include "pair.h"
#include "timer.h"
#include "update.h"

#include <functional>
#include <string>
#include <utility>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

namespace {

/** Something that others are told of holds as long as this object exists. */
template <class Tell> class Holds {
 public:
  /** \param yes    false: it does not, and nobody is told
      \param tell   called with true now and with false at the end */
  Holds(bool yes, Tell tell) : holds(yes), tell_others(tell)
  {
    if (holds) tell_others(true);
  }
  ~Holds()
  {
    if (holds) tell_others(false);
  }
  Holds(const Holds &) = delete;
  Holds &operator=(const Holds &) = delete;

 private:
  const bool holds;
  const Tell tell_others;
};

/** What is said of lists at the end of a run. */
std::string end_waiting(RankPool *threadpool)
{
  RankPool::WaitingRows &rows = threadpool->waiting_rows;
  const int nleft = std::exchange(rows.nleft, 0), nmade = std::exchange(rows.nmade, 0);
  if (nleft == 0) return "";
  return fmt::format("TOFU threadpool: {} neighbor lists of clusters of atoms, {} of them with "
                     "rows as well\n",
                     nleft, nmade);
}

}    // namespace

/* ---------------------------------------------------------------------- */

void VerletThreadpool::setup(int flag)
{
  threadpool = RankPool::find(lmp);
  ghost_forces = GhostForces::ALL;    // setup() is that of Verlet, which sends all back
  Verlet::setup(flag);
  check.hold();
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::setup_minimal(int flag)
{
  threadpool = RankPool::find(lmp);
  Verlet::setup_minimal(flag);
  if (flag) check.hold();
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::run(int n)
{
  threadpool = RankPool::find(lmp);
  ghosts = GhostExchange::find(comm);
  ghost_forces = find_ghost_forces();
  check.begin_run(threadpool);
  const Holds rows_may_wait(threadpool && !lists_may_be_read(lmp),
                            [this](bool yes) { threadpool->waiting_rows.allowed = yes; });
  pairs_may_come_first = find_whether_pairs_may_come_first();
  if (threadpool) threadpool->sums().begin_steps();
  at_output.forget();    // its computes may be gone
  forces_at_output = computes_may_compute_forces(lmp);
#ifdef TOFU_VERLET_STAGES
  Verlet::run(n);
#else
  for (int i = 0; i < n; i++) {
    if (timer->check_timeout(i)) {
      update->nsteps = i;
      break;
    }
    ev_set(++update->ntimestep);

    timer->stamp();
    modify->initial_integrate(vflag);
    if (modify->n_post_integrate) modify->post_integrate();
    timer->stamp(Timer::MODIFY);

    exchange_or_forward();
    compute_forces();
    finish_step();
  }
#endif
  check.end_steps();
  if (threadpool) threadpool->sums().end_steps();
  ghost_forces = GhostForces::ALL;
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::cleanup()
{
  make_waiting_rows(lmp);
  std::string text = check.end_run();
  threadpool = RankPool::find(lmp);
  if (threadpool) text += threadpool->sums().end_run() + end_waiting(threadpool);
  const bool tells = update->nsteps >= FEWEST_STEPS_TO_TIME && summary_follows(lmp);
  if (comm->me == 0 && tells) utils::logmesg(lmp, text);
  Verlet::cleanup();
}

/* ----------------------------------------------------------------------
   fixes that are called between the clearing and the return of forces may add
   to forces on ghosts
------------------------------------------------------------------------- */

VerletThreadpool::GhostForces VerletThreadpool::find_ghost_forces() const
{
  if (!threadpool || threadpool->has_ghost_forces(force->pair) || !pair_compute_flag)
    return GhostForces::ALL;
  if (atom->molecular != Atom::ATOMIC || force->kspace || external_force_clear)
    return GhostForces::ALL;
  if (torqueflag || extraflag || neighbor->includegroup) return GhostForces::ALL;
  GhostForces found = GhostForces::NONE;
  for (Fix *fix : modify->get_fix_list()) {
    if (!(modify->get_fix_mask(fix) & (PRE_FORCE | PRE_REVERSE))) continue;
    if (!utils::strmatch(fix->style, RING_BALANCE) || !ghosts || !ghosts->knows_rows())
      return GhostForces::ALL;
    found = GhostForces::OF_ROWS;
  }
  return found;
}

/* ----------------------------------------------------------------------
   nothing but the pair style acts before the answer: what fixes do before forces
   or before an exchange may not be done twice, or with forces that will be dropped
------------------------------------------------------------------------- */

bool VerletThreadpool::find_whether_pairs_may_come_first() const
{
  return threadpool && threadpool->checks_beside_pairs() && pair_compute_flag &&
      !modify->n_pre_force && !modify->n_pre_exchange && pairs_may_be_computed_again(lmp);
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::force_clear()
{
  if (!threadpool || external_force_clear || extraflag || neighbor->includegroup) {
    Verlet::force_clear();
    return;
  }
  const bool with_ghosts = ghost_forces != GhostForces::NONE && force->newton;
  clear_forces_on_pool(threadpool, atom, torqueflag, atom->nlocal, with_ghosts ? atom->nghost : 0);
}

/* ----------------------------------------------------------------------
   ghosts follow their owners, or are made anew with the neighbor lists.  Forces
   of old lists are dropped
------------------------------------------------------------------------- */

void VerletThreadpool::exchange_or_forward()
{
  const NeighborCheck::Lists lists = check.decide(threadpool, pairs_may_come_first);
  if (lists == NeighborCheck::Lists::OLD)
    rebuild();
  else
    move_ghosts();
  check.progress();
  if (lists != NeighborCheck::Lists::UNKNOWN) {
    compute_pairs();
    return;
  }
  {
    const Holds asking(true, [this](bool yes) {
      threadpool->between_rows = yes ? [this] { check.progress(); } : std::function<void()>();
    });
    compute_pairs();
  }
  if (check.are_old()) {
    rebuild();
    compute_pairs();
  }
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::move_ghosts()
{
  timer->stamp();
  comm->forward_comm();
  timer->stamp(Timer::COMM);
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::rebuild()
{
  if (modify->n_pre_exchange) {
    timer->stamp();
    modify->pre_exchange();
    timer->stamp(Timer::MODIFY);
  }
  if (triclinic) domain->x2lamda(atom->nlocal);
  pbc_on_pool(lmp, threadpool);
  if (domain->box_change) {
    domain->reset_box();
    comm->setup();
    if (neighbor->style) neighbor->setup_bins();
  }
  timer->stamp();
  exchange_atoms();
  if (atom->sortfreq > 0 && update->ntimestep >= atom->nextsort) atom->sort();
  comm->borders();
  if (triclinic) domain->lamda2x(atom->nlocal + atom->nghost);
  timer->stamp(Timer::COMM);
  if (modify->n_pre_neighbor) {
    modify->pre_neighbor();
    timer->stamp(Timer::MODIFY);
  }
  check.build(threadpool);
  timer->stamp(Timer::NEIGH);
  if (modify->n_post_neighbor) {
    modify->post_neighbor();
    timer->stamp(Timer::MODIFY);
  }
}

/* ----------------------------------------------------------------------
   fixes of the group pre_exchange may have moved atoms since the check
------------------------------------------------------------------------- */

void VerletThreadpool::exchange_atoms()
{
  if (ghosts && check.all_are_near() && !modify->n_pre_exchange) ghosts->expect_near_atoms();
  comm->exchange();
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::compute_pairs()
{
  force_clear();
  timer->stamp();
  if (modify->n_pre_force) {
    modify->pre_force(vflag);
    timer->stamp(Timer::MODIFY);
  }
  if (pair_compute_flag) {
    force->pair->compute(eflag, vflag);
    timer->stamp(Timer::PAIR);
    check.progress();
  }
}

/* ----------------------------------------------------------------------
   after those of pairs, since some bonded styles tally into pair styles
------------------------------------------------------------------------- */

void VerletThreadpool::compute_forces()
{
  timer->stamp();
  if (atom->molecular != Atom::ATOMIC) {
    if (force->bond) force->bond->compute(eflag, vflag);
    if (force->angle) force->angle->compute(eflag, vflag);
    if (force->dihedral) force->dihedral->compute(eflag, vflag);
    if (force->improper) force->improper->compute(eflag, vflag);
    timer->stamp(Timer::BOND);
  }
  if (kspace_compute_flag) {
    force->kspace->compute(eflag, vflag);
    timer->stamp(Timer::KSPACE);
    check.progress();
  }
  if (modify->n_pre_reverse) {
    modify->pre_reverse(eflag, vflag);
    timer->stamp(Timer::MODIFY);
  }
  if (force->newton && ghost_forces != GhostForces::NONE) {
    send_forces_back();
    timer->stamp(Timer::COMM);
  }
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::send_forces_back()
{
  if (ghost_forces == GhostForces::OF_ROWS)
    ghosts->reverse_comm_of_rows();
  else
    comm->reverse_comm();
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::finish_step()
{
  if (modify->n_post_force_any) modify->post_force(vflag);
  modify->final_integrate();
  if (modify->n_end_of_step) modify->end_of_step();
  timer->stamp(Timer::MODIFY);

  if (update->ntimestep == output->next) {
    timer->stamp();
    write_output();
    timer->stamp(Timer::OUTPUT);
  }
  check.progress();
}

/* ----------------------------------------------------------------------
   temperature, pressure and energy of one output are summed together, unless a
   compute has that of other forces summed in between
------------------------------------------------------------------------- */

void VerletThreadpool::write_output()
{
  if (!threadpool || forces_at_output) {
    output->write(update->ntimestep);
    return;
  }
  const StepSums::Scope scope(threadpool->sums(), at_output);
  output->write(update->ntimestep);
}
