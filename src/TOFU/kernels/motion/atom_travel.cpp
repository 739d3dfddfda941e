// SPDX-License-Identifier: GPL-2.0-only

#include "atom_travel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/motion/atom_travel.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/rows-inl.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
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

  double find_largest_square(const double *hold, const double *now, int natoms)
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

HWY_EXPORT(find_largest_square);

namespace {

  constexpr int BLOCK = 64;    // atoms; their squares stay in the first cache

  /** Squares of distances of n <= BLOCK atoms. */
  void find_squares(const double *from, const double *to, int n, double *squares)
  {
    double of_coords[3 * BLOCK];
    for (int k = 0; k < 3 * n; k++) of_coords[k] = (to[k] - from[k]) * (to[k] - from[k]);
    for (int i = 0; i < n; i++)
      squares[i] = of_coords[3 * i] + of_coords[3 * i + 1] + of_coords[3 * i + 2];
  }

  double largest_of(const double *squares, int n, double largest)
  {
    for (int i = 0; i < n; i++) largest = std::max(largest, squares[i]);
    return largest;
  }

  // An atom has at least `steps` left if d + steps (u + closer) <= limit.  Since (a + b)^2 is at
  // most 2 a^2 + 2 b^2, most atoms show that they have without a square root.  The bound is so much
  // smaller that rounding leaves no atom out.

  constexpr double SMALLER = 1.0 - 1e-12;

  double fewest_steps(const double *moved, const double *last, int n, double limit, double closer,
                      double steps)
  {
    double room, weight;
    const auto set_bound = [&]() {
      room = limit - steps * closer;
      room = room >= 0.0 ? 0.5 * SMALLER * room * room : -1.0;
      weight = steps * steps;
    };
    set_bound();
    for (int i = 0; i < n; i++) {
      if (!(moved[i] + weight * last[i] > room)) continue;
      const double left = (limit - std::sqrt(moved[i])) / (std::sqrt(last[i]) + closer);
      if (!(left < steps)) continue;
      steps = std::max(left, 0.0);
      set_bound();
    }
    return steps;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

double largest_square(const double *hold, const double *now, int natoms)
{
  return HWY_DYNAMIC_DISPATCH(find_largest_square)(hold, now, natoms);
}

/* ---------------------------------------------------------------------- */

void add_travel(const AtomPaths &paths, int natoms, double limit, double closer, AtomTravel &travel)
{
  double moved[BLOCK], last[BLOCK];
  for (int begin = 0; begin < natoms; begin += BLOCK) {
    const int n = std::min(BLOCK, natoms - begin);
    const std::size_t at = 3 * static_cast<std::size_t>(begin);
    find_squares(paths.hold + at, paths.now + at, n, moved);
    find_squares(paths.before + at, paths.now + at, n, last);
    travel.largest = largest_of(moved, n, travel.largest);
    travel.fastest = largest_of(last, n, travel.fastest);
    travel.steps_at_current_speed =
        fewest_steps(moved, last, n, limit, closer, travel.steps_at_current_speed);
  }
}

}    // namespace TOFU_NS
#endif
