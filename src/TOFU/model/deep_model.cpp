// SPDX-License-Identifier: GPL-2.0-only

#include "deep_model.h"

#include "model_error.h"

#include <algorithm>
#include <cmath>

namespace TOFU_NS {

void DeepDescriptor::set_statistics(std::size_t ntypes, const std::vector<double> &averages,
                                    const std::vector<double> &deviations)
{
  const int ncomponents = radial ? 1 : 4;
  std::size_t nslots = 0;
  for (int n : selected) nslots += std::max(n, 0);
  if (averages.size() != ntypes * nslots * ncomponents || deviations.size() != averages.size())
    throw ModelError("the model is damaged: its statistics do not have one row for each slot");
  average.assign(ntypes * ntypes, {0.0, 0.0, 0.0, 0.0});
  deviation.assign(ntypes * ntypes, {1.0, 1.0, 1.0, 1.0});
  const std::size_t nsections = selected.size();
  std::size_t at = 0;
  for (std::size_t k = 0; k < ntypes * nsections; k++) {
    std::array<double, 4> a{0.0, 0.0, 0.0, 0.0}, d{1.0, 1.0, 1.0, 1.0};
    for (int slot = 0; slot < selected[k % nsections]; slot++)
      for (int c = 0; c < ncomponents; c++, at++) {
        if (slot && (a[c] != averages[at] || d[c] != deviations[at]))
          refuse_model("statistics that differ among neighbors of one type");
        a[c] = averages[at];
        d[c] = deviations[at];
      }
    const std::size_t first = k / nsections * ntypes + (is_shared() ? 0 : k % nsections);
    std::fill_n(average.begin() + first, is_shared() ? ntypes : 1, a);
    std::fill_n(deviation.begin() + first, is_shared() ? ntypes : 1, d);
  }
}

void DeepDescriptor::share_slots()
{
  double nslots = 0.0;
  for (int n : selected) nslots += n;
  selected = {static_cast<int>(std::min(nslots, 1e6))};
}

bool DeepDescriptor::uses_net(int center, int neighbor) const
{
  if (!slots_of(neighbor)) return false;
  const std::size_t ntypes = types.empty() ? selected.size() : types.vectors.size();
  const std::size_t pair = center * ntypes + neighbor;
  if (!excluded[pair]) return true;
  return excluded_take_slots && average[pair] != std::array<double, 4>{0.0, 0.0, 0.0, 0.0};
}

static void require(bool condition, const std::string &what)
{
  if (!condition) throw ModelError("the model is damaged: " + what);
}

static void require_finite(const std::vector<double> &numbers, const std::string &what)
{
  require(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }),
          "not all numbers of " + what + " are finite");
}

void DeepFitting::exclude_types(const std::vector<int> &excluded)
{
  if (excluded.empty()) return;
  if (shared || kind == Kind::ENERGY)
    refuse_model("excluded types in its fitting net (exclude_types)");
  for (int type : excluded)
    if (type >= 0 && type < static_cast<int>(nets.size())) nets[type].clear();
}

void DeepFitting::add_biases(const std::vector<double> &more)
{
  require(more.empty() || more.size() == biases.size(),
          "there is not one energy of a single atom for each type");
  for (std::size_t type = 0; type < more.size(); type++) biases[type] += more[type];
}

void set_residual(DenseLayer &layer)
{
  if (layer.noutputs == layer.ninputs)
    layer.residual = DenseLayer::Residual::ONCE;
  else if (layer.noutputs == 2 * layer.ninputs)
    layer.residual = DenseLayer::Residual::TWICE;
}

void check_net(const DenseNet &net, int ninputs, int noutputs, const std::string &name)
{
  require(!net.empty(), name + " has no layers");
  for (const DenseLayer &layer : net) {
    require(layer.ninputs == ninputs,
            name + " has a layer of " + std::to_string(layer.ninputs) + " inputs behind " +
                std::to_string(ninputs) + " outputs");
    const std::size_t n = layer.noutputs;
    require(n > 0 && layer.weights.size() == n * layer.ninputs &&
                (layer.biases.empty() || layer.biases.size() == n) &&
                (layer.timesteps.empty() || layer.timesteps.size() == n),
            name + " has arrays of different sizes");
    require(layer.residual == DenseLayer::Residual::NONE ||
                layer.noutputs ==
                    layer.ninputs * (layer.residual == DenseLayer::Residual::TWICE ? 2 : 1),
            name + " has a residual layer that changes the width");
    require_finite(layer.weights, name);
    require_finite(layer.biases, name);
    require_finite(layer.timesteps, name);
    ninputs = layer.noutputs;
  }
  require(ninputs == noutputs,
          name + " has " + std::to_string(ninputs) + " outputs, not " + std::to_string(noutputs));
}

static void check_table(const CompressedNet &table, int width, const std::string &name)
{
  require(std::isfinite(table.lower) && std::isfinite(table.upper) && table.lower < table.middle &&
              table.middle <= table.upper && table.interval > 0.0 && table.long_interval > 0.0 &&
              std::isfinite(table.interval) && std::isfinite(table.long_interval) &&
              table.interval <= 1.5 * (table.middle - table.lower),
          name + " has a range that does not increase");
  const double intervals = std::floor((table.middle - table.lower) / table.interval + 0.5) +
      std::floor((table.upper - table.middle) / table.long_interval + 0.5);
  require(table.width == width && intervals >= 1.0 && intervals <= 1e7 &&
              table.coefficients.size() >= static_cast<std::size_t>(intervals) * width * 6,
          name + " is too short for its range");
  require_finite(table.coefficients, name);
}

static void check_types(const DeepDescriptor &one, std::size_t ntypes)
{
  const TypeEmbedding &types = one.types;
  require(types.vectors.size() == ntypes, "there is not one vector for each type");
  const std::size_t size = types.vectors[0].size();
  for (const std::vector<double> &vector : types.vectors) {
    require(vector.size() == size && size >= 1 && size < 100000,
            "vectors of types have different sizes, or none");
    require_finite(vector, "the vectors of types");
  }
  require(static_cast<double>(ntypes) * ntypes * one.width < 1e8, "it has too many types");
  if (types.factors.empty())
    check_net(types.net, static_cast<int>(types.one_sided ? size : 2 * size), one.width,
              "the net of types");
  else
    require(types.factors.size() == ntypes * ntypes, "there are no factors for each pair of types");
  for (const std::vector<double> &some : types.factors) {
    require(static_cast<int>(some.size()) == one.width, "types have too few factors");
    require_finite(some, "the factors of types");
  }
  require(types.switch_distance >= 0.0 && types.switch_distance <= one.cutoff,
          "rcut_smth is not within the cut-off");
  for (std::size_t center = 0; center < ntypes && !types.smooth; center++)
    for (double average : one.average[center * ntypes])
      if (average != 0.0)
        refuse_model("averages that are not zero (set_davg_zero) and an embedding of types that is "
                     "not smooth (smooth_type_embedding), so that empty slots have the type of "
                     "another atom");
}

[[noreturn]] static void throw_lost_nets(const std::string &what)
{
  throw ModelError(what +
                   " empty. Compressed models lose their nets when they are converted: use the "
                   "file that was compressed, or the original model");
}

static void check_descriptor(const DeepDescriptor &one, std::size_t ntypes)
{
  require(one.cutoff > 0.0 && one.cutoff < 1e3 && one.inner >= 0.0 && one.inner < one.cutoff &&
              std::abs(one.transition - (one.cutoff - one.inner)) < 1e-5 * one.cutoff,
          "cut-offs are not 0 <= rcut_smth < rcut");
  require(one.selected.size() == (one.is_shared() ? 1 : ntypes),
          "sel does not have one number for each type");
  double nslots = 0.0;
  for (int n : one.selected) {
    require(n >= 0, "sel has a negative number");
    nslots += n;
  }
  require(nslots >= 1.0 && nslots < 1e6, "sel has no places, or too many");
  if (one.width == 0) throw_lost_nets("its embedding nets are");
  require(one.width >= 1 && one.width <= 100000 &&
              (one.radial ? one.axis == 0 : one.axis >= 1 && one.axis <= one.width),
          "axis_neuron is not within the width of the embedding nets");
  require(one.excluded.size() == ntypes * ntypes && one.average.size() == ntypes * ntypes &&
              one.deviation.size() == ntypes * ntypes,
          "statistics do not have one row for each pair of types");
  for (std::size_t pair = 0; pair < ntypes * ntypes; pair++)
    for (int k = 0; k < 4; k++)
      require(std::isfinite(one.average[pair][k]) && std::isfinite(one.deviation[pair][k]) &&
                  std::abs(one.deviation[pair][k]) > 1e-30,
              "a standard deviation is zero or not finite");
  if (one.is_shared()) check_types(one, ntypes);
  if (one.radial && one.excluded_take_slots &&
      std::count(one.excluded.begin(), one.excluded.end(), 1))
    refuse_model("excluded types in a descriptor of type 'se_e2_r' that is not of TensorFlow");
  const std::size_t nnets = one.nnets(ntypes);
  require((one.nets.empty() || one.nets.size() == nnets) &&
              (one.tables.empty() || one.tables.size() == nnets),
          "the number of embedding nets is not that of the types");
  for (std::size_t center = 0; center < ntypes; center++)
    for (std::size_t neighbor = 0; neighbor < ntypes; neighbor++) {
      const int a = static_cast<int>(center), b = static_cast<int>(neighbor);
      if (!one.uses_net(a, b)) continue;
      const std::size_t net = one.net_of(a, b);
      const std::string name = "embedding net " + std::to_string(net);
      if (net < one.tables.size() && !one.tables[net].empty())
        check_table(one.tables[net], one.width, "table of " + name);
      else if (net < one.nets.size() && !one.nets[net].empty())
        check_net(one.nets[net], 1, one.width, name);
      else
        throw_lost_nets(name + " is");
    }
}

void check_model(const DeepModel &model)
{
  const std::size_t ntypes = model.types.size();
  require(ntypes >= 1 && ntypes <= 1000, "it has no types, or too many");
  require(!model.descriptors.empty(), "it has no descriptor");
  std::size_t ninputs = 0;
  for (const DeepDescriptor &one : model.descriptors) {
    check_descriptor(one, ntypes);
    ninputs += one.nvalues();
  }
  require(ninputs < 10000000, "its descriptors are too long");
  const DeepFitting &fitting = model.fitting;
  require(fitting.nets.size() == (fitting.shared ? 1 : ntypes) && fitting.biases.size() == ntypes,
          "there is not one fitting net for each type");
  require_finite(fitting.biases, "the energies of single atoms");
  for (const std::vector<double> *numbers :
       {&fitting.frame_average, &fitting.frame_inverse_deviation, &fitting.atom_average,
        &fitting.atom_inverse_deviation})
    require_finite(*numbers, "the statistics of parameters");
  require(fitting.frame_average.size() == fitting.frame_inverse_deviation.size() &&
              fitting.atom_average.size() == fitting.atom_inverse_deviation.size(),
          "statistics of parameters have different sizes");
  ninputs += fitting.frame_average.size() + fitting.atom_average.size();
  const bool dipole = fitting.kind == DeepFitting::Kind::DIPOLE;
  require(!dipole || (model.descriptors.size() == 1 && !model.descriptors[0].radial),
          "dipoles need one descriptor of type se_e2_a");
  int nnets = 0;
  for (const DenseNet &net : fitting.nets) {
    if (net.empty()) continue;
    nnets++;
    check_net(net, static_cast<int>(ninputs), dipole ? model.descriptors[0].width : 1,
              "fitting net " + std::to_string(nnets));
    for (const DenseLayer &layer : net)
      if (layer.residual == DenseLayer::Residual::TWICE)
        refuse_model("a fitting net with a layer that doubles its width");
    if (net.front().residual != DenseLayer::Residual::NONE)
      refuse_model("a fitting net whose first layer is as wide as the descriptor, and adds it");
    require(net.back().activation.kind == Activation::LINEAR &&
                net.back().residual == DenseLayer::Residual::NONE,
            "the last layer of a fitting net is not linear");
  }
  require(nnets > 0 && (dipole || nnets == static_cast<int>(fitting.nets.size())),
          "types have no fitting net");
  if (model.wannier) check_model(*model.wannier);
}

}    // namespace TOFU_NS
