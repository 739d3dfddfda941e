// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the plane walls with the suffix /threadpool: a style has the law of
   force and energy, and this class the loop over atoms.
------------------------------------------------------------------------- */

#ifndef LMP_WALL_ON_POOL_H
#define LMP_WALL_ON_POOL_H

#include "group_on_pool.h"

#include "error.h"

namespace LAMMPS_NS {

/** Stock: a fix derived from FixWall.  Positions of walls and their coefficients are those of
    LAMMPS. */
template <class Stock> class WallOnPool : public GroupFixOnPool<Stock> {
 public:
  using GroupFixOnPool<Stock>::GroupFixOnPool;

 protected:
  struct Push {
    double force, energy;    // away from the wall
  };

  /** Add forces and tally energy and virial of the m-th wall.

      \param which,coord   of wall_particle()
      \param cutoff        distance from which on there is no force
      \param law           a Push from the distance to the wall
      \return              whether an atom was at the wall or behind it, where there is no force */
  template <class Law> bool push(int m, int which, double coord, double cutoff, const Law &law)
  {
    const int dim = which / 2;
    const double side = which % 2 ? 1.0 : -1.0;
    const AtomRows x(this->atom->x), f(this->atom->f);
    double **const virials = this->evflag && this->vflag_atom ? this->vatom : nullptr;
    enum { ENERGY, FORCE, VIRIAL, BEHIND, ALL };
    const auto sums = this->loops().template sum<ALL>([=](int i, std::array<double, ALL> &sum) {
      const double delta = side * (coord - x[i][dim]);
      if (delta >= cutoff) return;
      if (delta <= 0.0) {
        sum[BEHIND] += 1.0;
        return;
      }
      const Push pushed = law(delta);
      const double fwall = side * pushed.force, virial = pushed.force * delta;
      f[i][dim] -= fwall;
      sum[ENERGY] += pushed.energy;
      sum[FORCE] += fwall;
      sum[VIRIAL] += virial;
      if (virials) virials[i][dim] += virial;
    });
    this->ewall[0] += sums[ENERGY];
    this->ewall[m + 1] += sums[FORCE];
    if (this->evflag && this->vflag_global) this->virial[dim] += sums[VIRIAL];
    return sums[BEHIND] > 0.0;
  }

  /** As push(), where an atom behind the wall is an error. */
  template <class Law> void push_or_stop(int m, int which, double coord, const Law &law)
  {
    if (push(m, which, coord, this->cutoff[m], law))
      this->error->one(FLERR, "Particle on or inside fix wall surface");
  }
};

}    // namespace LAMMPS_NS

#endif
