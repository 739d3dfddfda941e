// SPDX-License-Identifier: GPL-2.0-only
//
// Nets of dense layers, evaluated for many rows of inputs at a time, with the gradients of their
// inputs.
//
// A layer computes  y = activation(x W + b) t,  and adds x if it is residual.  Each output is a sum
// over inputs in one order, whatever the number of rows: results of a row do not depend on the
// other rows of a batch.

#ifndef TOFU_KERNELS_DENSE_NET_H
#define TOFU_KERNELS_DENSE_NET_H

#include "base/aligned_array.h"

#include <memory>
#include <vector>

namespace TOFU_NS {

struct Activation {
  enum Kind { LINEAR, TANH, RELU, RELU6, GELU, SOFTPLUS, SIGMOID, SILU, SILUT };
  Kind kind = LINEAR;
  double threshold = 3.0;    // SILUT: argument from which on it is a tanh
};

struct DenseLayer {
  enum class Residual { NONE, ONCE, TWICE };    // TWICE: inputs are added to both halves of outputs

  int ninputs = 0, noutputs = 0;
  std::vector<double> weights;      // [ninputs][noutputs]
  std::vector<double> biases;       // [noutputs]
  std::vector<double> timesteps;    // [noutputs] factors t; empty: 1
  Activation activation;
  Residual residual = Residual::NONE;
};

using DenseNet = std::vector<DenseLayer>;

/** A net in the memory layout of the kernels, with sums in T: double or float.  Threads may share
    an object.  Residual::TWICE is not supported. */
template <class T> class PackedNet {
 public:
  explicit PackedNet(const DenseNet &);
  ~PackedNet();
  PackedNet(const PackedNet &) = delete;
  PackedNet &operator=(const PackedNet &) = delete;

  struct Layer;

  int ninputs() const;
  int noutputs() const;
  int stride_of_inputs() const;     // between rows of inputs, and of their gradients
  int stride_of_outputs() const;    // between rows of outputs, and of their gradients
  const std::vector<std::unique_ptr<Layer>> &layers() const { return layers_; }
  double nbytes() const;

 private:
  std::vector<std::unique_ptr<Layer>> layers_;
  AlignedArray<T> weights_;
};

/** Memory of one thread for a batch of rows, kept from step to step. */
template <class T> struct NetWorkspace {
  AlignedArray<T> values;       // outputs of all layers
  AlignedArray<T> slopes;       // derivatives of all activations, times t
  AlignedArray<T> gradients;    // of one layer and the one before it

  double nbytes() const
  {
    return static_cast<double>(values.nbytes() + slopes.nbytes() + gradients.nbytes());
  }
};

/** Outputs for some rows of inputs.

    \param inputs   [nrows][stride_of_inputs]
  \return   [nrows][stride_of_outputs], in the workspace. */
template <class T>
const T *evaluate_net(const PackedNet<T> &, const T *inputs, int nrows, NetWorkspace<T> &);

/** Gradients of the inputs, after evaluate_net() with the same rows and workspace.

    \param output_gradients   [nrows][stride_of_outputs]
    \param input_gradients    [nrows][stride_of_inputs]; values behind the last are undefined */
template <class T>
void differentiate_net(const PackedNet<T> &, const T *output_gradients, int nrows,
                       NetWorkspace<T> &, T *input_gradients);

}    // namespace TOFU_NS

#endif
