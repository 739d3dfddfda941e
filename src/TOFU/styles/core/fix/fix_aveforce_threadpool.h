// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(aveforce/threadpool,FixAveForceThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_AVEFORCE_THREADPOOL_H
#define LMP_FIX_AVEFORCE_THREADPOOL_H

#include "fix_aveforce.h"

#include "threadpool/fixes/group_on_pool.h"

#include <array>
#include <string>

namespace LAMMPS_NS {

/** The mean force of a group, and a force in addition, for all its atoms. */
class FixAveForceThreadpool : public GroupFixOnPool<FixAveForce> {
 public:
  FixAveForceThreadpool(class LAMMPS *, int, char **);
  void init() override;
  void post_force(int) override;
  void post_force_respa(int, int, int) override;
  double compute_vector(int n) override { return before[n]; }

 private:
  // what LAMMPS 4Feb2025 has in private members

  std::array<double, 3> added{};
  std::array<std::string, 3> variables;    // of style equal, which tell it; "": a constant
  std::array<bool, 3> averages{};          // a component, else it stays as it is
  std::string region_id;                   // "": everywhere
  Region *region_used = nullptr;
  int level = 0;                     // of rRESPA, where the force is added
  std::array<double, 4> before{};    // sums of forces over ranks, and # of atoms

  void average(bool with_added);
};

}    // namespace LAMMPS_NS

#endif
#endif
