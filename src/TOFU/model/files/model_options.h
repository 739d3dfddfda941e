// SPDX-License-Identifier: GPL-2.0-only
//
// The options that a model was trained with, as JSON in its file, with deepmd-kit's defaults for
// those that are absent.

#ifndef TOFU_MODEL_MODEL_OPTIONS_H
#define TOFU_MODEL_MODEL_OPTIONS_H

#include "kernels/deep/dense_net.h"

#include <string>
#include <utility>
#include <vector>

namespace TOFU_NS {

/** Options of one descriptor. */
struct DescriptorOptions {
  std::string type = "se_e2_a";
  bool has_cutoffs = false;
  double cutoff = 0.0, inner = 0.0;
  std::vector<int> selected;
  int axis = 0;    // 0: absent
  Activation activation{Activation::TANH};
  std::vector<std::pair<int, int>> excluded;
  bool typed = false;     // se_atten, without attention and in the mode strip
  bool smooth = false;    // option of se_atten
};

struct ModelOptions {
  std::vector<DescriptorOptions> descriptors;    // those of a hybrid one
  bool hybrid = false;
  Activation activation{Activation::TANH};               // of the fitting net
  Activation activation_of_types{Activation::LINEAR};    // of the net that makes vectors of types

  /** Options of a model without any. */
  ModelOptions() : descriptors(1) {}

  /** The section `model`, or a file with that section.

      \throws ModelError   it is not JSON, or has a feature that is not supported, which is named */
  explicit ModelOptions(const std::string &json);
};

/** Throws ModelError: unknown. */
Activation activation_of(const std::string &name);

}    // namespace TOFU_NS

#endif
