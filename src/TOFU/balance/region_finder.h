// SPDX-License-Identifier: GPL-2.0-only
//
// RegionFinder: the atoms around those that a rank hands over, which whoever makes their rows must have.
//
// A grid of bits, a quarter of the cut-off wide, says what is near: cells with an atom handed over are
// marked, then all cells that an atom within the cut-off may be in.  A row of cells is a few words, so that
// this costs an operation per row and neighboring row.

#ifndef TOFU_BALANCE_REGION_FINDER_H
#define TOFU_BALANCE_REGION_FINDER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

class RegionFinder {
 public:
  /** Find all atoms within a distance of one of some atoms, and few that are farther away.

      Args:
        x         [natoms][3] distance
        centers   [ncenters] indices of those atoms
        reach     distance, above 0 */
  void find(const double *x, int natoms, const int *centers, int ncenters, double reach);

  /** Indices of what has been found, the centers among them, ascending. */
  const std::vector<int> &atoms() const { return atoms_; }

 private:
  using Word = std::uint64_t;
  static constexpr int BITS = 64;
  static constexpr int MARGIN = 4;             // cells of the reach
  static constexpr int BORDER = MARGIN + 1;    // cells around those with centers

  bool size_cells(const double *x, const int *centers, int ncenters, double reach);
  void mark_centers(const double *x, const int *centers, int ncenters);
  void mark_near();
  void widen(std::vector<Word> &row) const;
  void find_cell(const double *x, int *cell) const;
  Word *row(std::vector<Word> &bits, int y, int z) const
  {
    return bits.data() + (static_cast<std::size_t>(z) * ncells_[1] + y) * nwords_;
  }

  double lo_[3] = {0.0, 0.0, 0.0}, side_ = 0.0, inverse_ = 0.0;
  int ncells_[3] = {0, 0, 0};
  std::size_t nwords_ = 0;              // of a row of cells
  std::vector<Word> centers_, near_;    // [nz][ny][nwords]
  std::vector<std::vector<Word>>
      widened_;    // [MARGIN+1] a row of centers, wider by that many cells
  std::vector<int> atoms_;
};

}    // namespace TOFU_NS

#endif
