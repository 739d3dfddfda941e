// SPDX-License-Identifier: GPL-2.0-only
//
// Coulomb forces between charges beside the positions of their atoms, as in four-point models of
// water.  A pair of charges interacts if its atoms are within a cut-off, and the charges are, too.

#ifndef TOFU_KERNELS_CHARGE_SITES_H
#define TOFU_KERNELS_CHARGE_SITES_H

#include "kernels/data/pair_data.h"
#include "kernels/pair/coulomb.h"

namespace TOFU_NS {

struct SiteCutoffs {
  double atoms_cutsq = 0.0;      // of atoms, PairAtoms::near_rows of the job
  double charges_cutsq = 0.0;    // of their charges, PairAtoms::rows; at most that of atoms
};

/** Each for rows of a half list, with forces on ghosts, [first, last).  The
    force on a charge is added to the row of its atom, and so are energy and virial.

    \param qqrd2e   of the unit system */
void charge_sites_cut(const SiteCutoffs &, double qqrd2e, const PairJob &, int first, int last,
                      PairTally &);
void charge_sites_long(const SiteCutoffs &, double qqrd2e, const LongRange &, const PairJob &,
                       int first, int last, PairTally &);

}    // namespace TOFU_NS

#endif
