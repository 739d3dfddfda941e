// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(dpd/threadpool,PairDPDThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_DPD_THREADPOOL_H
#define LMP_PAIR_DPD_THREADPOOL_H

#include "pair_dpd.h"

#include "threadpool/pair/dpd_style.h"

namespace LAMMPS_NS {

class PairDPDThreadpool : public DpdStyle<PairDPD> {
 public:
  using DpdStyle::DpdStyle;

  void compute(int eflag, int vflag) override { compute_dpd(eflag, vflag, true); }
};

}    // namespace LAMMPS_NS

#endif
#endif
