// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "verlet_threadpool.h"

#include "clear_forces.h"
#include "lammps/ghost_exchange.h"
#include "lammps/io/run_advice.h"
#include "lammps/io/run_summary.h"
#include "lammps/styles/between_steps.h"
#include "lammps/styles/known_styles.h"
#include "lammps/styles/ring_styles.h"
#include "rebuild_lists.h"
#include "threadpool/lists/npair_threadpool.h"
#include "threadpool/pool/rank_pool.h"
#include "threadpool/pool/section_times.h"
#include "threadpool/pool/step_sums.h"

#include "angle.h"
#include "atom.h"
#include "bond.h"
#include "comm.h"
#include "dihedral.h"
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

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

namespace {

/** A setting that is on as long as this object exists. */
template <class Set> class ScopedSetting {
 public:
  /** \param on    false: the setting is left alone
      \param set   called with true now and with false at the end */
  ScopedSetting(bool on_in, Set set_in) : on(on_in), set(set_in)
  {
    if (on) set(true);
  }
  ~ScopedSetting()
  {
    if (on) set(false);
  }
  ScopedSetting(const ScopedSetting &) = delete;
  ScopedSetting &operator=(const ScopedSetting &) = delete;

 private:
  const bool on;
  const Set set;
};

/** A line for the log at the end of a run, or "". */
std::string deferred_rows_summary(RankPool *threadpool)
{
  RankPool::DeferredRows &rows = threadpool->deferred_rows;
  const int ndeferred = std::exchange(rows.ndeferred, 0), nmade = std::exchange(rows.nmade, 0);
  if (ndeferred == 0) return "";
  return fmt::format("TOFU threadpool: {} neighbor lists of clusters of atoms, {} of them with "
                     "rows as well\n",
                     ndeferred, nmade);
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
  const ScopedSetting deferred_rows(threadpool && !lists_may_be_read(lmp),
                                    [this](bool yes) { threadpool->deferred_rows.allowed = yes; });
  pairs_may_come_first = find_whether_pairs_may_come_first();
  if (threadpool) threadpool->sums().begin_steps();
  profile = RankPool::profile(threadpool);
  if (profile) profile->begin();
  at_output.forget();    // its computes may be gone
  forces_at_output = computes_may_compute_forces(lmp);
  if (threadpool && !torqueflag && !extraflag && !external_force_clear) unread.begin_run();
#ifdef TOFU_VERLET_STAGES
  Verlet::run(n);
#else
  for (int i = 0; i < n; i++) {
    if (timer->check_timeout(i)) {
      update->nsteps = i;
      break;
    }
    ev_set(++update->ntimestep);
    begin_step();
    exchange_or_forward();
    compute_forces();
    finish_step();
  }
#endif
  if (profile) profile->end();
  check.end_steps();
  if (threadpool) threadpool->sums().end_steps();
  ghost_forces = GhostForces::ALL;
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::cleanup()
{
  make_deferred_rows(lmp);
  std::string text = check.end_run() + unread.end_run();
  threadpool = RankPool::find(lmp);
  if (threadpool) text += threadpool->sums().end_run() + deferred_rows_summary(threadpool);
  const bool summary = summary_follows(lmp);
  if (update->nsteps < FEWEST_STEPS_TO_TIME) text.clear();
  if (SectionTimes *const times = RankPool::profile(threadpool))
    text += times->table(threadpool->nparts(), update->nsteps);
  if (comm->me == 0 && summary) utils::logmesg(lmp, text);
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
    if (!utils::strmatch(fix->style, RING_BALANCE) || !ghosts || !ghosts->returns_rows_alone())
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

/* ---------------------------------------------------------------------- */

void VerletThreadpool::stamp(int section)
{
  stamp_section(timer, profile, static_cast<Timer::ttype>(section));
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::begin_step()
{
  unread.begin_step(eflag & ENERGY_GLOBAL);
  stamp(Timer::START);
  modify->initial_integrate(fix_vflag());
  if (modify->n_post_integrate) modify->post_integrate();
  stamp(Timer::MODIFY);
}

/* ----------------------------------------------------------------------
   ghosts follow their owners, or are made anew with the neighbor lists.  Forces
   of old lists are dropped
------------------------------------------------------------------------- */

void VerletThreadpool::exchange_or_forward()
{
  const NeighborCheck::Lists lists = check.decide(threadpool, pairs_may_come_first);
  if (lists == NeighborCheck::Lists::OLD)
    rebuild_lists(lmp, threadpool, check, LoopKind::RUN);
  else
    move_ghosts();
  check.progress();
  if (lists != NeighborCheck::Lists::UNKNOWN) {
    compute_pairs();
    return;
  }
  {
    const ScopedSetting progress(true, [this](bool yes) {
      threadpool->between_rows = yes ? [this] { check.progress(); } : std::function<void()>();
    });
    compute_pairs();
  }
  if (check.are_old()) {
    rebuild_lists(lmp, threadpool, check, LoopKind::RUN);
    compute_pairs();
  }
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::move_ghosts()
{
  stamp(Timer::START);
  comm->forward_comm();
  stamp(Timer::COMM);
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::compute_pairs()
{
  force_clear();
  stamp(Timer::START);
  if (modify->n_pre_force) {
    modify->pre_force(fix_vflag());
    stamp(Timer::MODIFY);
  }
  if (pair_compute_flag) {
    force->pair->compute(eflag, vflag);
    stamp(Timer::PAIR);
    check.progress();
  }
}

/* ----------------------------------------------------------------------
   after those of pairs, since some bonded styles tally into pair styles
------------------------------------------------------------------------- */

void VerletThreadpool::compute_forces()
{
  stamp(Timer::START);
  if (atom->molecular != Atom::ATOMIC) {
    compute_bonded();
    stamp(Timer::BOND);
  }
  if (kspace_compute_flag) {
    force->kspace->compute(eflag, vflag);
    stamp(Timer::KSPACE);
    check.progress();
  }
  if (modify->n_pre_reverse) {
    modify->pre_reverse(eflag, fix_vflag());
    stamp(Timer::MODIFY);
  }
  if (force->newton && ghost_forces != GhostForces::NONE) {
    send_forces_back();
    stamp(Timer::COMM);
  }
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::compute_bonded()
{
  if (force->bond) force->bond->compute(eflag, vflag);
  if (force->angle) force->angle->compute(eflag, vflag);
  if (force->dihedral) force->dihedral->compute(eflag, vflag);
  if (force->improper) force->improper->compute(eflag, vflag);
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::send_forces_back()
{
  if (ghost_forces == GhostForces::OF_ROWS)
    ghosts->reverse_comm_of_rows();
  else
    comm->reverse_comm();
}

/* ----------------------------------------------------------------------
   fixes keep their virials, which fix plumed would read with those of forces
------------------------------------------------------------------------- */

int VerletThreadpool::fix_vflag() const
{
  return unread.withdrawn() ? vflag | virial_style : vflag;
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::call_post_force()
{
  unread.before_requests();
  {
    const ScopedSetting late(unread.any(), [this](bool yes) {
      threadpool->tally_late = yes ? [this] { tally_late(); } : std::function<void()>();
    });
    modify->post_force(fix_vflag());
  }
  unread.after_requests();
}

/* ----------------------------------------------------------------------
   compute energies and virials at the positions of the present forces, which stay
   as they are: they have been returned, and fixes may have changed them
------------------------------------------------------------------------- */

void VerletThreadpool::tally_late()
{
  if (!unread.withdrawn()) return;
  double *const f = atom->nmax ? atom->f[0] : nullptr;
  const std::vector<double> kept(f, f + 3 * static_cast<std::size_t>(atom->nlocal + atom->nghost));
  const int eflag_before = std::exchange(eflag, eflag | ENERGY_GLOBAL),
            vflag_before = std::exchange(vflag, vflag | virial_style);
  force_clear();
  if (pair_compute_flag) force->pair->compute(eflag, vflag);
  if (atom->molecular != Atom::ATOMIC) compute_bonded();
  if (kspace_compute_flag) force->kspace->compute(eflag, vflag);
  std::copy(kept.begin(), kept.end(), f);
  eflag = eflag_before;
  vflag = vflag_before;
  update->eflag_global = update->vflag_global = update->ntimestep;
  unread.note_late();
}

/* ---------------------------------------------------------------------- */

void VerletThreadpool::finish_step()
{
  if (modify->n_post_force_any) call_post_force();
  modify->final_integrate();
  if (modify->n_end_of_step) modify->end_of_step();
  stamp(Timer::MODIFY);

  if (update->ntimestep == output->next) {
    stamp(Timer::START);
    write_output();
    stamp(Timer::OUTPUT);
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
