// SPDX-License-Identifier: GPL-2.0-only

#include "deep_potential.h"

#include "center_batches.h"
#include "model_error.h"

namespace TOFU_NS {

/** The model with the biases of its last layers where single precision does not reach them: files
    from before deepmd-kit 2.2 have energies of single atoms there. */
static DeepModel with_biases_apart(const DeepModel &model)
{
  check_model(model);
  DeepModel result = model;
  const auto is_apart = [](const DenseNet &net) {
    return !net.empty() && !net.back().biases.empty() && net.back().timesteps.empty();
  };
  for (int type = 0; type < model.ntypes(); type++) {
    const DenseNet &net = model.fitting.net_of(type);
    if (is_apart(net) && model.fitting.kind == DeepFitting::Kind::ENERGY)
      result.fitting.biases[type] += net.back().biases[0];
  }
  for (DenseNet &net : result.fitting.nets)
    if (is_apart(net)) net.back().biases.clear();
  return result;
}

DeepPotential::DeepPotential(const DeepModel &model, DeepNets::Precision precision) :
    DeepPotential(precision, with_biases_apart(model))
{
}

DeepPotential::DeepPotential(DeepNets::Precision precision, const DeepModel &model) :
    nets_(model, precision), biases_(model.fitting.biases)
{
  if (model.fitting.kind != DeepFitting::Kind::ENERGY)
    throw ModelError("it is a model of dipoles, not of energies");
}

void DeepPotential::compute(const PairJob &job, const CenterForces &forces, const Extras &extras,
                            Workspace &work, int first, int last, PairTally &tally) const
{
  DeepNets::Batch &batch = work.batch;
  for (int type = 0; type < nets_.ntypes(); type++) {
    batch.type = type;
    find_centers(job, type, first, last, work.centers);
    for_batches(work.centers, batch.centers, [&] {
      nets_.evaluate(job, extras.parameters, batch);
      for (std::size_t k = 0; k < batch.centers.size(); k++) {
        const double energy = extras.factor * (batch.outputs.data()[k] + biases_[type]);
        tally.evdwl += energy;
        if (tally.eatom) tally.eatom[batch.centers[k]] += energy;
      }
      work.gradients.assign(batch.centers.size(), extras.factor);
      nets_.add_forces(work.gradients.data(), nullptr, job, forces, extras.centroids, batch, tally);
    });
  }
}

}    // namespace TOFU_NS
