// SPDX-License-Identifier: GPL-2.0-only

#include "self_forces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mesh/self_forces.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  using D = hn::CappedTag<double, 8>;

  constexpr int MOST_LANES = 8;

  /** Values of as many atoms as a vector has lanes: three vectors. */
  struct Block {
    HWY_ALIGN double x[3 * MOST_LANES], charge[3 * MOST_LANES], field[3 * MOST_LANES];
  };

  class SelfForcesOf {
   public:
    explicit SelfForcesOf(const SelfForces &forces)
    {
      for (int k = 0; k < 3 * MOST_LANES; k++) {
        delinv_[k] = forces.delinv[k % 3];
        once_[k] = 2.0 * forces.coeff[2 * (k % 3)];
        twice_[k] = 2.0 * forces.coeff[2 * (k % 3) + 1];
      }
    }

    /** sin(2 pi u) and sin(4 pi u) do not change with the integer part of u, and the latter is
        2 sin cos. */
    HWY_INLINE void subtract(const double *x, const double *charge, double *field) const
    {
      const D d;
      const std::size_t lanes = hn::Lanes(d);
      for (std::size_t k = 0; k < 3 * lanes; k += lanes) {
        const auto place = hn::Mul(hn::LoadU(d, x + k), hn::Load(d, delinv_ + k));
        const auto angle = hn::Mul(hn::Set(d, 2.0 * M_PI), hn::Sub(place, hn::Round(place)));
        const auto sine = hn::Sin(d, angle), cosine = hn::Cos(d, angle);
        const auto twice = hn::Mul(hn::Load(d, twice_ + k), hn::Add(cosine, cosine));
        const auto force =
            hn::Mul(hn::Load(d, charge + k), hn::Mul(sine, hn::Add(hn::Load(d, once_ + k), twice)));
        hn::StoreU(hn::Sub(hn::LoadU(d, field + k), force), d, field + k);
      }
    }

   private:
    HWY_ALIGN double delinv_[3 * MOST_LANES], once_[3 * MOST_LANES], twice_[3 * MOST_LANES];
  };

  void subtract_self_forces(const SelfForces &forces, const double *x, const double *q, int natoms,
                            double *field)
  {
    const SelfForcesOf self(forces);
    const int lanes = static_cast<int>(hn::Lanes(D()));
    HWY_ALIGN double charge[3 * MOST_LANES];
    int i = 0;
    for (; i + lanes <= natoms; i += lanes) {
      for (int k = 0; k < 3 * lanes; k++) charge[k] = q[i + k / 3];
      self.subtract(x + 3 * static_cast<std::size_t>(i), charge,
                    field + 3 * static_cast<std::size_t>(i));
    }
    if (i >= natoms) return;
    Block rest = {};
    const std::size_t at = 3 * static_cast<std::size_t>(i), n = 3 * (natoms - i);
    std::copy_n(x + at, n, rest.x);
    std::copy_n(field + at, n, rest.field);
    for (std::size_t k = 0; k < n; k++) rest.charge[k] = q[i + k / 3];
    self.subtract(rest.x, rest.charge, rest.field);
    std::copy_n(rest.field, n, field + at);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, subtract_self_forces,
            (const SelfForces &forces, const double *x, const double *q, int natoms, double *field),
            (forces, x, q, natoms, field));

}    // namespace TOFU_NS
#endif
