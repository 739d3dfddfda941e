// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_MASSES_OF_H
#define LMP_MASSES_OF_H

#include "kernels/motion/atom_motion.h"

#include "atom.h"

namespace LAMMPS_NS {

/** Masses of all owned atoms, for kernels that change the atoms of a group (its bit). */
inline TOFU_NS::AtomMasses masses_of(const Atom *atom, int group)
{
  return {atom->nlocal, atom->rmass, atom->mass, atom->type, atom->ntypes == 1, atom->mask, group};
}

/** The same for kernels that change all atoms, those in no group as well. */
inline TOFU_NS::AtomMasses masses_of(const Atom *atom)
{
  TOFU_NS::AtomMasses all = masses_of(atom, 0);
  all.mask = nullptr;
  return all;
}

}    // namespace LAMMPS_NS

#endif
