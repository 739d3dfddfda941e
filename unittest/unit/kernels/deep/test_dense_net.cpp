// SPDX-License-Identifier: GPL-2.0-only
//
// Dense nets against their formula, their gradients against differences.

#include "random_numbers.h"
#include "unit/testing.h"

#include "kernels/deep/dense_net.h"

using namespace TOFU_NS;
using TOFU_TEST::Random;

namespace {

double value_of(const Activation &activation, double x)
{
  const auto silu = [](double z) {
    return z / (1.0 + std::exp(-z));
  };
  switch (activation.kind) {
    case Activation::LINEAR:
      return x;
    case Activation::TANH:
      return std::tanh(x);
    case Activation::RELU:
      return std::max(x, 0.0);
    case Activation::RELU6:
      return std::min(std::max(x, 0.0), 6.0);
    case Activation::GELU:
      return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::SOFTPLUS:
      return std::log1p(std::exp(x));
    case Activation::SIGMOID:
      return 1.0 / (1.0 + std::exp(-x));
    case Activation::SILU:
      return silu(x);
    case Activation::SILUT:
      break;
  }
  const double at = activation.threshold, s = 1.0 / (1.0 + std::exp(-at));
  if (x < at) return silu(x);
  return std::tanh((s + at * s * (1.0 - s)) * (x - at)) + silu(at);
}

std::vector<double> evaluate(const DenseNet &net, std::vector<double> x)
{
  for (const DenseLayer &layer : net) {
    std::vector<double> y(layer.noutputs);
    for (int k = 0; k < layer.noutputs; k++) {
      double sum = layer.biases.empty() ? 0.0 : layer.biases[k];
      for (int i = 0; i < layer.ninputs; i++) sum += x[i] * layer.weights[i * layer.noutputs + k];
      y[k] = value_of(layer.activation, sum) * (layer.timesteps.empty() ? 1.0 : layer.timesteps[k]);
      if (layer.residual == DenseLayer::Residual::ONCE) y[k] += x[k];
    }
    x = y;
  }
  return x;
}

DenseNet make_net(const std::vector<int> &sizes, Activation activation, unsigned seed)
{
  Random random(seed);
  DenseNet net;
  for (std::size_t l = 0; l + 1 < sizes.size(); l++) {
    DenseLayer layer;
    layer.ninputs = sizes[l];
    layer.noutputs = sizes[l + 1];
    layer.weights = random.numbers(static_cast<std::size_t>(sizes[l]) * sizes[l + 1],
                                   2.0 / std::sqrt(sizes[l]));
    if (l % 3 != 2) layer.biases = random.numbers(sizes[l + 1], 0.5);
    const bool last = l + 2 == sizes.size();
    if (!last) layer.activation = activation;
    if (sizes[l] == sizes[l + 1]) {
      layer.residual = DenseLayer::Residual::ONCE;
      layer.timesteps = random.numbers(sizes[l + 1], 1.0);
    }
    net.push_back(layer);
  }
  return net;
}

/** Rows of inputs as kernels take them. */
template <class T>
std::vector<T> rows_of(const PackedNet<T> &net, const std::vector<std::vector<double>> &inputs)
{
  std::vector<T> rows;
  for (const auto &row : inputs) {
    rows.insert(rows.end(), row.begin(), row.end());
    rows.resize(rows.size() + net.stride_of_inputs() - row.size(), T(0));
  }
  return rows;
}

template <class T> struct Aligned {
  AlignedArray<T> memory;
  T *of(const std::vector<T> &from)
  {
    T *const to = memory.room(from.size());
    std::copy(from.begin(), from.end(), to);
    return to;
  }
};

template <class T> class NetOf : public testing::Test {
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(NetOf, Precisions);

constexpr Activation::Kind KINDS[] = {Activation::LINEAR,  Activation::TANH, Activation::RELU,
                                      Activation::RELU6,   Activation::GELU, Activation::SOFTPLUS,
                                      Activation::SIGMOID, Activation::SILU, Activation::SILUT};

TYPED_TEST(NetOf, ValuesAndGradientsAreThoseOfTheFormula)
{
  using T = TypeParam;
  const double exact = sizeof(T) == 8 ? 1e-12 : 2e-4;
  for (Activation::Kind kind : KINDS)
    for (const auto &sizes : {std::vector<int>{7, 5, 5, 1}, {130, 33, 33, 33, 3}, {300, 50, 2}})
      for (int nrows : {1, 3, 9}) {
        const DenseNet net = make_net(sizes, {kind, 0.5}, nrows + sizes[0]);
        const PackedNet<T> packed(net);
        ASSERT_EQ(packed.ninputs(), sizes.front());
        ASSERT_EQ(packed.noutputs(), sizes.back());
        Random random(nrows);
        std::vector<std::vector<double>> inputs;
        for (int row = 0; row < nrows; row++) inputs.push_back(random.numbers(sizes[0], 1.0));
        Aligned<T> rows, gradients, results;
        NetWorkspace<T> work;
        const T *const outputs =
            evaluate_net(packed, rows.of(rows_of(packed, inputs)), nrows, work);
        const int stride = packed.stride_of_outputs(), last = sizes.back() - 1;
        for (int row = 0; row < nrows; row++) {
          const std::vector<double> expected = evaluate(net, inputs[row]);
          for (int k = 0; k <= last; k++)
            ASSERT_NEAR(outputs[row * stride + k], expected[k],
                        exact * (1.0 + std::abs(expected[k])))
                << "activation " << kind << " row " << row << " output " << k;
        }

        // the gradient of the last output

        std::vector<T> one(static_cast<std::size_t>(nrows) * stride, T(0));
        for (int row = 0; row < nrows; row++) one[row * stride + last] = T(1);
        std::vector<T> room(static_cast<std::size_t>(nrows) * packed.stride_of_inputs());
        T *const found = results.of(room);
        differentiate_net(packed, gradients.of(one), nrows, work, found);
        for (int input : {0, sizes[0] / 2, sizes[0] - 1}) {
          const int row = nrows - 1;
          const double h = 1e-5;
          std::vector<double> low = inputs[row], high = inputs[row];
          low[input] -= h;
          high[input] += h;
          const double slope = (evaluate(net, high)[last] - evaluate(net, low)[last]) / (2.0 * h);
          ASSERT_NEAR(found[row * packed.stride_of_inputs() + input], slope,
                      sizeof(T) == 8 ? 2e-8 : 2e-3)
              << "activation " << kind << " input " << input;
        }
      }
}

TYPED_TEST(NetOf, ARowHasTheSameBitsInEveryBatch)
{
  using T = TypeParam;
  const PackedNet<T> net(make_net({150, 60, 60, 1}, {Activation::TANH}, 3));
  Random random(5);
  std::vector<std::vector<double>> inputs;
  for (int row = 0; row < 11; row++) inputs.push_back(random.numbers(150, 1.0));
  Aligned<T> rows, single;
  NetWorkspace<T> work, work_of_one;
  const T *const all = evaluate_net(net, rows.of(rows_of(net, inputs)), 11, work);
  for (int row = 0; row < 11; row++) {
    const T *const one = evaluate_net(net, single.of(rows_of(net, {inputs[row]})), 1, work_of_one);
    EXPECT_EQ(all[row * net.stride_of_outputs()], one[0]);
  }
}

}    // namespace
