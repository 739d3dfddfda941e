// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Interface of a kspace style that hands its forces to fix dplr, which adds them to atoms.

#ifndef LMP_FORCES_OF_CHARGES_H
#define LMP_FORCES_OF_CHARGES_H

#include <vector>

namespace LAMMPS_NS {

class ForcesOfCharges {
 public:
  /** Angstrom: so far may Wannier centers be from their atoms, which themselves may have moved by
      half the skin.  The mesh of such a style has room for them. */
  static constexpr double LONGEST_DIPOLE = 1.0;

  /** [3*nlocal] long-range force on each owned atom, in units of the run, after compute() of the
      kspace style: the style has not added it to forces of atoms.  Empty if the style adds its
      forces itself.  Valid until the next compute(). */
  virtual const std::vector<double> &forces_of_charges() const = 0;

 protected:
  ~ForcesOfCharges() = default;
};

}    // namespace LAMMPS_NS

#endif
