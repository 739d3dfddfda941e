// SPDX-License-Identifier: GPL-2.0-only
//
// Evaluation of nets at single points, by plain loops, when a model is loaded.

#ifndef TOFU_MODEL_NET_CURVE_H
#define TOFU_MODEL_NET_CURVE_H

#include "kernels/deep/dense_net.h"

#include <vector>

namespace TOFU_NS {

/** Values of a net of one variable, their first and second derivatives. */
struct NetCurve {
  std::vector<double> value, slope, curvature;
};
NetCurve evaluate_curve(const DenseNet &, double x);

/** Outputs of a net, whose arrays fit together, for as many inputs as it has. */
std::vector<double> evaluate_at(const DenseNet &, const std::vector<double> &inputs);

}    // namespace TOFU_NS

#endif
