// SPDX-License-Identifier: GPL-2.0-only
//
// Arguments of fix dplr.

#ifndef LMP_DPLR_SETTINGS_H
#define LMP_DPLR_SETTINGS_H

#include <string>
#include <utility>
#include <vector>

namespace LAMMPS_NS {

struct DPLRSettings {
  std::string model;                              // file
  std::vector<std::pair<int, int>> associated;    // atom types, each with that of its centers
  std::vector<int> bond_types;                    // of bonds between atoms and their centers
  std::vector<std::string> field;                 // its three components, or empty
  int pair_number = 0;                            // which of several sub-styles deepmd

  /** Read the words behind "fix ID group dplr". */
  DPLRSettings(class LAMMPS *, int narg, char **arg);
};

}    // namespace LAMMPS_NS

#endif
