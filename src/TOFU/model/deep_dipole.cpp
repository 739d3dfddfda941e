// SPDX-License-Identifier: GPL-2.0-only

#include "deep_dipole.h"

#include "center_batches.h"
#include "model_error.h"

namespace TOFU_NS {

DeepDipole::DeepDipole(const DeepModel &model, DeepNets::Precision precision) :
    nets_(model, precision)
{
  if (model.fitting.kind != DeepFitting::Kind::DIPOLE)
    throw ModelError("it is a model of energies, not of dipoles");
}

void DeepDipole::evaluate(const PairJob &job, Workspace &work, int first, int last,
                          double (*dipoles)[3]) const
{
  const int width = nets_.width(0), stride = nets_.padded_width(0);
  work.nbatches = 0;
  std::vector<int> some;
  for (int type = 0; type < nets_.ntypes(); type++) {
    if (!nets_.has_net(type)) continue;
    find_centers(job, type, first, last, work.centers);
    for_batches(work.centers, some, [&] {
      if (work.nbatches == work.batches.size())
        work.batches.push_back(std::make_unique<DeepNets::Batch>());
      DeepNets::Batch &batch = *work.batches[work.nbatches++];
      batch.type = type;
      batch.centers = some;
      nets_.evaluate(job, {}, batch);
      for (std::size_t n = 0; n < some.size(); n++) {
        const double *const factors = batch.outputs.data() + n * width;
        const double *const sums = batch.environments[0].sums.data() + 4 * n * stride;
        for (int dim = 0; dim < 3; dim++) {
          double sum = 0.0;
          for (int a = 0; a < width; a++) sum += factors[a] * sums[(dim + 1) * stride + a];
          dipoles[some[n]][dim] = sum;
        }
      }
    });
  }
}

/** The energy whose gradients are looked for is minus force times dipole. */
void DeepDipole::add_forces(const PairJob &job, const double (*on_ends)[3],
                            const CenterForces &forces, Workspace &work, PairTally &tally) const
{
  const int width = nets_.width(0), stride = nets_.padded_width(0);
  for (std::size_t k = 0; k < work.nbatches; k++) {
    DeepNets::Batch &batch = *work.batches[k];
    const std::size_t ncenters = batch.centers.size();
    work.gradients.assign(ncenters * width, 0.0);
    work.of_sums.assign(4 * ncenters * stride, 0.0);
    for (std::size_t n = 0; n < ncenters; n++) {
      const double *const force = on_ends[batch.centers[n]];
      const double *const factors = batch.outputs.data() + n * width;
      const double *const sums = batch.environments[0].sums.data() + 4 * n * stride;
      double *const gradients = work.gradients.data() + n * width;
      double *const of_sums = work.of_sums.data() + 4 * n * stride;
      for (int dim = 0; dim < 3; dim++)
        for (int a = 0; a < width; a++) {
          gradients[a] -= force[dim] * sums[(dim + 1) * stride + a];
          of_sums[(dim + 1) * stride + a] = -force[dim] * factors[a];
        }
    }
    nets_.add_forces(work.gradients.data(), work.of_sums.data(), job, forces, {}, batch, tally);
  }
}

double DeepDipole::Workspace::nbytes() const
{
  double bytes = 0.0;
  for (const auto &batch : batches) bytes += batch->nbytes();
  return bytes;
}

}    // namespace TOFU_NS
