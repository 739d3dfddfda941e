// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(reduce/threadpool,ComputeReduceThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_REDUCE_THREADPOOL_H
#define LMP_COMPUTE_REDUCE_THREADPOOL_H

#include "compute_reduce.h"

#include "threadpool/fixes/group_loops.h"

namespace LAMMPS_NS {

/** Values of atoms, but for variables, of the group of a compute.  Local values, variables and mode
    minabs are left to compute reduce. */
class ComputeReduceThreadpool : public GroupComputeOnPool<ComputeReduce> {
 public:
  ComputeReduceThreadpool(class LAMMPS *, int, char **);

 protected:
  double compute_one(int, int) override;
  bigint count(int) override;

 private:
  struct Column;
  Column column_of(value_t &);
  template <class Key> double best_of(const Column &, double worst, const Key &);
};

}    // namespace LAMMPS_NS

#endif
#endif
