/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_NEWTON_STEP_ON_POOL_H
#define LMP_NEWTON_STEP_ON_POOL_H

#include "min_on_pool.h"

#include "base/trust_region.h"

#include <array>
#include <cmath>

namespace LAMMPS_NS {

/** Minimizers that step to the minimum of a parabola of the energy about where atoms are.
    Conjugate gradients find it; products with second derivatives are differences of forces, as in
    MinHFTN.  Coordinates of atoms only. */
class NewtonStepOnPool : public MinOnPool {
 public:
  explicit NewtonStepOnPool(class LAMMPS *);
  void init() override;
  void setup_style() override;
  void reset_vectors() override;

 protected:
  /** Vectors over the coordinates of owned atoms, [3 natoms] each. */
  struct Vectors {
    double *x, *f;                          // places and forces
    double *begin;                          // places from which the step is made
    double *step;                           // as far as it is found
    double *direction;                      // along which it goes on
    double *product;                        // second derivatives of the energy times a vector
    double *residual;                       // what is left of the forces after the step
    double *x_before, *displaced_forces;    // of a product

    Vectors from(int atom) const;
  };

  struct Place {
    double energy;
    double force;       // norm of forces
    bool has_forces;    // else forces are those of another place, and these two of before
  };

  /** Vectors::step from Vectors::begin, where atoms are.  Collective.

      \param here        gets energies and forces, if it has none
      \param radius      largest norm of the step
      \param tolerance   norm of forces that is small; part of it that may be left of them */
  TOFU_NS::NewtonStep find_step(Place &here, double radius, double tolerance);

  struct Product {
    double with_vector;    // the vector times the product
    double energy;         // where atoms are, if that was asked for
  };

  /** Vectors::product of a vector at where atoms are.  Collective.

      \param norm    of the vector
      \param force   norm of forces, by which the kind of differences is chosen
      \param back    whether atoms and forces are to be those of before */
  Product multiply(double *Vectors::*vector, double norm, double force, bool back);

  void begin_here();              // where atoms are
  void move_to(double factor);    // begin + factor step

  // collective

  double evaluate(int resetflag);    // the energy, as energy_force(), which it counts
  double norm_of_forces();
  double product_with_forces(double *Vectors::*);

 private:
  Vectors all{};

  struct Search {
    double radius;
    TOFU_NS::NewtonStep step;    // so far
    double residual;             // its norm squared
    double direction;            // its norm squared
    double curvature;            // the direction times its product
  };

  template <int N, class Work> std::array<double, N> sum(const Work &) const;
  template <class Work> void for_all(const Work &) const;
  int most_iterations(const Place &) const;
  void start_from_forces();
  TOFU_NS::NewtonStep look_ahead(double distance, TOFU_NS::StepEnd) const;
  double move_on(double distance);
  double next_direction(double factor);
  TOFU_NS::NewtonStep last_move(double distance, TOFU_NS::StepEnd);
  TOFU_NS::NewtonStep step_to_limit(const Search &, TOFU_NS::NewtonStep next);
  TOFU_NS::NewtonStep step_along_negative_curvature(const Search &);
};

}    // namespace LAMMPS_NS

#endif
