// SPDX-License-Identifier: GPL-2.0-only
//
// ChargeRows: the matrix of charge equilibration of the owned atoms of a rank with all their
// neighbors.
//
// H_ij = 14.4 T(r)/(r^3 + shield_i shield_j)^(1/3) in eV and Angstrom, with a polynomial T that is
// 0 at the cut-off.  Places are made when the list was built, values in each step.
//
// A pair of owned atoms is stored once, for memory and because values have to come from there in
// each product: a row adds to the number of its atom, and to those of its owned neighbors.  Chunks
// of rows have sums of their own, which are added up in their order; the number of chunks depends
// on that of the rows alone, so that results do not depend on the number of parts.
//
// Ghosts have columns of their own, also images of owned atoms of the same rank.

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

/** Which atoms have a charge, and of which owned atoms they are images. */
struct ChargeColumns {
  int nlocal, nall;
  const char *has_charge;    // [nall]
  const int *column;    // [nall] index of the atom, or of the owned atom that it is an image of
};

/** What kernels read. */
struct ChargeRowData {
  const std::int64_t *begin;      // [nlocal+1] first place of a row, a multiple of 8
  const int *nstored, *nowned;    // [nlocal] entries, and the first of them, of owned neighbors
  const int *neighbor;            // [places], padded to 8 with the index nall
  double *values;                 // [places]
};

class ChargeRows {
 public:
  /** Make places, when a list was built. */
  void build(const ChargeList &, const ChargeColumns &, const Parts &);

  /** Compute values.

      \param rows   [nall+1][4] x, y, z and shield of each atom, and an atom far away */
  void set_values(const ShieldedCoulomb &, const double *rows, const Parts &);

  /** Begin a product: the sums of chunks.

      \param x   [nall] of all atoms with a charge */
  void begin_product(const double *x, const Parts &);

  /** Begin those of two vectors. */
  void begin_two_products(const double *x1, const double *x2, const Parts &);

  /** Rows [first, last) of y = H x, with the x of begin_product().

      \param diagonal   [nlocal]
      \param y          [nlocal] */
  void multiply(int first, int last, const double *diagonal, const double *x, double *y) const;

  /** The same of two vectors. */
  void multiply_two(int first, int last, const double *diagonal, const double *x1, const double *x2,
                    double *y1, double *y2) const;

  int nrows() const { return nrows_; }

  /** # of entries without padding. */
  long long nentries() const { return nentries_; }

  double nbytes() const;

 private:
  int nrows_ = 0;
  long long nentries_ = 0;
  std::vector<std::int64_t> begin_;
  std::vector<int> nstored_, nowned_;
  AlignedArray<int> neighbor_;
  AlignedArray<double> values_;

  // chunks: rows with about the same work, and the blocks of rows that they add to

  int nchunks_ = 0, nblocks_ = 0;
  std::vector<int> first_row_;      // [nchunks+1]
  std::vector<char> reached_;       // [nchunks][nblocks]
  AlignedArray<double> sums_[2];    // [nchunks][nblocks][BLOCK] of a product, or of two
  static constexpr int BLOCK = 64;

  ChargeRowData data();
  void count(const ChargeList &, const ChargeColumns &, const Parts &);
  void find_begins();
  void fill(const ChargeList &, const ChargeColumns &, const Parts &);
  void find_reached_blocks(const Parts &);
  double *clear_sums(int chunk, int product);
  void collect(int product, int first, int last, const double *diagonal, const double *x,
               double *y) const;
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
