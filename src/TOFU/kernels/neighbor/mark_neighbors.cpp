// SPDX-License-Identifier: GPL-2.0-only

#include "mark_neighbors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/neighbor/mark_neighbors.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "kernels/simd/compress-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** Numbers, from 1 on, that are not the same as the one before, or are the first of 16 bytes. */
  template <class D, class V = hn::Vec<D>> HWY_INLINE hn::Mask<D> differ_from_last(D d, V blocks)
  {
#if HWY_TARGET == HWY_SCALAR
    return hn::Gt(blocks, hn::Zero(d));
#else
    return hn::Ne(blocks, hn::ShiftLeftLanes<1>(d, blocks));
#endif
  }

  /** Atoms from low to high have marks already.  Chance decides which vectors have others: blocks
      of these are put in a row of their own, without a branch.

      \param n   entries; up to a whole vector is read */
  void mark_outside(const int *entries, std::ptrdiff_t n, int low, int high, int natoms, int shift,
                    char *marked)
  {
    constexpr int MOST = 512;    // blocks at a time
    const hn::CappedTag<std::int32_t, ROW_PADDING> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto mask = hn::Set(d, static_cast<std::int32_t>(NEIGHBOR_MASK));
    const auto lowest = hn::Set(d, low), highest = hn::Set(d, high), beyond = hn::Set(d, natoms),
               one = hn::Set(d, 1);
    std::int32_t blocks[MOST + ROW_PADDING];    // counted from 1
    for (std::ptrdiff_t k = 0; k < n;) {
      int nblocks = 0;
      for (; k < n && nblocks < MOST; k += lanes) {
        const auto atoms = hn::And(hn::LoadU(d, entries + k), mask);
        const auto counts = hn::Lt(atoms, beyond);
        const auto block =
            hn::IfThenElseZero(counts, hn::Add(hn::ShiftRightSame(atoms, shift), one));
        const auto outside = hn::Or(hn::Lt(atoms, lowest), hn::Gt(atoms, highest));
        const auto wanted = hn::And(hn::And(outside, counts), differ_from_last(d, block));
        hn::StoreU(compress(d, block, wanted), d, blocks + nblocks);
        nblocks += static_cast<int>(hn::CountTrue(d, wanted));
      }
      for (int b = 0; b < nblocks; b++) marked[blocks[b] - 1] = 1;
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(mark_outside);

/* ----------------------------------------------------------------------
   Returns: the row behind those that follow each other in memory from this one
     on, with nothing but padding between them
------------------------------------------------------------------------- */

static int end_of_run(const PairRows &rows, int first, int last, int padding)
{
  const auto end = [&](int owner) {
    return rows.first[owner] + rows.nneighbors[owner];
  };
  int n = first + 1;
  while (n < last && rows.first[rows.atoms[n]] == end(rows.atoms[n - 1]) + padding) n++;
  return n;
}

/* ---------------------------------------------------------------------- */

void mark_neighbors(const PairRows &rows, int first, int last, int padding, int natoms, int block,
                    char *marked)
{
  if (first >= last) return;
  int shift = 0;    // a division would take longer than all else
  while (1 << shift < block) shift++;
  assert(1 << shift == block);
  const int low = rows.atoms[first], high = rows.atoms[last - 1];
  const bool whole = high - low == last - first - 1;    // a range without gaps
  if (whole)
    std::fill(marked + low / block, marked + high / block + 1, 1);
  else
    for (int n = first; n < last; n++) marked[rows.atoms[n] >> shift] = 1;
  for (int n = first, next; n < last; n = next) {
    next = end_of_run(rows, n, last, padding);
    const int *const begin = rows.first[rows.atoms[n]];
    const int owner = rows.atoms[next - 1];
    HWY_DYNAMIC_DISPATCH(mark_outside)
    (begin, rows.first[owner] + rows.nneighbors[owner] - begin, whole ? low : 0, whole ? high : -1,
     natoms, shift, marked);
  }
}

}    // namespace TOFU_NS
#endif
