// SPDX-License-Identifier: GPL-2.0-only

#include "type_embedding.h"

#include "model_error.h"
#include "net_curve.h"

namespace TOFU_NS {

std::vector<std::vector<double>> vectors_of_types(const DenseNet &net, std::size_t ntypes)
{
  check_net(net, static_cast<int>(ntypes), net.empty() ? 0 : net.back().noutputs,
            "the embedding of types");
  std::vector<std::vector<double>> vectors;
  for (std::size_t type = 0; type < ntypes; type++) {
    std::vector<double> input(ntypes, 0.0);
    input[type] = 1.0;
    vectors.push_back(evaluate_at(net, input));
  }
  return vectors;
}

std::vector<std::vector<double>> factors_of_types(const DeepDescriptor &one, std::size_t ntypes)
{
  const TypeEmbedding &types = one.types;
  if (!types.factors.empty()) return types.factors;
  std::vector<std::vector<double>> factors;
  for (std::size_t center = 0; center < ntypes; center++)
    for (std::size_t neighbor = 0; neighbor < ntypes; neighbor++) {
      std::vector<double> input = types.vectors[neighbor];
      if (types.one_sided && center) {
        factors.push_back(factors[neighbor]);
        continue;
      }
      if (!types.one_sided)
        input.insert(input.end(), types.vectors[center].begin(), types.vectors[center].end());
      factors.push_back(evaluate_at(types.net, input));
    }
  return factors;
}

void check_type_embedding(const std::string &kind, int nattention, const std::string &mode)
{
  if (nattention != 0)
    refuse_model("a descriptor of type '" + kind + "' with layers of attention (attn_layer " +
                 std::to_string(nattention) + ")");
  if (mode != "strip")
    refuse_model("a descriptor of type '" + kind + "' in the mode '" + mode +
                 "' (tebd_input_mode)");
}

}    // namespace TOFU_NS
