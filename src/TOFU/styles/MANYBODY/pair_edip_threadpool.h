// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(edip/threadpool,PairEDIPThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_EDIP_THREADPOOL_H
#define LMP_PAIR_EDIP_THREADPOOL_H

#include "pair_edip.h"

#include "threadpool/manybody/centers_style.h"

#include "kernels/manybody/edip.h"

#include <vector>

namespace LAMMPS_NS {

class PairEDIPThreadpool : public CentersStyle<PairEDIP> {
 public:
  using CentersStyle::CentersStyle;

 protected:
  void fill_tables() override;
  void kernel(const CenterJob &job) override { TOFU_NS::edip(all, job); }

 private:
  TOFU_NS::EDIPTables all;
  std::vector<double> distances, count_slopes;

  void fill_distances();
};

}    // namespace LAMMPS_NS

#endif
#endif
