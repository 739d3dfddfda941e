// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(coord/atom/threadpool,ComputeCoordAtomThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_COORD_ATOM_THREADPOOL_H
#define LMP_COMPUTE_COORD_ATOM_THREADPOOL_H

#include "compute_coord_atom.h"

#include "threadpool/fixes/group_loops.h"

namespace LAMMPS_NS {

/** Numbers of neighbors by distance; those by orientation are left to compute coord/atom. */
class ComputeCoordAtomThreadpool : public GroupComputeOnPool<ComputeCoordAtom> {
 public:
  using GroupComputeOnPool<ComputeCoordAtom>::GroupComputeOnPool;
  void compute_peratom() override;

 private:
  void make_room();
};

}    // namespace LAMMPS_NS

#endif
#endif
