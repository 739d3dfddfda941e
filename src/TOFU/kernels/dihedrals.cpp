// SPDX-License-Identifier: GPL-2.0-only

#include "dihedrals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dihedrals.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>

#include "bonded_loop-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <class D, class V> HWY_INLINE hn::Mask<D> no_cosine(D d, V c)
  {
    return hn::Gt(hn::Abs(c), hn::Set(d, 1.05));    // LAMMPS' tolerance
  }

  template <class D, class V> HWY_INLINE V inverse_or_zero(D d, V value)
  {
    return hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), hn::Div(hn::Set(d, 1.0), value));
  }

  /** By cosine and sine of the angle: exact wherever the angle is, but for atoms in one line
    (Blondel and Karplus, J. Comp. Chem. 17, 1132 (1996): A and B are the normals of both planes, G
    is the axis, F and H are the other sides). */
  struct CosineDihedral {
    static constexpr int NATOMS = 4;

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      V ax, ay, az, bx, by, bz;
      cross(in.side2, in.side1, ax, ay, az);
      cross(in.side2, in.side3, bx, by, bz);
      const Arrow<V> a{ax, ay, az}, b{bx, by, bz};

      const V rg = hn::Sqrt(dot(in.side2, in.side2)), rg_inverse = inverse_or_zero(d, rg);
      const V a2inv = inverse_or_zero(d, dot(a, a)), b2inv = inverse_or_zero(d, dot(b, b));
      const V ab_inverse = hn::Sqrt(hn::Mul(a2inv, b2inv));
      const V cosine = hn::Mul(dot(a, b), ab_inverse);
      const V s = hn::Mul(hn::Mul(rg, ab_inverse), dot(a, in.side3));

      V p, slope;
      series(d, clamped_cosine(d, cosine), s, in, p, slope);
      if (in.energy) out.energy = hn::Mul(in.c0, p);

      const V df = hn::Neg(hn::Mul(in.c0, slope));
      const V fga = hn::Mul(hn::Mul(hn::Mul(dot(in.side1, in.side2), a2inv), rg_inverse), df);
      const V hgb = hn::Mul(hn::Mul(hn::Mul(dot(in.side3, in.side2), b2inv), rg_inverse), df);
      const V gaa = hn::Mul(hn::Mul(a2inv, rg), df), gbb = hn::Mul(hn::Mul(b2inv, rg), df);
      out.force1.set(hn::Neg(hn::Mul(gaa, ax)), hn::Neg(hn::Mul(gaa, ay)),
                     hn::Neg(hn::Mul(gaa, az)));
      out.force4.set(hn::Mul(gbb, bx), hn::Mul(gbb, by), hn::Mul(gbb, bz));

      // on the axis: fga A - hgb B, of which atom 3 gets one sign and atom 2 the other

      out.force3.set(hn::Sub(hn::MulSub(fga, ax, hn::Mul(hgb, bx)), out.force4.x),
                     hn::Sub(hn::MulSub(fga, ay, hn::Mul(hgb, by)), out.force4.y),
                     hn::Sub(hn::MulSub(fga, az, hn::Mul(hgb, bz)), out.force4.z));
      return no_cosine(d, cosine);
    }

   private:
    /** 1 + cos(n phi - shift) and its derivative, by the sum formulas of the functions of n phi. */
    template <class D, class V>
    static HWY_INLINE void series(D d, V c, V s, const BondedVectors<V> &in, V &p, V &slope)
    {
      const V &multiplicity = in.c1, &cos_shift = in.c2, &sin_shift = in.c3;
      V cos_n = hn::Set(d, 1.0), sin_n = hn::Zero(d);
      const int most = static_cast<int>(hn::GetLane(hn::MaxOfLanes(d, multiplicity)));
      for (int n = 0; n < most; n++) {
        const auto more = hn::Lt(hn::Set(d, static_cast<double>(n)), multiplicity);
        const V next = hn::MulSub(cos_n, c, hn::Mul(sin_n, s));
        sin_n = hn::IfThenElse(more, hn::MulAdd(cos_n, s, hn::Mul(sin_n, c)), sin_n);
        cos_n = hn::IfThenElse(more, next, cos_n);
      }
      p = hn::Add(hn::MulAdd(cos_n, cos_shift, hn::Mul(sin_n, sin_shift)), hn::Set(d, 1.0));
      slope = hn::Mul(hn::MulSub(cos_n, sin_shift, hn::Mul(sin_n, cos_shift)), multiplicity);
    }
  };

  /** By the cosine alone, from the angles between the three sides:

        struct Function {
          static constexpr double SMALLEST_SINE_SQUARED;    // of the angles between sides
          // energy by the clamped cosine, and its derivative
          template <class D, class V>
          void operator()(D d, V c, const BondedVectors<V> &in, V &energy, V &slope) const;
        }; */
  template <class Function> struct OfCosine {
    static constexpr int NATOMS = 4;

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      const V one = hn::Set(d, 1.0);
      const V r1sqinv = hn::Div(one, dot(in.side1, in.side1)),
              r2sqinv = hn::Div(one, dot(in.side2, in.side2)),
              r3sqinv = hn::Div(one, dot(in.side3, in.side3));
      const V r1inv = hn::Sqrt(r1sqinv), r2inv = hn::Sqrt(r2sqinv), r3inv = hn::Sqrt(r3sqinv);
      const V r12inv = hn::Mul(r1inv, r2inv), r13inv = hn::Mul(r1inv, r3inv),
              r23inv = hn::Mul(r2inv, r3inv);

      const V c13 = hn::Mul(dot(in.side1, in.side3), r13inv);
      const V c1 = hn::Mul(dot(in.side1, in.side2), r12inv);
      const V c2 = hn::Neg(hn::Mul(dot(in.side3, in.side2), r23inv));
      const V s1sqinv =
          hn::Div(one, at_least(d, hn::NegMulAdd(c1, c1, one), Function::SMALLEST_SINE_SQUARED));
      const V s2sqinv =
          hn::Div(one, at_least(d, hn::NegMulAdd(c2, c2, one), Function::SMALLEST_SINE_SQUARED));
      const V s12inv = hn::Sqrt(hn::Mul(s1sqinv, s2sqinv));
      const V cosine = hn::Mul(hn::MulAdd(c1, c2, c13), s12inv);
      const V c = clamped_cosine(d, cosine);

      V slope;
      Function()(d, c, in, out.energy, slope);

      // derivatives of the cosine by products of sides, times the slope

      const V ca = hn::Mul(c, slope), sa = hn::Mul(s12inv, slope);
      const V ca1 = hn::Mul(ca, s1sqinv), ca2 = hn::Mul(ca, s2sqinv);
      const V a11 = hn::Mul(ca1, r1sqinv), a33 = hn::Mul(ca2, r3sqinv);
      const V a22 = hn::Mul(r2sqinv, hn::Sub(hn::Add(ca1, ca2), hn::Mul(hn::Add(c13, c13), sa)));
      const V a12 = hn::Neg(hn::Mul(r12inv, hn::MulAdd(c1, ca1, hn::Mul(c2, sa))));
      const V a13 = hn::Neg(hn::Mul(r13inv, sa));
      const V a23 = hn::Mul(r23inv, hn::MulAdd(c2, ca2, hn::Mul(c1, sa)));

      set_sum(out.force1, in, a11, a12, a13);
      set_sum(out.force4, in, a13, a23, a33);
      set_sum(out.force3, in, a12, a22, a23);
      out.force3.set(hn::Sub(out.force3.x, out.force4.x), hn::Sub(out.force3.y, out.force4.y),
                     hn::Sub(out.force3.z, out.force4.z));
      return no_cosine(d, cosine);
    }

   private:
    template <class V>
    static HWY_INLINE void set_sum(const Force<V> &force, const BondedVectors<V> &in, V a, V b, V c)
    {
      const Arrow<V> &u = in.side1, &v = in.side2, &w = in.side3;
      force.set(hn::MulAdd(a, u.x, hn::MulAdd(b, v.x, hn::Mul(c, w.x))),
                hn::MulAdd(a, u.y, hn::MulAdd(b, v.y, hn::Mul(c, w.y))),
                hn::MulAdd(a, u.z, hn::MulAdd(b, v.z, hn::Mul(c, w.z))));
    }
  };

  struct OPLS {
    static constexpr double SMALLEST_SINE_SQUARED = 1e-6;    // as in LAMMPS
    static constexpr double SMALLEST_SINE = 1e-5;            // of the dihedral, likewise

    template <class D, class V>
    HWY_INLINE void operator()(D d, V c, const BondedVectors<V> &in, V &energy, V &slope) const
    {
      const V one = hn::Set(d, 1.0);
      const V csq = hn::Mul(c, c), ssq = hn::Mul(hn::Sub(one, c), hn::Add(one, c));

      // sin(n phi) / sin(phi) for n = 2, 3, 4

      const V two = hn::Add(c, c), three = hn::MulSub(hn::Set(d, 4.0), csq, one),
              four = hn::Mul(hn::Add(two, two), hn::MulSub(two, c, one));
      V higher = hn::MulSub(hn::Mul(hn::Set(d, 3.0), in.c2), three,
                            hn::MulAdd(hn::Mul(hn::Set(d, 2.0), in.c1), two,
                                       hn::Mul(hn::Mul(hn::Set(d, 4.0), in.c3), four)));
      const auto flat = hn::Lt(ssq, hn::Set(d, SMALLEST_SINE * SMALLEST_SINE));
      if (HWY_UNLIKELY(!hn::AllFalse(d, flat)))
        higher = hn::IfThenElse(flat, hn::Mul(higher, flat_ratio(d, hn::Sqrt(ssq), in)), higher);
      slope = hn::Add(in.c0, higher);

      if (!in.energy) return;
      energy = hn::Mul(in.c0, hn::Add(one, c));
      energy = hn::MulAdd(hn::Add(in.c1, in.c1), ssq, energy);
      energy = hn::MulAdd(in.c2, hn::MulAdd(c, hn::Sub(three, hn::Set(d, 2.0)), one), energy);
      energy = hn::MulAdd(hn::Mul(hn::Set(d, 8.0), in.c3), hn::Mul(csq, ssq), energy);
    }

   private:
    /** LAMMPS divides by a sine that is not smaller than SMALLEST_SINE, and always positive then.
        */
    template <class D, class V> static HWY_INLINE V flat_ratio(D d, V s, const BondedVectors<V> &in)
    {
      V x, y, z;
      cross(in.side1, in.side2, x, y, z);
      const V ratio = hn::Mul(s, hn::Set(d, 1.0 / SMALLEST_SINE));
      const auto negative = hn::Lt(dot(Arrow<V>{x, y, z}, in.side3), hn::Zero(d));
      return hn::IfThenElse(negative, hn::Neg(ratio), ratio);
    }
  };

  struct HarmonicImproper {
    static constexpr double SMALLEST_SINE_SQUARED = 0.001;    // as in LAMMPS
    static constexpr double SMALLEST_SINE = 0.001;            // of the improper, likewise

    template <class D, class V>
    HWY_INLINE void operator()(D d, V c, const BondedVectors<V> &in, V &energy, V &slope) const
    {
      const V delta = hn::Sub(hn::Acos(d, c), in.c1), tension = hn::Mul(in.c0, delta);
      slope =
          hn::Div(hn::Mul(hn::Set(d, -2.0), tension), at_least(d, sine_of(d, c), SMALLEST_SINE));
      if (in.energy) energy = hn::Mul(tension, delta);
    }
  };

  void compute_dihedral_cosine(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(CosineDihedral(), c, job, tally);
  }

  void compute_dihedral_opls(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(OfCosine<OPLS>(), c, job, tally);
  }

  void compute_improper_harmonic(const BondedCoefficients &c, const BondedJob &job,
                                 PairTally &tally)
  {
    compute_bonded(OfCosine<HarmonicImproper>(), c, job, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(compute_dihedral_cosine);
HWY_EXPORT(compute_dihedral_opls);
HWY_EXPORT(compute_improper_harmonic);

void dihedral_cosine(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_dihedral_cosine)(c, job, tally);
}

void dihedral_opls(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_dihedral_opls)(c, job, tally);
}

void improper_harmonic(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_improper_harmonic)(c, job, tally);
}

}    // namespace TOFU_NS
#endif
