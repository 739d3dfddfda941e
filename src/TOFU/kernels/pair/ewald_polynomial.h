// SPDX-License-Identifier: GPL-2.0-only
//
// The part of an Ewald sum of charges that a mesh computes, as a polynomial: within the cut-off the
// force of a pair is the bare Coulomb force without it.  A vector of pairs needs no table for it,
// or, for polynomials in pieces, one that fits into registers.

#ifndef TOFU_KERNELS_EWALD_POLYNOMIAL_H
#define TOFU_KERNELS_EWALD_POLYNOMIAL_H

namespace TOFU_NS {

/** Force of a pair within the cut-off, divided by distance and charges:
      1/r^3 - (c[0] u^(n-1) + ... + c[n-1]) with u = scale r^2 - 1, from -1 to 1. */
struct EwaldPolynomial {
  static constexpr int MOST = 16;

  int n = 0;    // coefficients; 0: MOST of them are too few
  double scale = 0.0;
  double c[MOST] = {};
};

/** The shortest polynomial whose error is at most 1e-7 of the bare Coulomb force at the distance
    1/g_ewald, where the force of a pair is 4/7 of the bare force.

    \param g_ewald   of the long-range solver, 1/distance
    \param cutsq     cut-off squared */
EwaldPolynomial ewald_polynomial(double g_ewald, double cutsq);

/** The force of EwaldPolynomial, in pieces of the range of r^2:
      1/r^3 - (c[0][k] u^(n-1) + ... + c[n-1][k]) with t = scale r^2, k the integer that is nearest
      to t, and u = t - k. */
struct EwaldPieces {
  static constexpr int NPIECES = 16, MOST = 6;

  int n = 0;    // coefficients of a piece; 0: MOST of them are too few
  double scale = 0.0;
  double c[MOST][NPIECES] = {};
};

/** As ewald_polynomial(). */
EwaldPieces ewald_pieces(double g_ewald, double cutsq);

}    // namespace TOFU_NS

#endif
