// SPDX-License-Identifier: GPL-2.0-only

#include "model_options.h"

#include "model/model_error.h"
#include "model/type_embedding.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>

namespace TOFU_NS {

using nlohmann::json;

static constexpr int DEEPEST = 64;    // parentheses within parentheses

Activation activation_of(const std::string &text)
{
  static const std::map<std::string, Activation::Kind> KINDS = {
      {"tanh", Activation::TANH},       {"relu", Activation::RELU},
      {"relu6", Activation::RELU6},     {"gelu", Activation::GELU},
      {"gelu_tf", Activation::GELU},    {"softplus", Activation::SOFTPLUS},
      {"sigmoid", Activation::SIGMOID}, {"silu", Activation::SILU},
      {"linear", Activation::LINEAR},   {"none", Activation::LINEAR}};
  std::string name = text;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (kind == "silut" || kind == "custom_silu") {
    Activation result{Activation::SILUT};
    if (colon == std::string::npos) return result;
    try {
      result.threshold = std::stod(name.substr(colon + 1));
    } catch (const std::exception &) {
      refuse_model("the activation function '" + text + "'");
    }
    return result;
  }
  const auto found = KINDS.find(name);
  if (found == KINDS.end()) refuse_model("the activation function '" + text + "'");
  return {found->second};
}

// -------------------------------------------------------------------------------------------------

/** A value, or the default if it is absent or null.  Throws json::exception: it is of another
    kind. */
template <class T> static T value_of(const json &section, const char *name, T otherwise)
{
  const auto found = section.find(name);
  return found == section.end() || found->is_null() ? otherwise : found->get<T>();
}

static bool is_set(const json &section, const char *name)
{
  const auto found = section.find(name);
  if (found == section.end() || found->is_null()) return false;
  if (found->is_boolean()) return found->get<bool>();
  if (found->is_number()) return found->get<double>() != 0.0;
  return !found->empty();
}

static void refuse_if_set(const json &section, const std::vector<const char *> &names)
{
  for (const char *name : names)
    if (is_set(section, name)) refuse_model("the option '" + std::string(name) + "'");
}

static void check_se_atten(const json &section, const std::string &type)
{
  std::string mode = value_of<std::string>(section, "tebd_input_mode", "concat");
  const json old = value_of(section, "stripped_type_embedding", json());
  if (old.is_boolean()) mode = old.get<bool>() ? "strip" : "concat";
  if (type == "se_atten_v2") mode = "strip";
  check_type_embedding(type, value_of(section, "attn_layer", 2), mode);
}

static DescriptorOptions descriptor_options(const json &section)
{
  DescriptorOptions options;
  options.type = value_of<std::string>(section, "type", "se_e2_a");
  if (options.type == "se_a") options.type = "se_e2_a";
  if (options.type == "se_r") options.type = "se_e2_r";
  options.typed = options.type == "dpa1" || options.type == "se_atten" ||
      options.type == "se_atten_v2";
  if (options.typed)
    check_se_atten(section, options.type);
  else if (options.type != "se_e2_a" && options.type != "se_e2_r")
    refuse_model("a descriptor of type '" + options.type + "'");
  options.smooth = options.type == "se_atten_v2" ||
      value_of(section, "smooth_type_embedding", false);
  refuse_if_set(section, {"env_protection", "use_exp_switch", "use_econf_tebd", "spin"});
  if (section.contains("rcut") && section.contains("rcut_smth")) {
    options.has_cutoffs = true;
    options.cutoff = section["rcut"].get<double>();
    options.inner = section["rcut_smth"].get<double>();
  }
  if (section.contains("sel") && section["sel"].is_array())
    options.selected = section["sel"].get<std::vector<int>>();
  else if (options.typed && section.contains("sel"))
    options.selected = {section["sel"].get<int>()};
  options.axis =
      value_of(section, "axis_neuron", options.typed || options.type == "se_e2_a" ? 4 : 0);
  options.activation = activation_of(value_of<std::string>(section, "activation_function", "tanh"));
  for (const json &pair : value_of(section, "exclude_types", json::array()))
    options.excluded.emplace_back(pair.at(0).get<int>(), pair.at(1).get<int>());
  return options;
}

/** Of the net that makes vectors of types.

    \param section   the section `type_embedding`; without one the net is linear */
static Activation type_activation(const json &section)
{
  if (section.empty()) return {Activation::LINEAR};
  refuse_if_set(section, {"use_econf_tebd"});
  return activation_of(value_of<std::string>(section, "activation_function", "tanh"));
}

ModelOptions::ModelOptions(const std::string &text)
{
  try {
    const json whole = json::parse(text, [](int depth, json::parse_event_t, json &) {
      if (depth > DEEPEST)
        throw ModelError("the options in the model's file are too deeply nested");
      return true;
    });
    const json section = whole.contains("model") ? whole["model"] : whole;
    if (section.contains("model_dict") || section.contains("shared_dict"))
      refuse_model("several tasks; freeze one of them");
    const std::string kind = value_of<std::string>(section, "type", "standard");
    if (kind != "standard" && kind != "ener" && kind != "dipole")
      refuse_model("the type '" + kind + "'");
    refuse_if_set(section,
                  {"use_srtab", "spin", "nvnmd", "pair_exclude_types", "atom_exclude_types"});
    if (whole.contains("nvnmd") && is_set(whole["nvnmd"], "enable"))
      refuse_model("nets for hardware (nvnmd)");
    if (whole.contains("training")) refuse_if_set(whole["training"], {"mixed_precision"});

    const json descriptor = value_of(section, "descriptor", json::object());
    hybrid = value_of<std::string>(descriptor, "type", "se_e2_a") == "hybrid";
    if (hybrid)
      for (const json &one : descriptor.at("list")) descriptors.push_back(descriptor_options(one));
    else
      descriptors.push_back(descriptor_options(descriptor));
    activation_of_types = type_activation(value_of(section, "type_embedding", json::object()));
    for (const DescriptorOptions &one : descriptors)
      if (!one.typed) refuse_if_set(section, {"type_embedding"});

    const json fitting = value_of(section, "fitting_net", json::object());
    const std::string what = value_of<std::string>(fitting, "type", "ener");
    if (what != "ener" && what != "dipole") refuse_model("a fitting net of type '" + what + "'");
    refuse_if_set(fitting,
                  {"atom_ener", "use_aparam_as_mask", "layer_name", "dim_case_embd", "spin"});
    activation = activation_of(value_of<std::string>(fitting, "activation_function", "tanh"));
  } catch (const json::exception &wrong) {
    throw ModelError("the options in the model's file are not understood: " +
                     std::string(wrong.what()));
  }
}

}    // namespace TOFU_NS
