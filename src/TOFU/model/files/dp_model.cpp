// SPDX-License-Identifier: GPL-2.0-only

#include "dp_model.h"

#include "hdf5_file.h"
#include "model/model_error.h"
#include "model/type_embedding.h"
#include "model_options.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace TOFU_NS {

using nlohmann::json;

static constexpr int DEEPEST = 64;    // objects within objects
static constexpr int MOST_TYPES = 1000;

[[noreturn]] static void damaged(const std::string &what)
{
  throw ModelError("the model is damaged: " + what);
}

/** The tree, whose names and versions are those of serialize() in deepmd-kit's classes. */
class DpReader {
 public:
  explicit DpReader(std::string_view bytes) : file(bytes), nleft(bytes.size()) {}

  DeepModel read();

 private:
  const Hdf5File file;
  std::size_t nleft;    // numbers that the file can still have: each array is used once
  DeepModel model;

  static const json *find(const json &object, const std::string &name);
  static const json &get(const json &object, const std::string &name);
  static std::string text(const json &object, const std::string &name);
  static double number(const json &object, const std::string &name);
  static int whole(const json &object, const std::string &name);
  static bool is_set(const json &object, const std::string &name);
  static void check_version(const json &object, const std::string &what, int most);
  static void refuse_if_set(const json &object, const std::vector<const char *> &names);
  Tensor variable(const json &object, const std::string &name);

  void read_model(const json &);
  void read_descriptor(const json &, bool inside);
  void read_environment(const json &, DeepDescriptor &) const;
  void read_excluded(const json &, DeepDescriptor &) const;
  void read_statistics(const json &, DeepDescriptor &);
  void read_block(const json &, bool radial);
  void read_se_atten(const json &, bool always_strip);
  void read_types(const json &, DeepDescriptor &);
  std::vector<DenseNet> read_nets(const json &collection, std::size_t ntypes, int ndims);
  DenseNet read_net(const json &);
  DenseLayer read_layer(const json &);
  void read_fitting(const json &);
  void read_parameters(const json &);
  void read_biases(const json &);
};

// ----------------------------------------------------------------------------------- objects

/** An entry, or nullptr; nullptr as well if it is null. */
const json *DpReader::find(const json &object, const std::string &name)
{
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const json &DpReader::get(const json &object, const std::string &name)
{
  const json *const found = find(object, name);
  if (!found) damaged("an object has no '" + name + "'");
  return *found;
}

std::string DpReader::text(const json &object, const std::string &name)
{
  const json &found = get(object, name);
  if (!found.is_string()) damaged("'" + name + "' is no text");
  return found.get<std::string>();
}

double DpReader::number(const json &object, const std::string &name)
{
  const json &found = get(object, name);
  if (!found.is_number()) damaged("'" + name + "' is no number");
  return found.get<double>();
}

/** A number that counts something. */
int DpReader::whole(const json &object, const std::string &name)
{
  return static_cast<int>(std::max(-1.0, std::min(number(object, name), 1e6)));
}

/** Whether an entry is there and is neither false, 0 nor empty. */
bool DpReader::is_set(const json &object, const std::string &name)
{
  const json *const found = find(object, name);
  if (!found) return false;
  if (found->is_boolean()) return found->get<bool>();
  if (found->is_number()) return found->get<double>() != 0.0;
  return !found->empty();
}

void DpReader::check_version(const json &object, const std::string &what, int most)
{
  const int version = find(object, "@version") ? whole(object, "@version") : 1;
  if (version < 1 || version > most)
    refuse_model("version " + std::to_string(version) + " of " + what + " (up to " +
                 std::to_string(most) + " is known)");
}

void DpReader::refuse_if_set(const json &object, const std::vector<const char *> &names)
{
  for (const char *name : names)
    if (is_set(object, name)) refuse_model("the option '" + std::string(name) + "'");
}

/** An array of an object; no numbers if it is absent or null. */
Tensor DpReader::variable(const json &object, const std::string &name)
{
  const json *const found = find(get(object, "@variables"), name);
  if (!found) return {};
  if (!found->is_string()) damaged("'" + name + "' is no name of an array");
  Tensor result = file.numbers(found->get<std::string>());
  if (result.size() > nleft) damaged("it uses its arrays more than once");
  nleft -= result.size();
  return result;
}

// ------------------------------------------------------------------------------------- model

DeepModel DpReader::read()
{
  try {
    const json whole = json::parse(file.text("json"), [](int depth, json::parse_event_t, json &) {
      if (depth > DEEPEST) damaged("its tree is too deep");
      return true;
    });
    if (find(whole, "model_def_script") && find(get(whole, "model_def_script"), "model_dict"))
      refuse_model("several tasks; freeze one of them");
    read_model(get(whole, "model"));
  } catch (const json::exception &wrong) {
    damaged(std::string("its tree is not understood, ") + wrong.what());
  }
  check_model(model);
  return std::move(model);
}

void DpReader::read_model(const json &object)
{
  model.format = "common format of deepmd-kit (.dp)";
  model.version = "dp";
  const std::string kind = find(object, "type") ? text(object, "type") : "standard";
  if (kind != "standard") refuse_model("the type '" + kind + "'");
  check_version(object, "the model", 2);
  refuse_if_set(object, {"atom_exclude_types", "pair_exclude_types", "preset_out_bias"});
  for (const json &name : get(object, "type_map")) model.types.push_back(name.get<std::string>());
  if (model.types.empty() || model.types.size() > MOST_TYPES)
    damaged("it has no types, or too many");
  read_descriptor(get(object, "descriptor"), false);
  read_fitting(get(object, "fitting"));
  read_biases(object);
}

// ------------------------------------------------------------------------------- descriptors

void DpReader::read_descriptor(const json &object, bool inside)
{
  const std::string kind = text(object, "type");
  if (kind == "hybrid" && !inside) {
    check_version(object, "the descriptor 'hybrid'", 1);
    for (const json &one : get(object, "list")) read_descriptor(one, true);
  } else if (kind == "se_e2_a" || kind == "se_a") {
    read_block(object, false);
  } else if (kind == "se_e2_r" || kind == "se_r") {
    read_block(object, true);
  } else if (kind == "dpa1" || kind == "se_atten" || kind == "se_atten_v2") {
    read_se_atten(object, kind == "se_atten_v2");
  } else {
    refuse_model("a descriptor of type '" + kind + "'");
  }
}

/** What all descriptors have. */
void DpReader::read_environment(const json &object, DeepDescriptor &to) const
{
  to.cutoff = number(object, "rcut");
  to.inner = number(object, "rcut_smth");
  to.transition = to.cutoff - to.inner;
  refuse_if_set(object, {"env_protection", "spin"});
  if (const json *const matrix = find(object, "env_mat"))
    refuse_if_set(*matrix, {"protection", "use_exp_switch"});
  const json &slots = get(object, "sel");
  for (const json &n : slots.is_array() ? slots : json::array({slots}))
    to.selected.push_back(static_cast<int>(std::max(-1.0, std::min(n.get<double>(), 1e6))));
  if (!to.radial) to.axis = whole(object, "axis_neuron");
  read_excluded(object, to);
}

void DpReader::read_excluded(const json &object, DeepDescriptor &to) const
{
  const int ntypes = model.ntypes();
  to.excluded.assign(static_cast<std::size_t>(ntypes) * ntypes, 0);
  to.excluded_take_slots = true;
  const json *const pairs = find(object, "exclude_types");
  if (!pairs) return;
  for (const json &pair : *pairs) {
    const int a = pair.at(0).get<int>(), b = pair.at(1).get<int>();
    if (std::min(a, b) < 0 || std::max(a, b) >= ntypes) continue;
    to.excluded[a * ntypes + b] = to.excluded[b * ntypes + a] = 1;
  }
}

void DpReader::read_statistics(const json &object, DeepDescriptor &to)
{
  const Tensor average = variable(object, "davg"), deviation = variable(object, "dstd");
  to.set_statistics(model.types.size(), average.numbers, deviation.numbers);
  to.single_precision = average.single_precision;
}

/** Descriptors se_e2_a and se_e2_r. */
void DpReader::read_block(const json &object, bool radial)
{
  const std::size_t ntypes = model.types.size();
  check_version(object, "the descriptor", 3);
  DeepDescriptor to;
  to.radial = radial;
  const json &embeddings = get(object, "embeddings");
  to.one_sided = radial ? whole(embeddings, "ndim") == 1 : is_set(object, "type_one_side");
  read_environment(object, to);
  if (to.selected.size() != ntypes) damaged("sel does not have one number for each type");
  read_statistics(object, to);
  model.compressed = model.compressed || find(object, "compress");

  const std::vector<DenseNet> nets = read_nets(embeddings, ntypes, to.one_sided ? 1 : 2);
  to.nets.resize(nets.size());
  for (std::size_t k = 0; k < nets.size(); k++) {
    const std::size_t net = to.one_sided ? k : (k % ntypes) * ntypes + k / ntypes;
    to.nets[net] = nets[k];
    if (!nets[k].empty()) to.width = nets[k].back().noutputs;
  }
  model.descriptors.push_back(std::move(to));
}

/** Descriptor se_atten, if it has no attention and knows types by factors.

    \param always_strip   the mode is not an option */
void DpReader::read_se_atten(const json &object, bool always_strip)
{
  const std::string kind = text(object, "type");
  check_type_embedding(kind, whole(object, "attn_layer"),
                       always_strip ? "strip" : text(object, "tebd_input_mode"));
  check_version(object, "the descriptor '" + kind + "'", 4);
  if (find(object, "lmax") && whole(object, "lmax") != 1) refuse_model("the option 'lmax'");
  DeepDescriptor to;
  read_environment(object, to);
  to.share_slots();
  read_types(object, to);
  to.types.smooth = always_strip || is_set(object, "smooth_type_embedding");
  read_statistics(object, to);
  model.compressed = model.compressed || find(object, "compress");
  to.nets = read_nets(get(object, "embeddings"), 1, 0);
  if (!to.nets[0].empty()) to.width = to.nets[0].back().noutputs;
  model.descriptors.push_back(std::move(to));
}

void DpReader::read_types(const json &object, DeepDescriptor &to)
{
  const json &embedding = get(object, "type_embedding");
  check_version(embedding, "the embedding of types", 2);
  refuse_if_set(object, {"use_econf_tebd"});
  refuse_if_set(embedding, {"use_econf_tebd"});
  to.types.vectors = vectors_of_types(read_net(get(embedding, "embedding")), model.types.size());
  to.types.net = read_nets(get(object, "embeddings_strip"), 1, 0)[0];
  to.types.one_sided = is_set(object, "type_one_side");
  to.types.appended = is_set(object, "concat_output_tebd");
}

// -------------------------------------------------------------------------------------- nets

/** Nets of a collection: one, one for each type, or one for each pair, at center + ntypes *
    neighbor.  Those that are null, or have no weights, are empty. */
std::vector<DenseNet> DpReader::read_nets(const json &collection, std::size_t ntypes, int ndims)
{
  check_version(collection, "a collection of nets", 1);
  const json &networks = get(collection, "networks");
  std::size_t nnets = 1;
  for (int dim = 0; dim < ndims; dim++) nnets *= ntypes;
  if (whole(collection, "ndim") != ndims || !networks.is_array() || networks.size() != nnets)
    damaged("the number of nets is not that of the types");
  std::vector<DenseNet> result;
  for (const json &network : networks)
    result.push_back(network.is_null() ? DenseNet() : read_net(network));
  return result;
}

DenseNet DpReader::read_net(const json &network)
{
  check_version(network, "a net", 2);
  DenseNet net;
  for (const json &from : get(network, "layers")) {
    net.push_back(read_layer(from));
    if (net.back().weights.empty()) return {};    // of an excluded pair
  }
  return net;
}

DenseLayer DpReader::read_layer(const json &object)
{
  check_version(object, "a layer", 2);
  DenseLayer layer;
  const Tensor weights = variable(object, "w");
  if (weights.size() == 0) return layer;
  if (weights.shape.size() != 2 || weights.dim(0) > 10000000 || weights.dim(1) > 10000000)
    damaged("weights are no matrix");
  layer.ninputs = static_cast<int>(weights.dim(0));
  layer.noutputs = static_cast<int>(weights.dim(1));
  layer.weights = weights.numbers;
  layer.biases = variable(object, "b").numbers;
  layer.timesteps = variable(object, "idt").numbers;
  layer.activation = activation_of(
      find(object, "activation_function") ? text(object, "activation_function") : "none");
  if (is_set(object, "resnet")) set_residual(layer);
  return layer;
}

// ------------------------------------------------------------------------------- fitting net

void DpReader::read_fitting(const json &object)
{
  DeepFitting &to = model.fitting;
  const std::string kind = text(object, "type");
  if (kind == "dipole")
    to.kind = DeepFitting::Kind::DIPOLE;
  else if (kind != "ener")
    refuse_model("a fitting net of type '" + kind + "'");
  check_version(object, "the fitting net", 4);
  refuse_if_set(
      object,
      {"atom_ener", "dim_case_embd", "use_aparam_as_mask", "layer_name", "spin", "tot_ener_zero"});
  to.shared = is_set(object, "mixed_types");
  read_parameters(object);
  to.nets = read_nets(get(object, "nets"), model.types.size(), to.shared ? 0 : 1);
  if (const json *const excluded = find(object, "exclude_types"))
    to.exclude_types(excluded->get<std::vector<int>>());
  to.single_precision = is_set(object, "precision") && text(object, "precision") == "float32";
  to.biases.assign(model.types.size(), 0.0);
  const Tensor biases = variable(object, "bias_atom_e");
  if (to.kind == DeepFitting::Kind::ENERGY && biases.size() == to.biases.size())
    to.biases = biases.numbers;
}

void DpReader::read_parameters(const json &object)
{
  const auto read = [&](const char *count, const std::string &name, std::vector<double> &average,
                        std::vector<double> &inverse) {
    if (!is_set(object, count)) return;
    average = variable(object, name + "_avg").numbers;
    inverse = variable(object, name + "_inv_std").numbers;
    if (static_cast<double>(average.size()) != number(object, count))
      damaged("parameters have no statistics");
  };
  DeepFitting &to = model.fitting;
  read("numb_fparam", "fparam", to.frame_average, to.frame_inverse_deviation);
  read("numb_aparam", "aparam", to.atom_average, to.atom_inverse_deviation);
}

void DpReader::read_biases(const json &object)
{
  if (model.fitting.kind != DeepFitting::Kind::ENERGY || !find(object, "@variables")) return;
  model.fitting.add_biases(variable(object, "out_bias").numbers);
}

// -------------------------------------------------------------------------------------------------

DeepModel read_dp_model(std::string_view file)
{
  return DpReader(file).read();
}

}    // namespace TOFU_NS
