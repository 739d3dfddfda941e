// SPDX-License-Identifier: GPL-2.0-only
//
// ChargeResults: adds what a mesh gives at the places of charges to forces, energies and virials of
// atoms.
//
// The charge of a water's oxygen may be at a site between the atoms of the molecule
// (kernels/sites/water_sites.h).  Then what belongs to the charge is shared by these atoms.

#ifndef TOFU_MESH_CHARGE_RESULTS_H
#define TOFU_MESH_CHARGE_RESULTS_H

#include "kernels/sites/water_sites.h"
#include "mesh_solver.h"

#include <vector>

namespace TOFU_NS {

/** Charges at the sites of waters. */
struct SiteCharges {
  std::vector<Water> waters;    // of owned oxygens, ascending
  double alpha = 0.0;           // weight of both hydrogens in the place of a charge
};

class ChargeResults {
 public:
  /** \param results   at the places of charges
      \param natoms    # of owned atoms
      \param q         [natoms] charges
      \param qscale    energy of two unit charges at unit distance
      \param sites     nullptr: all charges are at their atoms

      All must live as long as the object. */
  ChargeResults(const MeshResults &results, int natoms, const double *q, double qscale,
                const SiteCharges *sites) :
      results_(results),
      natoms_(natoms), q_(q), qscale_(qscale), sites_(sites)
  {
  }

  /** \param f         [natoms and ghosts][3] added to
      \param along_z   false: forces along z are left out, as with kspace_modify slab nozforce */
  void add_forces(double *f, bool along_z) const;

  /** Without the energy of each charge with itself and with a uniform charge that neutralizes the
      system.

      \param energy    [natoms and ghosts] added to
      \param self      of a unit charge with itself, over qscale
      \param uniform   of a unit charge with the uniform one, over qscale */
  void add_energies(double *energy, double self, double uniform) const;

  /** \param virial   [natoms and ghosts][6] added to */
  void add_virials(double *virial) const;

 private:
  template <class Added> void share(int n, double *values, Added &&added) const;

  const MeshResults &results_;
  const int natoms_;
  const double *const q_;
  const double qscale_;
  const SiteCharges *const sites_;
};

}    // namespace TOFU_NS

#endif
