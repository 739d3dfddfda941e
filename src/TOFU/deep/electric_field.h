// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   A homogeneous electric field, constant or from variables of equal style: the
   forces on charges, and their energy and virial with unwrapped positions.
------------------------------------------------------------------------- */

#ifndef LMP_ELECTRIC_FIELD_H
#define LMP_ELECTRIC_FIELD_H

#include "pointers.h"

#include <array>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class ElectricField : protected Pointers {
 public:
  /** No field. */
  explicit ElectricField(LAMMPS *lmp) : Pointers(lmp) {}

  /** \param words   a number or v_name for each component, in the unit of the run */
  void set(const std::array<std::string, 3> &words);

  /** In init(): whether variables are there. */
  void init();

  /** Add the forces on owned atoms of this step.

      \param forces   [3*nlocal] */
  void add_forces(std::vector<double> &forces);

  // what add_forces() has summed up

  const std::array<double, 6> &virial() const { return mine_virial; }    // of this rank
  double energy();                                                       // of all ranks; collective
  double force_along(int dim);                                           // the same

 private:
  struct Component {
    std::string variable;    // or empty
    double value = 0.0;      // force on a unit charge
  };
  std::array<Component, 3> components;
  std::array<double, 6> mine_virial{};
  std::array<double, 4> mine{}, all{};    // energy, force
  bool summed = false;

  void sum_up();
};

}    // namespace LAMMPS_NS

#endif
