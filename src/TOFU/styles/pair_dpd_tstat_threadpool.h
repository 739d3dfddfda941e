// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(dpd/tstat/threadpool,PairDPDTstatThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_DPD_TSTAT_THREADPOOL_H
#define LMP_PAIR_DPD_TSTAT_THREADPOOL_H

#include "pair_dpd_tstat.h"

#include "threadpool/pair/dpd_style.h"

namespace LAMMPS_NS {

class PairDPDTstatThreadpool : public DpdStyle<PairDPDTstat> {
 public:
  using DpdStyle::DpdStyle;

  void compute(int eflag, int vflag) override
  {
    if (t_start != t_stop) temperature = t_start + dpd_on_pool.progress() * (t_stop - t_start);
    compute_dpd(eflag, vflag, false);
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
