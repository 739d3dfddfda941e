// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of dihedrals and impropers.

#ifndef TOFU_KERNELS_DIHEDRALS_H
#define TOFU_KERNELS_DIHEDRALS_H

#include "bonded_data.h"

namespace TOFU_NS {

// dihedrals and impropers whose cosine is outside of [-1, 1] by more than rounding are appended to
// BondedJob::flagged

/** k (1 + cos(n phi - d)); coefficients k, n, cos(d), sin(d). */
void dihedral_cosine(const BondedCoefficients &, const BondedJob &, PairTally &);

/** Dihedrals whose energy is a function of their angle phi, and their coefficients. */
enum class DihedralForm {
  SERIES,       // the sum of k (1 + cos(n phi - d)); none
  QUADRATIC,    // k (phi - phi0)^2, the shorter way round; k, phi0
  TABLE         // from 0 to 2 pi; none
};

/** Additional coefficients of SERIES and TABLE. */
struct DihedralFormTables {
  const double *terms = nullptr;    // [ntypes+1][nterms][4] k, n, cos(d), sin(d)
  int nterms = 0;
  const BondedTables *tables = nullptr;
};

/** With TABLE, dihedrals whose angle is not a number are appended to BondedJob::flagged, too. */
void dihedral_of_form(DihedralForm, const DihedralFormTables &, const BondedCoefficients &,
                      const BondedJob &, PairTally &);

/** Coefficients of powers of the cosine of a dihedral or improper. */
struct CosinePowers {
  const double *table = nullptr;    // [ntypes+1][n] from the power 0 on
  int n = 0;                        // a multiple of 4
};

/** Add the factor times the cosine of n angles, as powers of the cosine of one (Chebyshev
    polynomials).

    \param to   [N] from the power 0 on, with N greater than n */
template <int N> void add_cosine_of_multiple(int n, double factor, double *to)
{
  double before[N + 1] = {0.0, 0.0, 1.0}, now[N + 1] = {0.0, 1.0};    // power p is in place p + 1
  for (int m = 0; m < n; m++)
    for (int p = N; p > 0; p--) {
      const double next = 2.0 * now[p - 1] - before[p];
      before[p] = now[p];
      now[p] = next;
    }
  for (int p = 0; p < N; p++) to[p] += factor * now[p + 1];
}

void dihedral_powers(const CosinePowers &, const BondedCoefficients &, const BondedJob &,
                     PairTally &);

/** Dihedrals of class 2 force fields: products of functions of the dihedral angle with differences
    of bond lengths and bond angles from their reference values. */
struct Class2Dihedrals {
  enum {
    TORSION = 0,        // of three: k cos(d), then k sin(d), then the sum of k, and 0
    MIDDLE_BOND = 8,    // of three f, then the length
    FIRST_BOND = 12,
    LAST_BOND = 16,
    FIRST_ANGLE = 20,    // of three f, then the angle
    LAST_ANGLE = 24,
    ANGLES = 28,    // k, both angles
    BONDS = 32,     // k, the first and the last length
    N = 36
  };
  const double *table = nullptr;    // [ntypes+1][N]
};

void dihedral_class2(const Class2Dihedrals &, const BondedCoefficients &, const BondedJob &,
                     PairTally &);

/** Coefficients: the halves of k1, k2, k3, k4. */
void dihedral_opls(const BondedCoefficients &, const BondedJob &, PairTally &);

/** Coefficients k, chi. */
void improper_harmonic(const BondedCoefficients &, const BondedJob &, PairTally &);

/** By the angle w between the bond from the first to the last atom and the plane of the other two
    bonds: e0 + e1 dc + e2 dc^2 with dc = cos(w) - c0.  Coefficients e0, e1, e2, c0.

    \param all   [ntypes+1] whether each bond takes its turn as the last one; nullptr: none */
void improper_umbrella(const int *all, const BondedCoefficients &, const BondedJob &, PairTally &);

/** The mean of k (w - w0)^2 of the angles w between each of the three bonds of the first atom and
    the plane of the other two.  Coefficients k / 3, w0. */
void improper_inversion(const BondedCoefficients &, const BondedJob &, PairTally &);

/** k d^2 + k4 d^4 by the distance d of the first atom from the plane of the others.  Coefficients
    k, k4. */
void improper_distance(const BondedCoefficients &, const BondedJob &, PairTally &);

/** Of class 2 force fields, the second atom is the central one: the mean of three angles out of
    plane, and products of the angles between bonds.  Coefficients k, chi0, and k1, k2 of products.

    \param others   [ntypes+1][4] k3 of products, and theta0 of the three angles */
void improper_class2(const double *others, const BondedCoefficients &, const BondedJob &,
                     PairTally &);

}    // namespace TOFU_NS

#endif
