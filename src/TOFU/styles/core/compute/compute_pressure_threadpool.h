// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(pressure/threadpool,ComputePressureThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_PRESSURE_THREADPOOL_H
#define LMP_COMPUTE_PRESSURE_THREADPOOL_H

#include "compute_pressure.h"

#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/rank_sum.h"

namespace LAMMPS_NS {

/** The sum of the virial over ranks is made together with others that are wanted at the same time.
    */
class ComputePressureThreadpool : public ComputeOnPool<ComputePressure> {
 public:
  ComputePressureThreadpool(class LAMMPS *, int, char **);
  double compute_scalar() override;
  void compute_vector() override;

 private:
  RankSum virials;    // of all that ranks have parts of

  void add_virials(double *) const;
  void check_tallied(const class RankPool *) const;
  double volume() const;
  void find_virial(class RankPool *);
};

}    // namespace LAMMPS_NS

#endif
#endif
