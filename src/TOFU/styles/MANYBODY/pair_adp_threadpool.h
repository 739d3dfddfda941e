// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(adp/threadpool,PairADPThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_ADP_THREADPOOL_H
#define LMP_PAIR_ADP_THREADPOOL_H

#include "pair_adp.h"

#include "threadpool/manybody/embedded_style.h"

#include "kernels/manybody/adp.h"

namespace LAMMPS_NS {

class PairADPThreadpool :
    public EmbeddedStyle<PairADP, TOFU_NS::ADPMoments::STRIDE, TOFU_NS::ADPMoments::N> {
 public:
  using EmbeddedStyle::EmbeddedStyle;
  void compute(int, int) override;

 protected:
  void fill_tables() override;
  double spline_bytes() const override;

 private:
  TOFU_NS::ADPTables tables;

  void embed(bool energy);
};

}    // namespace LAMMPS_NS

#endif
#endif
