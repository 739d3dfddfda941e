// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(setforce/threadpool,FixSetForceThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_SETFORCE_THREADPOOL_H
#define LMP_FIX_SETFORCE_THREADPOOL_H

#include "fix_setforce.h"

#include "threadpool/fixes/group_on_pool.h"

#include <array>

namespace LAMMPS_NS {

/** One force for all atoms of the group.  Variables of style atom are left to fix setforce. */
class FixSetForceThreadpool : public GroupFixOnPool<FixSetForce> {
 public:
  using GroupFixOnPool<FixSetForce>::GroupFixOnPool;
  void post_force(int) override;
  void post_force_respa(int, int, int) override;
  std::string left_to_lammps() const override
  {
    return is_for_stock() ? "forces that depend on the atom" : "";
  }

 private:
  bool is_for_stock() const;
  void evaluate_variables();

  /** \return   sums of the forces before, of this rank */
  std::array<double, 3> set_forces(const std::array<double, 3> &to);
};

}    // namespace LAMMPS_NS

#endif
#endif
