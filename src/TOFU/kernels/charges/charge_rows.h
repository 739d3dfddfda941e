// SPDX-License-Identifier: GPL-2.0-only
//
// ChargeRows: the matrix of charge equilibration, a row for each owned atom with all its neighbors.
//
// H_ij = 14.4 T(r)/(r^3 + shield_i shield_j)^(1/3) in eV and Angstrom, with a polynomial T that is
// 0 at the cut-off.  A half list stores a pair of owned atoms once.  Here it is in both rows, so
// that a product with a vector needs neither sums of parts nor those of ghosts.  Places are made
// when the list was built, values in each step.
//
// Ghosts that are images of owned atoms of the same rank have the column of that atom.

#ifndef TOFU_KERNELS_CHARGE_ROWS_H
#define TOFU_KERNELS_CHARGE_ROWS_H

#include "base/aligned_array.h"
#include "base/parts.h"

#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Coulomb interaction of two shielded charges. */
struct ShieldedCoulomb {
  double taper[8];    // coefficients of T, that of the lowest power first; powers of distance
  double cutoff;      // distance

  /** Fourth value in the row of an atom, shield_i. */
  static double shield(double gamma);
};

/** Rows of a neighbor list: each pair of owned atoms in one row, or in two. */
struct ChargeList {
  int nrows;
  const int *atoms;                // [nrows] owned atoms
  const int *numneigh;             // [nlocal]
  const int *const *firstneigh;    // [nlocal] entries
  int index_bits;                  // of an entry, its neighbor
  enum class Pairs { ONCE, TWICE } pairs;
};

/** Which atoms have a charge, and which number of a vector that is. */
struct ChargeColumns {
  int nlocal, nall;
  const char *has_charge;    // [nall]
  const int *column;    // [nall] index of the atom, or of the owned atom that it is an image of
};

/** What kernels read. */
struct ChargeRowData {
  const std::int64_t *begin;         // [nlocal+1] first place of a row, a multiple of 8
  const int *nmirrored, *nstored;    // [nlocal] entries: of other rows, then of its own
  const int *nowned;                 // [nlocal] the first of its own, with a mirror
  const std::int64_t *first_near, *first_mirror;    // [nlocal+1] of neighbor, of mirror
  const int *column;                                // [places]
  const int *neighbor;                              // own entries, padded to 8 with the index nall
  const int *mirror;                                // place in the row of the column
  double *values;                                   // [places]; 0 in the padding of a row
};

class ChargeRows {
 public:
  /** Make places, when a list was built. */
  void build(const ChargeList &, const ChargeColumns &, const Parts &);

  /** Compute values.

      \param rows   [nall+1][4] x, y, z and shield of each atom, and an atom far away */
  void set_values(const ShieldedCoulomb &, const double *rows, const Parts &);

  /** Rows [first, last) of y = H x.

      \param diagonal   [nlocal]
      \param x          [columns]
      \param y          [nlocal] */
  void multiply(int first, int last, const double *diagonal, const double *x, double *y) const;

  /** The same of two vectors. */
  void multiply_two(int first, int last, const double *diagonal, const double *x1, const double *x2,
                    double *y1, double *y2) const;

  int nrows() const { return nrows_; }

  /** # of entries without padding. */
  long long nentries() const { return nentries_; }

  ChargeRowData data() const { return data_; }
  double nbytes() const;

 private:
  int nrows_ = 0;
  long long nentries_ = 0;
  std::vector<std::int64_t> begin_, first_near_, first_mirror_;
  std::vector<int> nmirrored_, nstored_, nowned_;
  std::vector<std::vector<int>> next_mirror_;    // [nparts][nlocal]
  AlignedArray<int> column_, neighbor_, mirror_;
  AlignedArray<double> values_;
  ChargeRowData data_{};

  void count(const ChargeList &, const ChargeColumns &, const Parts &);
  void find_begins(int nparts);
  void fill(const ChargeList &, const ChargeColumns &, const Parts &);
};

/** H of one atom and n others.

    \param point   [4] x, y, z, shield
    \param rows    [..][4]
    \param index   [n, to a multiple of 8] rows
    \param values  [n, to a multiple of 8] */
void shielded_couplings(const ShieldedCoulomb &, const double *point, const double *rows,
                        const int *index, int n, double *values);

}    // namespace TOFU_NS

#endif
