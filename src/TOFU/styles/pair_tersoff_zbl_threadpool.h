// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(tersoff/zbl/threadpool,PairTersoffZBLThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_TERSOFF_ZBL_THREADPOOL_H
#define LMP_PAIR_TERSOFF_ZBL_THREADPOOL_H

#include "pair_tersoff_zbl.h"

#include "threadpool/manybody/tersoff_style.h"

#include <array>
#include <cmath>

namespace LAMMPS_NS {

class PairTersoffZBLThreadpool : public TersoffStyle<PairTersoffZBL, TOFU_NS::TersoffForm::ZBL> {
 public:
  using TersoffStyle::TersoffStyle;

 protected:
  std::array<double, 4> nuclei(const Param &p) const override
  {
    constexpr double PI = 3.14159265358979323846;
    const double length = 0.8854 * global_a_0 / (std::pow(p.Z_i, 0.23) + std::pow(p.Z_j, 0.23));
    const double charges = p.Z_i * p.Z_j * global_e * global_e / (4.0 * PI * global_epsilon_0);
    return {charges, 1.0 / length, p.ZBLcut, p.ZBLexpscale};
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
