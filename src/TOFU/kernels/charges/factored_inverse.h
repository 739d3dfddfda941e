// SPDX-License-Identifier: GPL-2.0-only
//
// FactoredInverse: M = G^T G, an approximation of the inverse of the matrix of charge
// equilibration, with a sparse triangular matrix G: that of L. Yu. Kolotilina and A. Yu. Yeremin,
// SIAM J. Matrix Anal. Appl. 14, 45 (1993).
//
// Row i of G is from the inverse of a block of H, that of atom i and its near neighbors with
// smaller tags: with H = L L^T of this block, i last, it is the last row of the inverse of L.  M is
// positive definite, whichever neighbors are left out.  Where the block is not, the row has the
// diagonal only.
//
// A rank has the rows of its atoms, and without messages these have columns of its atoms only.
// With messages they have columns of ghosts, and the rank has rows of near ghosts, too.

#ifndef TOFU_KERNELS_FACTORED_INVERSE_H
#define TOFU_KERNELS_FACTORED_INVERSE_H

#include "charge_rows.h"

#include "base/parts.h"

#include <cstdint>
#include <vector>

namespace TOFU_NS {

class FactoredInverse {
 public:
  struct Atoms {
    ChargeColumns columns;
    const double *x;             // [nall][3] distance
    const double *rows;          // [nall+1][4] x, y, z, shield; the last one far away
    const double *diagonal;      // [nall] of H
    const std::int64_t *tags;    // [nall]
  };

  /** Make G.

      \param reach         distance of near neighbors
      \param with_ghosts   whether rows have columns of ghosts that other ranks own; the ghosts must
                           then extend to twice the reach */
  void build(const Atoms &, const ShieldedCoulomb &, double reach, bool with_ghosts, const Parts &);

  /** z = M r.

      \param r   [nall], of ghosts if rows have such columns
      \param z   [nlocal]; 0 of atoms without a charge */
  void apply(const double *r, double *z, const Parts &) const;

  /** Rows of owned atoms with the diagonal only, since their block of H is not definite. */
  int nindefinite() const { return nindefinite_; }

  /** # of entries in rows of owned atoms. */
  long long nentries() const { return nentries_; }

  double nbytes() const;

 private:
  struct Entries {
    std::vector<int> column;
    std::vector<double> value;
  };
  struct Part;

  int nlocal_ = 0, nrows_ = 0, nindefinite_ = 0;
  long long nentries_ = 0;
  std::vector<int> owners_;                     // [nrows] atom of a row
  std::vector<int> begin_, first_of_column_;    // [nrows+1], [nlocal+1]
  Entries entries_, transposed_;                // of rows, and of columns: its rows
  mutable std::vector<double> products_;        // [nrows] G r

  void clear();
  void find_rows(const Atoms &, double reach, bool with_ghosts, const class CellGrid &,
                 const Parts &);
  void collect(const std::vector<Part> &);
  void transpose();
};

}    // namespace TOFU_NS

#endif
