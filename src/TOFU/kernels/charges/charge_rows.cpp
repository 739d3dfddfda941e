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
    for (int i = first; i < last; i++) {
      double *const own = h.values + h.begin[i] + h.nmirrored[i];
      const int *const column = h.column + h.begin[i] + h.nmirrored[i];
      const int *const mirror = h.mirror + h.first_mirror[i];
      couplings(coulomb, rows + std::size_t{4} * i, rows, h.neighbor + h.first_near[i],
                h.nstored[i], own);
      for (int k = 0; k < h.nowned[i]; k++) h.values[h.begin[column[k]] + mirror[k]] = own[k];
    }
  }

  /** A row of the matrix. */
  struct MatrixRow {
    const double *values;
    const int *column;
    int n;

    MatrixRow(const ChargeRowData &h, int i) :
        values(h.values + h.begin[i]), column(h.column + h.begin[i]),
        n(static_cast<int>(h.begin[i + 1] - h.begin[i]))
    {
    }

    /** Products of the entries from k on with the numbers of their columns. */
    template <class D> HWY_INLINE auto times(D d, int k, const double *x, hn::Vec<D> sum) const
    {
      return hn::MulAdd(hn::LoadU(d, values + k), load_numbers(d, x, column + k), sum);
    }
  };

  void multiply_rows(const ChargeRowData &h, int first, int last, const double *diagonal,
                     const double *x, double *y)
  {
    const DoublesUpTo<8> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int i = first; i < last; i++) {
      const MatrixRow row(h, i);
      auto even = hn::Zero(d), odd = even;
      int k = 0;
      for (; k + 2 * lanes <= row.n; k += 2 * lanes) {
        even = row.times(d, k, x, even);
        odd = row.times(d, k + lanes, x, odd);
      }
      for (; k < row.n; k += lanes) even = row.times(d, k, x, even);
      y[i] = diagonal[i] * x[i] + sum_of(d, hn::Add(even, odd));
    }
  }

  void multiply_rows_twice(const ChargeRowData &h, int first, int last, const double *diagonal,
                           const double *x1, const double *x2, double *y1, double *y2)
  {
    const DoublesUpTo<8> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int i = first; i < last; i++) {
      const MatrixRow row(h, i);
      auto sum1 = hn::Zero(d), sum2 = sum1;
      for (int k = 0; k < row.n; k += lanes) {
        sum1 = row.times(d, k, x1, sum1);
        sum2 = row.times(d, k, x2, sum2);
      }
      y1[i] = diagonal[i] * x1[i] + sum_of(d, sum1);
      y2[i] = diagonal[i] * x2[i] + sum_of(d, sum2);
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
  find_begins(parts.n());
  fill(list, atoms, parts);
}

/* ----------------------------------------------------------------------
   entries of the rows that a part walks, and their mirrors
------------------------------------------------------------------------- */

void ChargeRows::count(const ChargeList &list, const ChargeColumns &atoms, const Parts &parts)
{
  nstored_.assign(nrows_, 0);
  nowned_.assign(nrows_, 0);
  next_mirror_.resize(parts.n());
  parts.share(list.nrows, [&](int part, int first, int last) {
    std::vector<int> &mirrors = next_mirror_[part];
    mirrors.assign(nrows_, 0);
    for (int row = first; row < last; row++) {
      const int i = list.atoms[row];
      if (!atoms.has_charge[i]) continue;
      int nstored = 0, nowned = 0;
      for (int k = 0; k < list.numneigh[i]; k++) {
        const int j = list.firstneigh[i][k] & list.index_bits;
        if (!atoms.has_charge[j]) continue;
        nstored++;
        if (list.pairs == ChargeList::Pairs::TWICE || j >= atoms.nlocal) continue;
        nowned++;
        mirrors[j]++;
      }
      nstored_[i] = nstored;
      nowned_[i] = nowned;
    }
  });
}

/* ----------------------------------------------------------------------
   mirrors are in the order of the list's rows, whichever part makes them
------------------------------------------------------------------------- */

void ChargeRows::find_begins(int nparts)
{
  nmirrored_.assign(nrows_, 0);
  begin_.assign(nrows_ + 1, 0);
  first_near_.assign(nrows_ + 1, 0);
  first_mirror_.assign(nrows_ + 1, 0);
  nentries_ = 0;
  for (int i = 0; i < nrows_; i++) {
    int n = 0;
    for (int part = 0; part < nparts; part++) {
      const int mine = next_mirror_[part][i];
      next_mirror_[part][i] = n;
      n += mine;
    }
    nmirrored_[i] = n;
    nentries_ += n + nstored_[i];
    begin_[i + 1] = begin_[i] + to_8(n + to_8(nstored_[i]));
    first_near_[i + 1] = first_near_[i] + to_8(nstored_[i]);
    first_mirror_[i + 1] = first_mirror_[i] + nowned_[i];
  }
}

/* ---------------------------------------------------------------------- */

void ChargeRows::fill(const ChargeList &list, const ChargeColumns &atoms, const Parts &parts)
{
  int *const column = column_.room(begin_[nrows_]);
  double *const values = values_.room(begin_[nrows_]);
  int *const neighbor = neighbor_.room(first_near_[nrows_]);
  int *const mirror = mirror_.room(first_mirror_[nrows_]);
  data_ = {begin_.data(),  nmirrored_.data(),  nstored_.data(),
           nowned_.data(), first_near_.data(), first_mirror_.data(),
           column,         neighbor,           mirror,
           values};
  parts.share(nrows_, [&](int, int first, int last) {    // padding
    for (int i = first; i < last; i++)
      for (std::int64_t place = begin_[i] + nmirrored_[i] + nstored_[i]; place < begin_[i + 1];
           place++) {
        column[place] = 0;
        values[place] = 0.0;
      }
  });
  parts.share(list.nrows, [&](int part, int first, int last) {
    std::vector<int> &next = next_mirror_[part];
    for (int row = first; row < last; row++) {
      const int i = list.atoms[row];
      if (!atoms.has_charge[i]) continue;
      int *const columns = column + begin_[i] + nmirrored_[i];
      int *const near = neighbor + first_near_[i];
      int *const mirrors = mirror + first_mirror_[i];
      int nowned = 0, others = nowned_[i];
      for (int k = 0; k < list.numneigh[i]; k++) {
        const int j = list.firstneigh[i][k] & list.index_bits;
        if (!atoms.has_charge[j]) continue;
        const bool mirrored = list.pairs == ChargeList::Pairs::ONCE && j < atoms.nlocal;
        const int to = mirrored ? nowned++ : others++;
        near[to] = j;
        columns[to] = atoms.column[j];
        if (!mirrored) continue;
        mirrors[to] = next[j];
        column[begin_[j] + next[j]++] = i;
      }
      std::fill(near + nstored_[i], near + to_8(nstored_[i]), atoms.nall);
    }
  });
}

/* ----------------------------------------------------------------------
   each place is written once
------------------------------------------------------------------------- */

void ChargeRows::set_values(const ShieldedCoulomb &coulomb, const double *rows, const Parts &parts)
{
  parts.share(nrows_, [&](int, int first, int last) {
    HWY_DYNAMIC_DISPATCH(values_of_rows)(data_, coulomb, rows, first, last);
  });
}

/* ---------------------------------------------------------------------- */

void ChargeRows::multiply(int first, int last, const double *diagonal, const double *x,
                          double *y) const
{
  HWY_DYNAMIC_DISPATCH(multiply_rows)(data_, first, last, diagonal, x, y);
}

/* ---------------------------------------------------------------------- */

void ChargeRows::multiply_two(int first, int last, const double *diagonal, const double *x1,
                              const double *x2, double *y1, double *y2) const
{
  HWY_DYNAMIC_DISPATCH(multiply_rows_twice)(data_, first, last, diagonal, x1, x2, y1, y2);
}

/* ---------------------------------------------------------------------- */

double ChargeRows::nbytes() const
{
  double bytes = static_cast<double>(column_.nbytes() + neighbor_.nbytes() + mirror_.nbytes() +
                                     values_.nbytes());
  bytes += static_cast<double>((begin_.capacity() * 3) * sizeof(std::int64_t));
  bytes += static_cast<double>(nmirrored_.capacity() * 3 * sizeof(int));
  for (const auto &mirrors : next_mirror_)
    bytes += static_cast<double>(mirrors.capacity() * sizeof(int));
  return bytes;
}

}    // namespace TOFU_NS
#endif
