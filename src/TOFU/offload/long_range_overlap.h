// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Interface of fix KSPACE_OVERLAP to a kspace style whose work may run beside the pair forces.

#ifndef LMP_LONG_RANGE_OVERLAP_H
#define LMP_LONG_RANGE_OVERLAP_H

namespace LAMMPS_NS {

class LongRangeOverlap {
 public:
  /** To be called once before the first step of a run.  All ranks. */
  virtual void prepare() = 0;

  /** Positions and charges of this step are final: compute() will be called after the pair forces.
      All ranks.

      \param vflag   of this step */
  virtual void start(int vflag) = 0;

  /** The forces of this step are complete, whether compute() was called or not.  All ranks. */
  virtual void end() = 0;

  /** Print the statistics of a run.  All ranks. */
  virtual void print_statistics() = 0;

 protected:
  ~LongRangeOverlap() = default;
};

}    // namespace LAMMPS_NS

#endif
