// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_pressure_threadpool.h"

#include "threadpool/pool/step_sums.h"

#include "domain.h"
#include "error.h"
#include "force.h"
#include "kspace.h"
#include "pair.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

ComputePressureThreadpool::ComputePressureThreadpool(LAMMPS *lmp, int narg, char **arg) :
    ComputeOnPool(lmp, narg, arg),
    virials(RankSum::Of::FORCES, 6, [this](double *mine) { add_virials(mine); })
{
}

/* ---------------------------------------------------------------------- */

double ComputePressureThreadpool::compute_scalar()
{
  RankPool *const threadpool = RankPool::find(lmp);
  if (!threadpool) return ComputePressure::compute_scalar();

  invoked_scalar = update->ntimestep;
  check_tallied(threadpool);
  if (keflag && temperature->invoked_scalar != update->ntimestep) temperature->compute_scalar();
  find_virial(threadpool);

  double trace = keflag ? temperature->dof * boltz * temperature->scalar : 0.0;
  for (int k = 0; k < dimension; k++) trace += virial[k];
  scalar = trace / dimension * inv_volume * nktv2p;
  return scalar;
}

/* ---------------------------------------------------------------------- */

void ComputePressureThreadpool::compute_vector()
{
  RankPool *const threadpool = RankPool::find(lmp);
  if (!threadpool) {
    ComputePressure::compute_vector();
    return;
  }

  invoked_vector = update->ntimestep;
  check_tallied(threadpool);
  if (kspace_virial && force->kspace && force->kspace->scalar_pressure_flag)
    error->all(FLERR,
               "kspace_style {} has the trace of the virial only, and its tensor is wanted; use "
               "kspace_modify pressure/scalar no",
               force->kspace_style);
  if (keflag && temperature->invoked_vector != update->ntimestep) temperature->compute_vector();
  find_virial(threadpool);

  for (int k = 0; k < 6; k++) {
    const bool along_z = k == 2 || k > 3;    // xx, yy, zz, xy, xz, yz
    const double sum = keflag ? temperature->vector[k] + virial[k] : virial[k];
    vector[k] = dimension == 2 && along_z ? 0.0 : sum * inv_volume * nktv2p;
  }
}

/* ---------------------------------------------------------------------- */

void ComputePressureThreadpool::check_tallied(const RankPool *threadpool) const
{
  if (update->vflag_global != update->ntimestep && threadpool->tally_late) threadpool->tally_late();
  if (update->vflag_global != update->ntimestep)
    error->all(FLERR, "Virial was not tallied on needed timestep");
}

/* ---------------------------------------------------------------------- */

double ComputePressureThreadpool::volume() const
{
  const double area = domain->xprd * domain->yprd;
  return dimension == 3 ? area * domain->zprd : area;
}

/* ---------------------------------------------------------------------- */

void ComputePressureThreadpool::add_virials(double *mine) const
{
  std::fill_n(mine, 6, 0.0);
  for (int j = 0; j < nvirial; j++)
    for (int k = 0; k < 6; k++) mine[k] += vptr[j][k];
}

/* ----------------------------------------------------------------------
   that of long-range forces is the same on all ranks, once sums have been made;
   that of the tail of pair forces changes with the box
------------------------------------------------------------------------- */

void ComputePressureThreadpool::find_virial(RankPool *threadpool)
{
  inv_volume = 1.0 / volume();
  std::copy_n(threadpool->sums().of(virials), 6, virial);
  if (kspace_virial)
    for (int k = 0; k < 6; k++) virial[k] += kspace_virial[k];
  if (force->pair && pairflag && force->pair->tail_flag)
    for (int k = 0; k < dimension; k++) virial[k] += force->pair->ptail * inv_volume;
}
