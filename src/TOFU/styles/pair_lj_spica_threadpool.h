// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/spica/threadpool,PairLJSPICAThreadpool);
PairStyle(lj/sdk/threadpool,PairLJSPICAThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_SPICA_THREADPOOL_H
#define LMP_PAIR_LJ_SPICA_THREADPOOL_H

#include "pair_lj_spica.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJSPICAThreadpool : public PairTermsStyle<PairLJSPICA> {
 public:
  using PairTermsStyle::PairTermsStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
