// SPDX-License-Identifier: GPL-2.0-only

#include "meam_embedding.h"

#include <cmath>

namespace TOFU_NS {

namespace {

  /** How often a component of a second or third moment is there with its indices exchanged. */
  constexpr double SECOND_TIMES[6] = {1, 2, 2, 1, 2, 1};
  constexpr double THIRD_TIMES[10] = {1, 3, 3, 3, 6, 3, 1, 3, 3, 1};

  bool is_zero(double value)
  {
    return std::fabs(value) < 1e-20;
  }

  /** Squares of the angular densities, from a block of sums. */
  void angular_densities(const double *block, double *rho)
  {
    rho[0] = rho[1] = rho[2] = 0.0;
    for (int m = 0; m < 3; m++) {
      const double first = block[MEAMRow::FIRST + m], trace = block[MEAMRow::THIRD_TRACE + m];
      rho[0] += first * first;
      rho[2] -= 0.6 * trace * trace;
    }
    const double trace = block[MEAMRow::SECOND_TRACE];
    rho[1] = -trace * trace / 3.0;
    for (int m = 0; m < 6; m++) {
      const double second = block[MEAMRow::SECOND + m];
      rho[1] += SECOND_TIMES[m] * second * second;
    }
    for (int m = 0; m < 10; m++) {
      const double third = block[MEAMRow::THIRD + m];
      rho[2] += THIRD_TIMES[m] * third * third;
    }
  }

  /** A block of sums gives way to derivatives of the energy.

      \param factors   [3] derivatives of the energy with respect to the squares */
  void derive_block(double *block, const double *factors)
  {
    for (int m = 0; m < 3; m++) {
      block[MEAMRow::FIRST + m] *= 2.0 * factors[0];
      block[MEAMRow::THIRD_TRACE + m] *= -1.2 * factors[2];
    }
    block[MEAMRow::SECOND_TRACE] *= -2.0 / 3.0 * factors[1];
    for (int m = 0; m < 6; m++) block[MEAMRow::SECOND + m] *= 4.0 * factors[1];
    for (int m = 0; m < 10; m++) block[MEAMRow::THIRD + m] *= 6.0 * factors[2];
  }

}    // namespace

double MEAMEmbedding::embed(int element, double *row, int &failure) const
{
  const bool two_sets = layout.nblocks > 1;    // without weights
  double *const densities = row + layout.spherical();
  double rho0 = 0.0;
  for (int e = 0; e < layout.nelements; e++) rho0 += densities[e];
  double rho[3], opposite[3] = {0.0, 0.0, 0.0};
  angular_densities(row, rho);
  if (two_sets) angular_densities(row + MEAMRow::BLOCK, opposite);
  for (int m = 0; m < 3; m++) rho[m] -= opposite[m];

  const Averages mean = averages(element, densities, rho0);
  double gamma = 0.0;
  for (int m = 0; m < 3; m++) gamma += (two_sets ? 1.0 : mean.weight[m]) * rho[m];
  if (rho0 > 0.0) gamma /= rho0 * rho0;
  double slope;
  const double g = functions->g(element, gamma, slope, failure);
  if (failure) return 0.0;
  const Background reference = background(element, mean.weight, failure);

  const double by_zeroth = (g - 2.0 * slope * gamma) / reference.density;
  const double by_angular = is_zero(rho0) ? 0.0 : slope / rho0 / reference.density;
  const double z = elements[element].reference_neighbors;
  const double by_shape = averaged_reference
      ? rho0 * g * reference.slope / (reference.g * z * z) / reference.density
      : 0.0;
  double pull;
  const double energy = functions->energy(element, rho0 * g / reference.density, pull);

  const double *const shape = elements[element].shape;
  for (int e = 0; e < layout.nelements; e++) {
    densities[e] = pull * by_zeroth;
    for (int m = 0; m < 3; m++)
      densities[e] += pull * (by_angular * rho[m] - by_shape * shape[m]) * mean.by_density[m][e];
  }
  double factors[3];
  for (int m = 0; m < 3; m++) factors[m] = pull * by_angular * (two_sets ? 1.0 : mean.weight[m]);
  derive_block(row, factors);
  if (two_sets) {
    for (double &factor : factors) factor = -factor;
    derive_block(row + MEAMRow::BLOCK, factors);
  }
  return energy;
}

/** \param densities   [nelements] spherical ones of the neighbors, whose sum is rho0 */
MEAMEmbedding::Averages MEAMEmbedding::averages(int element, const double *densities,
                                                double rho0) const
{
  const auto ratio = [](double numerator, double denominator) {
    return is_zero(denominator) ? 0.0 : numerator / denominator;
  };
  Averages mean;
  for (int m = 0; m < 3; m++) {
    double sum = 0.0, squares = 0.0, &weight = mean.weight[m];
    for (int e = 0; e < layout.nelements; e++) {
      const double of_element = elements[e].weight[m];
      sum += of_element * densities[e];
      squares += of_element * of_element * densities[e];
    }
    if (layout.nblocks > 1) {
      weight = weights == Weights::OF_CENTER ? 0.0 : sum;
      continue;
    }
    if (weights == Weights::OF_CENTER)
      weight = rho0 > 0.0 ? elements[element].weight[m] : 0.0;
    else if (rho0 > 0.0)
      weight = weights == Weights::BY_SQUARES ? ratio(sum, squares) : sum / rho0;
    else
      weight = sum;
    for (int e = 0; e < layout.nelements && weights != Weights::OF_CENTER; e++) {
      const double own = elements[e].weight[m];
      if (weights == Weights::BY_SQUARES)
        mean.by_density[m][e] = ratio(own - weight * own * own, squares);
      else
        mean.by_density[m][e] = ratio(own - weight, rho0);
    }
  }
  return mean;
}

/** \param weight   [3] averaged ones of the atom */
MEAMEmbedding::Background MEAMEmbedding::background(int element, const double *weight,
                                                    int &failure) const
{
  const Element &own = elements[element];
  const double z = own.reference_neighbors;
  Background found;
  if (own.has_shape) {
    double gamma = 0.0;
    for (int m = 0; m < 3; m++)
      gamma += (averaged_reference ? weight[m] : own.weight[m]) * own.shape[m];
    gamma /= z * z;
    found.g = functions->g(element, gamma, found.slope, failure);
  }
  if (averaged_reference)
    found.density = own.scale * z * found.g;
  else
    found.density = reference_is_spherical ? own.scale * z : own.reference_density;
  return found;
}

}    // namespace TOFU_NS
