// SPDX-License-Identifier: GPL-2.0-only

#include "torch_model.h"

#include "little_endian.h"
#include "model/model_error.h"
#include "model/type_embedding.h"
#include "model_options.h"
#include "pickle.h"
#include "tensor.h"
#include "zip_archive.h"

#include <algorithm>

namespace TOFU_NS {

[[noreturn]] static void damaged(const std::string &what)
{
  throw ModelError("the model is damaged: " + what);
}

/** Objects of a model, by the names of their attributes. */
class TorchReader {
 public:
  explicit TorchReader(std::string_view file) :
      archive(file), folder(archive.folder()), pickle(archive.member(folder + "/data.pkl"))
  {
  }

  DeepModel read();

 private:
  using Object = PickleObject;
  ZipArchive archive;
  const std::string folder;
  Pickle pickle;
  DeepModel model;

  static const Object &bare(const Object &);
  static const Object *find(const Object &, const std::string &name);
  static const Object &get(const Object &, const std::string &name);
  static std::string class_of(const Object &);
  static double number(const Object &);
  static std::string text(const Object &);
  static bool is_true(const Object &object, const std::string &name);
  static std::vector<double> list(const Object &);
  static std::vector<const Object *> modules(const Object &);
  bool is_tensor(const Object *) const;
  Tensor tensor(const Object &) const;
  std::vector<double> numbers_of(const Object &, const std::string &name) const;
  template <class T>
  void read_storage(std::string_view bytes, std::int64_t offset,
                    const std::vector<std::int64_t> &strides, Tensor &) const;

  void refuse_what_is_unknown(const Object &atomic) const;
  void read_descriptor(const Object &, bool hybrid);
  void read_block(const Object &block, bool radial);
  void read_se_atten(const Object &);
  void read_environment(const Object &block, DeepDescriptor &) const;
  void read_statistics(const Object &block, DeepDescriptor &) const;
  DenseNet read_net(const Object &network) const;
  void read_fitting(const Object &);
  void read_biases(const Object &atomic);
};

// ----------------------------------------------------------------------------------- objects

/** Without the functions that only say what type a list has. */
const PickleObject &TorchReader::bare(const Object &object)
{
  const Object *inner = &object;
  while (inner->kind == Object::INSTANCE && inner->text.rfind("torch.jit._pickle ", 0) == 0 &&
         !inner->items.empty())
    inner = inner->items[0];
  return *inner;
}

/** An attribute, or nullptr; nullptr as well if it is None. */
const PickleObject *TorchReader::find(const Object &object, const std::string &name)
{
  const Object *state = &bare(object);
  if (state->kind == Object::INSTANCE) state = state->state;
  if (!state || state->kind != Object::DICT) return nullptr;
  const auto found = state->fields.find(name);
  if (found == state->fields.end() || found->second->kind == Object::NONE) return nullptr;
  return &bare(*found->second);
}

const PickleObject &TorchReader::get(const Object &object, const std::string &name)
{
  const Object *const found = find(object, name);
  if (!found) damaged("an object has no '" + name + "'");
  return *found;
}

/** Name of its class, without module and number. */
std::string TorchReader::class_of(const Object &object)
{
  return object.kind == Object::INSTANCE ? object.text.substr(object.text.rfind(' ') + 1) : "";
}

double TorchReader::number(const Object &object)
{
  if (object.kind == Object::REAL) return object.real;
  if (object.kind == Object::INTEGER || object.kind == Object::BOOL)
    return static_cast<double>(object.integer);
  damaged("an object is no number");
}

std::string TorchReader::text(const Object &object)
{
  if (object.kind != Object::TEXT) damaged("an object is no text");
  return object.text;
}

bool TorchReader::is_true(const Object &object, const std::string &name)
{
  const Object *const value = find(object, name);
  return value && (value->kind == Object::BOOL || value->kind == Object::INTEGER) &&
      value->integer != 0;
}

std::vector<double> TorchReader::list(const Object &object)
{
  std::vector<double> result;
  if (object.kind != Object::LIST && object.kind != Object::TUPLE) damaged("an object is no list");
  for (const Object *item : object.items) result.push_back(number(bare(*item)));
  return result;
}

/** Members of a list of modules, which are attributes "0", "1", ... */
std::vector<const PickleObject *> TorchReader::modules(const Object &object)
{
  std::vector<const Object *> result;
  while (const Object *const next = find(object, std::to_string(result.size())))
    result.push_back(next);
  return result;
}

// ----------------------------------------------------------------------------------- tensors

bool TorchReader::is_tensor(const Object *object) const
{
  return object && object->kind == Object::INSTANCE &&
      object->text.rfind("torch._utils _rebuild_tensor", 0) == 0;
}

template <class T>
void TorchReader::read_storage(std::string_view bytes, std::int64_t offset,
                               const std::vector<std::int64_t> &strides, Tensor &to) const
{
  std::size_t count = 1;
  for (std::int64_t n : to.shape) {
    if (n < 0 || n > 100000000) damaged("a tensor has an impossible size");
    count *= static_cast<std::size_t>(n);
    if (count > bytes.size()) damaged("a tensor is larger than its numbers");
  }
  const auto available = static_cast<std::int64_t>(bytes.size() / sizeof(T));
  std::vector<std::int64_t> index(to.shape.size(), 0);
  for (std::size_t k = 0; k < count; k++) {
    std::int64_t at = offset;
    for (std::size_t dim = 0; dim < index.size(); dim++) at += index[dim] * strides[dim];
    if (at < 0 || at >= available) damaged("a tensor goes beyond its numbers");
    to.numbers.push_back(static_cast<double>(read_little_endian<T>(bytes.data() + at * sizeof(T))));
    for (std::size_t dim = index.size(); dim-- > 0;) {
      if (++index[dim] < to.shape[dim]) break;
      index[dim] = 0;
    }
  }
}

Tensor TorchReader::tensor(const Object &object) const
{
  if (!is_tensor(&object) || object.items.size() < 4) damaged("an object is no tensor");
  const Object &storage = *object.items[0];
  if (storage.kind != Object::PERSISTENT || storage.items[0]->kind != Object::TUPLE ||
      storage.items[0]->items.size() < 3)
    damaged("a tensor has no numbers");
  const std::string kind = storage.items[0]->items[1]->text;
  const std::string_view bytes =
      archive.member(folder + "/data/" + text(*storage.items[0]->items[2]));
  const auto integers = [](const Object &from) {
    std::vector<std::int64_t> result;
    for (const Object *item : from.items) {
      if (item->kind != Object::INTEGER || item->integer > 1000000000 ||
          item->integer < -1000000000)
        damaged("a tensor has an impossible size");
      result.push_back(item->integer);
    }
    return result;
  };
  Tensor result;
  result.shape = integers(*object.items[2]);
  const std::vector<std::int64_t> strides = integers(*object.items[3]);
  if (object.items[1]->kind != Object::INTEGER) damaged("a tensor has no begin");
  const std::int64_t offset = object.items[1]->integer;
  if (strides.size() != result.shape.size() || offset < 0 || offset > 1000000000)
    damaged("a tensor has an impossible size");
  if (kind == "torch DoubleStorage")
    read_storage<double>(bytes, offset, strides, result);
  else if (kind == "torch FloatStorage")
    read_storage<float>(bytes, offset, strides, result);
  else if (kind == "torch LongStorage")
    read_storage<std::int64_t>(bytes, offset, strides, result);
  else if (kind == "torch IntStorage")
    read_storage<std::int32_t>(bytes, offset, strides, result);
  else if (kind == "torch BoolStorage")
    read_storage<char>(bytes, offset, strides, result);
  else
    refuse_model("numbers of kind '" + kind + "'");
  result.single_precision = kind == "torch FloatStorage";
  return result;
}

/** Numbers of a tensor; empty if it is absent or None. */
std::vector<double> TorchReader::numbers_of(const Object &object, const std::string &name) const
{
  const Object *const found = find(object, name);
  return is_tensor(found) ? tensor(*found).numbers : std::vector<double>();
}

// ------------------------------------------------------------------------------------- model

void TorchReader::refuse_what_is_unknown(const Object &atomic) const
{
  for (const char *name : {"pair_excl", "atom_excl"})
    if (find(atomic, name))
      refuse_model("excluded types of the whole model (" + std::string(name) + ")");
  if (is_true(atomic, "add_chg_spin_ebd")) refuse_model("charge and spin of the frame");
}

DeepModel TorchReader::read()
{
  const Object &root = pickle.root();
  const std::string kind = class_of(root);
  if (kind.rfind("EnergyModel", 0) == 0)
    model.fitting.kind = DeepFitting::Kind::ENERGY;
  else if (kind.rfind("DipoleModel", 0) == 0)
    model.fitting.kind = DeepFitting::Kind::DIPOLE;
  else
    refuse_model("the class '" + kind + "'");
  model.format = "PyTorch script (.pth)";
  model.version = "pt";

  // options are looked at for what is to be refused

  if (const Object *const script = find(root, "model_def_script"))
    if (script->kind == Object::TEXT && script->text.find('{') != std::string::npos)
      ModelOptions{script->text};
  const Object &atomic = get(root, "atomic_model");
  refuse_what_is_unknown(atomic);
  for (const Object *name : get(atomic, "type_map").items) model.types.push_back(text(*name));
  if (model.types.empty() || model.types.size() > 1000) damaged("it has no types, or too many");
  read_descriptor(get(atomic, "descriptor"), false);
  read_fitting(get(atomic, "fitting_net"));
  read_biases(atomic);
  check_model(model);
  return std::move(model);
}

void TorchReader::read_descriptor(const Object &object, bool inside)
{
  const std::string kind = class_of(object);
  if (kind.rfind("DescrptHybrid", 0) == 0 && !inside) {
    for (const Object *one : modules(get(object, "descrpt_list"))) read_descriptor(*one, true);
  } else if (kind.rfind("DescrptDPA1", 0) == 0 || kind.rfind("DescrptSeAttenV2", 0) == 0) {
    model.compressed = model.compressed || is_true(object, "geo_compress");
    read_se_atten(object);
  } else if (kind.rfind("DescrptSeA", 0) == 0 && find(object, "sea")) {
    model.compressed = model.compressed || is_true(object, "compress");
    read_block(get(object, "sea"), false);
  } else if (kind.rfind("DescrptSeR", 0) == 0) {
    model.compressed = model.compressed || is_true(object, "compress");
    read_block(object, true);
  } else {
    refuse_model("a descriptor of class '" + kind + "'");
  }
}

/** What all descriptors have. */
void TorchReader::read_environment(const Object &block, DeepDescriptor &to) const
{
  const std::size_t ntypes = model.types.size();
  to.cutoff = number(get(block, "rcut"));
  to.inner = number(get(block, "rcut_smth"));
  to.transition = to.cutoff - to.inner;
  for (double n : list(get(block, "sel")))
    to.selected.push_back(static_cast<int>(std::max(-1.0, std::min(n, 1e6))));
  to.axis = to.radial
      ? 0
      : static_cast<int>(std::min(1e6, std::max(0.0, number(get(block, "axis_neuron")))));
  if (const Object *const protection = find(block, "env_protection"))
    if (number(*protection) != 0.0) refuse_model("the option 'env_protection'");

  to.excluded.assign(ntypes * ntypes, 0);
  to.excluded_take_slots = true;
  if (const Object *const mask = find(block, "emask")) {
    const std::vector<double> kept = numbers_of(*mask, "type_mask");    // with one type more
    if (kept.size() != (ntypes + 1) * (ntypes + 1) && !is_true(*mask, "no_exclusion"))
      damaged("the mask of excluded types has another size");
    if (kept.size() == (ntypes + 1) * (ntypes + 1))
      for (std::size_t a = 0; a < ntypes; a++)
        for (std::size_t b = 0; b < ntypes; b++)
          to.excluded[a * ntypes + b] = kept[a * (ntypes + 1) + b] == 0.0;
  }
}

void TorchReader::read_block(const Object &block, bool radial)
{
  const std::size_t ntypes = model.types.size();
  DeepDescriptor to;
  to.radial = radial;
  to.one_sided = radial || is_true(block, "type_one_side");
  read_environment(block, to);
  if (to.selected.size() != ntypes) damaged("sel does not have one number for each type");
  read_statistics(block, to);

  // networks[center + ntypes * neighbor], or by neighbor

  const std::vector<const Object *> networks =
      modules(get(get(block, "filter_layers"), "networks"));
  const std::size_t nnets = to.one_sided ? ntypes : ntypes * ntypes;
  if (networks.size() != nnets) {
    if (!radial || networks.size() != ntypes * ntypes)
      damaged("the number of embedding nets is not that of the types");
    to.one_sided = false;
  }
  to.nets.resize(networks.size());
  for (std::size_t k = 0; k < networks.size(); k++) {
    const std::size_t net = to.one_sided ? k : (k % ntypes) * ntypes + k / ntypes;
    to.nets[net] = read_net(*networks[k]);
    if (!to.nets[net].empty()) to.width = to.nets[net].back().noutputs;
  }
  model.descriptors.push_back(std::move(to));
}

/** Descriptor se_atten, if it has no attention and knows types by factors. */
void TorchReader::read_se_atten(const Object &object)
{
  const Object &block = get(object, "se_atten");
  check_type_embedding("se_atten", static_cast<int>(number(get(block, "attn_layer"))),
                       text(get(block, "tebd_input_mode")));
  if (find(block, "lmax") && number(get(block, "lmax")) != 1.0) refuse_model("the option 'lmax'");
  if (is_true(object, "use_econf_tebd")) refuse_model("the option 'use_econf_tebd'");
  DeepDescriptor to;
  read_environment(block, to);
  to.share_slots();

  const auto only_net = [&](const char *collection) {
    const std::vector<const Object *> networks = modules(get(get(block, collection), "networks"));
    if (networks.size() != 1) damaged("there is not one embedding net for all types");
    return read_net(*networks[0]);
  };
  const Object &embedding = get(get(object, "type_embedding"), "embedding");
  to.types.vectors =
      vectors_of_types(read_net(get(embedding, "embedding_net")), model.types.size());
  to.types.net = only_net("filter_layers_strip");
  to.types.one_sided = is_true(block, "type_one_side");
  to.types.smooth = is_true(block, "smooth");
  to.types.appended = is_true(object, "concat_output_tebd");
  read_statistics(block, to);
  to.nets = {only_net("filter_layers")};
  if (!to.nets[0].empty()) to.width = to.nets[0].back().noutputs;
  model.descriptors.push_back(std::move(to));
}

void TorchReader::read_statistics(const Object &block, DeepDescriptor &to) const
{
  const Tensor average = tensor(get(block, "mean")), deviation = tensor(get(block, "stddev"));
  to.set_statistics(model.types.size(), average.numbers, deviation.numbers);
  to.single_precision = average.single_precision;
}

DenseNet TorchReader::read_net(const Object &network) const
{
  DenseNet net;
  const Object *const layers = find(network, "layers");
  if (!layers) return net;    // of an excluded pair
  for (const Object *from : modules(*layers)) {
    if (!is_tensor(find(*from, "matrix"))) return {};
    DenseLayer layer;
    const Tensor matrix = tensor(get(*from, "matrix"));
    if (matrix.shape.size() != 2) damaged("weights are no matrix");
    layer.ninputs = static_cast<int>(matrix.dim(0));
    layer.noutputs = static_cast<int>(matrix.dim(1));
    layer.weights = matrix.numbers;
    layer.biases = numbers_of(*from, "bias");
    layer.timesteps = numbers_of(*from, "idt");
    const Object *const name = find(*from, "activate_name");
    layer.activation = activation_of(name ? text(*name) : "none");
    if (is_true(*from, "resnet")) set_residual(layer);
    net.push_back(std::move(layer));
  }
  return net;
}

void TorchReader::read_fitting(const Object &object)
{
  const std::size_t ntypes = model.types.size();
  DeepFitting &to = model.fitting;
  if (find(object, "remove_vaccum_contribution"))
    refuse_model("energies without those of single atoms (remove_vaccum_contribution)");
  to.shared = is_true(object, "mixed_types");
  if (is_true(object, "dim_case_embd")) refuse_model("the option 'dim_case_embd'");
  if (is_true(object, "use_aparam_as_mask")) refuse_model("the option 'use_aparam_as_mask'");
  if (find(object, "atom_ener") && !get(object, "atom_ener").items.empty())
    refuse_model("the option 'atom_ener'");
  const auto parameters = [&](const char *count, const std::string &name,
                              std::vector<double> &average, std::vector<double> &inverse) {
    const double n = number(get(object, count));
    if (n == 0.0) return;
    average = numbers_of(object, name + "_avg");
    inverse = numbers_of(object, name + "_inv_std");
    if (static_cast<double>(average.size()) != n) damaged("parameters have no statistics");
  };
  parameters("numb_fparam", "fparam", to.frame_average, to.frame_inverse_deviation);
  parameters("numb_aparam", "aparam", to.atom_average, to.atom_inverse_deviation);
  const std::vector<const Object *> networks =
      modules(get(get(object, "filter_layers"), "networks"));
  if (networks.size() != (to.shared ? 1 : ntypes))
    damaged("there is not one fitting net for each type");
  for (const Object *network : networks) {
    to.nets.push_back(read_net(*network));
    if (!to.nets.back().empty() && is_tensor(find(*modules(get(*network, "layers"))[0], "matrix")))
      to.single_precision =
          tensor(get(*modules(get(*network, "layers"))[0], "matrix")).single_precision;
  }
  if (const Object *const excluded = find(object, "exclude_types")) {
    std::vector<int> types;
    for (double type : list(*excluded))
      types.push_back(static_cast<int>(std::max(-1.0, std::min(type, 1e6))));
    to.exclude_types(types);
  }
  to.biases.assign(ntypes, 0.0);
  const std::vector<double> biases = numbers_of(object, "bias_atom_e");
  if (to.kind == DeepFitting::Kind::ENERGY && biases.size() == ntypes) to.biases = biases;
}

void TorchReader::read_biases(const Object &atomic)
{
  if (model.fitting.kind != DeepFitting::Kind::ENERGY) return;
  model.fitting.add_biases(numbers_of(atomic, "out_bias"));
}

// -------------------------------------------------------------------------------------------------

DeepModel read_torch_model(std::string_view file)
{
  return TorchReader(file).read();
}

}    // namespace TOFU_NS
