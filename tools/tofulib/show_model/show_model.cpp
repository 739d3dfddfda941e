// SPDX-License-Identifier: GPL-2.0-only
//
// What a file with a deep potential has, and whether pair_style deepmd/threadpool takes it.
//
// Exit status: 0 if it does, 1 if not.

#include "model/files/model_file.h"
#include "model/model_error.h"

#include <iostream>
#include <string>

using namespace TOFU_NS;

static std::string widths_of(const DenseNet &net, bool with_last)
{
  std::string text;
  for (std::size_t k = 0; k + !with_last < net.size(); k++)
    text += (k ? "-" : "") + std::to_string(net[k].noutputs);
  return text;
}

static std::string name_of(const Activation &activation)
{
  static const char *const NAMES[] = {"linear",   "tanh",    "relu", "relu6", "gelu",
                                      "softplus", "sigmoid", "silu", "silut"};
  return NAMES[activation.kind];
}

static const char *precision_of(bool single)
{
  return single ? "single" : "double";
}

static void show_descriptor(const DeepModel &model, const DeepDescriptor &one)
{
  std::cout << "descriptor       " << name_of(one) << ", rcut " << one.cutoff << ", rcut_smth "
            << one.inner << ", sel";
  for (int n : one.selected) std::cout << ' ' << n;
  std::cout << '\n';
  for (const DenseNet &net : one.nets) {
    if (net.empty()) continue;
    std::cout << "embedding nets   " << widths_of(net, true) << ", "
              << name_of(net.front().activation) << ", " << precision_of(one.single_precision)
              << " precision, ";
    break;
  }
  if (!one.tables.empty())
    std::cout << "embedding nets   as tables of " << one.width << " columns, ";
  const bool one_sided = one.is_shared() ? one.types.one_sided : one.one_sided;
  std::cout << (one.is_shared() ? "with factors " : "")
            << (one_sided ? "by type of the neighbor" : "by both types");
  if (!one.radial) std::cout << ", axis " << one.axis;
  std::cout << '\n';
  if (one.is_shared())
    std::cout << "types            vectors of " << one.types.vectors[0].size() << " numbers"
              << (one.types.smooth ? ", smooth" : "")
              << (one.types.appended ? ", also for the fitting net" : "") << '\n';
  const std::size_t ntypes = model.types.size();
  for (std::size_t a = 0; a < ntypes; a++)
    for (std::size_t b = a; b < ntypes; b++)
      if (one.excluded[a * ntypes + b])
        std::cout << "excluded         " << model.types[a] << ' ' << model.types[b] << '\n';
}

static void show(const DeepModel &model)
{
  std::cout << "file             " << model.format << (model.compressed ? ", compressed" : "")
            << "\ntypes           ";
  for (const std::string &name : model.types) std::cout << ' ' << name;
  std::cout << '\n';
  for (const DeepDescriptor &one : model.descriptors) show_descriptor(model, one);
  const DeepFitting &fitting = model.fitting;
  const bool energy = fitting.kind == DeepFitting::Kind::ENERGY;
  for (const DenseNet &net : fitting.nets) {
    if (net.empty()) continue;
    std::cout << "fitting nets     " << widths_of(net, false) << " for "
              << (energy ? "energies" : "dipoles") << ", " << name_of(net.front().activation)
              << ", " << precision_of(fitting.single_precision) << " precision"
              << (fitting.shared ? ", one for all types" : "") << '\n';
    break;
  }
  if (!fitting.frame_average.empty())
    std::cout << "fparam           " << fitting.frame_average.size() << '\n';
  if (!fitting.atom_average.empty())
    std::cout << "aparam           " << fitting.atom_average.size() << '\n';
}

int main(int argc, char **argv)
{
  if (argc != 2) {
    std::cerr << "usage: show_model FILE\n";
    return 2;
  }
  try {
    const DeepModel model = read_model(read_whole_file(argv[1]));
    show(model);
    if (model.wannier) {
      std::cout << "\nin the same file a model of Wannier centers:\n";
      show(*model.wannier);
    }
    const bool energy = model.fitting.kind == DeepFitting::Kind::ENERGY;
    std::cout << "\npair_style deepmd/threadpool: "
              << (energy ? "yes" : "no, since it is a model of dipoles") << '\n';
    return energy ? 0 : 1;
  } catch (const ModelError &wrong) {
    std::cout << "pair_style deepmd/threadpool: no: " << wrong.what() << '\n';
    return 1;
  }
}
