// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of the neighbors within the cut-off, for potentials of embedded atoms, which read them twice
// in a step.

#ifndef TOFU_KERNELS_INSIDE_ROWS_H
#define TOFU_KERNELS_INSIDE_ROWS_H

#include <vector>

namespace TOFU_NS {

/** The neighbors within the cut-off; written by the first pass, read by the second. */
struct EAMInside {
  std::vector<int *> first;       // [natoms] begin of the row of each atom
  std::vector<int> nneighbors;    // [natoms]
};

}    // namespace TOFU_NS

#endif
