// SPDX-License-Identifier: GPL-2.0-only
//
// Data of the Coulomb parts of pair potentials, in addition to the coefficients of pairs of types.

#ifndef TOFU_KERNELS_COULOMB_H
#define TOFU_KERNELS_COULOMB_H

#include "kernels/data/pair_data.h"

namespace TOFU_NS {

/** CHARMM's switching function between two distances. */
struct Switching {
  double innersq = 0.0, outersq = 0.0;
  double inverse_denominator = 0.0;    // 1 / (outersq - innersq)^3
};

/** The splitting of charges that multilevel summation has in place of an error function, with
    x = r / cut-off (Hardy et al., Parallel Computing 35, 164 (2009)):
       force * r = q^2/r (1 + x^2 x (dgamma[0] + dgamma[1] x^2 + ...))
       energy    = q^2/r (1 - x (gamma[0] + gamma[1] x^2 + ...)) */
struct SplitCharges {
  static constexpr int MOST = 8;

  int n = 0;    // of dgamma, which gamma has one more of; 0: an error function
  double gamma[MOST] = {}, dgamma[MOST] = {};
};

/** The short-range part of an Ewald sum, of charges or of dispersion.  Data for all pairs are
    separate from data for some pairs, so that they stay in the cache.  An entry has the value at
    the r^2 whose lower bits are 0; values between entries are linear in r^2. */
struct LongRange {
  /** Values from one entry of forces to the next: single precision loads rows of four. */
  static constexpr int stride(double) { return 2; }
  static constexpr int stride(float) { return 4; }

  double g_ewald = 0.0, cutsq = 0.0;
  double innersq = 0.0;       // r^2 from which on the table is used; below, it is computed
  PairTable forces;           // [nentries][stride] force, its slope
  PairTable others;           // [nentries][4] bare force, its slope, energy, its slope
  int nentries = 1;           // a power of two
  int mask = 0, shift = 0;    // bits of r^2 in single precision that are the entry

  // as in lj/long/coul/long and similar styles: r^2 between entries is in double precision, and the
  // part that special pairs lack is rounded to single precision

  bool double_rsq = false;
  bool core_shell = false;    // as in coul/long/cs and similar styles
  SplitCharges splitting;
};

/** Summands of LAMMPS for a core and its shell, which may be at the same position. */
struct CoreShell {
  static constexpr double ADDED_RSQ = 1e-20;    // to r^2 of all pairs

  // to r of bonded pairs without table, in the error function

  static constexpr double BOND = 1e-6;
};

}    // namespace TOFU_NS

#endif
