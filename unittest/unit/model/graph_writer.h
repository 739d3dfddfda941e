// SPDX-License-Identifier: GPL-2.0-only
//
// A small deep potential as a frozen graph of TensorFlow, written for the tests of the reader.

#ifndef TOFU_TEST_GRAPH_WRITER_H
#define TOFU_TEST_GRAPH_WRITER_H

#include "unit/testing.h"

namespace graph_writer {

inline std::string varint(std::uint64_t n)
{
  std::string result;
  for (; n >= 128; n >>= 7) result += static_cast<char>((n & 127) | 128);
  return result + static_cast<char>(n);
}
inline std::string field(int number, const std::string &bytes)
{
  return varint(8 * number + 2) + varint(bytes.size()) + bytes;
}
inline std::string integer(int number, std::uint64_t n)
{
  return varint(8 * number) + varint(n);
}
inline std::string single(int number, float x)
{
  std::string bytes(4, 0);
  std::memcpy(bytes.data(), &x, 4);
  return varint(8 * number + 5) + bytes;
}
inline std::string attribute(const std::string &name, const std::string &value)
{
  return field(5, field(1, name) + field(2, value));
}

/** Two types; both sides, 2-4 embedding nets, 5-5 fitting nets; or se_atten with vectors of 3
    numbers, and one net of each kind. */
class SmallModel {
 public:
  bool compressed = false, without_tables = false, statistics_vary = false;
  bool typed = false;
  std::string script =
      R"({"model":{"type_map":["O","H"],"descriptor":{"type":"se_e2_a","rcut":6.0,)"
      R"("rcut_smth":5.8,"sel":[3,4],"neuron":[2, 4],"axis_neuron":2,"type_one_side":false},)"
      R"("fitting_net":{"type":"ener","neuron":[5,5],"activation_function":"tanh"}}})";

  double average(int center, int neighbor) const { return 0.1 + 0.2 * center + 0.3 * neighbor; }

  /** Numbers of a matrix in the file. */
  std::vector<double> matrix(const std::string &name)
  {
    bytes();
    return matrices_[name];
  }

  void add_text(const std::string &name, const std::string &text) { texts_[name] = text; }

  /** Options of se_atten. */
  void be_typed()
  {
    typed = true;
    const std::string from = R"("se_e2_a")";
    script.replace(script.find(from), from.size(),
                   R"("se_atten","attn_layer":0,"tebd_input_mode":"strip",)"
                   R"("smooth_type_embedding":true)");
  }

  std::string bytes()
  {
    graph_.clear();
    text("model_attr/model_type", "ener");
    text("model_attr/tmap", "O H");
    text("model_attr/model_version", "1.1");
    text("train_attr/training_script", script);
    for (const auto &[name, value] : texts_) text(name, value);
    if (typed)
      integers("descrpt_attr/sel", {7});
    else
      integers("descrpt_attr/sel", {3, 4});
    numbers("descrpt_attr/rcut", {1}, {6.0});
    integers("fitting_attr/dfparam", {0});
    integers("fitting_attr/daparam", {0});
    numbers("fitting_attr/t_bias_atom_e", {2}, {-93.0, -187.0});
    numbers("model_attr/model_attr/t_out_bias", {1, 2, 1}, {0.5});    // repeated
    numbers("model_attr/model_attr/t_out_std", {1, 2, 1}, {1.0});
    statistics();
    if (typed) types();
    for (int center = 0; center < 2 && !typed; center++)
      for (int neighbor = 0; neighbor < 2; neighbor++) embedding(center, neighbor);
    for (int type = 0; type < (typed ? 1 : 2); type++) {
      const std::string behind = typed ? "/" : "_type_" + std::to_string(type) + "/";
      layer("layer_0" + behind, "", typed ? 11 : 8, 5, false);
      layer("layer_1" + behind, "", 5, 5, true);
      layer("final_layer" + behind, "", 5, 1, false);
    }
    const char *const operation = typed ? "ProdEnvMatAMix" : "ProdEnvMatA";
    node(operation, operation, {},
         attribute("rcut_r", single(4, 6.0f)) + attribute("rcut_r_smth", single(4, 5.8f)) +
             attribute("sel_a", field(1, field(3, varint(3) + varint(4)))));
    return graph_;
  }

 private:
  std::string graph_;
  std::map<std::string, std::vector<double>> matrices_;
  std::map<std::string, std::string> texts_;

  void node(const std::string &name, const std::string &operation,
            const std::vector<std::string> &inputs, const std::string &attributes)
  {
    std::string bytes = field(1, name) + field(2, operation);
    for (const std::string &input : inputs) bytes += field(3, input);
    graph_ += field(1, bytes + attributes);
  }

  void constant(const std::string &name, int kind, const std::vector<int> &shape,
                const std::string &content)
  {
    std::string dims;
    for (int n : shape) dims += field(2, integer(1, n));
    node(name, "Const", {},
         attribute("value", field(8, integer(1, kind) + field(2, dims) + content)));
  }
  void text(const std::string &name, const std::string &value)
  {
    constant(name, 7, {}, field(8, value));
  }
  void integers(const std::string &name, const std::vector<int> &values)
  {
    std::string packed;
    for (int n : values) packed += varint(n);
    constant(name, 3, {static_cast<int>(values.size())}, field(7, packed));
  }
  void numbers(const std::string &name, const std::vector<int> &shape,
               const std::vector<double> &values)
  {
    std::string content(8 * values.size(), 0);
    std::memcpy(content.data(), values.data(), content.size());
    constant(name, 2, shape, values.size() == 1 ? field(6, content) : field(4, content));
    matrices_[name] = values;
  }

  void statistics()
  {
    std::vector<double> averages, deviations;
    for (int center = 0; center < 2; center++)
      for (int slot = 0; slot < 7; slot++)
        for (int c = 0; c < 4; c++) {
          averages.push_back(c ? 0.0 : average(center, !typed && slot >= 3));
          deviations.push_back(statistics_vary ? 1.0 + 0.1 * slot : 0.5);
        }
    numbers("descrpt_attr/t_avg", {2, 28}, averages);
    numbers("descrpt_attr/t_std", {2, 28}, deviations);
  }

  void layer(const std::string &scope, const std::string &behind, int n, int m, bool timestep)
  {
    const auto values = [&](int count, double width) {
      std::vector<double> result;
      for (int k = 0; k < count; k++)
        result.push_back(width * ((k * 37 + static_cast<int>(scope.size()) * 11) % 19 - 9));
      return result;
    };
    numbers(scope + "matrix" + behind, {n, m}, values(n * m, 0.05));
    numbers(scope + "bias" + behind, {m}, values(m, 0.02));
    if (timestep) numbers(scope + "idt" + behind, {m}, values(m, 0.1));
  }

  void types()
  {
    layer("type_embed_net/", "_1", 2, 3, false);
    const std::string scope = "filter_type_all/";
    if (!compressed) {
      layer(scope, "_1", 1, 2, false);
      layer(scope, "_2", 2, 4, false);
      layer(scope, "_1_two_side_ebd", 6, 2, false);
      layer(scope, "_2_two_side_ebd", 2, 4, false);
      return;
    }
    if (without_tables) return;
    std::vector<double> factors;    // of three types, of which the last one is that of empty slots
    for (int k = 0; k < 36; k++) factors.push_back(0.25 * k);
    numbers("Const", {6, 24}, std::vector<double>(6 * 24, 0.01));
    numbers(scope + "info", {6}, {-1.0, 1.0, 3.0, 0.5, 1.0, -1.0});
    numbers(scope + "embedding_lookup/params_0", {9, 4}, factors);
    node(scope + "embedding_lookup", "GatherV2", {scope + "embedding_lookup/params_0", "x"}, "");
    node(scope + "mul_1", "Mul", {scope + "embedding_lookup", "switch"}, "");
    node(scope + "TabulateFusionSeAtten", "TabulateFusionSeAtten",
         {"Const", scope + "info", "x:0", "rows", scope + "mul_1"}, "");
  }

  void embedding(int center, int neighbor)
  {
    const std::string scope = "filter_type_" + std::to_string(center) + "/";
    if (!compressed) {
      layer(scope, "_1_" + std::to_string(neighbor), 1, 2, false);
      layer(scope, "_2_" + std::to_string(neighbor), 2, 4, false);
      return;
    }
    if (without_tables) return;
    const std::string own = std::to_string(2 * center + neighbor);
    std::vector<double> table(6 * 24, 0.01);    // short intervals 4, long ones 2
    table[0] = 100.0 + 2 * center + neighbor;
    numbers("Const_" + own, {6, 24}, table);
    numbers(scope + "info_" + own, {6}, {-1.0, 1.0, 3.0, 0.5, 1.0, -1.0});
    integers(scope + "begin_" + own, {0, neighbor ? 12 : 0});
    node(scope + "Slice_" + own, "Slice", {"rows", scope + "begin_" + own}, "");
    node(scope + "Reshape_" + own, "Reshape", {scope + "Slice_" + own, "shape"}, "");
    node(scope + "TabulateFusionSeA_" + own, "TabulateFusionSeA",
         {"Const_" + own, scope + "info_" + own, scope + "x:0", scope + "Reshape_" + own}, "");
  }
};

}    // namespace graph_writer

#endif
