// SPDX-License-Identifier: GPL-2.0-only

#include "deep_nets.h"

#include "embedding_table.h"
#include "model_error.h"
#include "type_embedding.h"

#include <algorithm>
#include <cmath>

namespace TOFU_NS {

static constexpr int BLOCK = EmbeddingRows::BLOCK;
static constexpr double NEAREST = 0.5;    // Angstrom, down to which tables are made

/** A descriptor with its tables, and what the kernels need of it. */
struct DeepNets::Descriptor {
  std::vector<int> selected;
  std::vector<double> average, inverse_deviation, empty;
  AlignedArray<double> factors;
  std::vector<std::vector<double>> type_values;           // [ntypes] behind those of the neighbors
  std::vector<std::unique_ptr<EmbeddingTable>> tables;    // [nets]
  std::vector<const EmbeddingTable *> table_of;           // [ntypes][ntypes]
  std::vector<EmbeddingRows> rows;                        // [ntypes][ntypes]
  EnvironmentModel model;
  int begin = 0;    // of its values among those of all descriptors

  Descriptor(const DeepDescriptor &, int ntypes, double nearest);

 private:
  std::unique_ptr<EmbeddingTable> make_table(const DeepDescriptor &, int ntypes, double nearest,
                                             std::size_t net);
  void find_empty(const DeepDescriptor &, int center, int section);
  void find_factors(const DeepDescriptor &, int ntypes);
};

DeepNets::Descriptor::Descriptor(const DeepDescriptor &from, int ntypes, double nearest) :
    selected(from.selected), type_values(ntypes)
{
  if (from.types.appended) type_values = from.types.vectors;
  const int npairs = ntypes * ntypes;
  for (int pair = 0; pair < npairs; pair++)
    for (int k = 0; k < 4; k++) {
      average.push_back(from.average[pair][k]);
      inverse_deviation.push_back(from.radial && k ? 0.0 : 1.0 / from.deviation[pair][k]);
    }
  for (std::size_t net = 0; net < from.nnets(ntypes); net++)
    tables.push_back(make_table(from, ntypes, nearest, net));

  model.ntypes = ntypes;
  model.cutoff = from.cutoff;
  model.inner = from.inner;
  model.transition = from.transition;
  model.shared_slots = from.is_shared();
  model.left_out_take_slots = from.excluded_take_slots;
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
  const int nsections = model.nsections();
  empty.assign(static_cast<std::size_t>(ntypes) * nsections * 4 * model.padded_width, 0.0);
  for (int center = 0; center < ntypes; center++)
    for (int section = 0; section < nsections; section++)
      if (from.uses_net(center, section)) find_empty(from, center, section);
  model.empty = empty.data();
  if (from.is_shared()) find_factors(from, ntypes);
}

/** Returns: nullptr if no pair of types uses this net. */
std::unique_ptr<EmbeddingTable> DeepNets::Descriptor::make_table(const DeepDescriptor &from,
                                                                 int ntypes, double nearest,
                                                                 std::size_t net)
{
  const double r = std::min(nearest, 0.5 * from.cutoff), u = (r - from.inner) / from.transition;
  const double w = u <= 0.0 ? 1.0 : u * u * u * (u * (-6.0 * u + 15.0) - 10.0) + 1.0;
  double lower = 1e30, upper = -1e30;
  for (int center = 0; center < ntypes; center++)
    for (int neighbor = 0; neighbor < ntypes; neighbor++) {
      const std::size_t pair = static_cast<std::size_t>(center) * ntypes + neighbor;
      if (from.net_of(center, neighbor) != net || !from.uses_net(center, neighbor)) continue;
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

/** What an empty slot of a section adds to the sums T. */
void DeepNets::Descriptor::find_empty(const DeepDescriptor &from, int center, int section)
{
  // shared slots have the net and the statistics of all types, and no factor: it is 0 at the
  // cut-off, or the averages are 0

  const int pair = center * model.ntypes + section;
  const EmbeddingTable *const table = tables[from.net_of(center, section)].get();
  double components[4];
  for (int c = 0; c < 4; c++)
    components[c] = -average[4 * pair + c] * inverse_deviation[4 * pair + c];
  std::vector<double> row(table->row_size());
  table->make_row(components[0], row.data());
  if (model.radial) components[0] = 1.0;
  const std::size_t place = static_cast<std::size_t>(center) * model.nsections() + section;
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < model.padded_width; k++)
      empty[(place * 4 + c) * model.padded_width + k] =
          components[c] * row[(k / BLOCK) * BLOCK * EmbeddingRows::NCOEFFICIENTS + k % BLOCK];
}

void DeepNets::Descriptor::find_factors(const DeepDescriptor &from, int ntypes)
{
  const std::vector<std::vector<double>> all = factors_of_types(from, ntypes);
  double *to = factors.room(all.size() * model.padded_width);
  std::fill_n(to, all.size() * model.padded_width, 0.0);
  for (const std::vector<double> &some : all) {
    std::copy(some.begin(), some.end(), to);
    to += model.padded_width;
  }
  model.factors = factors.data();
  model.smooth = from.types.smooth;
  model.switch_distance = from.types.switch_distance;
}

// -----------------------------------------------------------------------------------------------

DeepNets::DeepNets(const DeepModel &model, Precision precision) :
    ntypes_(model.ntypes()), cutoff_(model.cutoff()), double_nets_(ntypes_), single_nets_(ntypes_)
{
  check_model(model);
  const DeepFitting &fitting = model.fitting;
  frame_ = {fitting.frame_average, fitting.frame_inverse_deviation};
  atom_ = {fitting.atom_average, fitting.atom_inverse_deviation};
  for (const DeepDescriptor &from : model.descriptors) {
    descriptors_.push_back(std::make_unique<Descriptor>(from, ntypes_, NEAREST * model.angstrom));
    descriptors_.back()->begin = nvalues_;
    nvalues_ += descriptors_.back()->model.nvalues() + static_cast<int>(from.ntype_values());
  }
  for (int type = 0; type < ntypes_; type++) {
    const DenseNet &net = fitting.net_of(type);
    if (net.empty()) continue;
    noutputs_ = net.back().noutputs;
    if (fitting.shared && type) {
      double_nets_[type] = double_nets_[0];
      single_nets_[type] = single_nets_[0];
      continue;
    }
    if (precision == Precision::DOUBLE)
      double_nets_[type] = std::make_shared<PackedNet<double>>(folded(model, net));
    else
      single_nets_[type] = std::make_shared<PackedNet<float>>(folded(model, net));
  }
}

DeepNets::~DeepNets() = default;

int DeepNets::width(int descriptor) const
{
  return descriptors_[descriptor]->model.width;
}

int DeepNets::padded_width(int descriptor) const
{
  return descriptors_[descriptor]->model.padded_width;
}

/** A fitting net whose inputs are different values alone: where D[a][b] = D[b][a], weights of both
    are added up. */
DenseNet DeepNets::folded(const DeepModel &model, const DenseNet &net) const
{
  DenseNet result = net;
  DenseLayer &layer = result.front();
  const std::size_t n = layer.noutputs;
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
    for (std::size_t k = one.nvalues() - one.ntype_values(); k < one.nvalues(); k++)
      append(from + k * n, nullptr);
    from += one.nvalues() * n;
  }
  for (std::size_t k = 0; k < frame_.average.size() + atom_.average.size(); k++)
    append(from + k * n, nullptr);
  layer.ninputs = static_cast<int>(weights.size() / n);
  layer.weights = std::move(weights);
  return result;
}

// -----------------------------------------------------------------------------------------------

/** Values of all descriptors of a batch. */
void DeepNets::describe(const PairJob &job, Batch &batch, double *to, int stride) const
{
  if (batch.environments.size() != descriptors_.size())
    batch.environments = std::vector<EnvironmentBatch>(descriptors_.size());
  std::size_t nbeyond = 0;
  for (std::size_t n = 0; n < descriptors_.size(); n++) {
    const Descriptor &descriptor = *descriptors_[n];
    EnvironmentBatch &own = batch.environments[n];
    own.ncenters = static_cast<int>(batch.centers.size());
    own.centers = batch.centers.data();
    own.type = batch.type;
    find_environments(descriptor.model, job, own);
    batch.noverflows += own.noverflows;

    // a neighbor is nearer than tables go

    for (int slot : own.beyond) {
      const int j = own.atoms.data()[slot];
      const int neighbor = static_cast<int>(job.atoms.rows[4 * static_cast<std::size_t>(j) + 3]);
      const EmbeddingTable &table = *descriptor.table_of[batch.type * ntypes_ + neighbor];
      if (nbeyond == batch.beyond.size())
        batch.beyond.push_back(std::make_unique<AlignedArray<double>>());
      double *const row = batch.beyond[nbeyond++]->room(table.row_size());
      table.make_row(own.fields[EnvironmentBatch::ARGUMENT].data()[slot], row);
      own.rows[slot] = row;
    }
    contract_environments(descriptor.model, own, to + descriptor.begin, stride);
    const std::vector<double> &more = descriptor.type_values[batch.type];
    for (int c = 0; c < own.ncenters; c++)
      std::copy(more.begin(), more.end(),
                to + static_cast<std::size_t>(c) * stride + descriptor.begin +
                    descriptor.model.nvalues());
  }
}

void DeepNets::append_parameters(const Parameters &parameters, const Batch &batch, double *to,
                                 int stride) const
{
  const std::size_t n = atom_.average.size();
  for (int i : batch.centers) {
    double *next = to + nvalues_;
    for (std::size_t k = 0; k < frame_.average.size(); k++)
      *next++ = (parameters.frame[k] - frame_.average[k]) * frame_.inverse_deviation[k];
    for (std::size_t k = 0; k < n; k++)
      *next++ = (parameters.atoms[n * i + k] - atom_.average[k]) * atom_.inverse_deviation[k];
    to += stride;
  }
}

int DeepNets::stride_of_inputs(int type) const
{
  return double_nets_[type] ? double_nets_[type]->stride_of_inputs()
                            : single_nets_[type]->stride_of_inputs();
}

/** Rows of n numbers from rows that are one stride apart to rows that are another apart. */
template <class From, class To>
static void copy_rows(const From *from, int from_stride, int nrows, int n, To *to, int to_stride)
{
  for (int row = 0; row < nrows; row++, from += from_stride, to += to_stride)
    for (int k = 0; k < n; k++) to[k] = static_cast<To>(from[k]);
}

void DeepNets::evaluate(const PairJob &job, const Parameters &parameters, Batch &batch) const
{
  const int n = static_cast<int>(batch.centers.size()), stride = stride_of_inputs(batch.type);
  const std::size_t size = static_cast<std::size_t>(n) * stride;
  double *const values = batch.values.room(size + BLOCK);
  double *const outputs = batch.outputs.room(static_cast<std::size_t>(n) * noutputs_);
  describe(job, batch, values, stride);
  append_parameters(parameters, batch, values, stride);
  if (const PackedNet<double> *const net = double_nets_[batch.type].get()) {
    copy_rows(evaluate_net(*net, values, n, batch.net), net->stride_of_outputs(), n, noutputs_,
              outputs, noutputs_);
    return;
  }
  const PackedNet<float> &net = *single_nets_[batch.type];
  float *const inputs = batch.single_values.room(size);
  copy_rows(values, stride, n, net.ninputs(), inputs, stride);
  copy_rows(evaluate_net(net, inputs, n, batch.single_net), net.stride_of_outputs(), n, noutputs_,
            outputs, noutputs_);
}

void DeepNets::add_forces(const double *gradients, const double *of_sums, const PairJob &job,
                          const CenterForces &forces, const CentroidVirials &centroids,
                          Batch &batch, PairTally &tally) const
{
  const int n = static_cast<int>(batch.centers.size()), stride = stride_of_inputs(batch.type);
  const std::size_t size = static_cast<std::size_t>(n) * stride;
  double *const of_values = batch.gradients.room(size + BLOCK);
  const auto differentiate = [&](const auto &net, auto *of_outputs, auto *to, auto &work) {
    const int outputs_stride = net.stride_of_outputs();
    copy_rows(gradients, noutputs_, n, noutputs_, of_outputs, outputs_stride);
    differentiate_net(net, of_outputs, n, work, to);
  };
  if (const PackedNet<double> *const net = double_nets_[batch.type].get()) {
    double *const room =
        batch.output_gradients.room(static_cast<std::size_t>(n) * net->stride_of_outputs());
    differentiate(*net, room, of_values, batch.net);
  } else {
    const PackedNet<float> &single = *single_nets_[batch.type];
    float *const room = batch.single_output_gradients.room(static_cast<std::size_t>(n) *
                                                           single.stride_of_outputs());
    float *const to = batch.single_gradients.room(size);
    differentiate(single, room, to, batch.single_net);
    copy_rows(to, stride, n, single.ninputs(), of_values, stride);
  }
  std::fill_n(of_values + size, BLOCK, 0.0);
  for (std::size_t k = 0; k < descriptors_.size(); k++)
    add_environment_forces(descriptors_[k]->model, batch.environments[k],
                           of_values + descriptors_[k]->begin, stride, k ? nullptr : of_sums, job,
                           forces, centroids, tally);
}

double DeepNets::nbytes() const
{
  double bytes = 0.0;
  for (const auto &descriptor : descriptors_) {
    bytes += static_cast<double>(descriptor->factors.nbytes());
    for (const auto &table : descriptor->tables)
      if (table) bytes += table->nbytes();
  }
  for (const auto &net : double_nets_)
    if (net) bytes += net->nbytes() / static_cast<double>(net.use_count());
  for (const auto &net : single_nets_)
    if (net) bytes += net->nbytes() / static_cast<double>(net.use_count());
  return bytes;
}

double DeepNets::Batch::nbytes() const
{
  double bytes = static_cast<double>(values.nbytes() + gradients.nbytes() + outputs.nbytes() +
                                     single_values.nbytes() + single_gradients.nbytes());
  for (const auto &one : environments) bytes += one.nbytes();
  return bytes + net.nbytes() + single_net.nbytes();
}

}    // namespace TOFU_NS
