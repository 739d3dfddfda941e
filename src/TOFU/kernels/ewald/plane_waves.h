// SPDX-License-Identifier: GPL-2.0-only
//
// Sums of plane waves over charges, and at charges, for an Ewald sum.
//
// A wave is exp(i (k a + l b + m c)), with the three phases a, b, c of an atom.  Its real and its
// imaginary part are sums, with signs, of the eight products of cos or sin(k a), of b and of c.  A
// mode has numbers k, l, m >= 0 and stands for the waves of k, +-l, +-m, which have the same
// products: two multiplications and additions for a wave and an atom suffice for its sum.  A row
// has the modes of one k and l.  Vectors have values of atoms.
//
// Which waves there are, and how their sums are weighted, is in ewald_sum.h.

#ifndef TOFU_KERNELS_PLANE_WAVES_H
#define TOFU_KERNELS_PLANE_WAVES_H

#include <cstddef>

namespace TOFU_NS {

/** Atoms are handled in groups of this many; arrays end with a whole group. */
constexpr int WAVE_GROUP = 16;

/** Values of a mode: products with cosines (0) or sines (1) of k a, l b and m c at
    4*first + 2*second + third. */
constexpr int MODE_PRODUCTS = 8;

/** The modes of k and l with m = 0 to `last`, the first of which is mode number `first`. */
struct WaveRow {
  int k, l;
  int last;
  int first;
};

/** Cosines and sines of multiples 1 to n of the phases of atoms, owned by the caller. */
struct WavePhases {
  double *table[3];      // [2*n][stride] by dimension: cosines of a multiple, then its sines
  int n[3];              // multiples of each phase
  std::size_t stride;    // atoms and padding; a multiple of WAVE_GROUP and 8 more, so that rows
                         // are in different sets of the cache

  double *cosine(int dim, int multiple) const { return table[dim] + 2 * (multiple - 1) * stride; }
};

/** Fill the tables for groups of atoms from `first` up to, not including, `last`.

    \param x        [natoms][3] distance; the last group is filled up with phases of 0
    \param unit     [3][3] 1/distance; vector of each phase, which is its product with x */
void fill_wave_phases(const WavePhases &, const double *x, int natoms, const double (*unit)[3],
                      int first, int last);

/** Sums of charge times products over all atoms, for some rows.

    \param rows     [nrows] in ascending order
    \param charge   [natoms] 0 for atoms that fill up the last group
    \param natoms   a multiple of WAVE_GROUP
    \param sums     [modes][8] set for the modes of these rows, those that vanish to 0 */
void sum_wave_rows(const WavePhases &, const WaveRow *rows, int nrows, const double *charge,
                   int natoms, double *sums);

/** Sums over all modes of coefficient times product, for the atoms of one group.

    \param rows      [nrows] in ascending order
    \param coeff     [modes][8]
    \param group     number of the group
    \param sums      [WAVE_GROUP] */
void add_waves(const WavePhases &, const WaveRow *rows, int nrows, const double *coeff, int group,
               double *sums);

/** The derivatives of what add_waves() has with respect to the three phases.

    \param slopes   [3][WAVE_GROUP] */
void add_wave_slopes(const WavePhases &, const WaveRow *rows, int nrows, const double *coeff,
                     int group, double *slopes);

}    // namespace TOFU_NS

#endif
