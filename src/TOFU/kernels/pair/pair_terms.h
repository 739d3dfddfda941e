// SPDX-License-Identifier: GPL-2.0-only
//
// Many pair potentials with one kernel: a potential is a short-range term, a Coulomb term, or their
// sum.  The terms are the same for all pairs of a call, so that one loop, compiled once, serves all
// potentials.  The potentials of most runs have kernels of their own.

#ifndef TOFU_KERNELS_PAIR_TERMS_H
#define TOFU_KERNELS_PAIR_TERMS_H

#include "pair_terms_data.h"

namespace TOFU_NS {

/** Rows [first, last) of half lists, in double precision. */
void pair_terms(const PairTerms &, const PairJob &, int first, int last, PairTally &);

}    // namespace TOFU_NS

#endif
