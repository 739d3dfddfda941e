// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of bonds, and of pairs of atoms that are handled as bonds.

#ifndef TOFU_KERNELS_BONDS_H
#define TOFU_KERNELS_BONDS_H

#include "bonded_data.h"

namespace TOFU_NS {

/** Coefficients k, r0. */
void bond_harmonic(const BondedCoefficients &, const BondedJob &, PairTally &);

/** Coefficients k, r0^2, epsilon, sigma^2.  Bonds with 1 - (r/r0)^2 < 0.1 are computed with 0.1,
    and appended to BondedJob::flagged. */
void bond_fene(const BondedCoefficients &, const BondedJob &, PairTally &);

/** Bonds whose energy is a function of their length r, and their coefficients. */
enum class BondForm {
  MORSE,          // d (1 - exp(-a (r - r0)))^2; d, a, r0
  FENE_EXPAND,    // as bond_fene() at the length r - shift; those of bond_fene()
  CLASS2,         // k2 dr^2 + k3 dr^3 + k4 dr^4 with dr = r - r0; k2, k3, k4, r0
  GROMOS,         // k (r^2 - r0^2)^2; k, r0^2
  NONLINEAR,      // epsilon dr^2 / (lamda^2 - dr^2) with dr = r - r0; epsilon, r0, lamda^2
  QUARTIC,    // k dr^2 (dr - b1) (dr - b2) + u0 with dr = r - rc, and a repulsion; k, b1, b2, rc
  TABLE       // none
};

/** Additional coefficients of some forms. */
struct BondFormTables {
  const double *by_type = nullptr;    // [ntypes+1] shift of FENE_EXPAND, u0 of QUARTIC
  const BondedTables *tables = nullptr;
};

/** Bonds are appended to BondedJob::flagged as in bond_fene(), with TABLE where their length is
    outside of the table, and with QUARTIC where it is larger than rc: these break.  Broken bonds,
    whose type is 0, have neither force nor energy. */
void bond_of_length(BondForm, const BondFormTables &, const BondedCoefficients &, const BondedJob &,
                    PairTally &);

/** Tables of the interactions between the first and last atoms of CHARMM dihedrals. */
struct OneFourTables {
  const double *q = nullptr;                                    // [natoms] charges
  const int *type = nullptr;                                    // [natoms]
  const double *const *lj1 = nullptr, *const *lj2 = nullptr;    // [ntypes+1][ntypes+1] force
  const double *const *lj3 = nullptr, *const *lj4 = nullptr;    // likewise, energy
  double qqrd2e = 0.0;
  bool implicit = false;    // the Coulomb energy is proportional to 1/r^2

  // of dihedral_style charmmfsw; implicit is false then

  bool shifted = false;
  double inverse_cut = 0.0;             // 1/distance where Coulomb forces end; 0: they do not
  double shift3 = 0.0, shift4 = 0.0;    // lj3 shift3 - lj4 shift4 is taken from the energy
};

/** Lennard-Jones and Coulomb interactions (the energy that the tally calls ecoul).  The first
    coefficient is their weight. */
void one_four_pairs(const OneFourTables &, const BondedCoefficients &, const BondedJob &,
                    PairTally &);

}    // namespace TOFU_NS

#endif
