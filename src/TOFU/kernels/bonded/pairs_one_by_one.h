// SPDX-License-Identifier: GPL-2.0-only
//
// The loop over interactions of two atoms, one after the other: for functions that most pairs leave
// early, or that cannot be vectorized.

#ifndef TOFU_KERNELS_PAIRS_ONE_BY_ONE_H
#define TOFU_KERNELS_PAIRS_ONE_BY_ONE_H

#include "bonded_data.h"

#include <cstddef>

namespace TOFU_NS {

/** Add force, energy and virial of one interaction to those of its own atoms; to the sums goes the
    share of these atoms.

    \param atoms    [2]
    \param own      [2] which of them are own ones
    \param delta    [3] from the second atom to the first
    \param force    over the distance
    \param energy   the tally calls it evdwl */
inline void add_pair(const BondedJob &job, PairTally &tally, const int *atoms, const bool *own,
                     const double *delta, double force, double energy)
{
  for (int a = 0; a < 2; a++)
    if (own[a] && job.f) {
      double *const f = job.f + 3 * static_cast<std::size_t>(atoms[a]);
      for (int dim = 0; dim < 3; dim++) f[dim] += (a ? -force : force) * delta[dim];
    }
  if (!job.tallied) return;

  const double virial[6] = {delta[0] * delta[0] * force, delta[1] * delta[1] * force,
                            delta[2] * delta[2] * force, delta[0] * delta[1] * force,
                            delta[0] * delta[2] * force, delta[1] * delta[2] * force};
  for (int a = 0; a < 2; a++) {
    if (!own[a]) continue;
    tally.evdwl += 0.5 * energy;
    for (int i = 0; i < 6; i++) tally.virial[i] += 0.5 * virial[i];
    if (tally.eatom) tally.eatom[atoms[a]] += 0.5 * energy;
    if (!tally.vatom) continue;
    for (int i = 0; i < 6; i++) tally.vatom[atoms[a]][i] += 0.5 * virial[i];
  }
}

/** \param pair   pair(i, j, type, rsq, force, energy) sets the force over the distance and the
                  energy of two atoms, by the square of their distance, and returns whether they
                  have any */
template <class Function>
void compute_pairs(const BondedJob &job, PairTally &tally, Function &&pair)
{
  for (int k = 0; k < job.n; k++) {
    const int *const row = job.list + 3 * static_cast<std::size_t>(job.order ? job.order[k] : k);
    const double *const xi = job.x + 3 * static_cast<std::size_t>(row[0]),
                        *const xj = job.x + 3 * static_cast<std::size_t>(row[1]);
    const double delta[3] = {xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]};
    const double rsq = delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2];
    double force, energy;
    if (!pair(row[0], row[1], row[2], rsq, force, energy)) continue;
    const unsigned bits = k < job.ninner ? 3 : job.own[k - job.ninner];
    const bool own[2] = {(bits & 1) != 0, (bits & 2) != 0};
    add_pair(job, tally, row, own, delta, force, energy);
  }
}

}    // namespace TOFU_NS

#endif
