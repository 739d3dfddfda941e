// SPDX-License-Identifier: GPL-2.0-only
//
// Selection of the entries of a row that are within the cut-off.
//
// A list has more entries than there are within the cut-off, 40 percent more with LAMMPS' usual
// skins.  For a potential that costs more than its distance it pays to remove the others first.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_SELECT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_SELECT_INL_H
#undef TOFU_KERNELS_SELECT_INL_H
#else
#define TOFU_KERNELS_SELECT_INL_H
#endif

#include "compress-inl.h"
#include "rows-inl.h"

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Append the entries that are within a distance which depends on them.

      \param rows       [..][4] x, y, z and another value of atoms
      \param own        [4] row of the one that distances are taken from
      \param cutsq_of   (d, vector of other values) -> squares of distances
      \param entries    [n] atoms; as many as fill the last vector are read
      \param found      room for n and one more vector
    \return   where to append next. */
  template <class CutsqOf>
  HWY_INLINE int *append_within(const double *rows, const double *own, const CutsqOf &cutsq_of,
                                const int *entries, int n, int *found)
  {
    const DoublesUpTo<8> d;
    const hn::Rebind<std::int32_t, decltype(d)> d32;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto x = hn::Set(d, own[0]), y = hn::Set(d, own[1]), z = hn::Set(d, own[2]);
    for (int k = 0; k < n; k += lanes) {
      auto delx = x, dely = x, delz = x, other = x;
      load_rows(d, rows, entries + k, 4, delx, dely, delz, other);
      delx = hn::Sub(x, delx);
      dely = hn::Sub(y, dely);
      delz = hn::Sub(z, delz);
      const auto rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
      const auto near = hn::Lt(rsq, cutsq_of(d, other));
      const auto inside = hn::IfThenElseZero(near, hn::Set(d, -1.0));
      const auto keep = hn::MaskFromVec(hn::DemoteTo(d32, inside));    // all bits of -1 are set
      hn::StoreU(compress(d32, hn::LoadU(d32, entries + k), keep), d32, found);
      found += hn::CountTrue(d, near);
    }
    return found;
  }

  /** Append the entries that are within one distance; otherwise as append_within(). */
  HWY_INLINE int *append_near(const double *rows, const double *own, double cutsq,
                              const int *entries, int n, int *found)
  {
    const auto limit = hn::Set(DoublesUpTo<8>(), cutsq);
    return append_within(
        rows, own, [&](auto, auto) { return limit; }, entries, n, found);
  }

  /** The same for atoms in single precision, eight at a time, for which rows of a list are padded.
      */
  HWY_INLINE int *append_near(const float *rows, const float *own, double cutsq, const int *entries,
                              int n, int *found)
  {
    const FloatsUpTo<8> d;
    const hn::RebindToSigned<decltype(d)> d32;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto x = hn::Set(d, own[0]), y = hn::Set(d, own[1]), z = hn::Set(d, own[2]);
    const auto limit = hn::Set(d, static_cast<float>(cutsq));
    for (int k = 0; k < n; k += lanes) {
      auto delx = x, dely = x, delz = x, other = x;
      load_rows(d, rows, entries + k, 4, delx, dely, delz, other);
      delx = hn::Sub(x, delx);
      dely = hn::Sub(y, dely);
      delz = hn::Sub(z, delz);
      const auto rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
      const auto keep = hn::RebindMask(d32, hn::Lt(rsq, limit));
      hn::StoreU(compress(d32, hn::LoadU(d32, entries + k), keep), d32, found);
      found += hn::CountTrue(d32, keep);
    }
    return found;
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
