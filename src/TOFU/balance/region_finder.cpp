// SPDX-License-Identifier: GPL-2.0-only

#include "region_finder.h"

#include <algorithm>
#include <cmath>

namespace TOFU_NS {

/* ---------------------------------------------------------------------- */

void RegionFinder::find(const double *x, int natoms, const int *centers, int ncenters, double reach)
{
  atoms_.clear();
  if (ncenters == 0) return;
  if (!size_cells(x, centers, ncenters, reach)) {    // so far apart that nothing is gained
    for (int i = 0; i < natoms; i++) atoms_.push_back(i);
    return;
  }
  mark_centers(x, centers, ncenters);
  mark_near();

  atoms_.resize(natoms);
  int n = 0;
  for (int i = 0; i < natoms; i++) {    // without branches on what chance decides
    int cell[3];
    find_cell(x + 3 * static_cast<std::size_t>(i), cell);
    atoms_[n] = i;
    n += static_cast<int>(row(near_, cell[1], cell[2])[cell[0] / BITS] >> cell[0] % BITS & 1);
  }
  atoms_.resize(n);
}

/* ----------------------------------------------------------------------
   the grid extends beyond the centers by what is near them, then by a cell for
   all that is outside, and half a cell more so that rounding does not matter

   Returns: whether they have usable positions and there is a grid that is not
   much larger than their number
------------------------------------------------------------------------- */

bool RegionFinder::size_cells(const double *x, const int *centers, int ncenters, double reach)
{
  static constexpr double MOST_CELLS_PER_CENTER = 4096.0;
  static constexpr double LARGER = 1.0 + 1.0e-6;    // by more than rounding can do

  double hi[3];
  for (int dim = 0; dim < 3; dim++) {
    lo_[dim] = hi[dim] = x[3 * static_cast<std::size_t>(centers[0]) + dim];
    for (int n = 0; n < ncenters; n++) {
      const double place = x[3 * static_cast<std::size_t>(centers[n]) + dim];
      if (!std::isfinite(place)) return false;
      lo_[dim] = std::min(lo_[dim], place);
      hi[dim] = std::max(hi[dim], place);
    }
  }

  side_ = reach * LARGER / MARGIN;
  double product = 1.0;
  for (int dim = 0; dim < 3; dim++)
    product *= std::floor((hi[dim] - lo_[dim]) / side_) + 2.0 + 2.0 * BORDER;
  if (!(product <= MOST_CELLS_PER_CENTER * (ncenters + 1.0))) return false;

  for (int dim = 0; dim < 3; dim++) {
    ncells_[dim] = static_cast<int>((hi[dim] - lo_[dim]) / side_) + 2 + 2 * BORDER;
    lo_[dim] -= (BORDER + 0.5) * side_;
  }
  inverse_ = 1.0 / side_;
  nwords_ = (ncells_[0] + BITS - 1) / BITS;
  return true;
}

/* ----------------------------------------------------------------------
   what is outside, or is not a number, is in a cell at the border
------------------------------------------------------------------------- */

void RegionFinder::find_cell(const double *x, int *cell) const
{
  for (int dim = 0; dim < 3; dim++) {
    const double place = (x[dim] - lo_[dim]) * inverse_;
    cell[dim] = place > 0.0 ? static_cast<int>(std::min(place, ncells_[dim] - 1.0)) : 0;
  }
}

/* ---------------------------------------------------------------------- */

void RegionFinder::mark_centers(const double *x, const int *centers, int ncenters)
{
  centers_.assign(static_cast<std::size_t>(ncells_[2]) * ncells_[1] * nwords_, 0);
  for (int n = 0; n < ncenters; n++) {
    int cell[3];
    find_cell(x + 3 * static_cast<std::size_t>(centers[n]), cell);
    row(centers_, cell[1], cell[2])[cell[0] / BITS] |= Word{1} << cell[0] % BITS;
  }
}

/* ----------------------------------------------------------------------
   how far in x depends on how far it is in y and z; between two cells with
   others in between there are as many sides less one
------------------------------------------------------------------------- */

void RegionFinder::mark_near()
{
  constexpr int SIDE = 2 * MARGIN + 1;
  int wider[SIDE][SIDE];    // by how many cells, -1: not at all
  for (int dz = -MARGIN; dz <= MARGIN; dz++)
    for (int dy = -MARGIN; dy <= MARGIN; dy++) {
      const int gapy = std::max(std::abs(dy) - 1, 0), gapz = std::max(std::abs(dz) - 1, 0);
      const int left = MARGIN * MARGIN - gapy * gapy - gapz * gapz;
      wider[dz + MARGIN][dy + MARGIN] =
          left < 0 ? -1 : std::min(MARGIN, static_cast<int>(std::sqrt(left)) + 1);
    }

  near_.assign(centers_.size(), 0);
  widened_.resize(MARGIN + 1);
  for (int z = BORDER; z < ncells_[2] - BORDER; z++)
    for (int y = BORDER; y < ncells_[1] - BORDER; y++) {
      const Word *const begin = row(centers_, y, z);
      if (std::all_of(begin, begin + nwords_, [](Word word) { return word == 0; })) continue;
      widened_[0].assign(begin, begin + nwords_);
      for (int n = 1; n <= MARGIN; n++) {
        widened_[n] = widened_[n - 1];
        widen(widened_[n]);
      }
      for (int dz = -MARGIN; dz <= MARGIN; dz++)
        for (int dy = -MARGIN; dy <= MARGIN; dy++) {
          const int n = wider[dz + MARGIN][dy + MARGIN];
          if (n < 0) continue;
          const Word *const from = widened_[n].data();
          Word *const to = row(near_, y + dy, z + dz);
          for (std::size_t k = 0; k < nwords_; k++) to[k] |= from[k];
        }
    }
}

/* ---------------------------------------------------------------------- */

void RegionFinder::widen(std::vector<Word> &row) const
{
  Word before = 0;
  for (std::size_t k = 0; k < nwords_; k++) {
    const Word word = row[k], after = k + 1 < nwords_ ? row[k + 1] : 0;
    row[k] = word | word << 1 | word >> 1 | before >> (BITS - 1) | after << (BITS - 1);
    before = word;
  }
}

}    // namespace TOFU_NS
