// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Arguments of pair_style deepmd.
------------------------------------------------------------------------- */

#ifndef LMP_DEEP_SETTINGS_H
#define LMP_DEEP_SETTINGS_H

#include <string>
#include <vector>

namespace LAMMPS_NS {

struct DeepSettings {
  std::vector<std::string> models;    // names of files
  std::string out_file = "model_devi.out";
  int out_freq = 100;
  bool by_atom = false;                                    // deviation of each atom
  double relative_force = -1.0, relative_virial = -1.0;    // negative: absolute
  std::vector<double> frame_parameters, atom_parameters;
  std::string frame_compute;    // ID of a compute with the parameters of the frame

  DeepSettings() = default;

  /** Read the words behind "pair_style deepmd". */
  DeepSettings(class LAMMPS *, int narg, char **arg);
};

}    // namespace LAMMPS_NS

#endif
