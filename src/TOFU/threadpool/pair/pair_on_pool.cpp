/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "pair_on_pool.h"

#include "threadpool/pool/fix_on_pool.h"
#include "lammps/full_lists.h"
#include "lammps/ring_neigh_list.h"
#include "threadpool/lists/npair_threadpool.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "modify.h"
#include "neigh_list.h"
#include "neigh_request.h"
#include "neighbor.h"
#include "pair.h"
#include "respa.h"
#include "update.h"

#include "kernels/neighbor/mark_neighbors.h"
#include "pool/thread_pool.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int WIDE = 8;    // numbers in a vector

static constexpr double SINGLE_REACH = 32.0;    // neighbor cut-offs from the center of a sub-box

/* ---------------------------------------------------------------------- */

PairOnPool::PairOnPool(LAMMPS *lmp, Copies copies) :
    Pointers(lmp), rank_pool(RankPool::of(lmp)), copies(copies)
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
   Neighbor may have exchanged its lists
------------------------------------------------------------------------- */

void PairOnPool::adjust_request(Pair *pair, Preferred preferred, Precision precision)
{
  refuse_levels();
  rank_pool = RankPool::of(lmp);
  owner = pair;
  origin = Origin();
  copy.made_of = reach_of = wider_reach_of = ListState();
  listed_later = nullptr;
  forget_shares();

  // with atomic distances in meters their powers are beyond the range of single precision

  const std::string units = update->unit_style;
  single = precision == Precision::AS_SET && rank_pool->mixed_precision() && units != "si" &&
      units != "cgs" && units != "micro";
  if (is_full(preferred)) {
    list_kind = ListKind::FULL;
    neighbor->requests[neighbor->nrequest - 1]->enable_full();    // there may be older ones
  } else {
    list_kind = force->newton_pair ? ListKind::HALF : ListKind::HALF_NO_GHOST;
  }

  // the virial from forces and positions of all atoms needs the forces on ghosts

  pair->no_virial_fdotr_compute = list_kind == ListKind::FULL;
  rank_pool->note_ghost_forces(pair, list_kind == ListKind::HALF);
}

/* ----------------------------------------------------------------------
   Respa has let styles pass here that LAMMPS' own ones of their names allow it with
------------------------------------------------------------------------- */

void PairOnPool::refuse_levels() const
{
  const auto *const respa = dynamic_cast<const Respa *>(update->integrate);
  if (!respa || update->whichflag != 1 || respa->level_inner < 0) return;
  error->all(
      FLERR,
      "Pair styles with suffix /threadpool compute all forces of pairs at one level of rRESPA: "
      "in run_style respa write 'pair' in place of 'inner', 'middle' and 'outer', or "
      "'suffix off' before pair_style");
}

/* ---------------------------------------------------------------------- */

bool PairOnPool::is_full(Preferred preferred) const
{
  if (preferred != Preferred::FULL_WITH_WIDE_VECTORS) return preferred == Preferred::FULL;
  if (full_lists_are_refused(comm)) return false;
  const std::size_t bytes = single ? sizeof(float) : sizeof(double);
  return rank_pool->vector_bytes() >= static_cast<int>(WIDE * bytes);
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
  refuse_levels();
  rank_pool = RankPool::of(lmp);
  owner = pair;
  origin = Origin();
  copy.made_of = ListState();
  list_kind = force->newton_pair ? ListKind::HALF : ListKind::HALF_NO_GHOST;
  rank_pool->note_ghost_forces(pair, list_kind == ListKind::HALF);
}

/* ---------------------------------------------------------------------- */

void PairOnPool::reset()
{
  rank_pool = RankPool::of(lmp);
  forget_shares();
  origin = Origin();
  copy.made_of = reach_of = wider_reach_of = ListState();
}

/* ---------------------------------------------------------------------- */

void PairOnPool::gather(NeighList *list, const double *fourth, bool with_types)
{
  gather_atoms(fourth, with_types);
  find_list(list, {});
}

/* ---------------------------------------------------------------------- */

void PairOnPool::gather_without_rows(NeighList *list, const double *fourth, bool with_types)
{
  gather_atoms(fourth, with_types);
  listed_later = list;
  job.list = {list->inum};
  if (shares_stay(list)) return;
  shares_of = state_of(list);
  if (!found_work.empty()) shares.weigh(found_work);
  found_work.clear();
}

/* ---------------------------------------------------------------------- */

void PairOnPool::gather_atoms(const double *fourth, bool with_types)
{
  AtomsToGather from;
  from.natoms = atom->nlocal + atom->nghost;
  from.x = from.natoms ? atom->x[0] : nullptr;
  from.type = with_types ? atom->type : nullptr;
  from.fourth = fourth;
  from.singly = single && !too_wide();
  if (from.singly) find_center(from.center);
  gather_atoms(from);
}

/* ---------------------------------------------------------------------- */

void PairOnPool::gather_sites(NeighList *list, const double *fourth, const Sites &sites)
{
  AtomsToGather from;
  from.natoms = atom->nlocal + atom->nghost;
  from.x = sites.x;
  from.fourth = fourth;
  gather_atoms(from);
  find_list(list, sites);
}

/* ---------------------------------------------------------------------- */

void PairOnPool::gather_atoms(const AtomsToGather &from)
{
  const int ncopies = own_copies() ? rank_pool->nparts() : 1;
  gathered.renew(from, ncopies);
  job.kind = list_kind;
  job.nlocal = atom->nlocal;
  job.special_lj = force->special_lj;
  job.special_coul = force->special_coul;
}

/* ---------------------------------------------------------------------- */

void PairOnPool::find_list(NeighList *list, const Sites &sites)
{
  listed_later = nullptr;
  find_rows(list);
  if (nparts() > 1 && !shares_stay(list)) deal_rows(list);
  if (!own_copies())
    fill_one_copy();
  else if (is_old(reach_of, list) && !(wider_reach_of == state_of(list)))
    find_reach(list, sites);
}

/* ---------------------------------------------------------------------- */

void PairOnPool::need_rows()
{
  if (listed_later) find_list(listed_later, {});
}

/* ----------------------------------------------------------------------
   a coordinate in single precision is off by up to 6e-8 of the distance from
   the center, and a force by some 14 times that over the distance of the pair
------------------------------------------------------------------------- */

bool PairOnPool::too_wide()
{
  double widest = 0.0;
  for (int dim = 0; dim < 3; dim++) {
    const double width = domain->triclinic
        ? domain->prd[dim] * (domain->subhi_lamda[dim] - domain->sublo_lamda[dim])
        : domain->subhi[dim] - domain->sublo[dim];
    widest = std::max(widest, 0.5 * width / neighbor->cutneighmax);
  }
  if (widest <= SINGLE_REACH) return false;
  if (!warned_too_wide)
    error->warning(FLERR,
                   "package threadpool precision mixed: the sub-box of rank {} is {:.0f} neighbor "
                   "cutoffs wide, so that coordinates in single precision are too inexact beyond "
                   "{:.0f}; its pairs are computed in double precision. Use more ranks",
                   comm->me, 2.0 * widest, 2.0 * SINGLE_REACH);
  warned_too_wide = true;
  return true;
}

/* ---------------------------------------------------------------------- */

void PairOnPool::find_center(double *center) const
{
  if (domain->triclinic) {
    double lamda[3];
    for (int dim = 0; dim < 3; dim++)
      lamda[dim] = 0.5 * (domain->sublo_lamda[dim] + domain->subhi_lamda[dim]);
    domain->lamda2x(lamda, center);
  } else {
    for (int dim = 0; dim < 3; dim++) center[dim] = 0.5 * (domain->sublo[dim] + domain->subhi[dim]);
  }
}

/* ---------------------------------------------------------------------- */

void PairOnPool::gather_fourth(const double *fourth)
{
  gathered.renew_fourth(fourth);
  if (!own_copies()) fill_one_copy();
}

/* ---------------------------------------------------------------------- */

void PairOnPool::fill_one_copy()
{
  const int nparts = rank_pool->nparts(), nall = atom->nlocal + atom->nghost;
  gathered.begin(0);
  rank_pool->pool().run(nparts, [&](int part) {
    gathered.fill(0, begin_of_share(part, nparts, nall, GRAIN),
                  begin_of_share(part + 1, nparts, nall, GRAIN));
  });
  gathered.end(0);
}

/* ----------------------------------------------------------------------
   in the thread that has the part
------------------------------------------------------------------------- */

PairAtoms PairOnPool::atoms_of(int part)
{
  if (!own_copies()) return gathered.atoms(0);
  if (gathered.missing(part) != GatheredAtoms::Missing::NOTHING) {
    gathered.begin(part);
    reach.for_ranges(part, [&](int first, int last) {
      gathered.fill(part, first, std::min(last, reach.natoms() - 1));
    });
    gathered.end(part);
  }
  return gathered.atoms(part);
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

Tallies PairOnPool::tallies_of(const Pair *pair)
{
  if (pair->eflag_either || pair->vflag_atom || pair->cvflag_atom) return Tallies::ALL;
  return pair->vflag_global ? Tallies::VIRIAL : Tallies::NONE;
}

/* ----------------------------------------------------------------------
   tallies are added up in the order of parts, so that they do not depend on
   timing
------------------------------------------------------------------------- */

void PairOnPool::compute_parts(Pair *pair, const PartKernel &kernel)
{
  need_rows();
  const int nparts = rank_pool->nparts();
  const std::size_t nall = atom->nlocal + atom->nghost;
  job.tallies = tallies_of(pair);
  job.forces = {nall ? atom->f[0] : nullptr, nullptr};
  if (list_kind != ListKind::FULL && !shared()) job.forces.rows = forces.take(4 * (nall + 1));

  PairTally empty;
  if (pair->eflag_atom && nall) empty.eatom = pair->eatom;
  if ((pair->vflag_atom || pair->cvflag_atom) && nall)
    empty.vatom = reinterpret_cast<double(*)[6]>(pair->vatom[0]);
  tallies.assign(nparts, empty);
  for (PartSums *sums : {&part_forces, &part_numbers, &part_virials}) sums->resize(nparts);

  rank_pool->pool().run(nparts, [&](int part) {
    PairTally mine = empty;    // not beside those of others, which share cache lines
    PairJob mine_job = job;
    mine_job.atoms = atoms_of(part);
    if (shared()) {
      mine_job.forces.rows = part_forces.take(reach, part);
      if (mine.eatom) mine.eatom = part_numbers.take(reach, part);
      if (mine.vatom) mine.vatom = reinterpret_cast<double(*)[6]>(part_virials.take(reach, part));
    }
    const Share share = share_of(part);
    kernel(part, mine_job, share.first, share.last, mine);
    tallies[part] = mine;
  });

  if (shared())
    add_shared(empty);
  else if (list_kind != ListKind::FULL)
    add_half_forces();
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
            n = list_kind == ListKind::HALF ? nall : atom->nlocal;
  double *const f = nall ? atom->f[0] : nullptr;
  job.tallies = Tallies::NONE;
  if (!shared()) return kernel(0, job, n, f, 3);
  part_forces.resize(nparts());
  for_parts([&](int part) { kernel(part, job, nall, part_forces.take(reach, part), 4); });
  add_shared(PairTally());
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
    mine.atoms = atoms_of(part);
    const Share share = share_of(part);
    kernel(part, mine, share.first, share.last);
  });
}

/* ---------------------------------------------------------------------- */

void PairOnPool::add_for_rows(
    double *target, const std::function<void(int, const PairJob &, int, int, double *)> &kernel)
{
  add_for_rows(part_numbers, target, kernel);
}

/* ---------------------------------------------------------------------- */

void PairOnPool::add_for_rows(
    PartSums &sums, double *target,
    const std::function<void(int, const PairJob &, int, int, double *)> &kernel)
{
  sums.resize(nparts());
  for_rows([&](int part, const PairJob &one, int first, int last) {
    kernel(part, one, first, last, shared() ? sums.take(reach, part) : target);
  });
  if (!shared()) return;
  const int width = sums.width();
  add_up(sums, atom->nlocal + atom->nghost, [=](int i, const double *numbers) {
    double *const to = target + static_cast<std::size_t>(i) * width;
    for (int k = 0; k < width; k++) to[k] += numbers[k];
  });
}

/* ---------------------------------------------------------------------- */

bool PairOnPool::own_copies() const
{
  return copies == Copies::OF_PARTS && rank_pool->nparts() > 1;
}

/* ----------------------------------------------------------------------
   whether an atom may get something from several parts
------------------------------------------------------------------------- */

bool PairOnPool::shared() const
{
  return list_kind != ListKind::FULL && rank_pool->nparts() > 1;
}

/* ---------------------------------------------------------------------- */

void PairOnPool::find_reach(NeighList *list, const Sites &sites)
{
  const int nparts = rank_pool->nparts();
  reach.resize(nparts, atom->nlocal + atom->nghost + 1);
  rank_pool->pool().run(nparts, [&](int part) {
    find_reach(part, job.list);
    if (sites.reach_more) sites.reach_more(part, reach);
  });
  reach.deal();
  reach_of = state_of(list);
}

/* ---------------------------------------------------------------------- */

void PairOnPool::find_reach_by(NeighList *list, const std::function<void(int, PartReach &)> &mark)
{
  if (!own_copies()) return;
  const int nparts = rank_pool->nparts();
  reach.resize(nparts, atom->nlocal + atom->nghost + 1);
  rank_pool->pool().run(nparts, [&](int part) {
    reach.add(part, reach.natoms() - 1);
    mark(part, reach);
  });
  reach.deal();
  reach_of = wider_reach_of = state_of(list);
}

/* ----------------------------------------------------------------------
   kernels write to the atom behind all others, too
------------------------------------------------------------------------- */

void PairOnPool::find_reach(int part, const PairRows &list)
{
  const Share share = share_of(part);
  reach.add(part, reach.natoms() - 1);
  mark_neighbors(list, share.first, share.last, rank_pool->row_padding(), reach.natoms() - 1,
                 PartReach::BLOCK, reach.blocks(part));
}

/* ---------------------------------------------------------------------- */

template <class Add> void PairOnPool::add_up(PartSums &sums, int natoms, Add &&add)
{
  const int nparts = rank_pool->nparts();
  rank_pool->pool().run(nparts, [&](int part) {
    sums.add_up(reach, reach.begin_of_share(part), reach.begin_of_share(part + 1), natoms, add);
  });
  sums.give_back();
}

/* ----------------------------------------------------------------------
   what parts have added to forces, and to energies and virials of atoms if they
   are wanted.  Ghosts have got forces with newton on alone
------------------------------------------------------------------------- */

void PairOnPool::add_shared(const PairTally &wanted)
{
  const int nall = atom->nlocal + atom->nghost;
  double **f = atom->f;
  add_up(part_forces, list_kind == ListKind::HALF ? nall : atom->nlocal,
         [f](int i, const double *force) {
           for (int dim = 0; dim < 3; dim++) f[i][dim] += force[dim];
         });
  if (wanted.eatom)
    add_up(part_numbers, nall, [&](int i, const double *energy) { wanted.eatom[i] += *energy; });
  if (wanted.vatom)
    add_up(part_virials, nall, [&](int i, const double *virial) {
      for (int c = 0; c < 6; c++) wanted.vatom[i][c] += virial[c];
    });
}

/* ---------------------------------------------------------------------- */

int PairOnPool::first_owner(int part) const
{
  return part == 0 ? 0 : owner_of(share_of(part).first);
}

/* ----------------------------------------------------------------------
   none of the owned atoms from this one on has a row before this row
------------------------------------------------------------------------- */

int PairOnPool::owner_of(int row) const
{
  return row < job.list.nrows ? std::min(job.list.atoms[row], job.nlocal) : job.nlocal;
}

/* ---------------------------------------------------------------------- */

PairOnPool::Share PairOnPool::share_of(int part) const
{
  const int nparts = rank_pool->nparts(), nrows = job.list.nrows;
  return {shares.begin(part, nparts, nrows), shares.begin(part + 1, nparts, nrows)};
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

/* ----------------------------------------------------------------------
   ghosts have got forces with newton on alone
------------------------------------------------------------------------- */

void PairOnPool::add_half_forces()
{
  const int nall = atom->nlocal + atom->nghost,
            n = list_kind == ListKind::HALF ? nall : atom->nlocal;
  double **f = atom->f;
  double *const row = job.forces.rows;
  for (int i = 0; i < n; i++) {
    f[i][0] += row[4 * i];
    f[i][1] += row[4 * i + 1];
    f[i][2] += row[4 * i + 2];
    std::fill_n(row + 4 * static_cast<std::size_t>(i), 4, 0.0);
  }
  std::fill(row + 4 * static_cast<std::size_t>(n), row + 4 * (static_cast<std::size_t>(nall) + 1),
            0.0);
  forces.give_back();
}

/* ----------------------------------------------------------------------
   the atom far away that rows end with is no longer behind all others if there
   are more ghosts now
------------------------------------------------------------------------- */

void PairOnPool::find_rows(NeighList *list)
{
  NPairThreadpool *const build = origin_of(list).build;
  const RingNeighList *const ring = origin_of(list).ring;
  const int *const nspecial = build ? build->nspecial() : ring ? ring->nspecial : nullptr;
  const int natoms = build ? build->natoms() : ring ? ring->natoms() : 0;
  if (build) build->make_rows(list);
  if (nspecial && natoms == atom->nlocal + atom->nghost) {
    job.list = {list->inum, list->ilist, list->firstneigh, list->numneigh, nspecial};
    return;
  }
  if (is_old(copy.made_of, list)) copy_rows(list);
  job.list = {list->inum, list->ilist, copy.first.data(), list->numneigh, copy.nspecial.data()};
}

/* ---------------------------------------------------------------------- */

void PairOnPool::forget_shares()
{
  shares.forget();
  found_work.clear();
  shares_of = ListState();
}

/* ----------------------------------------------------------------------
   as long as the list does, and in the step of its build from when clusters have
   said what parts reach: rows of other shares could reach other atoms
------------------------------------------------------------------------- */

bool PairOnPool::shares_stay(const NeighList *list) const
{
  return !is_old(shares_of, list) || wider_reach_of == state_of(list);
}

/* ----------------------------------------------------------------------
   by vectors of pairs
------------------------------------------------------------------------- */

void PairOnPool::deal_rows(const NeighList *list)
{
  constexpr int TOO_FEW = 250;          // grains of a part that are not worth a fork
  constexpr int VECTOR = 8, ROW = 2;    // ROW: vectors that take as long as what is done once a row
  const PairRows &rows = job.list;
  const int ngrains = (rows.nrows + GRAIN - 1) / GRAIN;
  work_of_grains.assign(ngrains, 0);
  rank_pool->parts().for_work(ngrains, TOO_FEW).share(ngrains, [&](int, int first, int last) {
    for (int n = first * GRAIN; n < std::min(last * GRAIN, rows.nrows); n++)
      work_of_grains[n / GRAIN] += rows.nneighbors[rows.atoms[n]] / VECTOR + ROW;
  });
  shares.deal(work_of_grains, nparts());
  shares_of = state_of(list);
}

/* ---------------------------------------------------------------------- */

bool PairOnPool::is_old(const ListState &made_of, const NeighList *list) const
{
  return made_of.build.is_over(neighbor) || !(made_of == state_of(list));
}

/* ---------------------------------------------------------------------- */

bool PairOnPool::ListState::operator==(const ListState &other) const
{
  const auto fields = [](const ListState &s) {
    return std::tie(s.list, s.build.lastcall, s.build.ncalls, s.nbuilds, s.natoms);
  };
  return fields(*this) == fields(other);
}

/* ----------------------------------------------------------------------
   what classes lists and builds have takes time to find out, in each step
------------------------------------------------------------------------- */

const PairOnPool::Origin &PairOnPool::origin_of(const NeighList *list) const
{
  if (list != origin.list || list->np != origin.np)
    origin = {list, list->np, list->copy ? nullptr : dynamic_cast<NPairThreadpool *>(list->np),
              dynamic_cast<const RingNeighList *>(list)};
  return origin;
}

/* ---------------------------------------------------------------------- */

PairOnPool::ListState PairOnPool::state_of(const NeighList *list) const
{
  const RingNeighList *const ring = origin_of(list).ring;
  return {list, LastBuild::of(neighbor), ring ? ring->nbuilds : 0, atom->nlocal + atom->nghost};
}

/* ---------------------------------------------------------------------- */

void PairOnPool::copy_rows(NeighList *list)
{
  const int nparts = rank_pool->nparts(), nrows = list->inum;
  const std::size_t natoms = atom->nmax;
  copy.arenas.resize(nparts);
  if (copy.first.size() < natoms) {
    copy.first.resize(natoms);
    copy.nspecial.resize(natoms);
  }
  rank_pool->pool().run(nparts, [&](int part) {
    RowArena &arena = copy.arenas[part];
    arena.reset(rank_pool->row_padding());
    const int last = begin_of_share(part + 1, nparts, nrows, GRAIN);
    for (int n = begin_of_share(part, nparts, nrows, GRAIN); n < last; n++)
      copy_row(list, list->ilist[n], arena);
  });
  copy.made_of = state_of(list);
}

/* ---------------------------------------------------------------------- */

void PairOnPool::copy_row(NeighList *list, int i, RowArena &arena)
{
  const int *const begin = list->firstneigh[i], *const end = begin + list->numneigh[i];
  const auto is_special = [](int entry) {
    return (entry >> SBBITS & 3) != 0;
  };
  int *const row = arena.row(end - begin, atom->nlocal + atom->nghost);
  copy.first[i] = row;
  if (atom->molecular == Atom::ATOMIC) {
    std::copy(begin, end, row);
    copy.nspecial[i] = 0;
    return;
  }
  int *const plain = std::copy_if(begin, end, row, is_special);
  std::remove_copy_if(begin, end, plain, is_special);
  copy.nspecial[i] = static_cast<int>(plain - row);
}

/* ---------------------------------------------------------------------- */

double PairOnPool::memory_usage() const
{
  double bytes = gathered.nbytes() + static_cast<double>(forces.nbytes());
  for (const PartSums *sums : {&part_forces, &part_numbers, &part_virials})
    bytes += sums->memory_usage();
  for (const RowArena &arena : copy.arenas) bytes += arena.nbytes();
  return bytes + static_cast<double>(copy.first.capacity() * (sizeof(int *) + sizeof(int)));
}
