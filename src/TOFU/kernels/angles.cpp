// SPDX-License-Identifier: GPL-2.0-only

#include "angles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/angles.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>

#include "bonded_loop-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Harmonic in the angle, and, if UREY_BRADLEY, in the distance of the outer atoms. */
  template <bool UREY_BRADLEY> struct HarmonicAngle {
    static constexpr int NATOMS = 3;
    static constexpr double SMALLEST_SINE = 0.001;    // as in LAMMPS

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      const Arrow<V> &side1 = in.side1, &side3 = in.side2;
      const V rsq1 = dot(side1, side1), rsq3 = dot(side3, side3);
      const V r1r3inv = hn::Div(hn::Set(d, 1.0), hn::Mul(hn::Sqrt(rsq1), hn::Sqrt(rsq3)));
      const V c = clamped_cosine(d, hn::Mul(dot(side1, side3), r1r3inv));
      const V s = at_least(d, sine_of(d, c), SMALLEST_SINE);

      const V dtheta = hn::Sub(hn::Acos(d, c), in.c1), slope = hn::Mul(in.c0, dtheta);
      const V a = hn::Div(hn::Mul(hn::Set(d, -2.0), slope), s), ac = hn::Mul(a, c);
      V a11 = hn::Div(ac, rsq1), a33 = hn::Div(ac, rsq3);
      V a13 = hn::Neg(hn::Mul(a, r1r3inv));
      if (in.energy) out.energy = hn::Mul(slope, dtheta);

      if constexpr (UREY_BRADLEY) {
        const V x = hn::Sub(side1.x, side3.x), y = hn::Sub(side1.y, side3.y),
                z = hn::Sub(side1.z, side3.z);
        const V r = hn::Sqrt(dot(Arrow<V>{x, y, z}, Arrow<V>{x, y, z})), dr = hn::Sub(r, in.c3);
        const V tension = hn::Mul(in.c2, dr);
        const V pull = hn::IfThenElseZero(hn::Gt(r, hn::Zero(d)),
                                          hn::Div(hn::Mul(hn::Set(d, -2.0), tension), r));
        a11 = hn::Add(a11, pull);
        a33 = hn::Add(a33, pull);
        a13 = hn::Sub(a13, pull);
        if (in.energy) out.energy = hn::MulAdd(tension, dr, out.energy);
      }
      set_sum(out.force1, a11, side1, a13, side3);
      set_sum(out.force3, a33, side3, a13, side1);
      return nothing(d);
    }

   private:
    template <class V>
    static HWY_INLINE void set_sum(const Force<V> &force, V a, const Arrow<V> &u, V b,
                                   const Arrow<V> &v)
    {
      force.set(hn::MulAdd(a, u.x, hn::Mul(b, v.x)), hn::MulAdd(a, u.y, hn::Mul(b, v.y)),
                hn::MulAdd(a, u.z, hn::Mul(b, v.z)));
    }
  };

  void compute_angle_harmonic(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(HarmonicAngle<false>(), c, job, tally);
  }

  void compute_angle_charmm(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(HarmonicAngle<true>(), c, job, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(compute_angle_harmonic);
HWY_EXPORT(compute_angle_charmm);

void angle_harmonic(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_angle_harmonic)(c, job, tally);
}

void angle_charmm(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_angle_charmm)(c, job, tally);
}

}    // namespace TOFU_NS
#endif
