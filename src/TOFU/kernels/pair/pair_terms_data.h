// SPDX-License-Identifier: GPL-2.0-only
//
// Terms of pair potentials, their constants, and the coefficients of a pair of types.

#ifndef TOFU_KERNELS_PAIR_TERMS_DATA_H
#define TOFU_KERNELS_PAIR_TERMS_DATA_H

#include "coulomb.h"
#include "kernels/data/pair_data.h"

namespace TOFU_NS {

enum class ShortRange {
  NONE,
  LJ_12_6,
  LJ_9_6,
  LJ_EXPAND,
  LJ_GROMACS,
  LJ_CHARMM,
  LJ_FORCE_SWITCH,
  LJ_SMOOTH,
  LJ_SMOOTH_LINEAR,
  LJ_TAPERED,
  LJ_CUBIC,
  LJ_SOFT,    // finite where atoms meet
  LJ_SOFT_CHARMM,
  LJ_SOFT_9_6,
  MORSE_SOFT,
  MORSE_SMOOTH_LINEAR,
  PEDONE,    // Morse with a repulsion of the twelfth power
  SPICA,     // Lennard-Jones of powers that depend on the pair
  MIE,       // of any powers, which nm/cut has as well
  BUCKINGHAM,
  BUCKINGHAM_TAPERED,
  BORN,
  GAUSS,
  GAUSS_CUT,    // about a distance
  SOFT,
  COSINE_SQUARED,
  HARMONIC,
  UHLENBECK_FORD,
  YUKAWA,
  ZBL
};

enum class CoulombTerm {
  NONE,
  CUT,
  DEBYE,
  DAMPED,             // and shifted: Wolf sums
  SHIFTED_FORCE,      // to 0 at the cut-off
  CHARMM_IMPLICIT,    // dielectric constant proportional to the distance, switched off
  GROMACS,            // force and its slope are 0 at the cut-off
  SOFT,               // finite where charges meet
  SOFT_LONG,          // short-range part of an Ewald sum, with the softened distance of SOFT
  LONG                // the short-range part of an Ewald sum
};

/** Constants of Lennard-Jones forces that CHARMM's force switching brings to 0. */
struct ForceSwitching {
  double inner6 = 0.0, inner12 = 0.0;      // subtracted from energies within the inner cut-off
  double factor6 = 0.0, factor12 = 0.0;    // of the squares beyond it
  double cut3inv = 0.0, cut6inv = 0.0;     // of the outer cut-off
};

/** Constants of a damped and shifted Coulomb force, of a pair of charges q, with x = alpha r:
      force * r = q^2/r (erfc(x) + slope r exp(-x^2) + f_shift r^2)
      energy    = q^2/r (erfc(x) - e_shift r - e_shift2 r^2) */
struct DampedCoulomb {
  double alpha = 0.0, slope = 0.0;
  double f_shift = 0.0, e_shift = 0.0, e_shift2 = 0.0;
  bool exact = false;    // erfc() to rounding; else the polynomial that LAMMPS has in most places
};

/** Terms of charges at the distance t beyond an inner cut-off:
      force  = q^2 (1/r^2 + t^2 (first + second t))
      energy = q^2 (1/r - t^3 (first/3 + second/4 t) - shift) */
struct GromacsCoulomb {
  double inner = 0.0, first = 0.0, second = 0.0, shift = 0.0;
};

/** A potential.  The coefficients of a pair of types are [8]: cut-off squared, that of the
    short-range term, that of the Coulomb term or another value of the short-range term, and five
    values of the short-range term.  The functions below set them. */
struct PairTerms {
  static constexpr int NCOEFFICIENTS = 8;

  ShortRange short_range = ShortRange::NONE;
  CoulombTerm coulomb = CoulombTerm::NONE;
  int ntypes = 0;
  PairTable table;    // [ntypes+1][ntypes+1][NCOEFFICIENTS]
  double largest_cutsq = 0.0;

  double kappa = 0.0;                       // 1/distance: screening of charges, YUKAWA
  double inner = 0.0;                       // ZBL: the switch begins at this distance
  double added_rsq = 0.0;                   // to r^2, where atoms may be at one place
  const LongRange *dispersion = nullptr;    // LJ_12_6, BUCKINGHAM: part of an Ewald sum
  bool shifted = false;                     // LJ_SOFT, LJ_SOFT_9_6: the energy is 0 at the cut-off
  Switching lj_switch;                      // CHARMM
  ForceSwitching force_switch;              // the same with a switched force, beside lj_switch

  double qqrd2e = 0.0;          // of the unit system
  double coul_cutsq = 0.0;      // of all pairs; 0: in the coefficients
  bool only_charges = false;    // leave out the short-range term
  DampedCoulomb damped;
  Switching coul_switch;
  GromacsCoulomb gromacs;
  const LongRange *long_range = nullptr;
};

// Coefficients of a pair of types, in LAMMPS' names.

struct PairTermsCoefficients {
  double *const c;

  PairTermsCoefficients(double *coefficients, double cutsq) : c(coefficients)
  {
    c[0] = c[1] = c[2] = cutsq;
    c[3] = 1.0;    // factor of charges if there is no short-range term
  }

  void cutoffs(double short_range, double coulomb)
  {
    c[1] = short_range;
    c[2] = coulomb;
  }

  void charges(double scale) { c[3] = scale; }

  /** LJ_12_6, LJ_9_6, LJ_CHARMM, LJ_FORCE_SWITCH. */
  void lj(double lj1, double lj2, double offset) { set(lj1, lj2, offset); }
  void lj_expand(double lj1, double lj2, double shift, double offset)
  {
    set(lj1, lj2, shift, offset);
  }
  void lj_gromacs(double lj1, double lj2, double cut_inner, double ljsw1, double ljsw2,
                  double ljsw5)
  {
    set(lj1, lj2, cut_inner, ljsw1, ljsw2);
    c[2] = ljsw5;
  }
  void lj_smooth(double lj1, double lj2, double cut_inner, double ljsw3, double ljsw4,
                 double offset)
  {
    set(lj1, lj2, cut_inner, ljsw3, ljsw4);
    c[2] = offset;
  }
  void lj_smooth_linear(double lj1, double lj2, double dljcut, double ljcut, double cut)
  {
    set(lj1, lj2, dljcut, ljcut, cut);
  }
  void lj_tapered(double lj1, double lj2, double cut_inner, double cut)
  {
    set(lj1, lj2, cut_inner, inverse_width(cut_inner, cut));
  }

  /** Force and energy at cut_inner, and the growth of the force with the square of the distance
      beyond it. */
  void lj_cubic(double lj1, double lj2, double cut_inner, double force, double growth,
                double energy)
  {
    set(lj1, lj2, cut_inner, force, growth);
    c[2] = energy;
  }

  /** With `lambda` to its power as lj1, and the summands of sigma^6 and of the square of a
      distance as lj3 and lj4. */
  void lj_soft(double lj1, double epsilon, double sigma6, double lj3, double lj4)
  {
    set(lj1 * epsilon, 1.0 / sigma6, lj3, lj1, lj4);
  }
  /** Depth of the shift, for LJ_SOFT_9_6 with shifted energies and charges with one cut-off. */
  void depth_of_shift(double depth) { c[2] = depth; }

  /** `repulsion` is the factor of the third power of the exponential in the energy. */
  void morse_soft(double alpha, double r0, double depth, double repulsion)
  {
    set(alpha, r0, depth, repulsion);
  }
  /** `slope` is added to the force. */
  void morse_smooth_linear(double alpha, double r0, double d0, double slope, double cut,
                           double offset)
  {
    set(alpha, r0, d0, slope, cut);
    c[2] = offset;
  }
  void pedone(double alpha, double r0, double d0, double c0, double offset)
  {
    set(alpha, r0, d0, c0, offset);
  }
  void charges_soft(double lam1, double lam2)
  {
    c[6] = lam1;
    c[7] = lam2;
  }
  void spica(double lj1, double lj2, double pow1, double pow2, double offset)
  {
    set(lj1, lj2, pow1, pow2, offset);
  }
  void mie(double gamR, double gamA, double mie1, double mie2, double offset)
  {
    set(gamR, gamA, mie1, mie2, offset);
  }
  void nm(double nn, double mm, double e0nm, double r0n, double r0m, double offset)
  {
    const double depth = e0nm * nn * mm;
    mie(nn, mm, depth * r0n, depth * r0m, offset);
  }
  void buckingham(double rhoinv, double buck1, double buck2, double offset)
  {
    set(rhoinv, buck1, buck2, offset);
  }
  void buckingham_tapered(double rhoinv, double buck1, double buck2, double cut_inner, double cut)
  {
    set(rhoinv, buck1, buck2, cut_inner, inverse_width(cut_inner, cut));
  }
  void born(double rhoinv, double sigma, double born1, double born2, double born3, double offset)
  {
    set(rhoinv, sigma, born1, born2, born3);
    c[2] = offset;
  }
  void gauss(double a, double b, double offset) { set(a, b, offset); }
  void gauss_cut(double sigmah, double rmh, double pgauss, double offset)
  {
    set(1.0 / sigmah, rmh, pgauss, offset);
  }
  void soft(double prefactor, double cut) { set(prefactor, cut); }

  /** Up to sigma lj12 / r^12 - lj6 / r^6 + shift is the energy, or the shift alone. */
  void cosine_squared(double epsilon, double sigma, double cut, double lj12, double lj6,
                      double shift)
  {
    set(epsilon, sigma, inverse_width(sigma, cut), lj12, lj6);
    c[2] = shift;
  }
  void harmonic(double k, double cut) { set(k, cut); }

  /** `factor` is that of the force alone. */
  void uhlenbeck_ford(double factor, double inverse_sigmasq, double epsilon, double offset)
  {
    set(factor, inverse_sigmasq, epsilon, offset);
  }
  void yukawa(double a, double offset) { set(a, offset); }
  void zbl(double d1a, double zze, double sw1, double sw2, double sw5)
  {
    set(d1a, zze, sw1, sw2, sw5);
  }

 private:
  static double inverse_width(double cut_inner, double cut)
  {
    return cut > cut_inner ? 1.0 / (cut - cut_inner) : 0.0;
  }

  void set(double c3, double c4, double c5 = 0.0, double c6 = 0.0, double c7 = 0.0)
  {
    c[3] = c3;
    c[4] = c4;
    c[5] = c5;
    c[6] = c6;
    c[7] = c7;
  }
};

}    // namespace TOFU_NS

#endif
