// SPDX-License-Identifier: GPL-2.0-only
//
// Descriptors and fitting nets of a deep potential, evaluated for batches of centers of one type:
// environments and descriptors (kernels/deep/environment.h), the nets forward and backward
// (kernels/deep/dense_net.h), forces on the neighbors.

#ifndef TOFU_MODEL_DEEP_NETS_H
#define TOFU_MODEL_DEEP_NETS_H

#include "deep_model.h"

#include "kernels/deep/environment.h"
#include "kernels/manybody/center_data.h"

#include <memory>
#include <vector>

namespace TOFU_NS {

class DeepNets {
 public:
  enum class Precision { DOUBLE, SINGLE };    // of the fitting nets; all else is in double
  static constexpr int MOST_CENTERS = 32;     // of a batch

  /** Parameters of the frame, and of atoms. */
  struct Parameters {
    const double *frame = nullptr;    // [nframe_parameters()]
    const double *atoms = nullptr;    // [natoms][those of the fitting net]
  };

  /** Centers with their environments and outputs; memory of one thread, kept from step to step. */
  struct Batch {
    int type = 0;
    std::vector<int> centers;
    std::vector<EnvironmentBatch> environments;    // of each descriptor
    AlignedArray<double> outputs;                  // [centers][noutputs()]
    int noverflows = 0;    // centers with more neighbors than slots, added to

    double nbytes() const;

   private:
    friend class DeepNets;
    AlignedArray<double> values, gradients;    // [centers][stride] of the descriptors
    AlignedArray<float> single_values, single_gradients;
    AlignedArray<double> output_gradients;    // [centers][stride]
    AlignedArray<float> single_output_gradients;
    NetWorkspace<double> net;
    NetWorkspace<float> single_net;
    std::vector<std::unique_ptr<AlignedArray<double>>> beyond;    // rows outside of tables
  };

  /** Check the model.  Throws ModelError. */
  DeepNets(const DeepModel &, Precision);
  ~DeepNets();
  DeepNets(const DeepNets &) = delete;
  DeepNets &operator=(const DeepNets &) = delete;

  int ntypes() const { return ntypes_; }
  double cutoff() const { return cutoff_; }
  int noutputs() const { return noutputs_; }
  int nframe_parameters() const { return static_cast<int>(frame_.average.size()); }
  bool has_net(int type) const { return double_nets_[type] || single_nets_[type]; }

  /** # of columns of the sums T of a descriptor (kernels/deep/environment.h), and distance of their
      rows. */
  int width(int descriptor) const;
  int padded_width(int descriptor) const;

  /** Outputs of the nets of batch.centers, all of which have batch.type.

      \param job   fourth value of atoms: type in the model, negative if the atom is not in it */
  void evaluate(const PairJob &, const Parameters &, Batch &) const;

  /** Add the forces of the batch; once after evaluate() with the same job.

      \param gradients   [centers][noutputs()] of an energy by the outputs
      \param of_sums     [centers][4][padded_width(0)] of it by the sums of the first descriptor,
                         beside that by the outputs; or nullptr */
  void add_forces(const double *gradients, const double *of_sums, const PairJob &,
                  const CenterForces &, const CentroidVirials &, Batch &, PairTally &) const;

  /** Tables and weights, in bytes. */
  double nbytes() const;

 private:
  struct Descriptor;
  struct Statistics {
    std::vector<double> average, inverse_deviation;
  };

  const int ntypes_;
  const double cutoff_;
  int noutputs_ = 0, nvalues_ = 0;    // nvalues_: of all descriptors
  std::vector<std::unique_ptr<Descriptor>> descriptors_;

  // [ntypes], all the same net if types share one; nullptr: none

  std::vector<std::shared_ptr<const PackedNet<double>>> double_nets_;
  std::vector<std::shared_ptr<const PackedNet<float>>> single_nets_;
  Statistics frame_, atom_;

  DenseNet folded(const DeepModel &, const DenseNet &) const;
  void describe(const PairJob &, Batch &, double *to, int stride) const;
  void append_parameters(const Parameters &, const Batch &, double *to, int stride) const;
  int stride_of_inputs(int type) const;
};

}    // namespace TOFU_NS

#endif
