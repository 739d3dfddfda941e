// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_PPPM_WATER_CHARGES_H
#define LMP_PPPM_WATER_CHARGES_H

#include "base/aligned_array.h"
#include "base/parts.h"
#include "lammps/last_build.h"
#include "mesh/charge_results.h"

#include "pointers.h"

namespace LAMMPS_NS {

/** Places of the charges of owned atoms when those of oxygens of TIP4P water are at sites between
    the atoms of the molecule.  Hydrogens may be ghosts. */
class WaterCharges : protected Pointers {
 public:
  explicit WaterCharges(class LAMMPS *lmp) : Pointers(lmp) {}

  /** In KSpace::init().

      \param oxygen, hydrogen   types of atoms
      \param alpha              weight of both hydrogens in the place of a charge */
  void set_model(int oxygen, int hydrogen, double alpha);

  /** As in LAMMPS an error of this rank if it lacks a hydrogen of an owned oxygen, or if that has
      another type.

      \return   [nlocal][3] for the present positions, until the next call */
  const double *place(const TOFU_NS::Parts &);

  /** Of the last place(). */
  const TOFU_NS::SiteCharges &sites() const { return site_charges; }

  double memory_usage() const;

 private:
  int typeO = 0, typeH = 0;
  TOFU_NS::SiteCharges site_charges;
  TOFU_NS::LastBuild made_after;
  int made_of = -1;    // atoms, owned and ghosts

  TOFU_NS::AlignedArray<double> places;    // [nlocal][3]

  void find_waters();
};

}    // namespace LAMMPS_NS

#endif
