/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_PPPM_WATER_CHARGES_H
#define LMP_PPPM_WATER_CHARGES_H

#include "base/aligned_array.h"
#include "base/parts.h"
#include "kernels/sites/water_sites.h"
#include "lammps/last_build.h"

#include "pointers.h"

#include <vector>

namespace LAMMPS_NS {

/** Where the charges of owned atoms are when those of oxygens of TIP4P water are beside them, and
    how what acts on such a charge gets to the atoms of the molecule.  Hydrogens may be ghosts. */
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

  /** Take from oxygens what belongs to their hydrogens, after place().

      \param n        values of an atom
      \param values   [nlocal+nghost][n]
      \param added    added(i, k) has been added to values of oxygen i as value k */
  template <class Added> void share(int n, double *values, Added &&added) const
  {
    const auto at = [=](int i, int k) -> double & {
      return values[static_cast<std::size_t>(n) * i + k];
    };
    for (const TOFU_NS::Water &water : waters)
      for (int k = 0; k < n; k++) {
        const double part = 0.5 * alpha * added(water.oxygen, k);
        at(water.oxygen, k) -= 2.0 * part;
        at(water.hydrogens[0], k) += part;
        at(water.hydrogens[1], k) += part;
      }
  }

  double memory_usage() const;

 private:
  int typeO = 0, typeH = 0;
  double alpha = 0.0;

  std::vector<TOFU_NS::Water> waters;    // of owned oxygens, ascending
  TOFU_NS::LastBuild made_after;
  int made_of = -1;    // atoms, owned and ghosts

  TOFU_NS::AlignedArray<double> places;    // [nlocal][3]

  void find_waters();
};

}    // namespace LAMMPS_NS

#endif
