// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_adp_threadpool.h"

#include "threadpool/manybody/spline_rows.h"

#include "atom.h"
#include "comm.h"
#include "neigh_list.h"

#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int N = ADPMoments::N, STRIDE = ADPMoments::STRIDE;

/* ---------------------------------------------------------------------- */

PairADPThreadpool::PairADPThreadpool(LAMMPS *lmp) : PairADP(lmp), pair(lmp)
{
  no_virial_fdotr_compute = 1;
}

/* ----------------------------------------------------------------------
   each atom sums up its own moments: there are none to be sent back, and none
   that several parts add to
------------------------------------------------------------------------- */

void PairADPThreadpool::init_style()
{
  PairADP::init_style();
  on_pool = pair.adjust_request_to_full(this);
  stale = true;
}

/* ---------------------------------------------------------------------- */

double PairADPThreadpool::init_one(int i, int j)
{
  stale = true;    // the cut-off is known
  return PairADP::init_one(i, j);
}

/* ---------------------------------------------------------------------- */

void PairADPThreadpool::compute(int eflag, int vflag)
{
  if (!on_pool) {
    PairADP::compute(eflag, vflag);
    return;
  }
  ev_init(eflag, vflag);
  allocate_atoms();
  if (stale) fill_tables();
  pair.gather(list, nullptr, atom->ntypes > 1);
  sum_up_moments();
  embed(eflag);
  comm->forward_comm(this);
  pair.compute(this, [&](const PairJob &job, int first, int last, PairTally &tally) {
    adp_forces(tables, job, first, last, inside, moments.data(), tally);
  });
}

/* ---------------------------------------------------------------------- */

double *PairADPThreadpool::moments_of(int i)
{
  return moments.data() + static_cast<std::size_t>(STRIDE) * i;
}

/* ----------------------------------------------------------------------
   kernels read the moments behind the last ones, too
------------------------------------------------------------------------- */

void PairADPThreadpool::allocate_atoms()
{
  const std::size_t natoms = atom->nlocal + atom->nghost;
  moments.room(STRIDE * (natoms + 1));
  std::fill_n(moments_of(atom->nlocal + atom->nghost), STRIDE, 0.0);
  if (inside.first.size() >= natoms) return;
  inside.first.resize(atom->nmax);
  inside.nneighbors.resize(atom->nmax);
}

/* ----------------------------------------------------------------------
   of LAMMPS' splines the kernels take the coefficients of the values
------------------------------------------------------------------------- */

void PairADPThreadpool::fill_tables()
{
  stale = false;
  const int ntypes = atom->ntypes;
  tables.ntypes = ntypes;
  tables.nr = nr;
  tables.rdr = rdr;
  tables.cutsq = cutforcesq;
  copy_spline_rows(nrhor, nr, rhor_spline, tables.rhor);
  copy_spline_rows(nz2r, nr, z2r_spline, tables.z2r);
  copy_spline_rows(nu2r, nr, u2r_spline, tables.u2r);
  copy_spline_rows(nw2r, nr, w2r_spline, tables.w2r);

  const auto begin = [&](int table) {    // -1 of types without an element: they pad rows
    return std::max(table, 0) * (nr + 1);
  };
  tables.pairs.assign(static_cast<std::size_t>(ntypes + 1) * (ntypes + 1), {0, 0, 0, 0, 0});
  for (int i = 1; i <= ntypes; i++)
    for (int j = 1; j <= ntypes; j++)
      tables.pairs[static_cast<std::size_t>(i) * (ntypes + 1) + j] = {
          begin(type2rhor[i][j]), begin(type2rhor[j][i]), begin(type2z2r[i][j]),
          begin(type2u2r[i][j]), begin(type2w2r[i][j])};
}

/* ---------------------------------------------------------------------- */

void PairADPThreadpool::sum_up_moments()
{
  if (list->inum < atom->nlocal)    // atoms of other styles, whose moments are sent, too
    std::fill_n(moments.data(), static_cast<std::size_t>(STRIDE) * atom->nlocal, 0.0);
  arenas.resize(pair.nparts());
  for (RowArena &arena : arenas) arena.reset();
  pair.for_rows([&](int part, const PairJob &job, int first, int last) {
    adp_moments(tables, job, first, last, arenas[part], inside, moments.data());
  });
}

/* ----------------------------------------------------------------------
   the density of each atom gives way to the derivative of its embedding energy
------------------------------------------------------------------------- */

void PairADPThreadpool::embed(bool energy)
{
  const int nparts = pair.nparts(), inum = list->inum;
  const int *const ilist = list->ilist, *const type = atom->type;
  energies.assign(nparts, 0.0);

  pair.for_parts([&](int part) {
    double sum = 0.0;
    const int last = begin_of_share(part + 1, nparts, inum, GRAIN);
    for (int ii = begin_of_share(part, nparts, inum, GRAIN); ii < last; ii++) {
      const int i = ilist[ii];
      double *const own = moments_of(i), *const mu_i = own + ADPMoments::MU;
      const double *const l = own + ADPMoments::LAMBDA;
      const double place = own[ADPMoments::DENSITY] * rdrho + 1.0;
      const int m = std::max(1, std::min(static_cast<int>(place), nrho - 1));
      const double p = std::min(place - m, 1.0);
      const double *const c = frho_spline[type2frho[type[i]]][m];
      own[ADPMoments::DENSITY] = (c[0] * p + c[1]) * p + c[2];
      if (!energy) continue;
      const double trace = l[0] + l[1] + l[2];
      const double phi = ((c[3] * p + c[4]) * p + c[5]) * p + c[6] +
          0.5 * (mu_i[0] * mu_i[0] + mu_i[1] * mu_i[1] + mu_i[2] * mu_i[2]) +
          0.5 * (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) +
          (l[3] * l[3] + l[4] * l[4] + l[5] * l[5]) - trace * trace / 6.0;
      sum += phi;
      if (eflag_atom) eatom[i] += phi;
    }
    energies[part] = sum;
  });
  if (eflag_global)
    for (double sum : energies) eng_vdwl += sum;
}

/* ---------------------------------------------------------------------- */

std::string PairADPThreadpool::left_to_lammps() const
{
  return on_pool ? "" : PairOnPool::NO_FULL_LISTS;
}

/* ---------------------------------------------------------------------- */

int PairADPThreadpool::pack_forward_comm(int n, int *atoms, double *buf, int pbc_flag, int *pbc)
{
  if (!on_pool) return PairADP::pack_forward_comm(n, atoms, buf, pbc_flag, pbc);
  for (int k = 0; k < n; k++) std::copy_n(moments_of(atoms[k]), N, buf + N * k);
  return N * n;
}

/* ---------------------------------------------------------------------- */

void PairADPThreadpool::unpack_forward_comm(int n, int first, double *buf)
{
  if (!on_pool) return PairADP::unpack_forward_comm(n, first, buf);
  for (int k = 0; k < n; k++) std::copy_n(buf + N * k, N, moments_of(first + k));
}

/* ---------------------------------------------------------------------- */

double PairADPThreadpool::memory_usage()
{
  const std::size_t splines =
      tables.rhor.size() + tables.z2r.size() + tables.u2r.size() + tables.w2r.size();
  return PairADP::memory_usage() + pair.memory_usage() +
      static_cast<double>(moments.nbytes() + splines * sizeof(double));
}

/* ---------------------------------------------------------------------- */

void PairADPThreadpool::add_tally_callback(Compute *)
{
  PairOnPool::refuse_tally(lmp);
}
