// SPDX-License-Identifier: GPL-2.0-only

#include "atom_travel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/motion/atom_travel.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/rows-inl.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** The largest of the squares from the first on, of as many vectors of atoms as there are.  Sums
      have the bits of those of a scalar loop, as Neighbor has them: products go through memory that
      the compiler cannot see through, so that it does not fuse them with sums.

      \return   first atom that is not in these vectors */
  template <class D>
  HWY_INLINE int look_at(D d, const double *hold, const double *now, int first, int natoms,
                         double &largest)
  {
    using V = hn::Vec<D>;
    const int lanes = static_cast<int>(hn::Lanes(d));
    HWY_ALIGN double squares[3 * hn::MaxLanes(D())];
    V most = hn::Set(d, largest);
    int i = first;
    for (; i + lanes <= natoms; i += lanes) {
      for (int k = 0; k < 3 * lanes; k += lanes) {
        const std::size_t at = std::size_t{3} * i + k;
        const V moved = hn::Sub(hn::LoadU(d, now + at), hn::LoadU(d, hold + at));
        hn::Store(hn::Mul(moved, moved), d, squares + k);
      }
#if defined(__GNUC__)
      asm volatile("" : : "r"(squares) : "memory");
#endif
      V x, y, z;
      hn::LoadInterleaved3(d, squares, x, y, z);
      const V sum = hn::Add(hn::Add(x, y), z);
      most = hn::IfThenElse(hn::Gt(sum, most), sum, most);    // NaN is not
    }
    HWY_ALIGN double lane[hn::MaxLanes(D())];
    hn::Store(most, d, lane);
    largest = *std::max_element(lane, lane + lanes);
    return i;
  }

  double largest_square(const double *hold, const double *now, int natoms)
  {
    double largest = 0.0;
    const int rest = look_at(DoublesUpTo<8>(), hold, now, 0, natoms, largest);
    look_at(DoublesUpTo<1>(), hold, now, rest, natoms, largest);
    return largest;
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(double, largest_square, (const double *hold, const double *now, int natoms),
            (hold, now, natoms));

}    // namespace TOFU_NS
#endif
