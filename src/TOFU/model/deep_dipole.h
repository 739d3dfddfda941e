// SPDX-License-Identifier: GPL-2.0-only
//
// Dipoles of a deep model, which are the displacements of Wannier centers from their atoms, and the
// forces on atoms from forces on these centers.
//
// The dipole of atom i is  d_i = sum over columns a of o[a] (T[1][a], T[2][a], T[3][a]),  with the
// outputs o of the fitting net and the sums T of the descriptor (kernels/deep/environment.h).  A
// force f on the end of d_i is a force  f . (d d_i / d x_j)  on each atom j, beside f on the atom
// itself, which is not added here.
//
// Source: Zhang et al., J. Chem. Phys. 156 (2022) 124107.

#ifndef TOFU_MODEL_DEEP_DIPOLE_H
#define TOFU_MODEL_DEEP_DIPOLE_H

#include "deep_nets.h"

#include <memory>
#include <vector>

namespace TOFU_NS {

class DeepDipole {
 public:
  /** Memory of one thread; add_forces() reads the results of evaluate() in it. */
  struct Workspace {
    std::vector<int> centers;    // of one type
    std::vector<std::unique_ptr<DeepNets::Batch>> batches;
    std::size_t nbatches = 0;
    std::vector<double> gradients, of_sums;

    double nbytes() const;
  };

  /** Check the model.  Throws ModelError: it has no dipoles, or is damaged. */
  DeepDipole(const DeepModel &, DeepNets::Precision);

  const DeepNets &nets() const { return nets_; }

  /** Compute the dipoles of owners of rows that have one.

      \param dipoles   [natoms]; those of other atoms do not change */
  void evaluate(const PairJob &, Workspace &, int first, int last, double (*dipoles)[3]) const;

  /** Forces on atoms, once after evaluate() with the same job.

      \param on_ends   [natoms] forces on the ends of dipoles
      \param tally     gets the virial according to job.tallies */
  void add_forces(const PairJob &, const double (*on_ends)[3], const CenterForces &, Workspace &,
                  PairTally &tally) const;

 private:
  DeepNets nets_;
};

}    // namespace TOFU_NS

#endif
