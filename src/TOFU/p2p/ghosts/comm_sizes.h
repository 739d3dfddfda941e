// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef TOFU_COMM_SIZES_H
#define TOFU_COMM_SIZES_H

namespace TOFU_NS {

/** Members of LAMMPS' Comm that only classes derived from it see, as of the last Comm::init(): # of
    values per atom. */
struct CommSizes {
  int forward = 0, reverse = 0, border = 0;    // that the atom style sends
  int most_forward = 0, most_reverse = 0;      // the most that it or another style sends
  bool x_only = false;                         // ghosts get positions and nothing else in a step
  bool f_only = false;                         // they return forces and nothing else
};

}    // namespace TOFU_NS

#endif
