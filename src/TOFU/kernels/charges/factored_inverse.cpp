// SPDX-License-Identifier: GPL-2.0-only

#include "factored_inverse.h"

#include "base/tight_vector.h"
#include "kernels/neighbor/cell_grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

using namespace TOFU_NS;

namespace {

/** Neighbors of a row: in a gas under high pressure there may be many. */
constexpr int MOST_NEAR = 96;

/** A pivot below this part of the diagonal is taken as 0. */
constexpr double SMALLEST_PIVOT = 1e-8;

double distance_sq(const double *a, const double *b)
{
  const double delx = a[0] - b[0], dely = a[1] - b[1], delz = a[2] - b[2];
  return delx * delx + dely * dely + delz * delz;
}

/** Block of H, and the last row of the inverse of its factor. */
class Block {
 public:
  /** \param index   near atoms, then the owner of the row; padded to 8 here
      \param row     becomes [index.size()] the row of G
      \return   whether the block is positive definite */
  bool solve(const FactoredInverse::Atoms &atoms, const ShieldedCoulomb &coulomb,
             std::vector<int> &index, std::vector<double> &row)
  {
    const int n = static_cast<int>(index.size()), stride = (n + 7) / 8 * 8;
    h_.resize(static_cast<std::size_t>(stride) * n);
    column_.resize(stride);
    const std::size_t padded = stride;
    index.resize(padded, atoms.columns.nall);
    for (int i = 0; i < n; i++) {
      double *const hi = &h_[padded * i];
      shielded_couplings(coulomb, atoms.rows + std::size_t{4} * index[i], atoms.rows, index.data(),
                         i, hi);
      hi[i] = atoms.diagonal[index[i]];
    }
    index.resize(n);
    return factor(atoms, index, stride) && substitute(stride, n, row);
  }

 private:
  std::vector<double> h_;         // [n][stride] lower triangle
  std::vector<double> column_;    // [n]

  // by columns, so that the innermost loop changes consecutive numbers

  bool factor(const FactoredInverse::Atoms &atoms, const std::vector<int> &index, int stride)
  {
    const int n = static_cast<int>(index.size());
    const std::size_t step = stride;
    for (int k = 0; k < n; k++) {
      const double pivot = h_[step * k + k];
      if (!(pivot > SMALLEST_PIVOT * atoms.diagonal[index[k]])) return false;
      const double root = std::sqrt(pivot), inverse = 1.0 / root;
      h_[step * k + k] = root;
      for (int i = k + 1; i < n; i++) {
        h_[step * i + k] *= inverse;
        column_[i] = h_[step * i + k];
      }
      for (int i = k + 1; i < n; i++) {
        const double factor = column_[i];
        double *const hi = &h_[step * i];
        for (int j = k + 1; j <= i; j++) hi[j] -= factor * column_[j];
      }
    }
    return true;
  }

  // L^T g = (0, ..., 0, 1)

  bool substitute(int stride, int n, std::vector<double> &row) const
  {
    const std::size_t step = stride;
    row.assign(n, 0.0);
    row[n - 1] = 1.0;
    for (int k = n - 1; k >= 0; k--) {
      row[k] /= h_[step * k + k];
      for (int j = 0; j < k; j++) row[j] -= h_[step * k + j] * row[k];
    }
    return true;
  }
};

}    // namespace

/** Rows that a part makes. */
struct FactoredInverse::Part {
  std::vector<int> nentries, found, near;
  std::vector<double> row;
  Entries entries;
  Block block;
  int nindefinite = 0;
};

/* ---------------------------------------------------------------------- */

void FactoredInverse::build(const Atoms &atoms, const ShieldedCoulomb &coulomb, double reach,
                            bool with_ghosts, const Parts &parts)
{
  nlocal_ = atoms.columns.nlocal;
  if (nlocal_ == 0) return clear();
  CellGrid grid;
  CellGrid::Atoms sorted;
  sorted.x = atoms.x;
  sorted.natoms = atoms.columns.nall;
  grid.sort(sorted, reach, parts);
  find_rows(atoms, reach, with_ghosts, grid, parts);

  std::vector<Part> made(parts.n());
  const double reachsq = reach * reach;
  parts.share(nrows_, [&](int part, int first, int last) {
    Part &mine = made[part];
    CellGrid::Doubts doubts{};
    for (int number = first; number < last; number++) {
      const int i = owners_[number];
      const double *const xi = atoms.x + std::size_t{3} * i;
      mine.near.clear();
      if (atoms.columns.has_charge[i]) {
        const int n = grid.neighbors(i, reach, false, mine.found, doubts);
        for (int k = 0; k < n; k++) {
          const int j = mine.found[k];
          if (!atoms.columns.has_charge[j] || atoms.tags[j] >= atoms.tags[i]) continue;
          if (!with_ghosts && atoms.columns.column[j] >= nlocal_) continue;
          if (distance_sq(xi, atoms.x + std::size_t{3} * j) <= reachsq) mine.near.push_back(j);
        }
        if (mine.near.size() > MOST_NEAR) {
          std::nth_element(mine.near.begin(), mine.near.begin() + MOST_NEAR, mine.near.end(),
                           [&](int a, int b) {
                             const double one = distance_sq(xi, atoms.x + std::size_t{3} * a),
                                          other = distance_sq(xi, atoms.x + std::size_t{3} * b);
                             return one != other ? one < other : atoms.tags[a] < atoms.tags[b];
                           });
          mine.near.resize(MOST_NEAR);
        }
        mine.near.push_back(i);
        if (!mine.block.solve(atoms, coulomb, mine.near, mine.row)) {
          mine.near.assign(1, i);
          mine.row.assign(1, 1.0 / std::sqrt(std::abs(atoms.diagonal[i])));
          if (i < nlocal_) mine.nindefinite++;
        }
      }
      const int n = static_cast<int>(mine.near.size());
      for (int k = 0; k < n; k++) {
        const int j = mine.near[k];
        // of a ghost's row the column of an image belongs to another image of the ghost
        const int column = i < nlocal_ ? atoms.columns.column[j] : j;
        mine.entries.column.push_back(column);
        mine.entries.value.push_back(mine.row[k]);
      }
      mine.nentries.push_back(n);
    }
  });

  collect(made);
  transpose();
}

/* ---------------------------------------------------------------------- */

void FactoredInverse::collect(const std::vector<Part> &made)
{
  begin_.assign(nrows_ + 1, 0);
  nindefinite_ = 0;
  int row = 0;
  for (const Part &part : made)
    for (const int n : part.nentries) {
      begin_[row + 1] = begin_[row] + n;
      row++;
    }
  resize_tightly(entries_.column, begin_[nrows_]);
  resize_tightly(entries_.value, begin_[nrows_]);
  std::size_t before = 0;
  for (const Part &part : made) {
    const auto to = static_cast<std::ptrdiff_t>(before);
    std::copy(part.entries.column.begin(), part.entries.column.end(), entries_.column.begin() + to);
    std::copy(part.entries.value.begin(), part.entries.value.end(), entries_.value.begin() + to);
    before += part.entries.column.size();
    nindefinite_ += part.nindefinite;
  }
  nentries_ = begin_[nlocal_];
  products_.resize(nrows_);
}

/* ----------------------------------------------------------------------
   of a rank without atoms
------------------------------------------------------------------------- */

void FactoredInverse::clear()
{
  nrows_ = nindefinite_ = 0;
  nentries_ = 0;
  owners_.clear();
  entries_ = transposed_ = Entries();
  begin_.assign(1, 0);
  first_of_column_.assign(1, 0);
}

/* ----------------------------------------------------------------------
   owned atoms, and ghosts of other ranks that have an owned neighbor with a smaller tag
------------------------------------------------------------------------- */

void FactoredInverse::find_rows(const Atoms &atoms, double reach, bool with_ghosts,
                                const CellGrid &grid, const Parts &parts)
{
  owners_.resize(nlocal_);
  for (int i = 0; i < nlocal_; i++) owners_[i] = i;
  if (with_ghosts) {
    const double reachsq = reach * reach;
    std::vector<char> is_near(atoms.columns.nall, 0);
    std::vector<std::vector<int>> found(parts.n());
    parts.share(atoms.columns.nall - nlocal_, [&](int part, int first, int last) {
      CellGrid::Doubts doubts{};
      for (int k = first; k < last; k++) {
        const int i = nlocal_ + k;
        if (!atoms.columns.has_charge[i] || atoms.columns.column[i] < nlocal_) continue;
        const int n = grid.neighbors(i, reach, false, found[part], doubts);
        is_near[i] = std::any_of(found[part].begin(), found[part].begin() + n, [&](int j) {
          return j < nlocal_ && atoms.columns.has_charge[j] && atoms.tags[j] < atoms.tags[i] &&
              distance_sq(atoms.x + std::size_t{3} * i, atoms.x + std::size_t{3} * j) <= reachsq;
        });
      }
    });
    for (int i = nlocal_; i < atoms.columns.nall; i++)
      if (is_near[i]) owners_.push_back(i);
  }
  nrows_ = static_cast<int>(owners_.size());
}

/* ----------------------------------------------------------------------
   entries in columns of owned atoms
------------------------------------------------------------------------- */

void FactoredInverse::transpose()
{
  first_of_column_.assign(nlocal_ + 1, 0);
  for (const int column : entries_.column)
    if (column < nlocal_) first_of_column_[column + 1]++;
  for (int j = 0; j < nlocal_; j++) first_of_column_[j + 1] += first_of_column_[j];
  resize_tightly(transposed_.column, first_of_column_[nlocal_]);
  resize_tightly(transposed_.value, first_of_column_[nlocal_]);
  std::vector<int> next(first_of_column_.begin(), first_of_column_.end() - 1);
  for (int row = 0; row < nrows_; row++)
    for (int k = begin_[row]; k < begin_[row + 1]; k++) {
      const int column = entries_.column[k];
      if (column >= nlocal_) continue;
      const int to = next[column]++;
      transposed_.column[to] = row;
      transposed_.value[to] = entries_.value[k];
    }
}

/* ---------------------------------------------------------------------- */

void FactoredInverse::apply(const double *r, double *z, const Parts &parts) const
{
  parts.share(nrows_, [&](int, int first, int last) {
    for (int row = first; row < last; row++) {
      double sum = 0.0;
      for (int k = begin_[row]; k < begin_[row + 1]; k++)
        sum += entries_.value[k] * r[entries_.column[k]];
      products_[row] = sum;
    }
  });
  parts.share(nlocal_, [&](int, int first, int last) {
    for (int j = first; j < last; j++) {
      double sum = 0.0;
      for (int k = first_of_column_[j]; k < first_of_column_[j + 1]; k++)
        sum += transposed_.value[k] * products_[transposed_.column[k]];
      z[j] = sum;
    }
  });
}

/* ---------------------------------------------------------------------- */

double FactoredInverse::nbytes() const
{
  return static_cast<double>(
      (entries_.value.capacity() + transposed_.value.capacity()) * (sizeof(double) + sizeof(int)) +
      (owners_.capacity() + begin_.capacity() + first_of_column_.capacity()) * sizeof(int) +
      products_.capacity() * sizeof(double));
}
