// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "dpd_on_pool.h"

#include "atom.h"
#include "force.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

bool DpdOnPool::can_compute() const
{
  return atom->tag_enable != 0;
}

/* ---------------------------------------------------------------------- */

const double *DpdOnPool::ids()
{
  const int natoms = atom->nlocal + atom->nghost;
  double *const to = numbers.room(natoms);
  std::copy_n(atom->tag, natoms, to);
  return to;
}

/* ---------------------------------------------------------------------- */

DpdCoefficients DpdOnPool::coefficients(double temperature, int seed) const
{
  DpdCoefficients c;
  c.ntypes = atom->ntypes;
  c.noise = 2.0 * force->boltz * temperature / update->dt;
  c.seed = static_cast<std::uint32_t>(seed);
  c.step = static_cast<std::uint64_t>(update->ntimestep);
  c.v = atom->nlocal + atom->nghost ? atom->v[0] : nullptr;
  return c;
}

/* ---------------------------------------------------------------------- */

double DpdOnPool::progress() const
{
  const auto steps = static_cast<double>(update->ntimestep - update->beginstep);
  return steps == 0.0 ? 0.0 : steps / static_cast<double>(update->endstep - update->beginstep);
}
