// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "ghost_velocities.h"

#include "atom.h"
#include "atom_vec.h"
#include "domain.h"
#include "lammps.h"

#include <string>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   rows of LAMMPS' arrays follow each other
------------------------------------------------------------------------- */

bool TOFU_NS::velocities_of_ghosts(const LAMMPS *lmp, std::vector<double *> &vectors)
{
  const Atom *const atom = lmp->atom;
  vectors.clear();
  if (!atom->v || atom->avec->bonus_flag || lmp->domain->deform_vremap) return false;
  vectors.push_back(atom->v[0]);
  for (const std::string &field : atom->avec->fields_comm_vel) {
    if (field != "omega") {
      vectors.clear();
      return false;
    }
    vectors.push_back(atom->omega[0]);
  }
  return true;
}
