// SPDX-License-Identifier: GPL-2.0-only
//
// Settings of kspace_style pppm/offload.

#ifndef LMP_PPPM_SETTINGS_H
#define LMP_PPPM_SETTINGS_H

#include "mesh/fft/fft_choice.h"

namespace LAMMPS_NS {

constexpr const char *PPPM_OFFLOAD = "kspace_style pppm/offload";    // for messages

struct PPPMSettings {
  TOFU_NS::FftSettings fft;
  bool gather = false;            // one rank of each node has the mesh of all of its ranks
  bool always_overlap = false;    // with pair forces, also where that gains no time

  /** Read a keyword of kspace_modify and its value.

      \return   # of arguments taken, 0 if the keyword is not one of these */
  int modify(class LAMMPS *, int narg, char **arg);
};

}    // namespace LAMMPS_NS

#endif
