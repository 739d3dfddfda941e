// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(efield/threadpool,FixEfieldThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_EFIELD_THREADPOOL_H
#define LMP_FIX_EFIELD_THREADPOOL_H

#include "fix_efield.h"

#include "threadpool/fixes/group_on_pool.h"

namespace LAMMPS_NS {

/** One field for the charges of the group.  Variables of style atom, and dipoles, are left to fix
    efield. */
class FixEfieldThreadpool : public GroupFixOnPool<FixEfield> {
 public:
  FixEfieldThreadpool(class LAMMPS *, int, char **);
  void post_force(int) override;
  std::string left_to_lammps() const override
  {
    return !is_for_stock() ? ""
        : muflag           ? "dipoles"
                           : "fields and energies that depend on the atom";
  }

 private:
  bool is_for_stock() const;
  template <bool VIRIAL> void push_charges();
};

}    // namespace LAMMPS_NS

#endif
#endif
