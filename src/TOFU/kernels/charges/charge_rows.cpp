// SPDX-License-Identifier: GPL-2.0-only

#include "charge_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/charges/charge_rows.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/cube_root-inl.h"
#include "kernels/simd/rows-inl.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  void couplings(const ShieldedCoulomb &coulomb, const double *point, const double *rows,
                 const int *index, int n, double *values)
  {
    const DoublesUpTo<8> d;
    using V = hn::Vec<decltype(d)>;
    constexpr double EV_ANGSTROM = 14.4;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const V xi = hn::Set(d, point[0]), yi = hn::Set(d, point[1]), zi = hn::Set(d, point[2]),
            shieldi = hn::Set(d, point[3]);
    const V cutsq = hn::Set(d, coulomb.cutoff * coulomb.cutoff);
    double taper[8];
    for (int k = 0; k < 8; k++) taper[k] = EV_ANGSTROM * coulomb.taper[k];
    for (int k = 0; k < n; k += lanes) {
      V xj, yj, zj, shieldj;
      load_rows(d, rows, index + k, 4, xj, yj, zj, shieldj);
      const V delx = hn::Sub(xj, xi), dely = hn::Sub(yj, yi), delz = hn::Sub(zj, zi);
      const V rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
      const V r = hn::Sqrt(rsq);
      V t = hn::Set(d, taper[7]);
      for (int power = 6; power >= 0; power--) t = hn::MulAdd(t, r, hn::Set(d, taper[power]));
      const V root = inverse_cube_root(d, hn::MulAdd(shieldi, shieldj, hn::Mul(rsq, r)));
      hn::StoreU(hn::IfThenElseZero(hn::Le(rsq, cutsq), hn::Mul(t, root)), d, values + k);
    }
  }

  void values_of_rows(const ChargeRowData &h, const ShieldedCoulomb &coulomb, const double *rows,
                      int first, int last)
  {
    for (int i = first; i < last; i++)
      couplings(coulomb, rows + std::size_t{4} * i, rows, h.neighbor + h.begin[i], h.nstored[i],
                h.values + h.begin[i]);
  }

  /** A row of the matrix. */
  struct MatrixRow {
    const double *const values;
    const int *const neighbor;
    const int nowned, nstored;

    MatrixRow(const ChargeRowData &h, int i) :
        values(h.values + h.begin[i]), neighbor(h.neighbor + h.begin[i]), nowned(h.nowned[i]),
        nstored(h.nstored[i])
    {
    }

    /** Sum of the products with the numbers of neighbors, after y has got those with xi of owned
        ones.  Four sums, since each waits for the one before. */
    template <class D>
    HWY_INLINE double times(D d, const double *HWY_RESTRICT x, double xi,
                            double *HWY_RESTRICT y) const
    {
      constexpr int WAYS = 4;
      const int lanes = static_cast<int>(hn::Lanes(d));
      double sums[WAYS] = {};
      int k = 0;
      for (; k + WAYS <= nowned; k += WAYS)
        for (int way = 0; way < WAYS; way++) add_pair(k + way, x, xi, y, sums[way]);
      for (; k < nowned; k++) add_pair(k, x, xi, y, sums[0]);
      auto sum = hn::Zero(d);
      for (; k + lanes <= nstored; k += lanes)
        sum = hn::MulAdd(hn::LoadU(d, values + k), load_numbers(d, x, neighbor + k), sum);
      for (; k < nstored; k++) sums[0] += values[k] * x[neighbor[k]];
      return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + sum_of(d, sum);
    }

   private:
    HWY_INLINE void add_pair(int k, const double *HWY_RESTRICT x, double xi, double *HWY_RESTRICT y,
                             double &sum) const
    {
      const int j = neighbor[k];
      const double value = values[k];
      sum += value * x[j];
      y[j] += value * xi;
    }
  };

  void multiply_rows(const ChargeRowData &h, int first, int last, const double *x, double *y)
  {
    const DoublesUpTo<8> d;
    for (int i = first; i < last; i++) y[i] += MatrixRow(h, i).times(d, x, x[i], y);
  }

  /** Both products of a row while it is in the cache. */
  void multiply_rows_twice(const ChargeRowData &h, int first, int last, const double *x1,
                           const double *x2, double *y1, double *y2)
  {
    const DoublesUpTo<8> d;
    for (int i = first; i < last; i++) {
      const MatrixRow row(h, i);
      y1[i] += row.times(d, x1, x1[i], y1);
      y2[i] += row.times(d, x2, x2[i], y2);
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(couplings);
HWY_EXPORT(values_of_rows);
HWY_EXPORT(multiply_rows);
HWY_EXPORT(multiply_rows_twice);

namespace {

  int to_8(int n)
  {
    return (n + 7) / 8 * 8;
  }

}    // namespace

void shielded_couplings(const ShieldedCoulomb &coulomb, const double *point, const double *rows,
                        const int *index, int n, double *values)
{
  HWY_DYNAMIC_DISPATCH(couplings)(coulomb, point, rows, index, n, values);
}

/* ----------------------------------------------------------------------
   a charge with gamma 0 is shielded from all others; the products stay finite
------------------------------------------------------------------------- */

double ShieldedCoulomb::shield(double gamma)
{
  constexpr double LARGEST = 1e90;
  return std::min(std::pow(gamma, -1.5), LARGEST);
}

/* ---------------------------------------------------------------------- */

void ChargeRows::build(const ChargeList &list, const ChargeColumns &atoms, const Parts &parts)
{
  nrows_ = atoms.nlocal;
  count(list, atoms, parts);
  find_begins();
  fill(list, atoms, parts);
  find_reached_blocks(parts);
}

namespace {

  /** use(j) for the entries of a row of a list that are stored. */
  template <class Use>
  void for_stored(const ChargeList &list, const ChargeColumns &atoms, int i, const Use &use)
  {
    for (int k = 0; k < list.numneigh[i]; k++) {
      const int j = list.firstneigh[i][k] & list.index_bits;
      if (!atoms.has_charge[j]) continue;
      if (list.pairs == ChargeList::Pairs::TWICE && j < atoms.nlocal && j < i) continue;
      use(j);
    }
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void ChargeRows::count(const ChargeList &list, const ChargeColumns &atoms, const Parts &parts)
{
  nstored_.assign(nrows_, 0);
  nowned_.assign(nrows_, 0);
  parts.share(list.nrows, [&](int, int first, int last) {
    for (int row = first; row < last; row++) {
      const int i = list.atoms[row];
      if (!atoms.has_charge[i]) continue;
      int nstored = 0, nowned = 0;
      for_stored(list, atoms, i, [&](int j) {
        nstored++;
        nowned += j < atoms.nlocal;
      });
      nstored_[i] = nstored;
      nowned_[i] = nowned;
    }
  });
}

/* ----------------------------------------------------------------------
   rows of owned atoms that come first have more owned neighbors than others.
   Numbers of chunks that many numbers of threads divide
------------------------------------------------------------------------- */

void ChargeRows::find_begins()
{
  constexpr int LEAST_ROWS = 32, MOST_CHUNKS = 24, GROUP = 4;
  begin_.assign(nrows_ + 1, 0);
  nentries_ = 0;
  std::vector<std::int64_t> work(nrows_ + 1, 0);
  for (int i = 0; i < nrows_; i++) {
    nentries_ += nstored_[i];
    begin_[i + 1] = begin_[i] + to_8(nstored_[i]);
    work[i + 1] = work[i] + nstored_[i] + nowned_[i] + GROUP;
  }
  nchunks_ = std::max(1, std::min(MOST_CHUNKS, nrows_ / LEAST_ROWS));
  if (nchunks_ > GROUP) nchunks_ -= nchunks_ % GROUP;
  first_row_.assign(nchunks_ + 1, nrows_);
  for (int chunk = 0; chunk < nchunks_; chunk++)
    first_row_[chunk] = static_cast<int>(
        std::lower_bound(work.begin(), work.end() - 1, work[nrows_] * chunk / nchunks_) -
        work.begin());
}

/* ----------------------------------------------------------------------
   owned neighbors first
------------------------------------------------------------------------- */

void ChargeRows::fill(const ChargeList &list, const ChargeColumns &atoms, const Parts &parts)
{
  const std::size_t nplaces = begin_[nrows_], spare = nplaces / 32;
  int *const neighbor = neighbor_.room(nplaces, spare);
  values_.room(nplaces, spare);
  parts.share(list.nrows, [&](int, int first, int last) {
    for (int row = first; row < last; row++) {
      const int i = list.atoms[row];
      if (!atoms.has_charge[i]) continue;
      int *const near = neighbor + begin_[i];
      int nowned = 0, nothers = nowned_[i];
      for_stored(list, atoms, i, [&](int j) { near[j < atoms.nlocal ? nowned++ : nothers++] = j; });
      std::fill(near + nstored_[i], near + to_8(nstored_[i]), atoms.nall);
    }
  });
}

/* ---------------------------------------------------------------------- */

void ChargeRows::find_reached_blocks(const Parts &parts)
{
  nblocks_ = (nrows_ + BLOCK - 1) / BLOCK;
  reached_.assign(static_cast<std::size_t>(nchunks_) * nblocks_, 0);
  const ChargeRowData h = data();
  parts.share(nchunks_, [&](int, int first, int last) {
    for (int chunk = first; chunk < last; chunk++) {
      char *const mine = reached_.data() + static_cast<std::size_t>(chunk) * nblocks_;
      for (int i = first_row_[chunk]; i < first_row_[chunk + 1]; i++) {
        mine[i / BLOCK] = 1;
        for (int k = 0; k < h.nowned[i]; k++) mine[h.neighbor[h.begin[i] + k] / BLOCK] = 1;
      }
    }
  });
}

/* ---------------------------------------------------------------------- */

ChargeRowData ChargeRows::data()
{
  return {begin_.data(), nstored_.data(), nowned_.data(), neighbor_.data(), values_.data()};
}

/* ----------------------------------------------------------------------
   shares of rows with the same number of places
------------------------------------------------------------------------- */

void ChargeRows::set_values(const ShieldedCoulomb &coulomb, const double *rows, const Parts &parts)
{
  const ChargeRowData h = data();
  const auto begin_of = [&](int part) {
    return static_cast<int>(
        std::lower_bound(begin_.begin(), begin_.end() - 1, begin_[nrows_] * part / parts.n()) -
        begin_.begin());
  };
  parts.run([&](int part) {
    const int end = part + 1 < parts.n() ? begin_of(part + 1) : nrows_;
    HWY_DYNAMIC_DISPATCH(values_of_rows)(h, coulomb, rows, begin_of(part), end);
  });
}

/* ----------------------------------------------------------------------
   [nrows] of a chunk; 0 where it adds
------------------------------------------------------------------------- */

double *ChargeRows::clear_sums(int chunk, int product)
{
  const std::size_t before = static_cast<std::size_t>(chunk) * nblocks_;
  double *const sums = sums_[product].data() + before * BLOCK;
  for (int block = 0; block < nblocks_; block++)
    if (reached_[before + block]) std::fill_n(sums + std::size_t{BLOCK} * block, BLOCK, 0.0);
  return sums;
}

/* ---------------------------------------------------------------------- */

void ChargeRows::begin_product(const double *x, const Parts &parts)
{
  const ChargeRowData h = data();
  sums_[0].room(reached_.size() * BLOCK, 0);
  parts.share(nchunks_, [&](int, int first, int last) {
    for (int chunk = first; chunk < last; chunk++) HWY_DYNAMIC_DISPATCH(multiply_rows)
    (h, first_row_[chunk], first_row_[chunk + 1], x, clear_sums(chunk, 0));
  });
}

/* ---------------------------------------------------------------------- */

void ChargeRows::begin_two_products(const double *x1, const double *x2, const Parts &parts)
{
  const ChargeRowData h = data();
  for (AlignedArray<double> &sums : sums_) sums.room(reached_.size() * BLOCK, 0);
  parts.share(nchunks_, [&](int, int first, int last) {
    for (int chunk = first; chunk < last; chunk++) HWY_DYNAMIC_DISPATCH(multiply_rows_twice)
    (h, first_row_[chunk], first_row_[chunk + 1], x1, x2, clear_sums(chunk, 0),
     clear_sums(chunk, 1));
  });
}

/* ----------------------------------------------------------------------
   in the order of chunks
------------------------------------------------------------------------- */

void ChargeRows::collect(int product, int first, int last, const double *diagonal, const double *x,
                         double *y) const
{
  for (int i = first; i < last; i++) y[i] = diagonal[i] * x[i];
  for (int block = first / BLOCK; block * BLOCK < last; block++) {
    const int begin = std::max(first, block * BLOCK), end = std::min(last, (block + 1) * BLOCK);
    for (int chunk = 0; chunk < nchunks_; chunk++) {
      const std::size_t before = static_cast<std::size_t>(chunk) * nblocks_;
      if (!reached_[before + block]) continue;
      const double *const sums = sums_[product].data() + before * BLOCK;
      for (int i = begin; i < end; i++) y[i] += sums[i];
    }
  }
}

/* ---------------------------------------------------------------------- */

void ChargeRows::multiply(int first, int last, const double *diagonal, const double *x,
                          double *y) const
{
  collect(0, first, last, diagonal, x, y);
}

/* ---------------------------------------------------------------------- */

void ChargeRows::multiply_two(int first, int last, const double *diagonal, const double *x1,
                              const double *x2, double *y1, double *y2) const
{
  collect(0, first, last, diagonal, x1, y1);
  collect(1, first, last, diagonal, x2, y2);
}

/* ---------------------------------------------------------------------- */

double ChargeRows::nbytes() const
{
  return static_cast<double>(neighbor_.nbytes() + values_.nbytes() + sums_[0].nbytes() +
                             sums_[1].nbytes() + reached_.capacity() +
                             begin_.capacity() * sizeof(std::int64_t) +
                             (nstored_.capacity() + nowned_.capacity()) * sizeof(int));
}

}    // namespace TOFU_NS
#endif
