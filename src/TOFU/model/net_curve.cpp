// SPDX-License-Identifier: GPL-2.0-only

#include "net_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace TOFU_NS {

/** Value, first and second derivative of an activation. */
static void activate(const Activation &activation, double x, double &y, double &d, double &dd)
{
  const auto sigmoid = [](double z) {
    return 1.0 / (1.0 + std::exp(-z));
  };
  const auto silu = [&](double z, double &v, double &v1, double &v2) {
    const double s = sigmoid(z), s1 = s * (1.0 - s);
    v = z * s;
    v1 = s + z * s1;
    v2 = 2.0 * s1 + z * s1 * (1.0 - 2.0 * s);
  };
  switch (activation.kind) {
    case Activation::LINEAR:
      y = x;
      d = 1.0;
      dd = 0.0;
      break;
    case Activation::TANH:
      y = std::tanh(x);
      d = 1.0 - y * y;
      dd = -2.0 * y * d;
      break;
    case Activation::RELU:
      y = std::max(x, 0.0);
      d = x > 0.0;
      dd = 0.0;
      break;
    case Activation::RELU6:
      y = std::min(std::max(x, 0.0), 6.0);
      d = x > 0.0 && x < 6.0;
      dd = 0.0;
      break;
    case Activation::GELU: {
      const double c = std::sqrt(2.0 / std::acos(-1.0)), a = 0.044715;
      const double t = std::tanh(c * (x + a * x * x * x)), t1 = 1.0 - t * t;
      const double u1 = c * (1.0 + 3.0 * a * x * x), u2 = 6.0 * c * a * x;
      y = 0.5 * x * (1.0 + t);
      d = 0.5 * (1.0 + t) + 0.5 * x * t1 * u1;
      dd = t1 * u1 + 0.5 * x * (t1 * u2 - 2.0 * t * t1 * u1 * u1);
      break;
    }
    case Activation::SOFTPLUS: {
      const double s = sigmoid(x);
      y = std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
      d = s;
      dd = s * (1.0 - s);
      break;
    }
    case Activation::SIGMOID:
      y = sigmoid(x);
      d = y * (1.0 - y);
      dd = d * (1.0 - 2.0 * y);
      break;
    case Activation::SILU:
      silu(x, y, d, dd);
      break;
    case Activation::SILUT: {
      silu(x, y, d, dd);
      if (x < activation.threshold) break;
      double value, slope, unused;
      silu(activation.threshold, value, slope, unused);
      const double t = std::tanh(slope * (x - activation.threshold)), t1 = 1.0 - t * t;
      y = t + value;
      d = slope * t1;
      dd = -2.0 * slope * slope * t * t1;
      break;
    }
  }
}

/** Outputs and their derivatives from those of the inputs. */
static NetCurve evaluate_layers(const DenseNet &net, NetCurve in)
{
  for (const DenseLayer &layer : net) {
    const int n = layer.noutputs;
    std::vector<double> sums(layer.biases.empty() ? std::vector<double>(n) : layer.biases),
        slopes(n), curvatures(n);
    for (int i = 0; i < layer.ninputs; i++) {
      const double *const w = layer.weights.data() + static_cast<std::size_t>(i) * n;
      for (int k = 0; k < n; k++) {
        sums[k] += in.value[i] * w[k];
        slopes[k] += in.slope[i] * w[k];
        curvatures[k] += in.curvature[i] * w[k];
      }
    }
    for (int k = 0; k < n; k++) {
      double y = 0.0, d = 0.0, dd = 0.0;
      activate(layer.activation, sums[k], y, d, dd);
      const double t = layer.timesteps.empty() ? 1.0 : layer.timesteps[k];
      sums[k] = t * y;
      curvatures[k] = t * (dd * slopes[k] * slopes[k] + d * curvatures[k]);
      slopes[k] *= t * d;
      if (layer.residual != DenseLayer::Residual::NONE) {
        sums[k] += in.value[k % layer.ninputs];
        slopes[k] += in.slope[k % layer.ninputs];
        curvatures[k] += in.curvature[k % layer.ninputs];
      }
    }
    in = {std::move(sums), std::move(slopes), std::move(curvatures)};
  }
  return in;
}

NetCurve evaluate_curve(const DenseNet &net, double x)
{
  return evaluate_layers(net, {{x}, {1.0}, {0.0}});
}

std::vector<double> evaluate_at(const DenseNet &net, const std::vector<double> &inputs)
{
  const std::vector<double> none(inputs.size(), 0.0);
  return evaluate_layers(net, {inputs, none, none}).value;
}

}    // namespace TOFU_NS
