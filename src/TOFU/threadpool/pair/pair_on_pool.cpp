// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_on_pool.h"

#include "lammps/full_lists.h"
#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "error.h"
#include "force.h"
#include "neigh_request.h"
#include "neighbor.h"
#include "pair.h"
#include "respa.h"
#include "update.h"

#include "pool/thread_pool.h"

#include <algorithm>
#include <array>
#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int WIDE = 8;    // numbers in a vector

/* ---------------------------------------------------------------------- */

PairOnPool::PairOnPool(LAMMPS *lmp, Copies copies) :
    Pointers(lmp), rank_pool(RankPool::of(lmp)), rows(lmp), reach(lmp, rows), atoms(lmp, copies)
{
}

/* ---------------------------------------------------------------------- */

PairOnPool::~PairOnPool()
{
  if (RankPool *present = RankPool::find(lmp)) present->note_ghost_forces(owner, true);
}

/* ---------------------------------------------------------------------- */

int PairOnPool::nparts() const
{
  return rank_pool->nparts();
}

/* ---------------------------------------------------------------------- */

int PairOnPool::ntypes() const
{
  return atom->ntypes;
}

/* ----------------------------------------------------------------------
   Respa has let styles pass here that LAMMPS' own ones of their names allow it with
------------------------------------------------------------------------- */

static void refuse_levels(const Update *update, Error *error)
{
  const auto *const respa = dynamic_cast<const Respa *>(update->integrate);
  if (!respa || update->whichflag != 1 || respa->level_inner < 0) return;
  error->all(
      FLERR,
      "Pair styles with suffix /threadpool compute all forces of pairs at one level of rRESPA: "
      "in run_style respa write 'pair' in place of 'inner', 'middle' and 'outer', or "
      "'suffix off' before pair_style");
}

/* ----------------------------------------------------------------------
   with atomic distances in meters their powers are beyond the range of single precision
------------------------------------------------------------------------- */

static bool single_is_possible(const Update *update)
{
  const std::string units = update->unit_style;
  return units != "si" && units != "cgs" && units != "micro";
}

/* ---------------------------------------------------------------------- */

void PairOnPool::reset()
{
  rank_pool = RankPool::of(lmp);
  rows.reset(rank_pool);
  reach.reset(rank_pool);
  atoms.reset(rank_pool, false);
  deferred_list = nullptr;
}

/* ---------------------------------------------------------------------- */

void PairOnPool::adjust_request(Pair *pair, Preferred preferred, Precision precision)
{
  refuse_levels(update, error);
  reset();
  owner = pair;
  const bool single =
      precision == Precision::AS_SET && rank_pool->mixed_precision() && single_is_possible(update);
  atoms.reset(rank_pool, single);

  const std::size_t bytes = single ? sizeof(float) : sizeof(double);
  const bool full = preferred == Preferred::FULL ||
      (preferred == Preferred::FULL_WITH_WIDE_VECTORS && !full_lists_are_refused(comm) &&
       rank_pool->vector_bytes() >= static_cast<int>(WIDE * bytes));
  if (full) {
    list_kind = ListKind::FULL;
    neighbor->requests[neighbor->nrequest - 1]->enable_full();    // there may be older ones
  } else {
    list_kind = force->newton_pair ? ListKind::HALF : ListKind::HALF_NO_GHOST;
  }

  // the virial from forces and positions of all atoms needs the forces on ghosts

  pair->no_virial_fdotr_compute = list_kind == ListKind::FULL;
  rank_pool->note_ghost_forces(pair, list_kind == ListKind::HALF);
}

/* ---------------------------------------------------------------------- */

bool PairOnPool::adjust_request_to_full(Pair *pair)
{
  const bool possible = !full_lists_are_refused(comm);
  adjust_request(pair, possible ? Preferred::FULL : Preferred::HALF);
  return possible;
}

/* ---------------------------------------------------------------------- */

void PairOnPool::keep_request(Pair *pair)
{
  refuse_levels(update, error);
  reset();
  owner = pair;
  list_kind = force->newton_pair ? ListKind::HALF : ListKind::HALF_NO_GHOST;
  rank_pool->note_ghost_forces(pair, list_kind == ListKind::HALF);
}

/* ----------------------------------------------------------------------
   what kernels need besides rows, copies of atoms and places for results
------------------------------------------------------------------------- */

static void set_job(PairJob &job, ListKind kind, const Atom *atom, const Force *force)
{
  job.kind = kind;
  job.nlocal = atom->nlocal;
  job.special_lj = force->special_lj;
  job.special_coul = force->special_coul;
}

/* ---------------------------------------------------------------------- */

void PairOnPool::gather(NeighList *list, const double *charges, bool types, Rows when)
{
  atoms.gather(charges, types);
  set_job(job, list_kind, atom, force);
  if (when == Rows::NOW) return find_list(list, {});
  deferred_list = list;
  job.list = rows.find_number(list, reach.is_marked(list));
}

/* ---------------------------------------------------------------------- */

void PairOnPool::gather_sites(NeighList *list, const double *charges, const Sites &sites)
{
  atoms.gather_sites(sites.x, charges);
  set_job(job, list_kind, atom, force);
  find_list(list, sites.reach_more);
}

/* ----------------------------------------------------------------------
   shares stay where RowReach::find_by() was called for them: rows of other shares
   could name other atoms
------------------------------------------------------------------------- */

void PairOnPool::find_list(NeighList *list, const RowReach::Mark &reach_more)
{
  deferred_list = nullptr;
  job.list = rows.find(list, reach.is_marked(list));
  if (atoms.of_parts())
    reach.find(list, job.list, reach_more);
  else
    atoms.fill();
}

/* ---------------------------------------------------------------------- */

void PairOnPool::need_rows()
{
  if (deferred_list) find_list(deferred_list, {});
}

/* ---------------------------------------------------------------------- */

void PairOnPool::set_charge_column(const double *charges)
{
  atoms.set_charge_column(charges);
  if (!atoms.of_parts()) atoms.fill();
}

/* ---------------------------------------------------------------------- */

void PairOnPool::compute(Pair *pair, const Kernel &kernel)
{
  constexpr int PIECE = 128;    // rows: of a fast style, some microseconds
  const bool forces_alone = tallies_of(pair) == Tallies::NONE;
  compute_parts(pair, [&](int part, const PairJob &one, int first, int last, PairTally &tally) {
    if (part == 0 && forces_alone && rank_pool->between_rows) {
      for (; first < last; first += PIECE) {
        kernel(one, first, std::min(first + PIECE, last), tally);
        rank_pool->between_rows();
      }
    } else {
      kernel(one, first, last, tally);
    }
  });
}

/* ---------------------------------------------------------------------- */

Tallies LAMMPS_NS::tallies_of(const Pair *pair)
{
  if (pair->eflag_either || pair->vflag_atom || pair->cvflag_atom) return Tallies::ALL;
  return pair->vflag_global ? Tallies::VIRIAL : Tallies::NONE;
}

/* ----------------------------------------------------------------------
   tallies are added up in the order of parts, so that they do not depend on
   timing.  Ghosts get forces with newton on alone
------------------------------------------------------------------------- */

void PairOnPool::compute_parts(Pair *pair, const PartKernel &kernel)
{
  need_rows();
  const int nlocal = atom->nlocal, nall = nlocal + atom->nghost,
            nforces = list_kind == ListKind::HALF ? nall : nlocal;
  job.tallies = tallies_of(pair);
  job.forces = {nall ? atom->f[0] : nullptr, nullptr};
  const bool one_adds_to_neighbors = list_kind != ListKind::FULL && !shared();
  if (one_adds_to_neighbors) job.forces.rows = forces.take_forces_of_one(nall + 1);

  PairTally empty;
  if (pair->eflag_atom && nall) empty.eatom = pair->eatom;
  if ((pair->vflag_atom || pair->cvflag_atom) && nall)
    empty.vatom = reinterpret_cast<double(*)[6]>(pair->vatom[0]);
  tallies.assign(nparts(), empty);
  forces.resize(nparts());

  for_parts([&](int part) {
    PairTally mine = empty;    // not beside those of others, which share cache lines
    PairJob mine_job = job;
    mine_job.atoms = atoms.of_part(part, reach.blocks());
    if (shared()) {
      mine_job.forces.rows = forces.take_forces(reach.blocks(), part);
      if (mine.eatom) mine.eatom = forces.take_energies(reach.blocks(), part);
      if (mine.vatom) mine.vatom = forces.take_virials(reach.blocks(), part);
    }
    const Share share = share_of(part);
    kernel(part, mine_job, share.first, share.last, mine);
    tallies[part] = mine;
  });

  if (shared())
    forces.add(rank_pool->parts(), reach.blocks(), nforces, nall,
               {atom->f, empty.eatom, empty.vatom});
  else if (one_adds_to_neighbors)
    forces.add_forces_of_one(nforces, nall + 1, atom->f);
  for (const PairTally &tally : tallies) {
    if (pair->eflag_global) {
      pair->eng_vdwl += tally.evdwl;
      pair->eng_coul += tally.ecoul;
    }
    if (pair->vflag_global)
      for (int i = 0; i < 6; i++) pair->virial[i] += tally.virial[i];
  }
}

/* ---------------------------------------------------------------------- */

void PairOnPool::compute_forces(const ForceKernel &kernel)
{
  const int nall = atom->nlocal + atom->nghost,
            nforces = list_kind == ListKind::HALF ? nall : atom->nlocal;
  double *const f = nall ? atom->f[0] : nullptr;
  job.tallies = Tallies::NONE;
  if (!shared()) return kernel(0, job, nforces, f, 3);
  forces.resize(nparts());
  for_parts([&](int part) {
    kernel(part, job, nall, forces.take_forces(reach.blocks(), part), PartForces::FORCE);
  });
  forces.add(rank_pool->parts(), reach.blocks(), nforces, nall, {atom->f, nullptr, nullptr});
}

/* ---------------------------------------------------------------------- */

bool PairOnPool::add_virial(Pair *pair) const
{
  if (neighbor->includegroup) return false;
  double **x = atom->x, **f = atom->f;
  const std::array<double, 6> sums =
      sum_over_atoms<6>(rank_pool, atom->nlocal + atom->nghost, [=](int first, int last) {
        std::array<double, 6> v{};
        for (int i = first; i < last; i++) {
          v[0] += f[i][0] * x[i][0];
          v[1] += f[i][1] * x[i][1];
          v[2] += f[i][2] * x[i][2];
          v[3] += f[i][1] * x[i][0];
          v[4] += f[i][2] * x[i][0];
          v[5] += f[i][2] * x[i][1];
        }
        return v;
      });
  for (int k = 0; k < 6; k++) pair->virial[k] += sums[k];
  return true;
}

/* ---------------------------------------------------------------------- */

void PairOnPool::for_rows(const std::function<void(int, const PairJob &, int, int)> &kernel)
{
  need_rows();
  for_parts([&](int part) {
    PairJob mine = job;
    mine.atoms = atoms.of_part(part, reach.blocks());
    const Share share = share_of(part);
    kernel(part, mine, share.first, share.last);
  });
}

/* ---------------------------------------------------------------------- */

void PairOnPool::add_for_rows(double *target, const NumberKernel &kernel)
{
  add_for_rows(forces.numbers(), target, kernel);
}

/* ---------------------------------------------------------------------- */

void PairOnPool::add_for_rows(PartSums &sums, double *target, const NumberKernel &kernel)
{
  sums.resize(nparts());
  for_rows([&](int part, const PairJob &one, int first, int last) {
    kernel(part, one, first, last, shared() ? sums.take(reach.blocks(), part) : target);
  });
  if (!shared()) return;
  const int width = sums.width();
  PartForces::add_up(rank_pool->parts(), reach.blocks(), sums, atom->nlocal + atom->nghost,
                     [=](int i, const double *numbers) {
                       double *const to = target + static_cast<std::size_t>(i) * width;
                       for (int k = 0; k < width; k++) to[k] += numbers[k];
                     });
}

/* ----------------------------------------------------------------------
   whether an atom may get something from several parts
------------------------------------------------------------------------- */

bool PairOnPool::shared() const
{
  return list_kind != ListKind::FULL && rank_pool->nparts() > 1;
}

/* ---------------------------------------------------------------------- */

void PairOnPool::for_parts(const std::function<void(int)> &work)
{
  rank_pool->pool().run(rank_pool->nparts(), work);
}

/* ---------------------------------------------------------------------- */

void PairOnPool::refuse_tally(LAMMPS *lmp)
{
  lmp->error->all(
      FLERR,
      "Pair styles with suffix /threadpool cannot be used with computes that tally single "
      "pairs: use the pair style without that suffix");
}

/* ---------------------------------------------------------------------- */

double PairOnPool::memory_usage() const
{
  return atoms.nbytes() + forces.nbytes() + rows.memory_usage();
}
