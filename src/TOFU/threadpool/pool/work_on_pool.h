// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_WORK_ON_POOL_H
#define LMP_WORK_ON_POOL_H

#include <string>

namespace LAMMPS_NS {

/** What a style with the suffix does itself in the run at hand, for the report in the log.  A style
    that has all its work on the pool, in double precision, need not be derived from it. */
class WorkOnPool {
 public:
  /** Why LAMMPS' own code computes in its place, in a few words; empty if it does not.  Known after
      the first forces of a run. */
  virtual std::string left_to_lammps() const { return ""; }

  /** Whether it computes in single precision. */
  virtual bool in_single_precision() const { return false; }

 protected:
  ~WorkOnPool() = default;
};

}    // namespace LAMMPS_NS

#endif
