// SPDX-License-Identifier: GPL-2.0-only
//
// Many pair potentials with one kernel: a potential is a short-range term, a Coulomb term, or their
// sum.  Which terms they are is the same for all pairs of a call, so that one loop, compiled once,
// serves all of them.  Kernels of their own have those potentials that most runs use.

#ifndef TOFU_KERNELS_PAIR_TERMS_H
#define TOFU_KERNELS_PAIR_TERMS_H

#include "pair_terms_data.h"

namespace TOFU_NS {

/** Rows from first up to, not including, last, of half lists, in double precision. */
void pair_terms(const PairTerms &, const PairJob &, int first, int last, PairTally &);

}    // namespace TOFU_NS

#endif
