// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_PAIR_TERMS_ON_POOL_H
#define LMP_PAIR_TERMS_ON_POOL_H

#include "pointers.h"

#include "long_range_table.h"

#include "kernels/pair/pair_terms_data.h"

namespace LAMMPS_NS {

using TOFU_NS::CoulombTerm;
using TOFU_NS::DampedCoulomb;
using TOFU_NS::PairTerms;
using TOFU_NS::PairTermsCoefficients;
using TOFU_NS::ShortRange;

/** What the terms of a pair potential need of LAMMPS. */
class PairTermsOnPool : protected Pointers {
 public:
  PairTermsOnPool(LAMMPS *lmp) : Pointers(lmp) {}

  /** With charges that have one cut-off. */
  static PairTerms with_charges(ShortRange, CoulombTerm, double cut_coulsq);

  /** With the short-range part of an Ewald sum. */
  PairTerms with_long_range(class Pair *, ShortRange, double g_ewald, double cut_coulsq);

  /** The same for cores and shells. */
  PairTerms with_core_shell_long_range(class Pair *, ShortRange, double g_ewald, double cut_coulsq);

  /** With the short-range part of multilevel summation.

      \param has_table   whether LAMMPS' style reads its table */
  PairTerms with_multilevel_sum(class Pair *, ShortRange, double cut_coul, bool has_table);

  /** Whether multilevel summation takes the virial of charges from their energy.

      \param vflag   of Pair::compute(); an error if it asks for virials of single atoms */
  bool has_scalar_virial(int vflag) const;

  /** Add the virial that follows from the energy of all charges, to its first three elements. */
  void add_scalar_virial(double *virial) const;

  /** As with_long_range(), of charges, of dispersion, or of both: lj/long/coul/long and its like.

      \param order   bit 1: charges, bit 6: dispersion
      \param cutsq   of LAMMPS' table of dispersion */
  PairTerms with_long_ranges(class Pair *, ShortRange, int order, double g_ewald, double cut_coulsq,
                             double g_ewald_6, double cutsq);

  /** The same with a distance that is finite where charges meet. */
  static PairTerms with_soft_long_range(ShortRange, double g_ewald, double cut_coulsq);

  /** Damped shifted forces (Fennell and Gezelter, J. Chem. Phys. 124, 234104 (2006)). */
  static PairTerms with_shifted_forces(ShortRange, double cut_coul, double alpha, double e_shift,
                                       double f_shift);

  /** Wolf sums (Wolf et al., J. Chem. Phys. 110, 8254 (1999)). */
  static PairTerms with_wolf_sum(ShortRange, double cut_coul, double alpha);

  /** Let the atoms of a pair be at one place, as cores and shells may. */
  static PairTerms where_atoms_may_meet(PairTerms);

  /** Energy of each charge with its own screening charge; after ev_init(). */
  void add_self_energies(class Pair *, const class NeighList *, const DampedCoulomb &) const;

  /** Set the members that do not depend on the potential. */
  void complete(PairTerms &) const;
  const double *charges() const;

 private:
  LongRangeTable table, dispersion_table;

  static PairTerms with_damping(ShortRange, double cut_coul, double alpha);
};

}    // namespace LAMMPS_NS

#endif
