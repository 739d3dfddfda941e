// SPDX-License-Identifier: GPL-2.0-only
//
// Energies and forces of a deep potential, for the atoms of some rows.
//
// Centers are taken by type, in batches: environments and descriptors (kernels/environment.h), the
// fitting net forward and backward (kernels/dense_net.h), forces on the neighbors.

#ifndef TOFU_MODEL_DEEP_POTENTIAL_H
#define TOFU_MODEL_DEEP_POTENTIAL_H

#include "deep_model.h"
#include "embedding_table.h"

#include "kernels/center_data.h"
#include "kernels/environment.h"

#include <memory>
#include <vector>

namespace TOFU_NS {

class DeepPotential {
 public:
  enum class Nets { DOUBLE, SINGLE };    // precision of the fitting nets; all else is in double

  /** Memory of one thread. */
  struct Workspace;

  /** What a call may ask for beyond forces, energy and virial. */
  struct Extras {
    double factor = 1.0;    // of energies and forces
    CentroidVirials centroids;
    const double *frame_parameters = nullptr;    // [nframe_parameters()]
    const double *atom_parameters = nullptr;     // [natoms][natom_parameters()]
  };

  /** The model is checked.  Throws ModelError. */
  explicit DeepPotential(const DeepModel &, Nets);
  ~DeepPotential();
  DeepPotential(const DeepPotential &) = delete;
  DeepPotential &operator=(const DeepPotential &) = delete;

  int ntypes() const { return static_cast<int>(types.size()); }
  double cutoff() const { return largest_cutoff; }
  int nframe_parameters() const { return static_cast<int>(frame.average.size()); }
  int natom_parameters() const { return static_cast<int>(single.average.size()); }

  /** Rows from first up to, not including, last.  Any number of threads may call it, each with a
      workspace of its own.

      \param job     fourth value of atoms: type in the model, negative if the atom is none */
  void compute(const PairJob &, const CenterForces &, const Extras &, Workspace &, int first,
               int last, PairTally &) const;

  /** Tables and weights, in bytes. */
  double nbytes() const;

 private:
  struct Descriptor;
  struct Parameters {
    std::vector<double> average, inverse_deviation;
  };

  std::vector<std::string> types;
  double largest_cutoff;
  std::vector<std::unique_ptr<Descriptor>> descriptors;
  std::vector<std::unique_ptr<PackedNet<double>>> double_nets;    // [ntypes] or none
  std::vector<std::unique_ptr<PackedNet<float>>> single_nets;     // [ntypes] or none
  std::vector<double> biases;                                     // [ntypes]
  Parameters frame, single;                                       // of the frame, of a single atom
  int nvalues = 0;                                                // of all descriptors

  template <class T>
  void compute_batch(const PackedNet<T> &, const PairJob &, const CenterForces &, const Extras &,
                     Workspace &, int type, PairTally &) const;
  void describe(const PairJob &, Workspace &, int type, double *to, int stride) const;
  void append_parameters(const Extras &, const Workspace &, double *to, int stride) const;
  DenseNet folded(const DeepModel &, const DenseNet &) const;
};

struct DeepPotential::Workspace {
  std::vector<int> centers;    // of one type
  std::vector<int> batch;
  std::vector<EnvironmentBatch> environments;    // of each descriptor
  AlignedArray<double> values, gradients;        // [batch][stride] of the descriptors
  AlignedArray<float> single_values, single_gradients;
  std::vector<std::unique_ptr<AlignedArray<double>>> beyond;    // rows outside of tables
  NetWorkspace<double> net;
  NetWorkspace<float> single_net;
  AlignedArray<double> ones;
  AlignedArray<float> single_ones;
  int noverflows = 0;    // centers with more neighbors than slots, added to

  double nbytes() const;
};

}    // namespace TOFU_NS

#endif
