// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_eam_cd_threadpool.h"

#include "threadpool/manybody/spline_rows.h"

#include "atom.h"
#include "comm.h"
#include "memory.h"
#include "neigh_list.h"

#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int STRIDE = EAMCDAtom::STRIDE;

/* ---------------------------------------------------------------------- */

void PairEAMCDThreadpool::prepare()
{
  no_virial_fdotr_compute = 1;
  stock_forward = comm_forward;
}

/* ----------------------------------------------------------------------
   each atom sums up its own numbers: there are none to be sent back, and none
   that several parts add to
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::init_style()
{
  PairEAMCD::init_style();
  on_pool = pair.adjust_request_to_full(this);
  comm_forward = on_pool ? STRIDE : stock_forward;
  stale = true;
}

/* ---------------------------------------------------------------------- */

double PairEAMCDThreadpool::init_one(int i, int j)
{
  stale = true;    // the cut-off is known
  return PairEAMCD::init_one(i, j);
}

/* ---------------------------------------------------------------------- */

void PairEAMCDThreadpool::compute(int eflag, int vflag)
{
  if (!on_pool) {
    PairEAMCD::compute(eflag, vflag);
    return;
  }
  ev_init(eflag, vflag);
  allocate_atoms();
  if (stale) fill_tables();
  pair.gather(list, nullptr, true);
  sum_up_densities();
  embed(eflag);
  if (tables.two_site) {
    tell_ghosts(EAMCDAtom::SITE, 2);
    sum_up_slopes();
    for_owned([this](int, int i) { differentiate(i); });
    tell_ghosts(EAMCDAtom::BY_OTHERS, 2);
  } else {
    tell_ghosts(0, STRIDE);
  }
  pair.compute(this, [&](const PairJob &job, int first, int last, PairTally &tally) {
    eam_cd_forces(tables, job, first, last, inside, atoms.data(), tally);
  });
}

/* ---------------------------------------------------------------------- */

double *PairEAMCDThreadpool::values_of(int i)
{
  return atoms.data() + static_cast<std::size_t>(STRIDE) * i;
}

/* ----------------------------------------------------------------------
   kernels read the values behind the last ones, too
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::allocate_atoms()
{
  if (atom->nmax > nmax) {
    nmax = atom->nmax;
    for (double **numbers : {&rho, &rhoB, &fp, &D_values}) {
      memory->destroy(*numbers);
      memory->create(*numbers, nmax, "pair:numbers");
    }
  }
  const std::size_t natoms = atom->nlocal + atom->nghost;
  atoms.room(STRIDE * (natoms + 1));
  std::fill_n(values_of(atom->nlocal + atom->nghost), STRIDE, 0.0);
  if (list->inum < atom->nlocal)    // atoms of other styles, whose values are sent, too
    std::fill_n(atoms.data(), static_cast<std::size_t>(STRIDE) * atom->nlocal, 0.0);
  if (inside.first.size() >= natoms) return;
  inside.first.resize(atom->nmax);
  inside.nneighbors.resize(atom->nmax);
}

/* ----------------------------------------------------------------------
   of LAMMPS' splines the kernels take the coefficients of the values
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::fill_tables()
{
  stale = false;
  const int ntypes = atom->ntypes;
  tables.ntypes = ntypes;
  tables.nr = nr;
  tables.rdr = rdr;
  tables.cutsq = cutforcesq;
  tables.two_site = cdeamVersion == 2;
  tables.h.assign(hcoeff, hcoeff + nhcoeff);
  copy_spline_rows(nrhor, nr, rhor_spline, tables.rhor);
  copy_spline_rows(nz2r, nr, z2r_spline, tables.z2r);

  const auto begin = [&](int table) {    // -1 of types without an element: they pad rows
    return std::max(table, 0) * (nr + 1);
  };
  const auto are = [&](int i, int j, int first, int second) {
    return i == first && j == second;
  };
  tables.pairs.assign(static_cast<std::size_t>(ntypes + 1) * (ntypes + 1), {0, 0, 0, 0.0, 0.0});
  for (int i = 1; i <= ntypes; i++)
    for (int j = 1; j <= ntypes; j++) {
      const bool cross = are(i, j, speciesA, speciesB) || are(i, j, speciesB, speciesA);
      tables.of(i, j) = {begin(type2rhor[i][j]), begin(type2rhor[j][i]), begin(type2z2r[i][j]),
                         j == speciesB ? 1.0 : 0.0, cross ? 1.0 : 0.0};
    }
}

/* ---------------------------------------------------------------------- */

void PairEAMCDThreadpool::sum_up_densities()
{
  arenas.resize(pair.nparts());
  for (RowArena &arena : arenas) arena.reset();
  pair.for_rows([&](int part, const PairJob &job, int first, int last) {
    eam_cd_densities(tables, job, first, last, arenas[part], inside, {rho, rhoB, D_values});
  });
}

/* ---------------------------------------------------------------------- */

void PairEAMCDThreadpool::sum_up_slopes()
{
  pair.for_rows([&](int, const PairJob &job, int first, int last) {
    eam_cd_slopes(tables, job, first, last, inside, atoms.data(), D_values);
  });
}

/* ----------------------------------------------------------------------
   work(part, i) for all atoms of the list
------------------------------------------------------------------------- */

template <class Work> void PairEAMCDThreadpool::for_owned(const Work &work)
{
  const int nparts = pair.nparts(), inum = list->inum;
  pair.for_parts([&](int part) {
    const int last = begin_of_share(part + 1, nparts, inum, GRAIN);
    for (int ii = begin_of_share(part, nparts, inum, GRAIN); ii < last; ii++)
      work(part, list->ilist[ii]);
  });
}

/* ----------------------------------------------------------------------
   embedding energies and their derivatives, and concentrations.  An atom that
   is neither A nor B has none, nor has one without density
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::embed(bool energy)
{
  const int *const type = atom->type;
  energies.assign(pair.nparts(), 0.0);

  for_owned([&](int part, int i) {
    const EAMTableIndex index = rhoToTableIndex(rho[i]);
    fp[i] = FPrimeOfRho(index, type[i]);
    if (energy) {
      const double phi = FofRho(index, type[i]);
      energies[part] += phi;
      if (eflag_atom) eatom[i] += phi;
    }
    const bool depends = (type[i] == speciesA || type[i] == speciesB) && rho[i] != 0.0;
    const double x = depends ? rhoB[i] / rho[i] : 0.0;
    double *const values = values_of(i);
    values[EAMCDAtom::DEPENDS] = depends ? 1.0 : 0.0;
    values[EAMCDAtom::SITE] = tables.two_site ? x : eam_cd_h(tables, x);
    if (tables.two_site) return;
    D_values[i] *= eam_cd_h_slope(tables, x);
    differentiate(i);
  });
  if (eflag_global)
    for (double sum : energies) eng_vdwl += sum;
}

/* ----------------------------------------------------------------------
   of the energies that depend on the density of an atom: its own of embedding,
   and those of pairs, which depend on the concentration
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::differentiate(int i)
{
  double *const values = values_of(i);
  D_values[i] = values[EAMCDAtom::DEPENDS] == 0.0 ? 0.0 : D_values[i] / (2.0 * rho[i] * rho[i]);
  values[EAMCDAtom::BY_OTHERS] = fp[i] - D_values[i] * rhoB[i];
  values[EAMCDAtom::BY_B] = fp[i] + D_values[i] * (rho[i] - rhoB[i]);
}

/* ----------------------------------------------------------------------
   some of the values of atoms
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::tell_ghosts(int first, int n)
{
  first_sent = first;
  nsent = n;
  comm->forward_comm(this);
}

/* ---------------------------------------------------------------------- */

std::string PairEAMCDThreadpool::left_to_lammps() const
{
  return on_pool ? "" : PairOnPool::NO_FULL_LISTS;
}

/* ---------------------------------------------------------------------- */

int PairEAMCDThreadpool::pack_forward_comm(int n, int *sent, double *buf, int pbc_flag, int *pbc)
{
  if (!on_pool) return PairEAMCD::pack_forward_comm(n, sent, buf, pbc_flag, pbc);
  for (int k = 0; k < n; k++) std::copy_n(values_of(sent[k]) + first_sent, nsent, buf + nsent * k);
  return nsent * n;
}

/* ---------------------------------------------------------------------- */

void PairEAMCDThreadpool::unpack_forward_comm(int n, int first, double *buf)
{
  if (!on_pool) return PairEAMCD::unpack_forward_comm(n, first, buf);
  for (int k = 0; k < n; k++)
    std::copy_n(buf + nsent * k, nsent, values_of(first + k) + first_sent);
}

/* ---------------------------------------------------------------------- */

double PairEAMCDThreadpool::memory_usage()
{
  return PairEAMCD::memory_usage() + pair.memory_usage() +
      static_cast<double>(atoms.nbytes() +
                          (tables.rhor.size() + tables.z2r.size()) * sizeof(double));
}

/* ---------------------------------------------------------------------- */

void PairEAMCDThreadpool::add_tally_callback(Compute *)
{
  PairOnPool::refuse_tally(lmp);
}
