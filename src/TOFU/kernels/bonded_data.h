// SPDX-License-Identifier: GPL-2.0-only
//
// Data that the kernels of bonds, angles, dihedrals and impropers read and write.  Units are those
// of the run.

#ifndef TOFU_KERNELS_BONDED_DATA_H
#define TOFU_KERNELS_BONDED_DATA_H

#include "pair_data.h"

#include <vector>

namespace TOFU_NS {

/** The interactions of one part.  Each atom belongs to one part, or to none if it gets no force.  A
    part computes all interactions that its atoms take part in, and changes its own atoms only, so
    that parts may run at the same time. */
struct BondedJob {
  const double *x = nullptr;    // [natoms][3] and one more number that may be read
  double *f = nullptr;          // [natoms][3]
  const int *list = nullptr;    // [..][atoms of an interaction + 1] atoms and type
  const int *order =
      nullptr;    // [n] rows of the list, first those of own atoms alone; nullptr: 0 to n-1
  int n = 0;
  int ninner = 0;                            // those of own atoms alone
  const unsigned char *own = nullptr;        // [n - ninner] of the others: one bit per atom, 1: own
  bool tallied = false;                      // energy and virial are wanted
  std::vector<int> *remarkable = nullptr;    // gets rows of the list that LAMMPS warns about
};

/** Coefficients by type, from 1; their meaning depends on the potential. */
struct BondedCoefficients {
  static constexpr int N = 4;
  const double *table = nullptr;    // [ntypes+1][N]
};

}    // namespace TOFU_NS

#endif
