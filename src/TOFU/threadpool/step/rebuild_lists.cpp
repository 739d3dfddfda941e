// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "rebuild_lists.h"

#include "neighbor_check.h"
#include "pbc_on_pool.h"

#include "lammps/ghost_exchange.h"
#include "threadpool/pool/rank_pool.h"
#include "threadpool/pool/section_times.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "modify.h"
#include "neighbor.h"
#include "timer.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

/** Stages of Modify before and after lists are built. */
struct Stages {
  int n_pre_exchange, n_pre_neighbor, n_post_neighbor;
  void (Modify::*pre_exchange)(), (Modify::*pre_neighbor)(), (Modify::*post_neighbor)();
};

Stages stages_of(const Modify *modify, LoopKind loop)
{
  if (loop == LoopKind::RUN)
    return {modify->n_pre_exchange, modify->n_pre_neighbor, modify->n_post_neighbor,
            &Modify::pre_exchange,  &Modify::pre_neighbor,  &Modify::post_neighbor};
  return {modify->n_min_pre_exchange, modify->n_min_pre_neighbor, modify->n_min_post_neighbor,
          &Modify::min_pre_exchange,  &Modify::min_pre_neighbor,  &Modify::min_post_neighbor};
}

}    // namespace

/* ----------------------------------------------------------------------
   fixes of the stage before the exchange may have moved atoms since the check
------------------------------------------------------------------------- */

void LAMMPS_NS::rebuild_lists(LAMMPS *lmp, RankPool *threadpool, NeighborCheck &check,
                              LoopKind loop)
{
  Atom *const atom = lmp->atom;
  Comm *const comm = lmp->comm;
  Domain *const domain = lmp->domain;
  Modify *const modify = lmp->modify;
  const auto stamp = [timer = lmp->timer,
                      profile = RankPool::profile(threadpool)](Timer::ttype section) {
    stamp_section(timer, profile, section);
  };
  const Stages stages = stages_of(modify, loop);
  if (stages.n_pre_exchange) {
    stamp(Timer::START);
    (modify->*stages.pre_exchange)();
    stamp(Timer::MODIFY);
  }
  if (domain->triclinic) domain->x2lamda(atom->nlocal);
  pbc_on_pool(lmp, threadpool);
  if (domain->box_change) {
    domain->reset_box();
    comm->setup();
    if (lmp->neighbor->style) lmp->neighbor->setup_bins();
  }
  stamp(Timer::START);
  GhostExchange *const ghosts = GhostExchange::find(comm);
  if (ghosts && check.all_are_near() && !stages.n_pre_exchange) ghosts->expect_near_atoms();
  comm->exchange();
  if (atom->sortfreq > 0 && lmp->update->ntimestep >= atom->nextsort) atom->sort();
  comm->borders();
  if (domain->triclinic) domain->lamda2x(atom->nlocal + atom->nghost);
  stamp(Timer::COMM);
  if (stages.n_pre_neighbor) {
    (modify->*stages.pre_neighbor)();
    stamp(Timer::MODIFY);
  }
  check.build(threadpool);
  stamp(Timer::NEIGH);
  if (stages.n_post_neighbor) {
    (modify->*stages.post_neighbor)();
    stamp(Timer::MODIFY);
  }
}
