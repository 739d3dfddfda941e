// SPDX-License-Identifier: GPL-2.0-only
//
// What kernels of embedded atoms have in common: the neighbors within the cut-off, which a first
// pass finds for a second, and splines.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_EMBEDDED_ATOMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_EMBEDDED_ATOMS_INL_H
#undef TOFU_KERNELS_EMBEDDED_ATOMS_INL_H
#else
#define TOFU_KERNELS_EMBEDDED_ATOMS_INL_H
#endif

#include "kernels/data/inside_rows.h"
#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"
#include "kernels/pair/pair_sums-inl.h"
#include "kernels/simd/select-inl.h"

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Find the neighbors of one atom within the cut-off.

      \return   # of them. */
  HWY_INLINE int find_inside(const PairJob &job, double cutsq, int i, RowArena &arena,
                             EAMInside &inside)
  {
    const int *const neighbors = job.list.first[i];
    const int n = job.list.nneighbors[i], nspecial = job.list.nspecial[i], far = neighbors[n];
    const double *const own = job.atoms.rows + 4 * static_cast<std::size_t>(i);
    const auto distancesq = [&](int j) {
      const double *const other = job.atoms.rows + 4 * static_cast<std::size_t>(j);
      const double delx = own[0] - other[0], dely = own[1] - other[1], delz = own[2] - other[2];
      return delx * delx + dely * dely + delz * delz;
    };

    int *const near = arena.row(n, far);
    int *end = append_near(job.atoms.rows, own, cutsq, neighbors + nspecial, n - nspecial, near);
    for (int k = 0; k < nspecial; k++) {    // embedded atoms know no special bonds
      *end = static_cast<int>(neighbors[k] & NEIGHBOR_MASK);
      end += distancesq(*end) < cutsq;
    }
    std::fill_n(end, ROW_PADDING, far);
    const int nnear = static_cast<int>(end - near);
    arena.shorten(near, nnear);
    inside.first[i] = near;
    inside.nneighbors[i] = nnear;
    return nnear;
  }

  /** Distances from some neighbors to atom i.

      \param fourth   gets the fourth values of the neighbors' rows
      \return   squares of the distances. */
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V distances(D d, const PairJob &job, int i, const int *entries, V &delx, V &dely,
                         V &delz, V &fourth)
  {
    const double *const own = job.atoms.rows + 4 * static_cast<std::size_t>(i);
    V x, y, z;
    load_rows(d, job.atoms.rows, entries, 4, x, y, z, fourth);
    delx = hn::Sub(hn::Set(d, own[0]), x);
    dely = hn::Sub(hn::Set(d, own[1]), y);
    delz = hn::Sub(hn::Set(d, own[2]), z);
    return hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
  }

  /** Where some distances are in a spline.

      \param nr      intervals: 1 to nr-1, and the end
      \param rdr     intervals per distance
      \param index   [lanes] gets the intervals
    \return   places within these. */
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V find_intervals(D d, int nr, double rdr, V r, std::int32_t *index)
  {
    const hn::Rebind<std::int32_t, D> d32;
    const V last = hn::Set(d, nr - 1.0), one = hn::Set(d, 1.0);
    const V place = hn::MulAdd(r, hn::Set(d, rdr), one);
    const auto m = hn::DemoteTo(d32, hn::Min(place, last));
    hn::Store(m, d32, index);
    return hn::Min(hn::Sub(place, hn::PromoteTo(d, m)), one);
  }

  /** Coefficients of one spline for each pair, and what they give. */
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE void spline_value(D d, const double *table, const int *rows, V p, V &value)
  {
    V a, b, c, e;
    load_rows(d, table, rows, 4, a, b, c, e);
    value = hn::MulAdd(hn::MulAdd(hn::MulAdd(a, p, b), p, c), p, e);
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE void spline_slope(D d, const double *table, const int *rows, V p, V rdr, V &value,
                               V &slope)
  {
    V a, b, c, e;
    load_rows(d, table, rows, 4, a, b, c, e);
    value = hn::MulAdd(hn::MulAdd(hn::MulAdd(a, p, b), p, c), p, e);
    const V a3 = hn::Mul(hn::Set(d, 3.0), a), b2 = hn::Add(b, b);
    slope = hn::Mul(rdr, hn::MulAdd(hn::MulAdd(a3, p, b2), p, c));
  }

  /** Add some pairs of a full list to the sums of its row.

      \param x    distance from the other atom to the owner of the row; y, z likewise
      \param px   force on the owner; py, pz likewise
      \param phi  energy */
  template <Tallies TALLIES, class V>
  HWY_INLINE void add_to_sums(V x, V y, V z, V px, V py, V pz, V phi, const RowSums<V> &sums)
  {
    sums.fx = hn::Add(sums.fx, px);
    sums.fy = hn::Add(sums.fy, py);
    sums.fz = hn::Add(sums.fz, pz);
    if constexpr (TALLIES == Tallies::ALL) sums.evdwl = hn::Add(sums.evdwl, phi);
    if constexpr (TALLIES != Tallies::NONE) {
      sums.vxx = hn::MulAdd(x, px, sums.vxx);
      sums.vyy = hn::MulAdd(y, py, sums.vyy);
      sums.vzz = hn::MulAdd(z, pz, sums.vzz);
      sums.vxy = hn::MulAdd(x, py, sums.vxy);
      sums.vxz = hn::MulAdd(x, pz, sums.vxz);
      sums.vyz = hn::MulAdd(y, pz, sums.vyz);
    }
  }

  /** Add the sums of a row of a full list to its owner and to the tallies.  Of energy and virial
      the other atom has the other half. */
  template <class D, Tallies TALLIES, class V = hn::Vec<D>>
  HWY_INLINE void add_full_row(const PairJob &job, int i, const RowSums<V> &sums, PairTally &tally)
  {
    const D d;
    if constexpr (TALLIES != Tallies::NONE) {
      const V half = hn::Set(d, 0.5);
      sums.evdwl = hn::Mul(half, sums.evdwl);
      sums.vxx = hn::Mul(half, sums.vxx);
      sums.vyy = hn::Mul(half, sums.vyy);
      sums.vzz = hn::Mul(half, sums.vzz);
      sums.vxy = hn::Mul(half, sums.vxy);
      sums.vxz = hn::Mul(half, sums.vxz);
      sums.vyz = hn::Mul(half, sums.vyz);
    }
    add_row<D, false, TALLIES>(job, i, sums, tally);
    if constexpr (TALLIES == Tallies::ALL) {
      if (tally.eatom) tally.eatom[i] += sum_of(d, sums.evdwl);
      if (!tally.vatom) return;
      add_sums(d, sums.vxx, sums.vyy, sums.vzz, tally.vatom[i]);
      add_sums(d, sums.vxy, sums.vxz, sums.vyz, tally.vatom[i] + 3);
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
