// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_BIN_USER_H
#define LMP_BIN_USER_H

namespace LAMMPS_NS {

/** A neighbor list build that reads the bins of Neighbor only for some lists. */
class BinUser {
 public:
  /** Whether it builds this list without the bins. */
  virtual bool can_build(const class NeighList *) const = 0;

 protected:
  ~BinUser() = default;
};

}    // namespace LAMMPS_NS

#endif
