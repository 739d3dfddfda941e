// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(centro/atom/threadpool,ComputeCentroAtomThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_CENTRO_ATOM_THREADPOOL_H
#define LMP_COMPUTE_CENTRO_ATOM_THREADPOOL_H

#include "compute_centro_atom.h"

#include "threadpool/fixes/group_loops.h"

#include <vector>

namespace LAMMPS_NS {

/** Centro-symmetry; crystal axes are left to compute centro/atom. */
class ComputeCentroAtomThreadpool : public GroupComputeOnPool<ComputeCentroAtom> {
 public:
  ComputeCentroAtomThreadpool(class LAMMPS *, int, char **);
  void init_list(int, class NeighList *) override;
  void compute_peratom() override;
  double memory_usage() override;

 private:
  // what LAMMPS 4Feb2025 has in private members

  int nnearest;    // # of neighbors that count
  NeighList *rows = nullptr;
  std::vector<double> values;    // [nmax]

  /** Neighbors of an atom within the cutoff of forces, and sums of two of their vectors. */
  struct Scratch {
    struct Neighbor {
      double rsq;
      const double *x;
      bool operator<(const Neighbor &other) const { return rsq < other.rsq; }
    };
    std::vector<Neighbor> neighbors;
    std::vector<double> pairs;    // squared lengths
  };

  double symmetry_of(int i, double cutsq, const AtomRows &x, Scratch &) const;
};

}    // namespace LAMMPS_NS

#endif
#endif
