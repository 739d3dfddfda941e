// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/spica/coul/msm/threadpool,PairLJSPICACoulMSMThreadpool);
PairStyle(lj/sdk/coul/msm/threadpool,PairLJSPICACoulMSMThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_SPICA_COUL_MSM_THREADPOOL_H
#define LMP_PAIR_LJ_SPICA_COUL_MSM_THREADPOOL_H

#include "pair_lj_spica_coul_msm.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJSPICACoulMSMThreadpool : public PairTermsStyle<PairLJSPICACoulMSM> {
 public:
  using PairTermsStyle::PairTermsStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
