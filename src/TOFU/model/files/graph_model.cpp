// SPDX-License-Identifier: GPL-2.0-only

#include "graph_model.h"

#include "graph.h"
#include "model/model_error.h"
#include "model/type_embedding.h"
#include "model_options.h"

#include <algorithm>
#include <sstream>

namespace TOFU_NS {

static const char *const WANNIER = "dipole_charge/";

[[noreturn]] static void damaged(const std::string &what)
{
  throw ModelError("the model is damaged: " + what);
}

/** Volatile, since GCC 12 leaves out a conversion to float and back of two numbers at once. */
static double in_single_precision(double x)
{
  const volatile float rounded = static_cast<float>(x);
  return rounded;
}

/** The model whose nodes begin with one prefix. */
class GraphReader {
 public:
  GraphReader(const Graph &graph, std::string prefix) : graph(graph), prefix(std::move(prefix)) {}

  DeepModel read();

 private:
  const Graph &graph;
  const std::string prefix;
  ModelOptions options;
  DeepModel model;

  void refuse_what_is_unknown() const;
  void read_options();
  bool is_typed() const
  {
    return !options.descriptors.empty() && options.descriptors.front().typed;
  }
  void read_descriptor(std::size_t number);
  void read_se_atten();
  void read_types(DeepDescriptor &) const;
  void read_factors(DeepDescriptor &, const GraphNode &) const;
  void read_cutoffs(DeepDescriptor &, const DescriptorOptions &) const;
  void read_excluded(DeepDescriptor &, const DescriptorOptions &) const;
  void read_statistics(DeepDescriptor &, const std::string &scope) const;
  void read_nets(DeepDescriptor &, const DescriptorOptions &, const std::string &suffix) const;
  DenseNet read_net(const std::string &scope, const std::string &ending, const Activation &) const;
  void read_tables(DeepDescriptor &, const std::string &suffix) const;
  CompressedNet read_table(const GraphNode &) const;
  int neighbor_of_table(const DeepDescriptor &, const GraphNode &) const;
  void read_fitting();
  void read_parameters();
  void read_biases();
  void guess_axis();

  const GraphNode *environment() const;
  DenseLayer layer(const std::string &matrix, const std::string &bias,
                   const std::string &idt) const;
  bool has(const std::string &name) const { return graph.has_constant(prefix + name); }
  Tensor get(const std::string &name) const { return graph.constant(prefix + name); }
  bool begins_with_prefix(const std::string &name) const;
};

// ------------------------------------------------------------------------------------- what it is

bool GraphReader::begins_with_prefix(const std::string &name) const
{
  return prefix.empty() ? name.rfind(WANNIER, 0) != 0 : name.rfind(prefix, 0) == 0;
}

/** Nodes that tell of parts that are not read. */
void GraphReader::refuse_what_is_unknown() const
{
  static const std::pair<const char *, const char *> SIGNS[] = {
      {"attention_layer_", "a descriptor with attention (se_atten)"},
      {"spin_attr/", "spins (DeepSpin)"},
      {"pair_tab", "a tabulated short-range potential (use_srtab)"},
      {"share_", "layers that several nets share (layer_name)"}};
  for (const auto &[name, node] : graph.nodes()) {
    if (!begins_with_prefix(name)) continue;
    const std::string own = name.substr(prefix.size());
    for (const auto &[begin, what] : SIGNS)
      if (own.rfind(begin, 0) == 0) refuse_model(what);
    const std::string &op = node.operation;
    if (op == "DescrptNorot" || op == "DescrptSeA")
      refuse_model("a format from before deepmd-kit 2.0; convert it with 'dp convert-from'");
    if (op == "DescrptSeT" || op.rfind("TabulateFusionSeT", 0) == 0)
      refuse_model("a descriptor of type 'se_e3'");
    if (!is_typed() && (op == "ProdEnvMatAMix" || own.rfind("type_embed_net", 0) == 0))
      refuse_model("an embedding of types, or a descriptor of type 'se_atten', but not the "
                   "options it was trained with");
    if (op == "DescrptSeAMask" || op == "ProdForceSeAMask")
      refuse_model("a descriptor of type 'se_a_mask'");
    if (op == "DescrptSeAEf") refuse_model("a descriptor of type 'loc_frame' or 'se_a_ef'");
    if (op == "ProdForceNorot" || op == "ProdForceSeAEf")
      refuse_model("a descriptor of type 'loc_frame' or 'se_a_ef'");
  }
}

void GraphReader::read_options()
{
  if (has("train_attr/training_script"))
    options = ModelOptions(graph.text(prefix + "train_attr/training_script"));
  else
    for (const auto &[name, node] : graph.nodes())
      if (begins_with_prefix(name))
        for (const char *op : {"Relu", "Relu6", "Softplus", "Sigmoid", "Erf", "Elu"})
          if (node.operation == op)
            refuse_model("the operation " + node.operation +
                         ", but not the options it was trained with");
}

DeepModel GraphReader::read()
{
  model.format = "TensorFlow graph (.pb)";
  if (!has("model_attr/model_type") || !has("model_attr/tmap"))
    throw ModelError("it is a graph of TensorFlow, but not a model of deepmd-kit");
  model.version = has("model_attr/model_version") ? graph.text(prefix + "model_attr/model_version")
                                                  : "0.0";
  if (model.version.rfind("1.", 0) != 0)
    refuse_model("version " + model.version + "; convert it with 'dp convert-from'");
  read_options();
  refuse_what_is_unknown();
  const std::string kind = graph.text(prefix + "model_attr/model_type");
  if (kind == "ener")
    model.fitting.kind = DeepFitting::Kind::ENERGY;
  else if (kind == "dipole")
    model.fitting.kind = DeepFitting::Kind::DIPOLE;
  else
    refuse_model("the type '" + kind + "'");

  std::istringstream names(graph.text(prefix + "model_attr/tmap"));
  for (std::string name; names >> name;) model.types.push_back(name);
  if (model.types.empty() && has("descrpt_attr/ntypes")) {    // types without names
    const double ntypes = graph.number(prefix + "descrpt_attr/ntypes");
    for (int type = 0; type < std::min(1001.0, ntypes); type++)
      model.types.push_back(std::to_string(type));
  }
  if (model.types.empty() || model.types.size() > 1000) damaged("it has no types, or too many");
  for (std::size_t n = 0; n < options.descriptors.size(); n++)
    if (is_typed())
      read_se_atten();
    else
      read_descriptor(n);
  read_parameters();
  read_fitting();
  read_biases();
  guess_axis();
  return std::move(model);
}

// ------------------------------------------------------------------------------------ descriptors

const GraphNode *GraphReader::environment() const
{
  for (const char *name : {"ProdEnvMatA", "DescrptSeA", "ProdEnvMatR"})
    if (const GraphNode *const node = graph.find(prefix + name)) return node;
  return nullptr;
}

/** Cut-offs go through attributes of the operation in single precision. */
void GraphReader::read_cutoffs(DeepDescriptor &to, const DescriptorOptions &from) const
{
  const GraphNode *const node = environment();
  const auto attribute = [&](const char *name) {
    const auto found = node->attributes.find(name);
    if (found == node->attributes.end())
      damaged("an operation has no attribute " + std::string(name));
    return found->second.number;
  };
  if (from.has_cutoffs) {
    to.cutoff = in_single_precision(from.cutoff);
    to.inner = in_single_precision(from.inner);
  } else if (node && !options.hybrid) {
    const char *const names[2][2] = {{"rcut_r", "rcut_r_smth"}, {"rcut", "rcut_smth"}};
    const auto &own = names[to.radial];
    to.cutoff = attribute(own[0]);
    to.inner = attribute(own[1]);
  } else {
    damaged("it has no cut-offs");
  }
  to.transition = in_single_precision(to.cutoff - to.inner);
}

void GraphReader::read_excluded(DeepDescriptor &to, const DescriptorOptions &from) const
{
  const int ntypes = model.ntypes();
  to.excluded.assign(static_cast<std::size_t>(ntypes) * ntypes, 0);
  for (const auto &[a, b] : from.excluded) {
    if (std::min(a, b) < 0 || std::max(a, b) >= ntypes) continue;
    to.excluded[a * ntypes + b] = to.excluded[b * ntypes + a] = 1;
  }
}

/** Descriptors se_e2_a and se_e2_r. */
void GraphReader::read_descriptor(std::size_t number)
{
  const DescriptorOptions &from = options.descriptors[number];
  if (from.typed)
    refuse_model("a hybrid descriptor with '" + from.type + "' in a graph of TensorFlow");
  const std::string suffix = options.hybrid ? "_" + std::to_string(number) : "";
  const std::size_t ntypes = model.types.size();
  DeepDescriptor to;
  to.radial = from.type == "se_e2_r" ||
      (!has("train_attr/training_script") && graph.find(prefix + "ProdEnvMatR"));
  read_cutoffs(to, from);

  // files of se_e2_r have no constant with sel, or one with zeros

  std::vector<double> selected;
  const GraphNode *const node = environment();
  if (!to.radial && has("descrpt_attr" + suffix + "/sel")) {
    selected = get("descrpt_attr" + suffix + "/sel").numbers;
  } else if (!from.selected.empty()) {
    selected.assign(from.selected.begin(), from.selected.end());
  } else if (node && !options.hybrid) {
    const auto found = node->attributes.find(to.radial ? "sel" : "sel_a");
    if (found != node->attributes.end()) selected = found->second.list;
  }
  for (double n : selected)
    to.selected.push_back(static_cast<int>(std::max(-1.0, std::min(n, 1e6))));
  if (to.selected.size() != ntypes) damaged("sel does not have one number for each type");

  read_excluded(to, from);
  to.axis = to.radial ? 0 : from.axis;
  read_statistics(to, "descrpt_attr" + suffix);
  read_nets(to, from, suffix);
  read_tables(to, suffix);
  for (const DenseNet &net : to.nets)
    if (!net.empty()) to.width = net.back().noutputs;
  for (const CompressedNet &table : to.tables)
    if (!table.empty()) to.width = table.width;
  model.descriptors.push_back(std::move(to));
}

/** Descriptor se_atten.  What it multiplies with is smooth in another way than those of other
    frameworks, and always depends on both types. */
void GraphReader::read_se_atten()
{
  const DescriptorOptions &from = options.descriptors.front();
  if (options.hybrid || model.fitting.kind != DeepFitting::Kind::ENERGY)
    refuse_model("a descriptor '" + from.type +
                 "' of dipoles, or in a hybrid one, in a graph of TensorFlow");
  DeepDescriptor to;
  read_cutoffs(to, from);
  for (double n : get("descrpt_attr/sel").numbers)
    to.selected.push_back(static_cast<int>(std::max(-1.0, std::min(n, 1e6))));
  to.share_slots();
  read_excluded(to, from);
  to.excluded_take_slots = true;
  to.axis = from.axis;
  read_types(to);
  to.types.smooth = from.smooth;
  to.types.switch_distance = from.smooth ? from.inner : 0.0;
  read_statistics(to, "descrpt_attr");
  if (std::count(to.excluded.begin(), to.excluded.end(), 1))
    for (const auto &average : to.average)
      if (average != std::array<double, 4>{0.0, 0.0, 0.0, 0.0})
        refuse_model("excluded types, and averages that are not zero (set_davg_zero)");

  to.nets = {read_net("filter_type_all/", "", from.activation)};
  for (const auto &[name, node] : graph.nodes())
    if (node.operation == "TabulateFusionSeAtten" && begins_with_prefix(name)) {
      to.tables = {read_table(node)};
      read_factors(to, node);
    }
  to.width = !to.tables.empty() ? to.tables[0].width
      : to.nets[0].empty()      ? 0
                                : to.nets[0].back().noutputs;
  model.descriptors.push_back(std::move(to));
}

/** Vectors of types, which are values of the descriptor, too, and the net that makes factors. */
void GraphReader::read_types(DeepDescriptor &to) const
{
  to.types.vectors = vectors_of_types(read_net("type_embed_net/", "", options.activation_of_types),
                                      model.types.size());
  to.types.appended = true;
  const Activation &activation = options.descriptors.front().activation;
  to.types.net = read_net("filter_type_all/", "_two_side_ebd", activation);
  if (has("filter_type_all/matrix_1_one_side_ebd")) {    // of releases before 3.0
    to.types.net = read_net("filter_type_all/", "_one_side_ebd", activation);
    to.types.one_sided = true;
  }
}

/** Factors of a compressed model, which an operation looks up by the types: behind them there is a
    type for empty slots. */
void GraphReader::read_factors(DeepDescriptor &to, const GraphNode &table) const
{
  const GraphNode *from = table.inputs.size() < 5 ? nullptr : graph.find(table.inputs[4]);
  for (int steps = 0; from && from->operation != "GatherV2" && steps < 8; steps++)
    from = from->inputs.empty() ? nullptr : graph.find(from->inputs[0]);
  if (!from || from->operation != "GatherV2" || from->inputs.empty())
    damaged("'" + table.name + "' has no factors of types");
  const Tensor all = graph.constant(from->inputs[0]);
  const std::size_t ntypes = model.types.size(), width = all.dim(1) > 0 ? all.dim(1) : 0,
                    nrows = width ? all.size() / width : 0;
  if (all.shape.size() != 2 || (nrows != ntypes + 1 && nrows != (ntypes + 1) * (ntypes + 1)))
    damaged("there are no factors for each pair of types");
  to.types.one_sided = nrows == ntypes + 1;
  const std::size_t ncolumns = to.types.one_sided ? 0 : ntypes + 1;
  for (std::size_t center = 0; center < ntypes; center++)
    for (std::size_t neighbor = 0; neighbor < ntypes; neighbor++) {
      const auto begin = all.numbers.begin() + (center * ncolumns + neighbor) * width;
      to.types.factors.emplace_back(begin, begin + width);
    }
}

/** Averages and deviations: each slot has its own, but those of a type are the same. */
void GraphReader::read_statistics(DeepDescriptor &to, const std::string &scope) const
{
  const Tensor average = get(scope + "/t_avg"), deviation = get(scope + "/t_std");
  to.single_precision = average.single_precision;
  to.set_statistics(model.types.size(), average.numbers, deviation.numbers);
}

DenseLayer GraphReader::layer(const std::string &matrix, const std::string &bias,
                              const std::string &idt) const
{
  const Tensor weights = get(matrix);
  if (weights.shape.size() != 2 || weights.dim(0) > 10000000 || weights.dim(1) > 10000000)
    damaged("'" + matrix + "' is no matrix");
  DenseLayer result;
  result.ninputs = static_cast<int>(weights.dim(0));
  result.noutputs = static_cast<int>(weights.dim(1));
  result.weights = weights.numbers;
  if (has(bias)) result.biases = get(bias).numbers;
  if (has(idt)) result.timesteps = get(idt).numbers;
  return result;
}

/** An embedding net; empty if it is absent.

    \param ending   of the names of its arrays, behind the number of the layer */
DenseNet GraphReader::read_net(const std::string &scope, const std::string &ending,
                               const Activation &activation) const
{
  DenseNet net;
  for (int l = 1;; l++) {
    const std::string name = std::to_string(l) + ending;
    if (!has(scope + "matrix_" + name)) return net;
    DenseLayer next =
        layer(scope + "matrix_" + name, scope + "bias_" + name, scope + "idt_" + name);
    next.activation = activation;
    set_residual(next);
    if (next.residual == DenseLayer::Residual::NONE)
      next.timesteps.clear();    // TensorFlow does not use it there
    net.push_back(std::move(next));
  }
}

/** Embedding nets.  A net that is absent, and has no table either, belongs to an excluded pair. */
void GraphReader::read_nets(DeepDescriptor &to, const DescriptorOptions &from,
                            const std::string &suffix) const
{
  const std::size_t ntypes = model.types.size();
  const auto begins = [&](const std::string &scope) {
    const auto node = graph.nodes().lower_bound(prefix + scope);
    return node != graph.nodes().end() && node->first.rfind(prefix + scope, 0) == 0;
  };
  to.one_sided = begins("filter_type_all" + suffix + "/");
  to.nets.resize(to.one_sided ? ntypes : ntypes * ntypes);
  for (std::size_t n = 0; n < to.nets.size(); n++) {
    const std::string center = to.one_sided ? "all" : std::to_string(n / ntypes);
    to.nets[n] = read_net("filter_type_" + center + suffix + "/", "_" + std::to_string(n % ntypes),
                          from.activation);
  }
}

/** Tables of a compressed model, found by the operations that use them. */
void GraphReader::read_tables(DeepDescriptor &to, const std::string &suffix) const
{
  const std::size_t ntypes = model.types.size();
  const std::string operation = to.radial ? "TabulateFusionSeR" : "TabulateFusionSeA";
  for (const auto &[name, node] : graph.nodes()) {
    if (node.operation != operation || !begins_with_prefix(name)) continue;
    const std::string own = name.substr(prefix.size());
    const std::string scope = own.substr(0, own.find('/')), begin = "filter_type_";
    if (scope.rfind(begin, 0) != 0 || scope.size() < begin.size() + suffix.size() ||
        scope.compare(scope.size() - suffix.size(), suffix.size(), suffix) != 0)
      continue;
    const std::string center =
        scope.substr(begin.size(), scope.size() - begin.size() - suffix.size());
    if (!to.one_sided && center.find_first_not_of("0123456789") != std::string::npos) continue;
    if (node.inputs.size() < (to.radial ? 3 : 4)) damaged("'" + name + "' has too few inputs");
    const int neighbor = neighbor_of_table(to, node);
    std::size_t net = neighbor;
    if (!to.one_sided) {
      const unsigned long number = center.size() > 4 ? ntypes : std::stoul("0" + center);
      if (number >= ntypes) damaged("'" + name + "' belongs to no type");
      net += number * ntypes;
    }

    to.tables.resize(to.one_sided ? ntypes : ntypes * ntypes);
    to.tables[net] = read_table(node);
  }
}

/** The table that an operation uses. */
CompressedNet GraphReader::read_table(const GraphNode &node) const
{
  if (node.inputs.size() < 2) damaged("'" + node.name + "' has too few inputs");
  const Tensor coefficients = graph.constant(node.inputs[0]),
               range = graph.constant(node.inputs[1]);
  if (coefficients.shape.size() != 2 || coefficients.dim(1) % 6 || range.size() < 5)
    damaged("'" + node.name + "' has no table");
  CompressedNet table;
  table.lower = range.numbers[0];
  table.middle = range.numbers[1];
  table.upper = range.numbers[2];
  table.interval = range.numbers[3];
  table.long_interval = range.numbers[4];
  table.width = static_cast<int>(coefficients.dim(1) / 6);
  table.coefficients = coefficients.numbers;
  return table;
}

/** The type of the neighbors that a table is for: from the begin of the slice of the rows that the
    operation reads. */
int GraphReader::neighbor_of_table(const DeepDescriptor &to, const GraphNode &node) const
{
  const GraphNode *from = graph.find(node.inputs[to.radial ? 2 : 3]);
  for (int steps = 0; from && from->operation != "Slice" && steps < 4; steps++)
    from = from->inputs.empty() ? nullptr : graph.find(from->inputs[0]);
  if (!from || from->operation != "Slice" || from->inputs.size() < 2)
    damaged("'" + node.name + "' reads no part of the rows");
  const Tensor begin = graph.constant(from->inputs[1]);
  if (begin.size() < 2) damaged("'" + node.name + "' reads no part of the rows");
  double slot = 0.0;
  for (std::size_t type = 0; type < to.selected.size(); type++) {
    if (begin.numbers[1] == slot * (to.radial ? 1 : 4) && to.selected[type])
      return static_cast<int>(type);
    slot += to.selected[type];
  }
  damaged("'" + node.name + "' reads rows that do not begin with a type");
}

// ------------------------------------------------------------------------------------ fitting net

void GraphReader::read_parameters()
{
  const auto read = [&](const char *count, const char *average, const char *deviation,
                        std::vector<double> &averages, std::vector<double> &inverse) {
    const std::string scope = "fitting_attr/";
    if (!has(scope + count) || graph.number(prefix + scope + count) == 0.0) return;
    averages = get(scope + average).numbers;
    inverse = get(scope + deviation).numbers;
  };
  DeepFitting &to = model.fitting;
  read("dfparam", "t_fparam_avg", "t_fparam_istd", to.frame_average, to.frame_inverse_deviation);
  read("daparam", "t_aparam_avg", "t_aparam_istd", to.atom_average, to.atom_inverse_deviation);
}

void GraphReader::read_fitting()
{
  DeepFitting &to = model.fitting;
  to.shared = is_typed();
  to.nets.resize(to.shared ? 1 : model.types.size());
  for (std::size_t type = 0; type < to.nets.size(); type++) {
    DenseNet &net = to.nets[type];
    const std::string behind = to.shared ? "/" : "_type_" + std::to_string(type) + "/";
    for (int l = 0;; l++) {
      const std::string scope = "layer_" + std::to_string(l) + behind;
      if (!has(scope + "matrix")) break;
      DenseLayer next = layer(scope + "matrix", scope + "bias", scope + "idt");
      next.activation = options.activation;
      if (l && next.noutputs == next.ninputs) next.residual = DenseLayer::Residual::ONCE;
      to.single_precision = get(scope + "matrix").single_precision;
      net.push_back(std::move(next));
    }
    const std::string scope = "final_layer" + behind;
    if (has(scope + "matrix"))
      net.push_back(layer(scope + "matrix", scope + "bias", scope + "idt"));
    else
      net.clear();
  }
}

void GraphReader::read_biases()
{
  const std::size_t ntypes = model.types.size();
  std::vector<double> &biases = model.fitting.biases;
  biases.assign(ntypes, 0.0);
  if (model.fitting.kind != DeepFitting::Kind::ENERGY) return;
  for (const char *name : {"fitting_attr/t_bias_atom_e", "model_attr/model_attr/t_out_bias",
                           "model_attr/t_out_bias"}) {
    if (!has(name)) continue;
    const Tensor bias = get(name);
    if (bias.size() != ntypes) damaged("there is not one energy of a single atom for each type");
    for (std::size_t type = 0; type < ntypes; type++) biases[type] += bias.numbers[type];
  }
  for (const char *name : {"model_attr/model_attr/t_out_std", "model_attr/t_out_std"})
    if (has(name))
      for (double x : get(name).numbers)
        if (x != 1.0) refuse_model("energies with a deviation of their own (out_std)");
}

/** Without options, axis_neuron follows from the size of the fitting net. */
void GraphReader::guess_axis()
{
  if (options.hybrid || has("train_attr/training_script")) return;
  DeepDescriptor &descriptor = model.descriptors.front();
  if (descriptor.radial) return;
  for (const DenseNet &net : model.fitting.nets)
    if (!net.empty() && descriptor.width > 0)
      descriptor.axis = (net.front().ninputs -
                         static_cast<int>(model.fitting.frame_average.size() +
                                          model.fitting.atom_average.size())) /
          descriptor.width;
}

// -------------------------------------------------------------------------------------------------

DeepModel read_graph_model(std::string_view file)
{
  const Graph graph(file);
  DeepModel model = GraphReader(graph, "").read();
  for (const DeepDescriptor &one : model.descriptors)
    if (!one.tables.empty()) model.compressed = true;
  if (graph.has_constant(std::string(WANNIER) + "model_attr/tmap")) try {
      model.wannier = std::make_shared<const DeepModel>(GraphReader(graph, WANNIER).read());
    } catch (const ModelError &wrong) {
      throw ModelError(std::string("its model of Wannier centers: ") + wrong.what());
    }
  check_model(model);
  return model;
}

}    // namespace TOFU_NS
