// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_temp_threadpool.h"

#include "lammps/io/command_line.h"
#include "threadpool/pool/step_sums.h"

#include "error.h"
#include "force.h"
#include "update.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

ComputeTempThreadpool::ComputeTempThreadpool(LAMMPS *lmp, int narg, char **arg) :
    ComputeOnPool(lmp, narg, arg), sums(lmp, groupbit)
{
  const bool lammps_begins = !output;    // and makes this compute for thermodynamic output
  if (lammps_begins) TOFU_NS::begin_with_default_comm(lmp);
}

/* ----------------------------------------------------------------------
   atoms come to a dynamic group, and leave it, at any time
------------------------------------------------------------------------- */

void ComputeTempThreadpool::setup()
{
  ComputeTemp::setup();
  sums.squares.group = sums.products.group = dynamic ? -1 : igroup;
}

/* ---------------------------------------------------------------------- */

double ComputeTempThreadpool::compute_scalar()
{
  RankPool *const threadpool = RankPool::find(lmp);
  if (!threadpool) return ComputeTemp::compute_scalar();

  invoked_scalar = update->ntimestep;
  scalar = *threadpool->sums().of(sums.squares);
  if (dynamic) dof_compute();
  if (dof < 0.0 && natoms_temp > 0.0)
    error->all(FLERR, "Temperature compute degrees of freedom < 0");
  scalar *= tfactor;
  return scalar;
}

/* ---------------------------------------------------------------------- */

void ComputeTempThreadpool::compute_vector()
{
  RankPool *const threadpool = RankPool::find(lmp);
  if (!threadpool) {
    ComputeTemp::compute_vector();
    return;
  }

  invoked_vector = update->ntimestep;
  const double *const products = threadpool->sums().of(sums.products);
  for (int k = 0; k < 6; k++) vector[k] = products[k] * force->mvv2e;
}
