// SPDX-License-Identifier: GPL-2.0-only

#include "deep_potential.h"

#include "model_error.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace TOFU_NS {

static constexpr int BLOCK = EmbeddingRows::BLOCK;
static constexpr int BATCH = 32;          // centers at a time
static constexpr double NEAREST = 0.5;    // Angstrom, down to which tables are made

/** A descriptor with its tables, and what the kernels need of it. */
struct DeepPotential::Descriptor {
  std::vector<int> selected;
  std::vector<double> average, inverse_deviation, empty;
  std::vector<std::unique_ptr<EmbeddingTable>> tables;    // [nets]
  std::vector<const EmbeddingTable *> table_of;           // [ntypes][ntypes]
  std::vector<EmbeddingRows> rows;                        // [ntypes][ntypes]
  EnvironmentModel model;
  int begin = 0;    // of its values among those of all descriptors

  Descriptor(const DeepDescriptor &, int ntypes, double nearest);

 private:
  std::unique_ptr<EmbeddingTable> make_table(const DeepDescriptor &, int ntypes, double nearest,
                                             std::size_t net);
  void find_empty(int pair);
};

DeepPotential::Descriptor::Descriptor(const DeepDescriptor &from, int ntypes, double nearest) :
    selected(from.selected)
{
  const int npairs = ntypes * ntypes;
  for (int pair = 0; pair < npairs; pair++)
    for (int k = 0; k < 4; k++) {
      average.push_back(from.average[pair][k]);
      inverse_deviation.push_back(from.radial && k ? 0.0 : 1.0 / from.deviation[pair][k]);
    }
  const std::size_t nnets = from.one_sided ? ntypes : npairs;
  for (std::size_t net = 0; net < nnets; net++)
    tables.push_back(make_table(from, ntypes, nearest, net));

  model.ntypes = ntypes;
  model.cutoff = from.cutoff;
  model.inner = from.inner;
  model.transition = from.transition;
  model.selected = selected.data();
  for (int n : selected) model.nslots += n;
  model.width = from.width;
  model.axis = from.axis;
  model.radial = from.radial;
  model.padded_width = (from.width + BLOCK - 1) / BLOCK * BLOCK;
  for (int pair = 0; pair < npairs; pair++) {
    const auto &table = tables[from.net_of(pair / ntypes, pair % ntypes)];
    table_of.push_back(from.excluded[pair] ? nullptr : table.get());
    rows.push_back(table_of.back() ? table->rows() : EmbeddingRows());
  }
  model.average = average.data();
  model.inverse_deviation = inverse_deviation.data();
  model.tables = rows.data();
  empty.assign(static_cast<std::size_t>(npairs) * 4 * model.padded_width, 0.0);
  for (int pair = 0; pair < npairs; pair++)
    if (table_of[pair]) find_empty(pair);
  model.empty = empty.data();
}

/** Returns: nullptr if no pair of types uses this net. */
std::unique_ptr<EmbeddingTable> DeepPotential::Descriptor::make_table(const DeepDescriptor &from,
                                                                      int ntypes, double nearest,
                                                                      std::size_t net)
{
  const double r = std::min(nearest, 0.5 * from.cutoff), u = (r - from.inner) / from.transition;
  const double w = u <= 0.0 ? 1.0 : u * u * u * (u * (-6.0 * u + 15.0) - 10.0) + 1.0;
  double lower = 1e30, upper = -1e30;
  for (int center = 0; center < ntypes; center++)
    for (int neighbor = 0; neighbor < ntypes; neighbor++) {
      const std::size_t pair = static_cast<std::size_t>(center) * ntypes + neighbor;
      if (from.net_of(center, neighbor) != net || from.excluded[pair] || !from.selected[neighbor])
        continue;
      for (double s : {0.0, w / r}) {
        const double x = (s - from.average[pair][0]) / from.deviation[pair][0];
        lower = std::min(lower, x);
        upper = std::max(upper, x);
      }
    }
  if (lower > upper) return nullptr;
  if (net < from.tables.size() && !from.tables[net].empty())
    return std::make_unique<EmbeddingTable>(from.tables[net]);
  return std::make_unique<EmbeddingTable>(from.nets[net], lower, upper);
}

/** What an empty slot adds to the sums T. */
void DeepPotential::Descriptor::find_empty(int pair)
{
  const EmbeddingTable &table = *table_of[pair];
  double components[4];
  for (int c = 0; c < 4; c++)
    components[c] = -average[4 * pair + c] * inverse_deviation[4 * pair + c];
  std::vector<double> row(table.row_size());
  table.make_row(components[0], row.data());
  if (model.radial) components[0] = 1.0;
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < model.padded_width; k++)
      empty[(static_cast<std::size_t>(pair) * 4 + c) * model.padded_width + k] =
          components[c] * row[(k / BLOCK) * BLOCK * EmbeddingRows::NCOEFFICIENTS + k % BLOCK];
}

// -----------------------------------------------------------------------------------------------

DeepPotential::DeepPotential(const DeepModel &model, Nets nets) :
    types(model.types), largest_cutoff(model.cutoff()), biases(model.fitting.biases)
{
  check_model(model);
  if (model.fitting.kind != DeepFitting::Kind::ENERGY)
    throw ModelError("it is a model of dipoles, not of energies");
  frame = {model.fitting.frame_average, model.fitting.frame_inverse_deviation};
  single = {model.fitting.atom_average, model.fitting.atom_inverse_deviation};
  for (const DeepDescriptor &from : model.descriptors) {
    descriptors.push_back(std::make_unique<Descriptor>(from, ntypes(), NEAREST * model.angstrom));
    descriptors.back()->begin = nvalues;
    nvalues += descriptors.back()->model.nvalues();
  }
  for (const DenseNet &net : model.fitting.nets) {
    const DenseNet smaller = folded(model, net);
    if (nets == Nets::DOUBLE)
      double_nets.push_back(std::make_unique<PackedNet<double>>(smaller));
    else
      single_nets.push_back(std::make_unique<PackedNet<float>>(smaller));
  }
}

DeepPotential::~DeepPotential() = default;

/** A fitting net whose inputs are different values alone: where D[a][b] = D[b][a], weights of both
    are added up. */
DenseNet DeepPotential::folded(const DeepModel &model, const DenseNet &net) const
{
  DenseNet result = net;
  DenseLayer &layer = result.front();
  const std::size_t n = layer.noutputs;
  if (layer.residual != DenseLayer::Residual::NONE)
    throw ModelError("the first layer of its fitting net is as wide as the descriptor, and adds "
                     "it to its outputs, which is not supported");
  std::vector<double> weights;
  const double *from = net.front().weights.data();
  const auto append = [&](const double *row, const double *other) {
    for (std::size_t k = 0; k < n; k++) weights.push_back(row[k] + (other ? other[k] : 0.0));
  };
  for (const DeepDescriptor &one : model.descriptors) {
    const std::size_t axis = one.axis, width = one.width;
    for (std::size_t b = 0; b < axis; b++)
      for (std::size_t a = b; a < width; a++)
        append(from + (a * axis + b) * n, a < axis && a != b ? from + (b * axis + a) * n : nullptr);
    for (std::size_t a = 0; one.radial && a < width; a++) append(from + a * n, nullptr);
    from += one.nvalues() * n;
  }
  for (std::size_t k = 0; k < frame.average.size() + single.average.size(); k++)
    append(from + k * n, nullptr);
  layer.ninputs = static_cast<int>(weights.size() / n);
  layer.weights = std::move(weights);
  return result;
}

// -----------------------------------------------------------------------------------------------

void DeepPotential::compute(const PairJob &job, const CenterForces &forces, const Extras &extras,
                            Workspace &work, int first, int last, PairTally &tally) const
{
  if (work.environments.size() != descriptors.size())
    work.environments = std::vector<EnvironmentBatch>(descriptors.size());
  for (int type = 0; type < ntypes(); type++) {
    work.centers.clear();
    for (int n = first; n < last; n++) {
      const int i = job.list.atoms[n];
      if (job.atoms.rows[4 * static_cast<std::size_t>(i) + 3] == type) work.centers.push_back(i);
    }
    for (std::size_t begin = 0; begin < work.centers.size(); begin += BATCH) {
      const std::size_t end = std::min(begin + BATCH, work.centers.size());
      work.batch.assign(work.centers.begin() + begin, work.centers.begin() + end);
      if (single_nets.empty())
        compute_batch(*double_nets[type], job, forces, extras, work, type, tally);
      else
        compute_batch(*single_nets[type], job, forces, extras, work, type, tally);
    }
  }
}

/** Values of all descriptors of a batch. */
void DeepPotential::describe(const PairJob &job, Workspace &work, int type, double *to,
                             int stride) const
{
  std::size_t nbeyond = 0;
  for (std::size_t n = 0; n < descriptors.size(); n++) {
    const Descriptor &descriptor = *descriptors[n];
    EnvironmentBatch &batch = work.environments[n];
    batch.ncenters = static_cast<int>(work.batch.size());
    batch.centers = work.batch.data();
    batch.type = type;
    find_environments(descriptor.model, job, batch);
    work.noverflows += batch.noverflows;

    // a neighbor is nearer than tables go

    for (int slot : batch.beyond) {
      const int j = batch.atoms.data()[slot];
      const int neighbor = static_cast<int>(job.atoms.rows[4 * static_cast<std::size_t>(j) + 3]);
      const EmbeddingTable &table = *descriptor.table_of[type * ntypes() + neighbor];
      if (nbeyond == work.beyond.size())
        work.beyond.push_back(std::make_unique<AlignedArray<double>>());
      double *const row = work.beyond[nbeyond++]->room(table.row_size());
      table.make_row(batch.fields[EnvironmentBatch::ARGUMENT].data()[slot], row);
      batch.rows[slot] = row;
    }
    contract_environments(descriptor.model, batch, to + descriptor.begin, stride);
  }
}

void DeepPotential::append_parameters(const Extras &extras, const Workspace &work, double *to,
                                      int stride) const
{
  for (int i : work.batch) {
    double *next = to + nvalues;
    for (std::size_t k = 0; k < frame.average.size(); k++)
      *next++ = (extras.frame_parameters[k] - frame.average[k]) * frame.inverse_deviation[k];
    const std::size_t n = single.average.size();
    for (std::size_t k = 0; k < n; k++)
      *next++ =
          (extras.atom_parameters[n * i + k] - single.average[k]) * single.inverse_deviation[k];
    to += stride;
  }
}

template <class T>
void DeepPotential::compute_batch(const PackedNet<T> &net, const PairJob &job,
                                  const CenterForces &forces, const Extras &extras, Workspace &work,
                                  int type, PairTally &tally) const
{
  const int n = static_cast<int>(work.batch.size()), stride = net.stride_of_inputs();
  const std::size_t size = static_cast<std::size_t>(n) * stride;
  const int outputs_stride = net.stride_of_outputs();
  double *const values = work.values.room(size + BLOCK);
  double *const gradients = work.gradients.room(size + BLOCK);
  describe(job, work, type, values, stride);
  append_parameters(extras, work, values, stride);

  const auto run = [&](const T *inputs, T *input_gradients, auto &net_work, auto &ones) {
    T *const one = ones.room(static_cast<std::size_t>(n) * outputs_stride);
    std::fill_n(one, static_cast<std::size_t>(n) * outputs_stride, static_cast<T>(extras.factor));
    const T *const outputs = evaluate_net(net, inputs, n, net_work);
    for (int k = 0; k < n; k++) {
      const double output = outputs[static_cast<std::size_t>(k) * outputs_stride];
      const double energy = extras.factor * (output + biases[type]);
      tally.evdwl += energy;
      if (tally.eatom) tally.eatom[work.batch[k]] += energy;
    }
    differentiate_net(net, one, n, net_work, input_gradients);
  };
  if constexpr (std::is_same_v<T, double>) {
    run(values, gradients, work.net, work.ones);
  } else {
    float *const inputs = work.single_values.room(size),
                 *const input_gradients = work.single_gradients.room(size);
    std::copy_n(values, size, inputs);
    run(inputs, input_gradients, work.single_net, work.single_ones);
    std::copy_n(input_gradients, size, gradients);
  }
  std::fill_n(gradients + size, BLOCK, 0.0);

  for (std::size_t k = 0; k < descriptors.size(); k++)
    add_environment_forces(descriptors[k]->model, work.environments[k],
                           gradients + descriptors[k]->begin, stride, nullptr, job, forces,
                           extras.centroids, tally);
}

double DeepPotential::nbytes() const
{
  double bytes = 0.0;
  for (const auto &descriptor : descriptors)
    for (const auto &table : descriptor->tables)
      if (table) bytes += table->nbytes();
  for (const auto &net : double_nets) bytes += net->nbytes();
  for (const auto &net : single_nets) bytes += net->nbytes();
  return bytes;
}

double DeepPotential::Workspace::nbytes() const
{
  double bytes = static_cast<double>(values.nbytes() + gradients.nbytes() + single_values.nbytes() +
                                     single_gradients.nbytes());
  for (const auto &batch : environments) bytes += batch.nbytes();
  return bytes + net.nbytes() + single_net.nbytes();
}

}    // namespace TOFU_NS
