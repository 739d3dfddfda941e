// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(morse/threadpool,PairMorseThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_MORSE_THREADPOOL_H
#define LMP_PAIR_MORSE_THREADPOOL_H

#include "pair_morse.h"

#include "threadpool/pair/pairwise_style.h"

namespace LAMMPS_NS {

class PairMorseThreadpool : public PairwiseStyle<PairMorse, PairOnPool::Preferred::HALF> {
 public:
  using PairwiseStyle::PairwiseStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
