// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef TOFU_COMM_SIZES_H
#define TOFU_COMM_SIZES_H

namespace TOFU_NS {

/** Members of LAMMPS' Comm that only classes derived from it see, as of the last Comm::init(): # of
    values per atom. */
struct CommSizes {
  int forward = 0, reverse = 0, border = 0;    // of atoms
  int most_forward = 0, most_reverse = 0;      // of atoms and styles
  bool x_only = false, f_only = false;         // atoms send positions, return forces alone
};

}    // namespace TOFU_NS

#endif
