// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(stress/atom/threadpool,ComputeStressAtomThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_STRESS_ATOM_THREADPOOL_H
#define LMP_COMPUTE_STRESS_ATOM_THREADPOOL_H

#include "compute_stress_atom.h"

#include "threadpool/fixes/tallied_atoms.h"

#include <string>

namespace LAMMPS_NS {

/** Velocities with a bias are taken by one thread: a temperature removes it from one atom at a
    time. */
class ComputeStressAtomThreadpool : public TalliedOnPool<ComputeStressAtom, 6, 4> {
 public:
  ComputeStressAtomThreadpool(class LAMMPS *, int, char **);
  void compute_peratom() override;

 private:
  bool kinetic;                  // velocities count, too
  std::string temperature_id;    // "": none

  Compute *bias() const;    // of this step, nullptr: none
};

}    // namespace LAMMPS_NS

#endif
#endif
