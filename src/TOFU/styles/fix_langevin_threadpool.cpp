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

#include "fix_langevin_threadpool.h"

#include "atom.h"
#include "compute.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "input.h"
#include "random_mars.h"
#include "update.h"
#include "variable.h"

#include "kernels/ran_mars_block.h"

#include <cmath>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

static constexpr int FEW = 32;    // atoms that are not worth taking the generator apart

/* ----------------------------------------------------------------------
   tally and gjf, which keep forces of each atom, need the end of the step
------------------------------------------------------------------------- */

bool FixLangevinThreadpool::is_for_stock()
{
  return atom->nlocal < FEW || (setmask() & END_OF_STEP);
}

/* ---------------------------------------------------------------------- */

void FixLangevinThreadpool::post_force(int vflag)
{
  if (is_for_stock()) {
    FixLangevin::post_force(vflag);
    return;
  }
  compute_target();
  const bigint count = zeroflag ? group->count(igroup) : 0;
  if (zeroflag && count == 0) error->all(FLERR, "Cannot zero Langevin force of 0 atoms");
  if (tbiasflag) temperature->compute_scalar();

  // a compute removes the bias of one atom at a time, and what is to be zeroed is summed in the
  // order of atoms, lest it depend on the number of parts

  const int nlocal = atom->nlocal;
  const int nparts = tbiasflag || zeroflag ? 1 : parts_for_atoms(threadpool, nlocal);
  draw(nparts);
  double sum[3] = {0.0, 0.0, 0.0};
  for_parts_of_atoms(threadpool, nparts, nlocal, [&](int part, int first, int last) {
    const float *const number = numbers.data() + 3 * static_cast<std::size_t>(begins[part]);
    if (tbiasflag)
      zeroflag ? push<true, true>(first, last, number, sum)
               : push<true, false>(first, last, number, sum);
    else
      zeroflag ? push<false, true>(first, last, number, sum)
               : push<false, false>(first, last, number, sum);
  });
  if (zeroflag) zero(sum, count);

  if (oflag) omega_thermostat();
  if (ascale != 0.0) angmom_thermostat();
}

/* ----------------------------------------------------------------------
   three numbers for each atom of the group, in the order of atoms
------------------------------------------------------------------------- */

void FixLangevinThreadpool::draw(int nparts)
{
  const int nlocal = atom->nlocal, *const mask = atom->mask;
  begins.assign(nparts + 1, 0);
  for_parts_of_atoms(threadpool, nparts, nlocal, [&](int part, int first, int last) {
    int n = 0;
    for (int i = first; i < last; i++) n += (mask[i] & groupbit) != 0;
    begins[part + 1] = n;
  });
  for (int part = 0; part < nparts; part++) begins[part + 1] += begins[part];

  double state[RAN_MARS_STATE];
  random->get_state(state);
  const int n = 3 * begins[nparts];
  ran_mars_block(state, n, numbers.room(n));
  random->set_state(state);
}

/* ----------------------------------------------------------------------
   drag and random forces.  Expressions have the form that they have in fix
   langevin, since compilers fuse products and sums by their form
------------------------------------------------------------------------- */

template <bool BIAS, bool ZERO>
void FixLangevinThreadpool::push(int first, int last, const float *number, double *sum)
{
  double *const *const v = atom->v, *const *const f = atom->f;
  const double *const rmass = atom->rmass;
  const int *const type = atom->type, *const mask = atom->mask;
  const bool per_atom = tstr && input->variable->atomstyle(tvar);
  const double ftm2v = force->ftm2v;
  const double root = sqrt(24.0 * force->boltz / t_period / update->dt / force->mvv2e);
  double fsum[3] = {0.0, 0.0, 0.0}, fdrag[3], fran[3];

  for (int i = first; i < last; i++) {
    if (!(mask[i] & groupbit)) continue;
    const double tsqrt_i = per_atom ? sqrt(tforce[i]) : tsqrt;
    double gamma1, gamma2;
    if (rmass) {
      gamma1 = -rmass[i] / t_period / ftm2v;
      gamma2 = sqrt(rmass[i]) * root / ftm2v;
      gamma1 *= 1.0 / ratio[type[i]];
      gamma2 *= 1.0 / sqrt(ratio[type[i]]) * tsqrt_i;
    } else {
      gamma1 = gfactor1[type[i]];
      gamma2 = gfactor2[type[i]] * tsqrt_i;
    }

    for (int k = 0; k < 3; k++) fran[k] = gamma2 * (static_cast<double>(number[k]) - 0.5);
    number += 3;
    if (BIAS) temperature->remove_bias(i, v[i]);
    for (int k = 0; k < 3; k++) {
      fdrag[k] = gamma1 * v[i][k];
      if (BIAS && v[i][k] == 0.0) fran[k] = 0.0;    // it does not take part
    }
    if (BIAS) temperature->restore_bias(i, v[i]);
    for (int k = 0; k < 3; k++) f[i][k] += fdrag[k] + fran[k];
    if (ZERO)
      for (int k = 0; k < 3; k++) fsum[k] += fran[k];
  }
  if (ZERO)
    for (int k = 0; k < 3; k++) sum[k] = fsum[k];
}

/* ----------------------------------------------------------------------
   take the mean random force from each atom of the group
------------------------------------------------------------------------- */

void FixLangevinThreadpool::zero(const double *sum, bigint count)
{
  double mean[3];
  MPI_Allreduce(sum, mean, 3, MPI_DOUBLE, MPI_SUM, world);
  for (double &component : mean) component /= count;

  double *const f = atom->f[0];
  const int *const mask = atom->mask;
  for_atoms(threadpool, atom->nlocal, [&](int first, int last) {
    for (int i = first; i < last; i++)
      if (mask[i] & groupbit)
        for (int k = 0; k < 3; k++) f[3 * i + k] -= mean[k];
  });
}

/* ---------------------------------------------------------------------- */

double FixLangevinThreadpool::memory_usage()
{
  return FixLangevin::memory_usage() + numbers.nbytes();
}
