// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_temp_threadpool.h"

#include "lammps/io/command_line.h"
#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/step_sums.h"

#include "atom.h"
#include "error.h"
#include "force.h"
#include "update.h"

#include <algorithm>
#include <array>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

ComputeTempThreadpool::ComputeTempThreadpool(LAMMPS *lmp, int narg, char **arg) :
    ComputeTemp(lmp, narg, arg),
    squares(RankSum::Of::VELOCITIES, 1, [this](double *mine) { add_squares(mine); }),
    tensor(RankSum::Of::VELOCITIES, 6, [this](double *mine) { add_tensor(mine); })
{
  const bool lammps_begins = !output;    // and makes this compute for thermodynamic output
  if (lammps_begins) TOFU_NS::begin_with_default_comm(lmp);
}

/* ----------------------------------------------------------------------
   not in the constructor: the compute of thermodynamic output is there before
   package threadpool
------------------------------------------------------------------------- */

void ComputeTempThreadpool::init()
{
  ComputeTemp::init();
  RankPool::of(lmp);
}

/* ----------------------------------------------------------------------
   atoms come to a dynamic group, and leave it, at any time
------------------------------------------------------------------------- */

void ComputeTempThreadpool::setup()
{
  ComputeTemp::setup();
  squares.group = tensor.group = dynamic ? -1 : igroup;
}

/* ---------------------------------------------------------------------- */

void ComputeTempThreadpool::add_squares(double *mine) const
{
  const double *const v = atom->nlocal ? atom->v[0] : nullptr, *const rmass = atom->rmass,
                      *const mass = atom->mass;
  const int *const type = atom->type, *const mask = atom->mask;

  mine[0] = sum_over_atoms<1>(RankPool::find(lmp), atom->nlocal, [&](int first, int last) {
    double t = 0.0;
    for (int i = first; i < last; i++)
      if (mask[i] & groupbit)
        t += (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]) *
            (rmass ? rmass[i] : mass[type[i]]);
    return std::array<double, 1>{t};
  })[0];
}

/* ---------------------------------------------------------------------- */

void ComputeTempThreadpool::add_tensor(double *mine) const
{
  const double *const v = atom->nlocal ? atom->v[0] : nullptr, *const rmass = atom->rmass,
                      *const mass = atom->mass;
  const int *const type = atom->type, *const mask = atom->mask;

  const auto sums = sum_over_atoms<6>(RankPool::find(lmp), atom->nlocal, [&](int first, int last) {
    std::array<double, 6> t{};
    for (int i = first; i < last; i++) {
      if (!(mask[i] & groupbit)) continue;
      const double massone = rmass ? rmass[i] : mass[type[i]];
      const double *const vi = v + 3 * i;
      t[0] += massone * vi[0] * vi[0];
      t[1] += massone * vi[1] * vi[1];
      t[2] += massone * vi[2] * vi[2];
      t[3] += massone * vi[0] * vi[1];
      t[4] += massone * vi[0] * vi[2];
      t[5] += massone * vi[1] * vi[2];
    }
    return t;
  });
  std::copy(sums.begin(), sums.end(), mine);
}

/* ---------------------------------------------------------------------- */

double ComputeTempThreadpool::compute_scalar()
{
  RankPool *const threadpool = RankPool::find(lmp);
  if (!threadpool) return ComputeTemp::compute_scalar();

  invoked_scalar = update->ntimestep;
  scalar = *threadpool->sums().of(squares);
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
  const double *const sums = threadpool->sums().of(tensor);
  for (int k = 0; k < 6; k++) vector[k] = sums[k] * force->mvv2e;
}
