// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef TOFU_LONG_RANGE_TABLE_H
#define TOFU_LONG_RANGE_TABLE_H

#include "base/aligned_array.h"
#include "kernels/pair/lj_coul.h"

namespace LAMMPS_NS {
class Pair;
}

namespace TOFU_NS {

/** LAMMPS' table of the short-range part of an Ewald sum of charges, or of dispersion, as rows that
    kernels load. */
class LongRangeTable {
 public:
  /** To be called in each Pair::compute(); copies the table if it has been made anew.

      \param g_ewald      of the long-range solver
      \param cut_coulsq   cut-off squared */
  const LongRange &fill(LAMMPS_NS::Pair *, double g_ewald, double cut_coulsq);

  /** The same with another splitting than that of an Ewald sum.

      \param has_table   whether LAMMPS' style reads its table */
  const LongRange &fill(LAMMPS_NS::Pair *, const SplitCharges &, double cut_coulsq, bool has_table);

  /** The same for dispersion. */
  const LongRange &fill_dispersion(LAMMPS_NS::Pair *, double g_ewald, double cutsq);

  /** See LongRange::double_rsq. */
  void use_double_rsq() { table_.double_rsq = true; }

  /** See LongRange::core_shell. */
  void use_core_shell() { table_.core_shell = true; }

 private:
  /** Columns of LAMMPS' table, each [nentries]: inverse of the width in r^2, then values and their
      differences from one entry to the next. */
  struct Columns {
    const double *dr, *f, *df, *c, *dc, *e, *de;
  };

  LongRange table_;
  AlignedArray<double> forces_, others_;
  AlignedArray<float> single_forces_, single_others_;
  double begin_ = 0.0, end_ = 0.0;    // first and last force of the table that was copied

  const LongRange &fill_charges(LAMMPS_NS::Pair *, double cut_coulsq, int nbits);
  void copy(int nbits, const Columns &from);
};

}    // namespace TOFU_NS

namespace LAMMPS_NS {
using TOFU_NS::LongRangeTable;
}

#endif
