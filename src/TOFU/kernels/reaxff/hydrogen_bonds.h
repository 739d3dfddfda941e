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
  std::vector<double> forces;    // [entries][3] on acceptors; written by hydrogen_bonds()

  // the entries of each acceptor

  std::vector<int> atoms;          // acceptors that are in any row
  std::vector<int> first_entry;    // [atoms+1]
  std::vector<int> entries;
};

/** Hydrogen bonds of the owned rows [first, last). */
void hydrogen_bonds(const ReaxSystem &, BondRows &, HydrogenRows &, int first, int last,
                    ReaxTally &);

/** Add forces to the acceptors atoms[first, last). */
void add_acceptor_forces(const HydrogenRows &, int first, int last, double *f);

}    // namespace TOFU_NS

#endif
