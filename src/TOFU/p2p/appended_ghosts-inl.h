// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// For the source files of AppendedGhosts.

#ifndef LMP_APPENDED_GHOSTS_INL_H
#define LMP_APPENDED_GHOSTS_INL_H

#include "appended_ghosts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

namespace LAMMPS_NS {

struct AppendedGhosts::AppendedSwap {
  TOFU_NS::HaloSwap swap;
  std::vector<int> sent;    // local indices of atoms
  int first, nrecv;         // first ghost, # of ghosts
};

/** A swap that sends owned atoms to a rank, displaced by box lengths. */
inline TOFU_NS::HaloSwap swap_to(int rank, const std::array<int, 3> &box_shift)
{
  TOFU_NS::HaloSwap swap;
  std::copy(box_shift.begin(), box_shift.end(), swap.pbc);
  swap.pbc[3] = swap.pbc[4] = box_shift[2];    // yz and xz come with z
  swap.pbc[5] = box_shift[1];                  // xy comes with y
  swap.pbc_flag = box_shift[0] || box_shift[1] || box_shift[2];
  swap.sendproc = rank;
  return swap;
}

inline void append_bytes(std::vector<char> &bytes, const void *data, std::size_t nbytes)
{
  const auto raw = static_cast<const char *>(data);
  bytes.insert(bytes.end(), raw, raw + nbytes);
}

}    // namespace LAMMPS_NS

#endif
