// SPDX-License-Identifier: GPL-2.0-only
//
// Small random deep potentials for the tests, and their energy by its formula.

#ifndef TOFU_TEST_DEEP_MODELS_H
#define TOFU_TEST_DEEP_MODELS_H

#include "model/deep_model.h"
#include "model/embedding_table.h"
#include "unit/kernels/deep/random_numbers.h"
#include "unit/testing.h"

namespace deep_models {

using namespace TOFU_NS;
using Place = std::array<double, 3>;

using TOFU_TEST::Random;

inline DenseNet random_net(Random &random, const std::vector<int> &sizes, bool doubling)
{
  DenseNet net;
  for (std::size_t l = 0; l + 1 < sizes.size(); l++) {
    DenseLayer layer;
    layer.ninputs = sizes[l];
    layer.noutputs = sizes[l + 1];
    layer.weights = random.numbers(static_cast<std::size_t>(sizes[l]) * sizes[l + 1],
                                   1.5 / std::sqrt(sizes[l]));
    layer.biases = random.numbers(sizes[l + 1], 0.5);
    if (doubling || l + 2 < sizes.size()) layer.activation = {Activation::TANH};
    if (l && sizes[l] == sizes[l + 1]) {
      layer.residual = DenseLayer::Residual::ONCE;
      layer.timesteps = random.numbers(sizes[l + 1], 1.0);
    } else if (doubling && sizes[l + 1] == 2 * sizes[l]) {
      layer.residual = DenseLayer::Residual::TWICE;
    }
    net.push_back(std::move(layer));
  }
  return net;
}

struct Shape {
  int ntypes = 2;
  bool one_sided = false, excluded = false, radial_too = false, parameters = false;
  bool typed = false, smooth = false;     // se_atten; otherwise se_e2_a
  std::vector<int> selected{9, 14, 8};    // by type
  DeepFitting::Kind kind = DeepFitting::Kind::ENERGY;
};

/** Types as vectors of 3 numbers; one set of slots. */
inline void add_types(Random &random, const Shape &shape, DeepDescriptor &one)
{
  const int n = shape.ntypes;
  for (int type = 0; type < n; type++) one.types.vectors.push_back(random.numbers(3, 1.0));
  one.types.one_sided = shape.one_sided;
  one.types.smooth = one.types.appended = shape.smooth;
  one.types.net = random_net(random, {shape.one_sided ? 3 : 6, 6, 12}, true);
  one.selected = {30};
  one.excluded_take_slots = true;
  for (int pair = 0; pair < n * n; pair++) {
    one.average[pair] = one.average[pair / n * n];
    one.deviation[pair] = one.deviation[pair / n * n];
    if (!shape.smooth) one.average[pair] = {0.0, 0.0, 0.0, 0.0};
  }
}

inline DeepDescriptor random_descriptor(Random &random, const Shape &shape, bool radial)
{
  const int n = shape.ntypes;
  DeepDescriptor one;
  one.radial = radial;
  one.cutoff = radial ? 3.5 : 4.0;
  one.inner = 0.9;
  one.transition = one.cutoff - one.inner;
  one.selected.assign(shape.selected.begin(), shape.selected.begin() + n);
  one.width = 12;
  one.axis = radial ? 0 : 5;
  one.one_sided = shape.one_sided;
  one.excluded.assign(n * n, 0);
  if (shape.excluded) one.excluded[n - 1] = one.excluded[(n - 1) * n] = 1;
  for (int pair = 0; pair < n * n; pair++) {
    one.average.push_back({random.number(0.0, 0.3), 0.0, 0.0, 0.0});
    const double d = random.number(0.15, 0.25);
    one.deviation.push_back({random.number(0.2, 0.4), d, d, d});
  }
  if (shape.typed && !radial) add_types(random, shape, one);
  for (std::size_t net = 0; net < one.nnets(n); net++)
    one.nets.push_back(random_net(random, {1, 6, 12, 12}, true));
  return one;
}

inline DeepModel random_model(unsigned seed, const Shape &shape)
{
  Random random(seed);
  DeepModel model;
  for (int type = 0; type < shape.ntypes; type++) model.types.push_back(std::string(1, 'A' + type));
  model.descriptors.push_back(random_descriptor(random, shape, false));
  if (shape.radial_too) model.descriptors.push_back(random_descriptor(random, shape, true));
  DeepFitting &fitting = model.fitting;
  fitting.kind = shape.kind;
  if (shape.parameters) {
    fitting.frame_average = {0.3};
    fitting.frame_inverse_deviation = {2.0};
    fitting.atom_average = {0.1, -0.4};
    fitting.atom_inverse_deviation = {1.0, 3.0};
  }
  std::size_t ninputs = fitting.frame_average.size() + fitting.atom_average.size();
  for (const DeepDescriptor &one : model.descriptors) ninputs += one.nvalues();
  const int noutputs = shape.kind == DeepFitting::Kind::DIPOLE ? 12 : 1;
  fitting.shared = shape.typed;
  for (int type = 0; type < shape.ntypes; type++) {
    if (!type || !shape.typed) {
      fitting.nets.push_back(
          random_net(random, {static_cast<int>(ninputs), 20, 20, noutputs}, false));
      for (double &w : fitting.nets.back()[0].weights) w *= 4.0;
    }
    fitting.biases.push_back(noutputs == 1 ? random.number(-5.0, 5.0) : 0.0);
  }
  return model;
}

// ----------------------------------------------------------------------------------------------

inline std::vector<double> net_values(const DenseNet &net, std::vector<double> x)
{
  for (const DenseLayer &layer : net) {
    std::vector<double> y(layer.noutputs);
    for (int k = 0; k < layer.noutputs; k++) {
      double sum = layer.biases[k];
      for (int i = 0; i < layer.ninputs; i++) sum += x[i] * layer.weights[i * layer.noutputs + k];
      y[k] = layer.activation.kind == Activation::TANH ? std::tanh(sum) : sum;
      if (!layer.timesteps.empty()) y[k] *= layer.timesteps[k];
      if (layer.residual != DenseLayer::Residual::NONE) y[k] += x[k % layer.ninputs];
    }
    x = y;
  }
  return x;
}

/** A neighbor: distance, direction, and type; -1 for an empty slot. */
struct Neighbor {
  double r = 0.0, ux = 0.0, uy = 0.0, uz = 0.0;
  int type = -1;
};

/** Neighbors in the slots of a section, with empty ones.

    \param section   type, or -1: all types */
inline std::vector<Neighbor> neighbors_of(const DeepDescriptor &one, int section, int i,
                                          const std::vector<Place> &x,
                                          const std::vector<int> &types)
{
  std::vector<Neighbor> near;
  for (std::size_t j = 0; j < x.size(); j++) {
    const double dx = x[j][0] - x[i][0], dy = x[j][1] - x[i][1], dz = x[j][2] - x[i][2];
    const double r = std::sqrt(dx * dx + dy * dy + dz * dz);
    if (static_cast<int>(j) == i || (section >= 0 && types[j] != section) || r >= one.cutoff)
      continue;
    near.push_back({r, dx / r, dy / r, dz / r, types[j]});
  }
  std::sort(near.begin(), near.end(),
            [](const Neighbor &a, const Neighbor &b) { return a.r < b.r; });
  Neighbor none;
  none.r = 2.0 * one.cutoff;
  near.resize(one.slots_of(std::max(0, section)), none);
  return near;
}

/** What the fitting net gets of an atom, by the formula; T goes to sums. */
inline std::vector<double> descriptor_values(const DeepDescriptor &one, int ntypes, int i,
                                             const std::vector<Place> &x,
                                             const std::vector<int> &types,
                                             std::vector<std::array<double, 4>> *sums = nullptr)
{
  int nslots = 0;
  for (int n : one.selected) nslots += n;
  std::vector<std::array<double, 4>> t(one.width, {0.0, 0.0, 0.0, 0.0});
  for (int section = one.is_shared() ? -1 : 0; section < (one.is_shared() ? 0 : ntypes); section++)
    for (const Neighbor &neighbor : neighbors_of(one, section, i, x, types)) {
      const int type = neighbor.type < 0 ? std::max(0, section) : neighbor.type;
      const int pair = types[i] * ntypes + type;
      if (one.excluded[pair] && (neighbor.type >= 0 || !one.excluded_take_slots)) continue;
      const double r = neighbor.r;
      const double u = std::min(1.0, std::max(0.0, (r - one.inner) / (one.cutoff - one.inner)));
      const double w = u * u * u * (u * (-6.0 * u + 15.0) - 10.0) + 1.0, s = w / r;
      const double q[4] = {s, s * neighbor.ux, s * neighbor.uy, s * neighbor.uz};
      double components[4];
      for (int c = 0; c < 4; c++)
        components[c] = (q[c] - one.average[pair][c]) / one.deviation[pair][c];
      std::vector<double> g = net_values(one.nets[one.net_of(types[i], type)], {components[0]});
      if (one.is_shared() && neighbor.type >= 0) {
        std::vector<double> input = one.types.vectors[type];
        const std::vector<double> &own = one.types.vectors[types[i]];
        if (!one.types.one_sided) input.insert(input.end(), own.begin(), own.end());
        const std::vector<double> factors = net_values(one.types.net, input);
        for (int a = 0; a < one.width; a++) g[a] *= 1.0 + factors[a] * (one.types.smooth ? w : 1.0);
      }
      for (int a = 0; a < one.width; a++)
        for (int c = 0; c < 4; c++) t[a][c] += (one.radial ? 1.0 : components[c]) * g[a] / nslots;
    }
  if (sums) *sums = t;
  std::vector<double> values;
  for (int a = 0; a < one.width; a++) {
    if (one.radial) values.push_back(t[a][0] / 5.0);
    for (int b = 0; b < one.axis; b++) {
      double sum = 0.0;
      for (int c = 0; c < 4; c++) sum += t[a][c] * t[b][c];
      values.push_back(sum);
    }
  }
  if (one.types.appended) {
    const std::vector<double> &own = one.types.vectors[types[i]];
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

/** Outputs of the fitting net of an atom. */
inline std::vector<double> outputs_of(const DeepModel &model, int i, const std::vector<Place> &x,
                                      const std::vector<int> &types,
                                      const std::vector<double> &frame,
                                      const std::vector<double> &parameters)
{
  std::vector<double> values;
  for (const DeepDescriptor &one : model.descriptors) {
    const std::vector<double> more = descriptor_values(one, model.ntypes(), i, x, types);
    values.insert(values.end(), more.begin(), more.end());
  }
  const DeepFitting &fitting = model.fitting;
  for (std::size_t k = 0; k < fitting.frame_average.size(); k++)
    values.push_back((frame[k] - fitting.frame_average[k]) * fitting.frame_inverse_deviation[k]);
  const std::size_t n = fitting.atom_average.size();
  for (std::size_t k = 0; k < n; k++)
    values.push_back((parameters[n * i + k] - fitting.atom_average[k]) *
                     fitting.atom_inverse_deviation[k]);
  return net_values(fitting.net_of(types[i]), values);
}

}    // namespace deep_models

#endif
