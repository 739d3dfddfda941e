// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_terms_on_pool.h"

#include "atom.h"
#include "error.h"
#include "ewald_const.h"
#include "force.h"
#include "kspace.h"
#include "neigh_list.h"
#include "pair.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

PairTerms PairTermsOnPool::with_charges(ShortRange short_range, CoulombTerm coulomb,
                                        double cut_coulsq)
{
  PairTerms terms;
  terms.short_range = short_range;
  terms.coulomb = coulomb;
  terms.coul_cutsq = cut_coulsq;
  return terms;
}

/* ---------------------------------------------------------------------- */

PairTerms PairTermsOnPool::with_long_range(Pair *pair, ShortRange short_range, double g_ewald,
                                           double cut_coulsq)
{
  PairTerms terms = with_charges(short_range, CoulombTerm::LONG, cut_coulsq);
  terms.long_range = &table.fill(pair, g_ewald, cut_coulsq);
  return terms;
}

/* ---------------------------------------------------------------------- */

PairTerms PairTermsOnPool::with_core_shell_long_range(Pair *pair, ShortRange short_range,
                                                      double g_ewald, double cut_coulsq)
{
  table.use_core_shell();
  return where_atoms_may_meet(with_long_range(pair, short_range, g_ewald, cut_coulsq));
}

/* ---------------------------------------------------------------------- */

PairTerms PairTermsOnPool::where_atoms_may_meet(PairTerms terms)
{
  terms.added_rsq = TOFU_NS::CoreShell::ADDED_RSQ;
  return terms;
}

/* ---------------------------------------------------------------------- */

PairTerms PairTermsOnPool::with_multilevel_sum(Pair *pair, ShortRange short_range, double cut_coul,
                                               bool has_table)
{
  PairTerms terms = with_charges(short_range, CoulombTerm::LONG, cut_coul * cut_coul);
  KSpace *const kspace = force->kspace;
  SplitCharges splitting;
  splitting.n = kspace->order / 2;
  std::copy_n(kspace->get_gcons()[splitting.n], splitting.n + 1, splitting.gamma);
  std::copy_n(kspace->get_dgcons()[splitting.n], splitting.n, splitting.dgamma);
  terms.long_range = &table.fill(pair, splitting, terms.coul_cutsq, has_table);
  return terms;
}

/* ---------------------------------------------------------------------- */

bool PairTermsOnPool::has_scalar_virial(int vflag) const
{
  constexpr int GLOBAL = 2;    // the largest flag that asks for no virials of single atoms
  if (!force->kspace->scalar_pressure_flag || !vflag) return false;
  if (vflag > GLOBAL)
    error->all(FLERR,
               "Must use 'kspace_modify pressure/scalar no' to obtain per-atom virial with "
               "kspace_style MSM");
  return true;
}

/* ----------------------------------------------------------------------
   as LAMMPS does: in a hybrid style the energy is that of all sub-styles so far
------------------------------------------------------------------------- */

void PairTermsOnPool::add_scalar_virial(double *virial) const
{
  for (int i = 0; i < 3; i++) virial[i] += force->pair->eng_coul / 3.0;
}

/* ---------------------------------------------------------------------- */

PairTerms PairTermsOnPool::with_long_ranges(Pair *pair, ShortRange short_range, int order,
                                            double g_ewald, double cut_coulsq, double g_ewald_6,
                                            double cutsq)
{
  PairTerms terms;
  table.use_double_rsq();
  if (order & 1 << 1)
    terms = with_long_range(pair, short_range, g_ewald, cut_coulsq);
  else
    terms.short_range = short_range;
  if (order & 1 << 6) terms.dispersion = &dispersion_table.fill_dispersion(pair, g_ewald_6, cutsq);
  return terms;
}

/* ---------------------------------------------------------------------- */

PairTerms PairTermsOnPool::with_soft_long_range(ShortRange short_range, double g_ewald,
                                                double cut_coulsq)
{
  PairTerms terms = with_charges(short_range, CoulombTerm::SOFT_LONG, cut_coulsq);
  terms.damped.alpha = g_ewald;
  terms.damped.slope = EwaldConst::EWALD_F * g_ewald;
  return terms;
}

/* ---------------------------------------------------------------------- */

PairTerms PairTermsOnPool::with_damping(ShortRange short_range, double cut_coul, double alpha)
{
  constexpr double ROOT_OF_PI = 1.77245385090551602729;
  PairTerms terms = with_charges(short_range, CoulombTerm::DAMPED, cut_coul * cut_coul);
  terms.damped.alpha = alpha;
  terms.damped.slope = 2.0 * alpha / ROOT_OF_PI;
  return terms;
}

/* ---------------------------------------------------------------------- */

PairTerms PairTermsOnPool::with_shifted_forces(ShortRange short_range, double cut_coul,
                                               double alpha, double e_shift, double f_shift)
{
  PairTerms terms = with_damping(short_range, cut_coul, alpha);
  terms.damped.f_shift = f_shift;
  terms.damped.e_shift = e_shift;
  terms.damped.e_shift2 = f_shift;
  return terms;
}

/* ----------------------------------------------------------------------
   LAMMPS has erfc() of the C library here
------------------------------------------------------------------------- */

PairTerms PairTermsOnPool::with_wolf_sum(ShortRange short_range, double cut_coul, double alpha)
{
  PairTerms terms = with_damping(short_range, cut_coul, alpha);
  DampedCoulomb &damped = terms.damped;
  const double x = alpha * cut_coul;
  damped.e_shift = std::erfc(x) / cut_coul;
  damped.f_shift = -(damped.e_shift + damped.slope * std::exp(-x * x)) / cut_coul;
  damped.exact = true;
  return terms;
}

/* ---------------------------------------------------------------------- */

void PairTermsOnPool::add_self_energies(Pair *pair, const NeighList *list,
                                        const DampedCoulomb &damped) const
{
  if (!pair->eflag_either) return;
  const double factor = -0.5 * (damped.e_shift + damped.slope) * force->qqrd2e;
  for (int n = 0; n < list->inum; n++) {
    const int i = list->ilist[n];
    const double energy = factor * atom->q[i] * atom->q[i];
    if (pair->eflag_global) pair->eng_coul += energy;
    if (pair->eflag_atom) pair->eatom[i] += energy;
  }
}

/* ---------------------------------------------------------------------- */

void PairTermsOnPool::complete(PairTerms &terms) const
{
  terms.ntypes = atom->ntypes;
  terms.qqrd2e = force->qqrd2e;
}

/* ---------------------------------------------------------------------- */

const double *PairTermsOnPool::charges() const
{
  return atom->q;
}
