// SPDX-License-Identifier: GPL-2.0-only

#include "model_file.h"

#include "dp_model.h"
#include "graph_model.h"
#include "model/model_error.h"
#include "torch_model.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace TOFU_NS {

std::string read_whole_file(const std::string &name)
{
  std::ifstream file(name, std::ios::binary);
  if (!file) throw ModelError(std::strerror(errno));
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file || bytes.str().empty())
    throw ModelError("it is empty, a folder, or cannot be read to its end");
  return bytes.str();
}

static bool begins_with(const std::string &bytes, const char *with, std::size_t n)
{
  return bytes.size() >= n && std::memcmp(bytes.data(), with, n) == 0;
}

DeepModel read_model(const std::string &bytes)
{
  if (begins_with(bytes, "PK\003\004", 4)) return read_torch_model(bytes);
  if (begins_with(bytes, "\211HDF\r\n\032\n", 8)) return read_dp_model(bytes);
  if (begins_with(bytes, "node {", 6) || begins_with(bytes, "node{", 5))
    throw ModelError("it is a graph as text (.pbtxt). Convert it: "
                     "dp convert-from pbtxt -i model.pbtxt -o model.pb");
  return read_graph_model(bytes);
}

const char *name_of(const DeepDescriptor &one)
{
  return one.is_shared() ? "se_atten" : one.radial ? "se_e2_r" : "se_e2_a";
}

std::string summary_of(const DeepModel &model)
{
  std::ostringstream text;
  text << model.format << ", types";
  for (const std::string &name : model.types) text << ' ' << name;
  for (const DeepDescriptor &one : model.descriptors) {
    text << ", " << name_of(one) << " with rcut " << one.cutoff << " sel";
    for (std::size_t k = 0; k < one.selected.size(); k++)
      text << (k ? "/" : " ") << one.selected[k];
  }
  text << ", fitting net";
  for (const DenseNet &net : model.fitting.nets) {
    if (net.empty()) continue;
    for (std::size_t k = 0; k + 1 < net.size(); k++) text << (k ? "-" : " ") << net[k].noutputs;
    break;
  }
  if (model.fitting.single_precision) text << " in single precision";
  if (model.compressed) text << ", compressed";
  if (model.wannier) text << ", with a model of Wannier centers";
  return text.str();
}

DeepModel in_other_units(const DeepModel &model, double angstrom, double ev)
{
  DeepModel result = model;
  result.angstrom *= angstrom;
  for (DeepDescriptor &one : result.descriptors) {
    one.cutoff *= angstrom;
    one.inner *= angstrom;
    one.transition *= angstrom;
    one.types.switch_distance *= angstrom;
    for (auto &numbers : one.average)
      for (double &x : numbers) x /= angstrom;
    for (auto &numbers : one.deviation)
      for (double &x : numbers) x /= angstrom;
  }
  const double factor = model.fitting.kind == DeepFitting::Kind::ENERGY ? ev : angstrom;
  for (DenseNet &net : result.fitting.nets) {
    if (net.empty()) continue;
    for (double &x : net.back().weights) x *= factor;
    for (double &x : net.back().biases) x *= factor;
  }
  for (double &x : result.fitting.biases) x *= factor;
  if (model.wannier)
    result.wannier =
        std::make_shared<const DeepModel>(in_other_units(*model.wannier, angstrom, ev));
  return result;
}

}    // namespace TOFU_NS
