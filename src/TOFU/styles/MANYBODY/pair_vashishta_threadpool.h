// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(vashishta/threadpool,PairVashishtaThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_VASHISHTA_THREADPOOL_H
#define LMP_PAIR_VASHISHTA_THREADPOOL_H

#include "pair_vashishta.h"

#include "threadpool/manybody/centers_style.h"

#include "kernels/manybody/vashishta.h"

#include <vector>

namespace LAMMPS_NS {

class PairVashishtaThreadpool : public CentersStyle<PairVashishta> {
 public:
  PairVashishtaThreadpool(class LAMMPS *);
  void init_style() override;

 protected:
  void fill_tables() override;
  void kernel(const CenterJob &job) override { TOFU_NS::vashishta(all, job); }
  std::string refused_settings() const override;

 private:
  TOFU_NS::VashishtaCoefficients all;
  std::vector<double> cutsq_of_pairs, pairs, near_cutsq, near, triples;
  bool symmetric = true;    // both atoms of a pair agree about its energy

  void fill_pairs();
};

}    // namespace LAMMPS_NS

#endif
#endif
