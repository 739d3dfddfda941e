// SPDX-License-Identifier: GPL-2.0-only
//
// Hydrogen bonds X-H..Z.

#ifndef TOFU_KERNELS_REAXFF_HYDROGEN_BONDS_H
#define TOFU_KERNELS_REAXFF_HYDROGEN_BONDS_H

#include "bond_rows.h"

#include <vector>

namespace TOFU_NS {

/** Acceptors Z that may be near hydrogen atoms. */
struct HydrogenRows {
  std::vector<int> first;        // [owned+1] begin of the entries of each owned atom
  std::vector<int> acceptors;    // [entries]
};

/** Hydrogen bonds of the owned rows [first, last).

    \param forces   [natoms][4] on acceptors, added to */
void hydrogen_bonds(const ReaxSystem &, BondRows &, const HydrogenRows &, int first, int last,
                    double *forces, ReaxTally &);

}    // namespace TOFU_NS

#endif
