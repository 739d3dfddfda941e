// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "kernel_style.h"

#include "atom.h"
#include "force.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

ChargesOfRun LAMMPS_NS::charges_of(LAMMPS *lmp)
{
  return {lmp->atom->q, lmp->force->qqrd2e};
}
