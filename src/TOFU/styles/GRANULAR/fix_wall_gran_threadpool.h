// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(wall/gran/threadpool,FixWallGranThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_WALL_GRAN_THREADPOOL_H
#define LMP_FIX_WALL_GRAN_THREADPOOL_H

#include "fix_wall_gran.h"

#include "threadpool/pool/fix_on_pool.h"

namespace LAMMPS_NS {

/** The forces are those of fix wall/gran, which gets only the atoms near a wall. */
class FixWallGranThreadpool : public FixOnPool<FixWallGran> {
 public:
  using FixOnPool::FixOnPool;
  void post_force(int) override;
  double memory_usage() override;
  std::string left_to_lammps() const override;

 private:
  std::vector<int> near;    // [nlocal] masks of atoms near a wall, 0 for others

  double cylinder() const;    // its radius; less than 0: this LAMMPS has none
  bool is_cylinder() const;
  void find_near();
  bool is_near_plane(int i) const;
  bool is_near_cylinder(int i) const;
};

}    // namespace LAMMPS_NS

#endif
#endif
