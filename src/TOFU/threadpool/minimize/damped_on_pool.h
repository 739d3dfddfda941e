// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_DAMPED_ON_POOL_H
#define LMP_DAMPED_ON_POOL_H

#include "min_on_pool.h"

#include "kernels/motion/atom_motion.h"
#include "kernels/motion/flat_vectors.h"

#include <algorithm>

namespace LAMMPS_NS {

/** Minimizers by damped dynamics: atoms move, and velocities against the forces are removed.  With
    several replicas (neb) all have the same time step, and end together. */
class DampedOnPool : public MinOnPool {
 public:
  using MinOnPool::MinOnPool;
  void init() override;
  void setup_style() override;

 protected:
  double dt = 0.0;             // [time]
  bigint last_negative = 0;    // last step with v.f <= 0 (quickmin: < 0), or that before the first

  /** Positions, velocities and forces of some atoms that follow each other. */
  struct Atoms {
    int n;                // numbers of each vector
    double *x, *v, *f;    // [n]
    TOFU_NS::AtomMasses masses;

    /** v += time * f / mass; conversion of units included. */
    void kick(double time) const;
  };

  /** work(Atoms) for all atoms of the rank, a few at a time. */
  template <class Work> void for_blocks(const Work &work)
  {
    if (!natoms()) return;
    const Atoms all = owned();
    for_atoms(threadpool, natoms(), [&](int first, int last) {
      for (int i = first; i < last; i += ATOMS_OF_A_SUM)
        work(part(all, i, std::min(i + ATOMS_OF_A_SUM, last)));
    });
  }

  /** Sums of products over all atoms of all replicas. */
  struct Products {
    double vf, vv, ff;
  };
  Products products();

  /** The time step, or less, so that no atom moves by more than dmax.  Collective.

      \param change   change(Atoms) sets velocities before they are read */
  template <class Change> double limited(const Change &change)
  {
    return limited_to(largest_over_atoms(threadpool, natoms(), [&](int first, int last) {
      const Atoms some = part(owned(), first, last);
      change(some);
      return TOFU_NS::largest_magnitude(some.v, some.n);
    }));
  }

  /** As limited(), given the largest velocity of this rank. */
  double limited_to(double fastest);

  void stop_atoms();    // velocities to 0

  /** Compute the energy and forces of the present positions. */
  void evaluate();

  /** Whether the iteration was the last one.  Collective.

      \param nsteps   since last_negative after which the change of energy counts
      \param reason   what Min::iterate() is to return then */
  bool has_converged(int nsteps, int &reason);

 private:
  Atoms owned() const;
  static Atoms part(const Atoms &, int first, int last);
  bool all_replicas(bool) const;
  enum class Reduction { SUM, LEAST };
  void over_replicas(double *numbers, int n, Reduction) const;
};

}    // namespace LAMMPS_NS

#endif
