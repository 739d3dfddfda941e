// SPDX-License-Identifier: GPL-2.0-only
//
// RowCost: the work of this rank's rows in units, and the time that a unit takes.  A unit is a row,
// or an atom of a row (keyword weight).

#ifndef LMP_ROW_COST_H
#define LMP_ROW_COST_H

#include "pointers.h"

#include "balance/work_plan.h"

#include <cstdint>
#include <vector>

namespace LAMMPS_NS {

class RowCost : protected Pointers {
 public:
  explicit RowCost(LAMMPS *lmp) : Pointers(lmp) {}

  /** Forget times and counts of the run before. */
  void init();

  /** Before lists are built: each owned atom has a row, which costs a unit. */
  void set_one_per_atom();

  /** After lists are built: a row costs a unit, or one for each neighbor and one for the atom.

      \param by_neighbors   the latter */
  void measure_rows(const class RowLists &, bool by_neighbors);

  const std::vector<std::int64_t> &of_row() const { return units_of_row; }    // [nlocal]

  /** # of owned atoms with a row. */
  std::int64_t nrows() const;

  /** Units of the rows that this rank owns.

      \param timed   with the time of a unit since the last call; LAMMPS' timer begins anew with
                     each run, and the first call of a run has no time */
  TOFU_NS::MeasuredWork work(bool timed);

  /** Count the units that pair styles compute from now on, for the time of one. */
  void count_computed(const RowLists &);

 private:
  std::vector<std::int64_t> units_of_row;
  std::int64_t computed = 0;      // units that this rank computes in a step
  bigint computed_since = 0;      // step
  double units_done = 0.0;        // since the last work()
  double seconds_before = 0.0;    // of the timer of pair styles, at the last work()
};

}    // namespace LAMMPS_NS

#endif
