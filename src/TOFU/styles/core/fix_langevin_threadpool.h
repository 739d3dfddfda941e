// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(langevin/threadpool,FixLangevinThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_LANGEVIN_THREADPOOL_H
#define LMP_FIX_LANGEVIN_THREADPOOL_H

#include "fix_langevin.h"

#include "kernels/motion/mars_sequence.h"
#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/rank_sum.h"

#include <array>
#include <string>
#include <vector>

namespace LAMMPS_NS {

/** Each atom gets the random numbers that it would get from fix langevin, for any number of parts.
    The mean random force (zero yes) is one sum over ranks, the energy (tally yes) one of those that
    are made together. */
class FixLangevinThreadpool : public FixOnPool<FixLangevin> {
 public:
  FixLangevinThreadpool(class LAMMPS *, int, char **);
  void post_force(int) override;
  double compute_scalar() override;
  double memory_usage() override;
  std::string left_to_lammps() const override { return has_gjf() ? "gjf" : ""; }

 private:
  std::vector<TOFU_NS::MarsSequence> sequences;           // [nparts]
  std::array<double, TOFU_NS::RAN_MARS_STATE> state{};    // of the generator
  std::vector<int> begins;         // [ngrains+1] # of atoms of the group before each GRAIN of atoms
  std::array<double, 4> mine{};    // random force [3] and # of atoms of the group, of this rank
  RankSum random_forces, energies;

  bool has_gjf() const;
  bool is_for_stock() const;
  void room_for_tally();
  void count_group();
  int group_before(int i) const;
  void push_in_parts();
  template <bool BIAS, bool SUM> void push_in_order();
  template <bool BIAS, bool SUM>
  void push_drawn(TOFU_NS::MarsSequence &, int first, int last);
  template <bool BIAS, bool SUM> void push(int first, int last, const float *number);
  void zero();
};

}    // namespace LAMMPS_NS

#endif
#endif
