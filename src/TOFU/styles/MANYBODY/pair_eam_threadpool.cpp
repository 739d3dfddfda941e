// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_eam_threadpool.h"

#include "lammps/ring_neigh_list.h"
#include "threadpool/pair/pair_on_pool.h"
#include "threadpool/pool/rank_pool.h"
#include "threadpool/pool/rank_sum.h"
#include "threadpool/manybody/spline_rows.h"
#include "threadpool/pool/step_sums.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "memory.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"

#include "kernels/manybody/eam.h"
#include "pool/thread_pool.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

struct PairEAMThreadpool::Impl {
  explicit Impl(LAMMPS *lmp) : pair(lmp) {}

  PairOnPool pair;
  EAMTables tables;
  bool stale = true;    // tables must be filled anew
  EAMInside inside;
  std::vector<RowArena> arenas;    // [nparts]
  std::vector<double> energies;    // [nparts] of embedding
  std::vector<char> beyond;        // [nparts] 1 if a density is beyond the table
  bool some_beyond = false;        // of this rank, in the last step with energies
  bool under_way = false;          // ranks have not told each other yet
  std::unique_ptr<RankSum> ranks_beyond;
  bigint counted = -1;    // time step that numforce is for
};

/* ---------------------------------------------------------------------- */

PairEAMThreadpool::PairEAMThreadpool(LAMMPS *lmp) : PairEAM(lmp), impl(new Impl(lmp))
{
  no_virial_fdotr_compute = 1;    // pair hybrid must know this; else see adjust_request()
}

/* ---------------------------------------------------------------------- */

PairEAMThreadpool::~PairEAMThreadpool()
{
  if (!impl->ranks_beyond) return;
  if (RankPool *const threadpool = RankPool::find(lmp))
    threadpool->sums().leave_behind(*impl->ranks_beyond);
}

/* ---------------------------------------------------------------------- */

void PairEAMThreadpool::init_style()
{
  PairEAM::init_style();
  impl->pair.adjust_request(this, PairOnPool::Preferred::HALF);
  impl->stale = true;
}

/* ---------------------------------------------------------------------- */

double PairEAMThreadpool::init_one(int i, int j)
{
  impl->stale = true;
  return PairEAM::init_one(i, j);
}

/* ---------------------------------------------------------------------- */

void *PairEAMThreadpool::extract(const char *name, int &dim)
{
  if (strcmp(name, "tofu/any_rows") != 0) return PairEAM::extract(name, dim);
  dim = 0;
  return this;
}

/* ---------------------------------------------------------------------- */

void PairEAMThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  allocate_atoms();
  fill_tables();
  impl->pair.gather(list, nullptr, atom->ntypes > 1);
  compute_densities();
  embed(eflag);
  comm->forward_comm(this);
  embedstep = update->ntimestep;

  impl->pair.gather_fourth(fp);
  impl->pair.compute(this, [&](const PairJob &job, int first, int last, PairTally &tally) {
    eam_forces(impl->tables, job, first, last, impl->inside, tally);
  });
  if (vflag_fdotr && !impl->pair.add_virial(this)) virial_fdotr_compute();
  vflag_fdotr = 0;
}

/* ----------------------------------------------------------------------
   one more entry than atoms: the kernels write to the entry behind the last
------------------------------------------------------------------------- */

void PairEAMThreadpool::allocate_atoms()
{
  if (atom->nmax < nmax) return;
  memory->destroy(rho);
  memory->destroy(fp);
  memory->destroy(numforce);
  nmax = atom->nmax + 1;
  memory->create(rho, nmax, "pair:rho");
  memory->create(fp, nmax, "pair:fp");
  memory->create(numforce, nmax, "pair:numforce");
}

/* ----------------------------------------------------------------------
   of LAMMPS' splines the kernels take the coefficients of the values
------------------------------------------------------------------------- */

void PairEAMThreadpool::fill_tables()
{
  EAMTables &tables = impl->tables;
  if (!impl->stale) return;
  impl->stale = false;

  const int ntypes = atom->ntypes;
  tables.ntypes = ntypes;
  tables.nr = nr;
  tables.rdr = rdr;
  tables.cutsq = cutforcesq;
  copy_spline_rows(nrhor, nr, rhor_spline, tables.rhor);
  copy_spline_rows(nz2r, nr, z2r_spline, tables.z2r);

  const auto spline = [&](int **numbers, int i, int j) {    // negative without an element: such
    return std::max(numbers[i][j], 0);                      // types pad rows
  };
  tables.pairs.assign(static_cast<std::size_t>(ntypes + 1) * (ntypes + 1), {0, 0, 0, 0.0});
  for (int i = 1; i <= ntypes; i++)
    for (int j = 1; j <= ntypes; j++)
      tables.pairs[static_cast<std::size_t>(i) * (ntypes + 1) + j] = {
          spline(type2rhor, i, j), spline(type2rhor, j, i), spline(type2z2r, i, j), scale[i][j]};
}

/* ---------------------------------------------------------------------- */

void PairEAMThreadpool::compute_densities()
{
  const bool ghosts_have_some = impl->pair.kind() != ListKind::FULL || ring_list();
  const int nparts = impl->pair.nparts();
  const std::size_t natoms = atom->nlocal + atom->nghost;
  EAMInside &inside = impl->inside;
  if (inside.first.size() < natoms) {
    inside.first.resize(atom->nmax);
    inside.nneighbors.resize(atom->nmax);
  }
  impl->arenas.resize(nparts);
  for (RowArena &arena : impl->arenas) arena.reset();

  std::fill_n(rho, natoms + 1, 0.0);
  impl->pair.add_for_rows(
      rho, [&](int part, const PairJob &job, int first, int last, double *densities) {
        eam_densities(impl->tables, job, first, last, impl->arenas[part], inside, densities);
      });
  if (ghosts_have_some && force->newton_pair) comm->reverse_comm(this);
}

/* ----------------------------------------------------------------------
   Returns: the list that fix ring_balance has put in the place of Neighbor's
   list, nullptr if that is still there
------------------------------------------------------------------------- */

const RingNeighList *PairEAMThreadpool::ring_list() const
{
  return dynamic_cast<const RingNeighList *>(list);
}

/* ----------------------------------------------------------------------
   fp = derivative of the embedding energy of each atom.  Beyond the table the
   energy goes on as a straight line.  Each rank embeds the atoms it owns,
   also those whose rows another rank has
------------------------------------------------------------------------- */

void PairEAMThreadpool::embed(bool energy)
{
  const NeighList *const owned = ring_list() ? neighbor->find_list(static_cast<Pair *>(this), 0)
                                             : list;
  const int nparts = impl->pair.nparts(), inum = owned->inum;
  const int *const ilist = owned->ilist, *const type = atom->type;
  impl->energies.assign(nparts, 0.0);
  impl->beyond.assign(nparts, 0);

  impl->pair.for_parts([&](int part) {
    double sum = 0.0;
    bool beyond = false;
    const int last = begin_of_share(part + 1, nparts, inum, GRAIN);
    for (int ii = begin_of_share(part, nparts, inum, GRAIN); ii < last; ii++) {
      const int i = ilist[ii];
      const double place = rho[i] * rdrho + 1.0;
      const int m = std::max(1, std::min(static_cast<int>(place), nrho - 1));
      const double p = std::min(place - m, 1.0);
      const double *const c = frho_spline[type2frho[type[i]]][m];
      fp[i] = (c[0] * p + c[1]) * p + c[2];
      if (!energy) continue;
      double phi = ((c[3] * p + c[4]) * p + c[5]) * p + c[6];
      if (rho[i] > rhomax) {
        phi += fp[i] * (rho[i] - rhomax);
        beyond = true;
      }
      phi *= scale[type[i]][type[i]];
      sum += phi;
      if (eflag_atom) eatom[i] += phi;
    }
    impl->energies[part] = sum;
    impl->beyond[part] = beyond;
  });

  if (!energy) return;
  if (eflag_global)
    for (double sum : impl->energies) eng_vdwl += sum;
  if (!exceeded_rhomax) tell_densities_beyond();
}

/* ----------------------------------------------------------------------
   with the next sum over ranks, which an output of the energy makes in this
   step.  If none has come since the last time ranks do not wait for one
------------------------------------------------------------------------- */

void PairEAMThreadpool::tell_densities_beyond()
{
  RankPool *const threadpool = RankPool::find(lmp);
  const bool now = impl->under_way || !threadpool;
  impl->some_beyond = std::count(impl->beyond.begin(), impl->beyond.end(), 1) > 0;
  if (!impl->ranks_beyond)
    impl->ranks_beyond = std::make_unique<RankSum>(
        RankSum::Of::FORCES, 1, [this](double *part) { *part = impl->some_beyond; },
        [this](const double *nranks) { hear_of_densities_beyond(*nranks > 0.0); });
  impl->under_way = true;
  if (now)
    RankSum::reduce({impl->ranks_beyond.get()}, lmp);
  else
    threadpool->sums().take_along(*impl->ranks_beyond);
}

void PairEAMThreadpool::hear_of_densities_beyond(bool some)
{
  impl->under_way = false;
  if (some && !exceeded_rhomax && comm->me == 0)
    error->warning(FLERR,
                   "A per-atom density exceeded rhomax of EAM potential table - a linear "
                   "extrapolation to the energy was made");
  if (some) exceeded_rhomax = 1;
}

/* ----------------------------------------------------------------------
   the energy of embedding an atom is shared among the pairs of its row in a
   half list.  Not all ranks need come here
------------------------------------------------------------------------- */

double PairEAMThreadpool::single(int i, int j, int itype, int jtype, double rsq, double factor_coul,
                                 double factor_lj, double &fforce)
{
  if (ring_list())
    error->one(
        FLERR,
        "Energies of single pairs, as for compute pair/local and compute group/group, cannot "
        "be had of pair style eam with fix ring_balance: other ranks know how many neighbors "
        "some atoms have; unfix it for the run that asks for them");
  if (numforce && impl->counted != embedstep) count_pairs();
  return PairEAM::single(i, j, itype, jtype, rsq, factor_coul, factor_lj, fforce);
}

/* ----------------------------------------------------------------------
   a pair that a full list has twice is in the row that a half list would have it
------------------------------------------------------------------------- */

void PairEAMThreadpool::count_pairs()
{
  const bool full = impl->pair.kind() == ListKind::FULL;
  const EAMInside &inside = impl->inside;
  double **x = atom->x;
  auto in_half_list = [&](int i, int j) {
    if (j < atom->nlocal) return j > i;
    if (!force->newton_pair || x[j][2] > x[i][2]) return true;
    if (x[j][2] < x[i][2] || x[j][1] < x[i][1]) return false;
    return x[j][1] > x[i][1] || x[j][0] >= x[i][0];
  };
  for (int ii = 0; ii < list->inum; ii++) {
    const int i = list->ilist[ii];
    const int *const row = inside.first[i], n = inside.nneighbors[i];
    numforce[i] = full
        ? static_cast<int>(std::count_if(row, row + n, [&](int j) { return in_half_list(i, j); }))
        : n;
  }
  impl->counted = embedstep;
}

/* ---------------------------------------------------------------------- */

double PairEAMThreadpool::memory_usage()
{
  const EAMTables &tables = impl->tables;
  return PairEAM::memory_usage() + impl->pair.memory_usage() +
      static_cast<double>((tables.rhor.size() + tables.z2r.size()) * sizeof(double));
}

/* ---------------------------------------------------------------------- */

void PairEAMThreadpool::add_tally_callback(Compute *)
{
  PairOnPool::refuse_tally(lmp);
}
