// SPDX-License-Identifier: GPL-2.0-only

#include "charge_results.h"

#include <cstddef>

namespace TOFU_NS {

/* ----------------------------------------------------------------------
   move to hydrogens their part of what has been added to oxygens

   n       values of an atom
   added   added(i, k) has been added to value k of oxygen i
------------------------------------------------------------------------- */

template <class Added> void ChargeResults::share(int n, double *values, Added &&added) const
{
  if (!sites_) return;
  const auto at = [=](int i, int k) -> double & {
    return values[static_cast<std::size_t>(n) * i + k];
  };
  for (const Water &water : sites_->waters)
    for (int k = 0; k < n; k++) {
      const double part = 0.5 * sites_->alpha * added(water.oxygen, k);
      at(water.oxygen, k) -= 2.0 * part;
      at(water.hydrogens[0], k) += part;
      at(water.hydrogens[1], k) += part;
    }
}

/* ---------------------------------------------------------------------- */

void ChargeResults::add_forces(double *f, bool along_z) const
{
  const double *const field = results_.field;
  for (int i = 0; i < natoms_; i++) {
    const double factor = qscale_ * q_[i];
    f[3 * i] += factor * field[3 * i];
    f[3 * i + 1] += factor * field[3 * i + 1];
    if (along_z) f[3 * i + 2] += factor * field[3 * i + 2];
  }
  share(3, f, [=](int i, int dim) {
    return dim < 2 || along_z ? qscale_ * q_[i] * field[3 * i + dim] : 0.0;
  });
}

/* ---------------------------------------------------------------------- */

void ChargeResults::add_energies(double *energy, double self, double uniform) const
{
  const double *const potential = results_.potential;
  for (int i = 0; i < natoms_; i++)
    energy[i] += qscale_ * q_[i] * (0.5 * potential[i] - self * q_[i] - uniform);
  share(1, energy, [=](int i, int) { return 0.5 * qscale_ * q_[i] * potential[i]; });
}

/* ---------------------------------------------------------------------- */

void ChargeResults::add_virials(double *virial) const
{
  const double *const parts = results_.virial;
  for (int i = 0; i < natoms_; i++)
    for (int j = 0; j < 6; j++) virial[6 * i + j] += 0.5 * qscale_ * q_[i] * parts[6 * i + j];
  share(6, virial, [=](int i, int j) { return 0.5 * qscale_ * q_[i] * parts[6 * i + j]; });
}

}    // namespace TOFU_NS
