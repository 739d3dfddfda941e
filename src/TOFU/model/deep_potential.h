// SPDX-License-Identifier: GPL-2.0-only
//
// Energies and forces of a deep potential, for the atoms of some rows.

#ifndef TOFU_MODEL_DEEP_POTENTIAL_H
#define TOFU_MODEL_DEEP_POTENTIAL_H

#include "deep_nets.h"

#include <vector>

namespace TOFU_NS {

class DeepPotential {
 public:
  /** Memory of one thread. */
  struct Workspace {
    std::vector<int> centers;    // of one type
    DeepNets::Batch batch;
    std::vector<double> gradients;

    double nbytes() const { return batch.nbytes(); }
  };

  /** Options of compute(). */
  struct Extras {
    double factor = 1.0;    // of energies and forces
    CentroidVirials centroids;
    DeepNets::Parameters parameters;
  };

  /** Check the model.  Throws ModelError. */
  DeepPotential(const DeepModel &, DeepNets::Precision);

  const DeepNets &nets() const { return nets_; }

  /** Rows [first, last).  Any number of threads may call it, each with a
      workspace of its own.

      \param job     fourth value of atoms: type in the model, negative if the atom is not in it */
  void compute(const PairJob &, const CenterForces &, const Extras &, Workspace &, int first,
               int last, PairTally &) const;

 private:
  DeepPotential(DeepNets::Precision, const DeepModel &);

  DeepNets nets_;
  std::vector<double> biases_;    // [ntypes]
};

}    // namespace TOFU_NS

#endif
