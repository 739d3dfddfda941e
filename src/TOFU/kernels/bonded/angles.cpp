// SPDX-License-Identifier: GPL-2.0-only

#include "angles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bonded/angles.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "bonded_loop-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** force = a u + b v */
  template <class V>
  HWY_INLINE void set_sum(const Force<V> &force, V a, const Arrow<V> &u, V b, const Arrow<V> &v)
  {
    force.set(hn::MulAdd(a, u.x, hn::Mul(b, v.x)), hn::MulAdd(a, u.y, hn::Mul(b, v.y)),
              hn::MulAdd(a, u.z, hn::Mul(b, v.z)));
  }

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
  };

  /** One instance for all forms, since each takes seconds to compile: all lanes of a call have the
    same one. */
  struct AngleOfForm {
    static constexpr int NATOMS = 3;
    static constexpr double SMALLEST_SINE = 0.001;    // as in LAMMPS

    const AngleForm form;
    const AngleFormTables &tables;

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      const Arrow<V> &side1 = in.side1, &side3 = in.side2;
      const V rsq1 = dot(side1, side1), rsq3 = dot(side3, side3);
      const V r1 = hn::Sqrt(rsq1), r3 = hn::Sqrt(rsq3);
      const V r1r3inv = hn::Div(hn::Set(d, 1.0), hn::Mul(r1, r3));
      const V c = clamped_cosine(d, hn::Mul(dot(side1, side3), r1r3inv));

      // derivatives by the cosine, and by the lengths divided by these

      V slope = hn::Zero(d), pull1 = slope, pull3 = slope;
      auto flagged = nothing(d);
      if (form == AngleForm::COSINE) {
        cosine(d, c, in, slope, out.energy);
      } else if (form == AngleForm::PERIODIC) {
        periodic(d, c, in, slope, out.energy);
      } else if (form == AngleForm::COSINE_SHIFT) {
        const V s = at_least(d, sine_of(d, c), SMALLEST_SINE);
        slope = hn::Sub(hn::Div(hn::Mul(in.c2, c), s), in.c1);
        out.energy = hn::Sub(in.c0, hn::MulAdd(in.c1, c, hn::Mul(in.c2, s)));
      } else {
        const V theta = hn::Acos(d, c), s = at_least(d, sine_of(d, c), SMALLEST_SINE);
        if (form == AngleForm::TABLE) {
          flagged = look_up(d, *tables.tables, in.types, theta, out.energy, slope);
        } else {
          const V dt = hn::Sub(theta, in.c3);
          slope = hn::Mul(dt, quartic_slope(d, dt, in.c0, in.c1, in.c2));
          out.energy =
              hn::Mul(hn::Mul(dt, dt), hn::MulAdd(dt, hn::MulAdd(dt, in.c2, in.c1), in.c0));
          if (form == AngleForm::CLASS2_P6) add_higher_powers(d, dt, in, slope, out.energy);
          if (form != AngleForm::POLYNOMIAL)
            add_products(d, r1, r3, dt, in, slope, pull1, pull3, out.energy);
        }
        slope = hn::Neg(hn::Div(slope, s));
      }

      const V ac = hn::Mul(slope, c), a13 = hn::Neg(hn::Mul(slope, r1r3inv));
      set_sum(out.force1, hn::Sub(hn::Div(ac, rsq1), pull1), side1, a13, side3);
      set_sum(out.force3, hn::Sub(hn::Div(ac, rsq3), pull3), side3, a13, side1);
      return flagged;
    }

   private:
    template <class D, class V>
    static HWY_INLINE void cosine(D, V c, const BondedVectors<V> &in, V &slope, V &energy)
    {
      const V dc = hn::Sub(c, in.c3), half = hn::Mul(in.c2, dc);
      slope = hn::Add(in.c1, hn::Add(half, half));
      energy = hn::MulAdd(hn::Add(in.c1, half), dc, in.c0);
    }

    /** By Chebyshev polynomials: T(n) and n U(n-1) are the cosine of n theta and its derivative. */
    template <class D, class V>
    static HWY_INLINE void periodic(D d, V c, const BondedVectors<V> &in, V &slope, V &energy)
    {
      const V &multiplicity = in.c1;
      const V twice = hn::Add(c, c);
      V t = hn::Set(d, 1.0), before = c, u = hn::Zero(d), u_before = hn::Set(d, -1.0);
      const int most = static_cast<int>(hn::GetLane(hn::MaxOfLanes(d, multiplicity)));
      for (int n = 0; n < most; n++) {
        const auto more = hn::Lt(hn::Set(d, static_cast<double>(n)), multiplicity);
        const V t_next = hn::MulSub(twice, t, before), u_next = hn::MulSub(twice, u, u_before);
        before = hn::IfThenElse(more, t, before);
        t = hn::IfThenElse(more, t_next, t);
        u_before = hn::IfThenElse(more, u, u_before);
        u = hn::IfThenElse(more, u_next, u);
      }
      slope = hn::Neg(hn::Mul(hn::Mul(in.c0, multiplicity), u));
      energy = hn::NegMulAdd(in.c0, t, in.c2);
    }

    /** k5 dt^5 + k6 dt^6, and its derivative by the angle. */
    template <class D, class V>
    HWY_INLINE void add_higher_powers(D d, V dt, const BondedVectors<V> &in, V &slope,
                                      V &energy) const
    {
      V k5, k6, unused1, unused2;
      load_rows(d, tables.cross + 8, in.types, AngleFormTables::NCROSS, k5, k6, unused1, unused2);
      const V dtsq = hn::Mul(dt, dt), fourth = hn::Mul(dtsq, dtsq), k6dt = hn::Mul(k6, dt);
      slope = hn::MulAdd(fourth, hn::MulAdd(hn::Set(d, 6.0), k6dt, hn::Mul(hn::Set(d, 5.0), k5)),
                         slope);
      energy = hn::MulAdd(hn::Mul(fourth, dt), hn::Add(k5, k6dt), energy);
    }

    /** Of both sides, and of each side and the angle; the derivative by the angle is added to. */
    template <class D, class V>
    HWY_INLINE void add_products(D d, V r1, V r3, V dt, const BondedVectors<V> &in, V &slope,
                                 V &pull1, V &pull3, V &energy) const
    {
      constexpr int N = AngleFormTables::NCROSS;
      V k, k1, k3, r01, r03, s01, s03, unused;
      load_rows(d, tables.cross, in.types, N, k, r01, r03, unused);
      load_rows(d, tables.cross + 4, in.types, N, k1, k3, s01, s03);
      const V dr1 = hn::Sub(r1, r01), dr3 = hn::Sub(r3, r03);
      const V by_angle = hn::MulAdd(k1, hn::Sub(r1, s01), hn::Mul(k3, hn::Sub(r3, s03)));
      slope = hn::Add(slope, by_angle);
      pull1 = hn::Div(hn::MulAdd(k, dr3, hn::Mul(k1, dt)), r1);
      pull3 = hn::Div(hn::MulAdd(k, dr1, hn::Mul(k3, dt)), r3);
      energy = hn::Add(energy, hn::MulAdd(hn::Mul(k, dr1), dr3, hn::Mul(by_angle, dt)));
    }
  };

  void angle_harmonic(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(HarmonicAngle<false>(), c, job, tally);
  }

  void angle_charmm(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(HarmonicAngle<true>(), c, job, tally);
  }

  void angle_of_form(AngleForm form, const AngleFormTables &tables, const BondedCoefficients &c,
                     const BondedJob &job, PairTally &tally)
  {
    compute_bonded(AngleOfForm{form, tables}, c, job, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, angle_harmonic,
            (const BondedCoefficients &c, const BondedJob &job, PairTally &tally), (c, job, tally));

TOFU_EXPORT(void, angle_charmm,
            (const BondedCoefficients &c, const BondedJob &job, PairTally &tally), (c, job, tally));

TOFU_EXPORT(void, angle_of_form,
            (AngleForm form, const AngleFormTables &tables, const BondedCoefficients &c,
             const BondedJob &job, PairTally &tally),
            (form, tables, c, job, tally));

}    // namespace TOFU_NS
#endif
