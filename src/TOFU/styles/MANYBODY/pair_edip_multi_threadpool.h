// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(edip/multi/threadpool,PairEDIPMultiThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_EDIP_MULTI_THREADPOOL_H
#define LMP_PAIR_EDIP_MULTI_THREADPOOL_H

#include "pair_edip_multi.h"

#include "threadpool/manybody/centers_style.h"

#include "kernels/manybody/edip_multi.h"

#include <vector>

namespace LAMMPS_NS {

class PairEDIPMultiThreadpool : public CentersStyle<PairEDIPMulti> {
 public:
  using CentersStyle::CentersStyle;

 protected:
  void fill_tables() override;
  void kernel(const CenterJob &job) override { TOFU_NS::edip_multi(all, job); }
  std::string refused_settings() const override;

 private:
  TOFU_NS::EDIPCoefficients all;
  std::vector<double> cutsq_of_pairs, pairs, triples;
  bool supported = true;    // kernels take the coefficients
};

}    // namespace LAMMPS_NS

#endif
#endif
