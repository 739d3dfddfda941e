// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_adp_threadpool.h"

#include "threadpool/manybody/spline_rows.h"

#include "comm.h"
#include "neigh_list.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void PairADPThreadpool::compute(int eflag, int vflag)
{
  if (!on_pool) {
    PairADP::compute(eflag, vflag);
    return;
  }
  ev_init(eflag, vflag);
  prepare_atoms();
  pair.gather(list, nullptr, atom->ntypes > 1);
  pair.for_rows([&](int part, const PairJob &job, int first, int last) {
    adp_moments(tables, job, first, last, arenas[part], inside, values.data());
  });
  embed(eflag);
  send_to_ghosts(0, ADPMoments::N);
  pair.compute(this, [&](const PairJob &job, int first, int last, PairTally &tally) {
    adp_forces(tables, job, first, last, inside, values.data(), tally);
  });
}

/* ----------------------------------------------------------------------
   of LAMMPS' splines the kernels take the coefficients of the values
------------------------------------------------------------------------- */

void PairADPThreadpool::fill_tables()
{
  begin_tables(tables);
  copy_spline_rows(nrhor, nr, rhor_spline, tables.rhor);
  copy_spline_rows(nz2r, nr, z2r_spline, tables.z2r);
  copy_spline_rows(nu2r, nr, u2r_spline, tables.u2r);
  copy_spline_rows(nw2r, nr, w2r_spline, tables.w2r);

  for (int i = 1; i <= atom->ntypes; i++)
    for (int j = 1; j <= atom->ntypes; j++)
      tables.of(i, j) = {begin_of_spline(type2rhor[i][j]), begin_of_spline(type2rhor[j][i]),
                         begin_of_spline(type2z2r[i][j]), begin_of_spline(type2u2r[i][j]),
                         begin_of_spline(type2w2r[i][j])};
}

/* ----------------------------------------------------------------------
   the density of each atom gives way to the derivative of its embedding energy
------------------------------------------------------------------------- */

void PairADPThreadpool::embed(bool energy)
{
  add_energies([&](int i) {
    double *const own = values_of(i);
    const double *const mu = own + ADPMoments::MU, *const l = own + ADPMoments::LAMBDA;
    const double place = own[ADPMoments::DENSITY] * rdrho + 1.0;
    const int m = std::max(1, std::min(static_cast<int>(place), nrho - 1));
    const double p = std::min(place - m, 1.0);
    const double *const c = frho_spline[type2frho[atom->type[i]]][m];
    own[ADPMoments::DENSITY] = (c[0] * p + c[1]) * p + c[2];
    if (!energy) return 0.0;
    const double trace = l[0] + l[1] + l[2];
    return ((c[3] * p + c[4]) * p + c[5]) * p + c[6] +
        0.5 * (mu[0] * mu[0] + mu[1] * mu[1] + mu[2] * mu[2]) +
        0.5 * (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) +
        (l[3] * l[3] + l[4] * l[4] + l[5] * l[5]) - trace * trace / 6.0;
  });
}

/* ---------------------------------------------------------------------- */

double PairADPThreadpool::spline_bytes() const
{
  return (tables.rhor.size() + tables.z2r.size() + tables.u2r.size() + tables.w2r.size()) *
      sizeof(double);
}
