// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(pe/threadpool,ComputePEThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_PE_THREADPOOL_H
#define LMP_COMPUTE_PE_THREADPOOL_H

#include "compute_pe.h"

#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/rank_sum.h"

namespace LAMMPS_NS {

/** The sum of energies over ranks is made together with others that are wanted at the same time. */
class ComputePEThreadpool : public ComputeOnPool<ComputePE> {
 public:
  ComputePEThreadpool(class LAMMPS *, int, char **);
  double compute_scalar() override;

 private:
  bool pairs, bonds, angles, dihedrals, impropers, long_range, fixes;    // what is summed
  RankSum energies;    // of all that ranks have parts of

  void add_energies(double *) const;
};

}    // namespace LAMMPS_NS

#endif
#endif
