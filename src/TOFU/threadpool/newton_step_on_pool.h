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
    bool has_forces;    // false: atoms are there, but forces are those of another place
  };

  /** Vectors::step.  Atoms are at Vectors::begin; where they are afterwards, and what forces they
      have, is as after multiply().  Collective.

      \param here        the place of atoms
      \param radius      largest norm of the step
      \param tolerance   norm of forces that needs no step; a step to a minimum leaves less than
                         this part of them, too (one number for both, as in LAMMPS) */
  TOFU_NS::NewtonStep find_step(Place here, double radius, double tolerance);

  struct Product {
    double with_vector;    // the vector times the product
    double energy;         // where atoms were, if they have been put back
  };

  /** Vectors::product of a vector at where atoms are, a difference of forces.  With forces at one
      side of this place atoms are there afterwards.  With those at both sides they are at the
      second one, if they are not put back, and the next product is of that place; LAMMPS does so.
      Collective.

      \param norm       of the vector
      \param force      norm of forces, by which one or two sides are chosen
      \param put_back   atoms to where they were, with their forces */
  Product multiply(double *Vectors::*vector, double norm, double force, bool put_back);

  void begin_here();    // where atoms are
  void go_back();       // atoms to the begin
  void take_step();     // atoms to the end of the step

  // collective

  double evaluate(int resetflag);    // the energy, as energy_force(), which it counts
  double norm_of_forces();
  double product_with_forces(double *Vectors::*);

 private:
  /** Those that FixMinimize has; it takes the first one for places where atoms began. */
  static constexpr double *Vectors::*OF_FIX[] = {
      &Vectors::begin,    &Vectors::step,     &Vectors::direction,       &Vectors::product,
      &Vectors::residual, &Vectors::x_before, &Vectors::displaced_forces};

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
  void last_move(double distance);
  TOFU_NS::NewtonStep step_to_limit(const Search &, TOFU_NS::NewtonStep next);
  TOFU_NS::NewtonStep step_along_negative_curvature(const Search &);
};

}    // namespace LAMMPS_NS

#endif
