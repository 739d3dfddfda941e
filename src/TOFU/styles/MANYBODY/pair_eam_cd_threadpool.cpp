// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_eam_cd_threadpool.h"

#include "threadpool/manybody/spline_rows.h"

#include "comm.h"
#include "memory.h"
#include "neigh_list.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   ghosts get the values that forces need as soon as they are known
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::compute(int eflag, int vflag)
{
  if (!on_pool) {
    PairEAMCD::compute(eflag, vflag);
    return;
  }
  ev_init(eflag, vflag);
  allocate_numbers();
  prepare_atoms();
  pair.gather(list, nullptr, true);
  pair.for_rows([&](int part, const PairJob &job, int first, int last) {
    eam_cd_densities(tables, job, first, last, arenas[part], inside, {rho, rhoB, D_values});
  });
  embed(eflag);
  if (tables.two_site) {
    send_to_ghosts(EAMCDAtom::SITE, 2);
    pair.for_rows([&](int, const PairJob &job, int first, int last) {
      eam_cd_slopes(tables, job, first, last, inside, values.data(), D_values);
    });
    for_owned([this](int, int i) { differentiate(i); });
    send_to_ghosts(EAMCDAtom::BY_OTHERS, 2);
  } else {
    send_to_ghosts(0, EAMCDAtom::STRIDE);
  }
  pair.compute(this, [&](const PairJob &job, int first, int last, PairTally &tally) {
    eam_cd_forces(tables, job, first, last, inside, values.data(), tally);
  });
}

/* ---------------------------------------------------------------------- */

void PairEAMCDThreadpool::allocate_numbers()
{
  if (atom->nmax <= nmax) return;
  nmax = atom->nmax;
  for (double **numbers : {&rho, &rhoB, &fp, &D_values}) {
    memory->destroy(*numbers);
    memory->create(*numbers, nmax, "pair:numbers");
  }
}

/* ----------------------------------------------------------------------
   of LAMMPS' splines the kernels take the coefficients of the values
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::fill_tables()
{
  begin_tables(tables);
  tables.two_site = cdeamVersion == 2;
  tables.h.assign(hcoeff, hcoeff + nhcoeff);
  copy_spline_rows(nrhor, nr, rhor_spline, tables.rhor);
  copy_spline_rows(nz2r, nr, z2r_spline, tables.z2r);

  const auto are = [&](int i, int j, int first, int second) {
    return i == first && j == second;
  };
  for (int i = 1; i <= atom->ntypes; i++)
    for (int j = 1; j <= atom->ntypes; j++) {
      const bool cross = are(i, j, speciesA, speciesB) || are(i, j, speciesB, speciesA);
      tables.of(i, j) = {begin_of_spline(type2rhor[i][j]), begin_of_spline(type2rhor[j][i]),
                         begin_of_spline(type2z2r[i][j]), j == speciesB ? 1.0 : 0.0,
                         cross ? 1.0 : 0.0};
    }
}

/* ----------------------------------------------------------------------
   embedding energies and their derivatives, and concentrations.  An atom that
   is neither A nor B has none, nor has one without density
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::embed(bool energy)
{
  const int *const type = atom->type;
  add_energies([&](int i) {
    const EAMTableIndex index = rhoToTableIndex(rho[i]);
    fp[i] = FPrimeOfRho(index, type[i]);
    const bool depends = (type[i] == speciesA || type[i] == speciesB) && rho[i] != 0.0;
    const double x = depends ? rhoB[i] / rho[i] : 0.0;
    double *const own = values_of(i);
    own[EAMCDAtom::DEPENDS] = depends ? 1.0 : 0.0;
    own[EAMCDAtom::SITE] = tables.two_site ? x : eam_cd_h(tables, x);
    if (!tables.two_site) {
      D_values[i] *= eam_cd_h_slope(tables, x);
      differentiate(i);
    }
    return energy ? FofRho(index, type[i]) : 0.0;
  });
}

/* ----------------------------------------------------------------------
   of the energies that depend on the density of an atom: its own of embedding,
   and those of pairs, which depend on the concentration
------------------------------------------------------------------------- */

void PairEAMCDThreadpool::differentiate(int i)
{
  double *const own = values_of(i);
  D_values[i] = own[EAMCDAtom::DEPENDS] == 0.0 ? 0.0 : D_values[i] / (2.0 * rho[i] * rho[i]);
  own[EAMCDAtom::BY_OTHERS] = fp[i] - D_values[i] * rhoB[i];
  own[EAMCDAtom::BY_B] = fp[i] + D_values[i] * (rho[i] - rhoB[i]);
}

/* ---------------------------------------------------------------------- */

double PairEAMCDThreadpool::spline_bytes() const
{
  return (tables.rhor.size() + tables.z2r.size()) * sizeof(double);
}
