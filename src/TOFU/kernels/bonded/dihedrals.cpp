// SPDX-License-Identifier: GPL-2.0-only

#include "dihedrals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bonded/dihedrals.cpp"
#include "kernels/simd/highway_targets.h"
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
    is the axis, F and H are the other sides).

    \param function   function(c, s, slope) sets the derivative of the energy by the angle
    \return           mask as that of a potential */
  template <class D, class V, class Function>
  HWY_INLINE hn::Mask<D> by_dihedral(D d, const BondedVectors<V> &in, const BondedResults<V> &out,
                                     Function &&function)
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

    V slope;
    function(clamped_cosine(d, cosine), s, slope);

    const V df = hn::Neg(slope);
    const V fga = hn::Mul(hn::Mul(hn::Mul(dot(in.side1, in.side2), a2inv), rg_inverse), df);
    const V hgb = hn::Mul(hn::Mul(hn::Mul(dot(in.side3, in.side2), b2inv), rg_inverse), df);
    const V gaa = hn::Mul(hn::Mul(a2inv, rg), df), gbb = hn::Mul(hn::Mul(b2inv, rg), df);
    out.force1.set(hn::Neg(hn::Mul(gaa, ax)), hn::Neg(hn::Mul(gaa, ay)), hn::Neg(hn::Mul(gaa, az)));
    out.force4.set(hn::Mul(gbb, bx), hn::Mul(gbb, by), hn::Mul(gbb, bz));

    // on the axis: fga A - hgb B, of which atom 3 gets one sign and atom 2 the other

    out.force3.set(hn::Sub(hn::MulSub(fga, ax, hn::Mul(hgb, bx)), out.force4.x),
                   hn::Sub(hn::MulSub(fga, ay, hn::Mul(hgb, by)), out.force4.y),
                   hn::Sub(hn::MulSub(fga, az, hn::Mul(hgb, bz)), out.force4.z));
    return no_cosine(d, cosine);
  }

  /** One term of a series: 1 + cos(n phi - shift) and its derivative, by the sum formulas of the
    functions of n phi. */
  template <class D, class V>
  HWY_INLINE void term_of_series(D d, V c, V s, V multiplicity, V cos_shift, V sin_shift, V &p,
                                 V &slope)
  {
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

  struct CosineDihedral {
    static constexpr int NATOMS = 4;

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      return by_dihedral(d, in, out, [&](V c, V s, V &slope) {
        V p;
        term_of_series(d, c, s, in.c1, in.c2, in.c3, p, slope);
        if (in.energy) out.energy = hn::Mul(in.c0, p);
        slope = hn::Mul(in.c0, slope);
      });
    }
  };

  /** One instance for all forms, since each takes seconds to compile: all lanes of a call have the
    same one. */
  struct DihedralOfForm {
    static constexpr int NATOMS = 4;

    const DihedralForm form;
    const DihedralFormTables &tables;

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      auto off = nothing(d);
      const auto wrong = by_dihedral(d, in, out, [&](V c, V s, V &slope) {
        if (form == DihedralForm::SERIES)
          series(d, c, s, in, slope, out.energy);
        else
          off = by_angle(d, c, s, in, slope, out.energy);
      });
      return hn::Or(wrong, off);
    }

   private:
    template <class D, class V>
    HWY_INLINE void series(D d, V c, V s, const BondedVectors<V> &in, V &slope, V &energy) const
    {
      const std::size_t stride = std::size_t{4} * tables.nterms;
      slope = hn::Zero(d);
      for (int term = 0; term < tables.nterms; term++) {
        V k, multiplicity, cos_shift, sin_shift, p, by_phi;
        load_rows(d, tables.terms + std::size_t{4} * term, in.types, stride, k, multiplicity,
                  cos_shift, sin_shift);
        term_of_series(d, c, s, multiplicity, cos_shift, sin_shift, p, by_phi);
        slope = hn::MulAdd(k, by_phi, slope);
        energy = hn::MulAdd(k, p, energy);
      }
    }

    template <class D, class V>
    HWY_INLINE hn::Mask<D> by_angle(D d, V c, V s, const BondedVectors<V> &in, V &slope,
                                    V &energy) const
    {
      const V turn = hn::Set(d, 6.283185307179586476925),
              half = hn::Set(d, 3.141592653589793238463);
      const auto negative = hn::Lt(s, hn::Zero(d));
      V phi = hn::Acos(d, c);
      if (form == DihedralForm::TABLE) {
        phi = hn::IfThenElse(negative, hn::Sub(turn, phi), phi);
        return look_up(d, *tables.tables, in.types, phi, energy, slope);
      }
      phi = hn::Sub(hn::IfThenElse(negative, hn::Neg(phi), phi), in.c1);
      phi = hn::IfThenElse(hn::Gt(phi, half), hn::Sub(phi, turn), phi);
      phi = hn::IfThenElse(hn::Lt(phi, hn::Neg(half)), hn::Add(phi, turn), phi);
      const V tension = hn::Mul(in.c0, phi);
      slope = hn::Add(tension, tension);
      energy = hn::Mul(tension, phi);
      return nothing(d);
    }
  };

  template <class V> HWY_INLINE void add_product(const Force<V> &force, V a, const Arrow<V> &u)
  {
    force.set(hn::MulAdd(a, u.x, force.x), hn::MulAdd(a, u.y, force.y),
              hn::MulAdd(a, u.z, force.z));
  }

  struct Class2Dihedral {
    static constexpr int NATOMS = 4;
    static constexpr double SMALLEST_SINE_SQUARED = 1e-14;    // of the angles, as in LAMMPS

    const Class2Dihedrals &coefficients;

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      const V one = hn::Set(d, 1.0);
      const V r1 = hn::Sqrt(dot(in.side1, in.side1)), r2 = hn::Sqrt(dot(in.side2, in.side2)),
              r3 = hn::Sqrt(dot(in.side3, in.side3));
      const V r1inv = hn::Div(one, r1), r2inv = hn::Div(one, r2), r3inv = hn::Div(one, r3);
      const V c12 = clamped_cosine(d, hn::Mul(hn::Mul(dot(in.side1, in.side2), r1inv), r2inv));
      const V c23 =
          clamped_cosine(d, hn::Neg(hn::Mul(hn::Mul(dot(in.side2, in.side3), r2inv), r3inv)));

      V pull1, pull2, pull3, slope12, slope23;    // derivatives by lengths and angles
      const auto wrong = by_dihedral(d, in, out, [&](V c, V s, V &slope) {
        energy_of(d, in, c, s, r1, r2, r3, hn::Acos(d, c12), hn::Acos(d, c23), slope, pull1, pull2,
                  pull3, slope12, slope23, out.energy);
      });

      // lengths, then the angle at atom 2, then that at atom 3

      pull1 = hn::Mul(pull1, r1inv);
      pull2 = hn::Mul(pull2, r2inv);
      pull3 = hn::Mul(pull3, r3inv);
      const V a = by_cosine(d, slope12, c12), b = by_cosine(d, slope23, c23);
      const V a12 = hn::Mul(a, hn::Mul(r1inv, r2inv)), b23 = hn::Mul(b, hn::Mul(r2inv, r3inv));
      const V a11 = hn::MulSub(hn::Mul(a, c12), hn::Mul(r1inv, r1inv), pull1);
      const V a22 = hn::MulSub(hn::Mul(a, c12), hn::Mul(r2inv, r2inv), pull2);
      const V b22 = hn::Mul(hn::Mul(b, c23), hn::Mul(r2inv, r2inv));
      const V b33 = hn::MulSub(hn::Mul(b, c23), hn::Mul(r3inv, r3inv), pull3);
      add_product(out.force1, a11, in.side1);
      add_product(out.force1, hn::Neg(a12), in.side2);
      add_product(out.force4, b33, in.side3);
      add_product(out.force4, b23, in.side2);
      add_product(out.force3, hn::Neg(a12), in.side1);
      add_product(out.force3, hn::Add(a22, hn::Sub(b22, b23)), in.side2);
      add_product(out.force3, hn::Sub(b23, b33), in.side3);
      return wrong;
    }

   private:
    template <class D, class V> static HWY_INLINE V by_cosine(D d, V slope, V c)
    {
      const V sine_squared =
          at_least(d, hn::NegMulAdd(c, c, hn::Set(d, 1.0)), SMALLEST_SINE_SQUARED);
      return hn::Neg(hn::Div(slope, hn::Sqrt(sine_squared)));
    }

    /** The sum of f(n) cos(n phi), its derivative, and how far the value is off the fourth
      coefficient. */
    template <class D, class V>
    HWY_INLINE void product(D d, const BondedVectors<V> &in, int first, V value, V c, V c2, V c3,
                            V s, V s2, V s3, V &sum, V &slope, V &difference) const
    {
      V f1, f2, f3, value0;
      load_rows(d, coefficients.table + first, in.types, Class2Dihedrals::N, f1, f2, f3, value0);
      sum = hn::MulAdd(f1, c, hn::MulAdd(f2, c2, hn::Mul(f3, c3)));
      slope = hn::Neg(hn::MulAdd(
          f1, s, hn::MulAdd(hn::Add(f2, f2), s2, hn::Mul(hn::Mul(hn::Set(d, 3.0), f3), s3))));
      difference = hn::Sub(value, value0);
    }

    template <class D, class V>
    HWY_INLINE void energy_of(D d, const BondedVectors<V> &in, V c, V s, V r1, V r2, V r3, V t12,
                              V t23, V &slope, V &pull1, V &pull2, V &pull3, V &slope12, V &slope23,
                              V &energy) const
    {
      constexpr int N = Class2Dihedrals::N;
      const double *const table = coefficients.table;
      const V two = hn::Set(d, 2.0), three = hn::Set(d, 3.0);
      const V c2 = hn::MulSub(hn::Mul(two, c), c, hn::Set(d, 1.0)),
              s2 = hn::Mul(hn::Mul(two, s), c);
      const V c3 = hn::MulSub(c2, c, hn::Mul(s2, s)), s3 = hn::MulAdd(s2, c, hn::Mul(c2, s));

      V kc1, kc2, kc3, ks1, ks2, ks3, total, unused;
      load_rows(d, table + Class2Dihedrals::TORSION, in.types, N, kc1, kc2, kc3, ks1);
      load_rows(d, table + Class2Dihedrals::TORSION + 4, in.types, N, ks2, ks3, total, unused);
      energy = hn::Sub(total, hn::MulAdd(kc1, c, hn::MulAdd(kc2, c2, hn::Mul(kc3, c3))));
      energy = hn::Sub(energy, hn::MulAdd(ks1, s, hn::MulAdd(ks2, s2, hn::Mul(ks3, s3))));
      slope = hn::MulSub(kc1, s, hn::Mul(ks1, c));
      slope = hn::MulAdd(two, hn::MulSub(kc2, s2, hn::Mul(ks2, c2)), slope);
      slope = hn::MulAdd(three, hn::MulSub(kc3, s3, hn::Mul(ks3, c3)), slope);

      const auto add = [&](int first, V value, V &pull) {
        V by_phi, difference;
        product(d, in, first, value, c, c2, c3, s, s2, s3, pull, by_phi, difference);
        energy = hn::MulAdd(difference, pull, energy);
        slope = hn::MulAdd(difference, by_phi, slope);
      };
      add(Class2Dihedrals::MIDDLE_BOND, r2, pull2);
      add(Class2Dihedrals::FIRST_BOND, r1, pull1);
      add(Class2Dihedrals::LAST_BOND, r3, pull3);
      add(Class2Dihedrals::FIRST_ANGLE, t12, slope12);
      add(Class2Dihedrals::LAST_ANGLE, t23, slope23);

      V k, value1, value3;
      load_rows(d, table + Class2Dihedrals::ANGLES, in.types, N, k, value1, value3, unused);
      const V da = hn::Sub(t12, value1), db = hn::Sub(t23, value3), kda = hn::Mul(k, da);
      energy = hn::MulAdd(hn::Mul(kda, db), c, energy);
      slope = hn::NegMulAdd(hn::Mul(kda, db), s, slope);
      slope12 = hn::MulAdd(hn::Mul(k, db), c, slope12);
      slope23 = hn::MulAdd(kda, c, slope23);

      load_rows(d, table + Class2Dihedrals::BONDS, in.types, N, k, value1, value3, unused);
      const V dr1 = hn::Sub(r1, value1), dr3 = hn::Sub(r3, value3);
      energy = hn::MulAdd(hn::Mul(k, dr1), dr3, energy);
      pull1 = hn::MulAdd(k, dr3, pull1);
      pull3 = hn::MulAdd(k, dr1, pull3);
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

    const Function function = Function();

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
      function(d, c, in, out.energy, slope);

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

  struct Powers {
    static constexpr double SMALLEST_SINE_SQUARED = 1e-6;    // as in LAMMPS

    const CosinePowers &powers;

    template <class D, class V>
    HWY_INLINE void operator()(D d, V c, const BondedVectors<V> &in, V &energy, V &slope) const
    {
      slope = hn::Zero(d);
      for (int first = powers.n - 4; first >= 0; first -= 4) {
        V a0, a1, a2, a3;
        load_rows(d, powers.table + first, in.types, powers.n, a0, a1, a2, a3);
        add_power(c, a3, energy, slope);
        add_power(c, a2, energy, slope);
        add_power(c, a1, energy, slope);
        add_power(c, a0, energy, slope);
      }
    }

   private:
    template <class V> static HWY_INLINE void add_power(V c, V a, V &sum, V &slope)
    {
      slope = hn::MulAdd(slope, c, sum);
      sum = hn::MulAdd(sum, c, a);
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

  /** Of three bonds of atom 1: the energy goes with the sine, whose sign is that of the side of the
    plane, of the angle between one bond and the normal of the other two; or, of an inversion, with
    the angle between each bond and the plane of the other two. */
  struct UmbrellaImproper {
    static constexpr int NATOMS = 4;
    static constexpr double SMALLEST = 0.001;    // of sines and lengths, as in LAMMPS
    static constexpr double PLANAR = 1e-12;      // sine of an inversion without force, likewise

    const int *all;
    bool inversion = false;    // one instance for both, since each takes seconds to compile

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      const V x1 = hn::Neg(in.side1.x), y1 = hn::Neg(in.side1.y), z1 = hn::Neg(in.side1.z);
      const V x2 = hn::Add(in.side2.x, x1), y2 = hn::Add(in.side2.y, y1),
              z2 = hn::Add(in.side2.z, z1);
      const V x3 = hn::Add(in.side3.x, x2), y3 = hn::Add(in.side3.y, y2),
              z3 = hn::Add(in.side3.z, z2);
      const Arrow<V> bonds[3] = {{x1, y1, z1}, {x2, y2, z2}, {x3, y3, z3}};
      V f2x = hn::Zero(d), f2y = f2x, f2z = f2x;
      const Force<V> forces[3] = {{f2x, f2y, f2z}, out.force3, out.force4};

      HWY_ALIGN double factors[hn::MaxLanes(D())];
      const int lanes = static_cast<int>(hn::Lanes(d));
      bool some = false;
      for (int lane = 0; lane < lanes; lane++) {
        const bool turns = inversion || (all && all[in.types[lane]]);
        factors[lane] = turns ? 1.0 : 0.0;
        some |= turns;
      }
      const V factor = hn::Load(d, factors);

      auto wrong = nothing(d);
      for (int last = 2; last >= (some ? 0 : 2); last--) {
        const int first = (last + 1) % 3, second = (last + 2) % 3;
        const V weight = last == 2 ? hn::Set(d, 1.0) : factor;
        wrong = hn::Or(wrong,
                       add_one(d, in, weight, bonds[first], bonds[second], bonds[last],
                               forces[first], forces[second], forces[last], out.energy));
      }
      out.force1.set(hn::Neg(hn::Add(f2x, hn::Add(out.force3.x, out.force4.x))),
                     hn::Neg(hn::Add(f2y, hn::Add(out.force3.y, out.force4.y))),
                     hn::Neg(hn::Add(f2z, hn::Add(out.force3.z, out.force4.z))));
      return wrong;
    }

   private:
    template <class D, class V>
    HWY_INLINE hn::Mask<D> add_one(D d, const BondedVectors<V> &in, V weight, const Arrow<V> &first,
                                   const Arrow<V> &second, const Arrow<V> &last,
                                   const Force<V> &force_first, const Force<V> &force_second,
                                   const Force<V> &force_last, V &energy) const
    {
      const V one = hn::Set(d, 1.0);
      const double smallest = inversion ? 0.0 : SMALLEST;
      V ax, ay, az;
      cross(first, second, ax, ay, az);
      const Arrow<V> normal{ax, ay, az};
      const V ra_inverse = hn::Div(one, at_least(d, hn::Sqrt(dot(normal, normal)), smallest));
      const V rh_inverse = hn::Div(one, at_least(d, hn::Sqrt(dot(last, last)), smallest));
      ax = hn::Mul(ax, ra_inverse);
      ay = hn::Mul(ay, ra_inverse);
      az = hn::Mul(az, ra_inverse);
      const V hx = hn::Mul(last.x, rh_inverse), hy = hn::Mul(last.y, rh_inverse),
              hz = hn::Mul(last.z, rh_inverse);
      const Arrow<V> h{hx, hy, hz};
      const V cosine = dot(normal, h), c = clamped_cosine(d, cosine);
      const V s = at_least(d, sine_of(d, c), smallest);

      V pull;    // the opposite of the derivative by c
      if (inversion) {
        by_inversion(d, in, c, s, pull, energy);
      } else {
        // less than a right angle with both bonds: the other side

        const V projection = hn::Add(hn::Div(dot(last, first), hn::Sqrt(dot(first, first))),
                                     hn::Div(dot(last, second), hn::Sqrt(dot(second, second))));
        const auto other_side = hn::Gt(projection, hn::Zero(d));
        const V cosine_of_w = hn::IfThenElse(other_side, hn::Neg(s), s);
        const V dc = hn::Sub(cosine_of_w, in.c3), half = hn::Mul(in.c2, dc);
        energy = hn::MulAdd(weight, hn::MulAdd(hn::Add(in.c1, half), dc, in.c0), energy);
        const V slope = hn::Mul(weight, hn::Add(in.c1, hn::Add(half, half)));
        pull = hn::Div(hn::Mul(slope, c), cosine_of_w);
      }
      const V ux = hn::NegMulAdd(c, ax, hx), uy = hn::NegMulAdd(c, ay, hy),
              uz = hn::NegMulAdd(c, az, hz);
      const V tx = hn::NegMulAdd(c, hx, ax), ty = hn::NegMulAdd(c, hy, ay),
              tz = hn::NegMulAdd(c, hz, az);
      const Arrow<V> u{ux, uy, uz}, t{tx, ty, tz};
      V px, py, pz;
      cross(second, u, px, py, pz);
      add_product(force_first, hn::Mul(ra_inverse, pull), Arrow<V>{px, py, pz});
      cross(u, first, px, py, pz);
      add_product(force_second, hn::Mul(ra_inverse, pull), Arrow<V>{px, py, pz});
      add_product(force_last, hn::Mul(rh_inverse, pull), t);
      return no_cosine(d, cosine);
    }

    template <class D, class V>
    static HWY_INLINE void by_inversion(D d, const BondedVectors<V> &in, V c, V s, V &pull,
                                        V &energy)
    {
      const V sine = hn::Abs(c), dw = hn::Sub(hn::Asin(d, sine), in.c1);
      const V tension = hn::Mul(in.c0, dw);
      energy = hn::MulAdd(tension, dw, energy);
      const V away = hn::Div(hn::Mul(hn::Set(d, -2.0), tension), s);
      const V signed_away = hn::IfThenElse(hn::Lt(c, hn::Zero(d)), hn::Neg(away), away);
      pull = hn::IfThenElseZero(hn::Gt(sine, hn::Set(d, PLANAR)), signed_away);
    }
  };

  /** By the distance of atom 1 from the plane of the others. */
  struct DistanceImproper {
    static constexpr int NATOMS = 4;

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      const Arrow<V> &a = in.side1, &b = in.side2;
      const V cx = hn::Add(in.side2.x, in.side3.x), cy = hn::Add(in.side2.y, in.side3.y),
              cz = hn::Add(in.side2.z, in.side3.z);
      const Arrow<V> c{cx, cy, cz};
      V nx, ny, nz;
      cross(b, c, nx, ny, nz);
      const V inverse =
          hn::Div(hn::Set(d, 1.0), hn::Sqrt(dot(Arrow<V>{nx, ny, nz}, Arrow<V>{nx, ny, nz})));
      nx = hn::Mul(nx, inverse);
      ny = hn::Mul(ny, inverse);
      nz = hn::Mul(nz, inverse);
      const V distance = dot(Arrow<V>{nx, ny, nz}, a), square = hn::Mul(distance, distance);
      const V k4_square = hn::Mul(in.c1, square);
      out.energy = hn::Mul(square, hn::Add(in.c0, k4_square));
      const V slope =
          hn::Mul(hn::Add(distance, distance), hn::Add(in.c0, hn::Add(k4_square, k4_square)));
      const V push = hn::Neg(slope), turn = hn::Mul(push, inverse);
      out.force1.set(hn::Mul(push, nx), hn::Mul(push, ny), hn::Mul(push, nz));

      // the plane turns about its atoms with the part of side 1 that is in it

      const V px = hn::NegMulAdd(distance, nx, a.x), py = hn::NegMulAdd(distance, ny, a.y),
              pz = hn::NegMulAdd(distance, nz, a.z);
      const Arrow<V> p{px, py, pz};
      V tx, ty, tz;
      cross(c, p, tx, ty, tz);
      out.force3.set(hn::Mul(turn, tx), hn::Mul(turn, ty), hn::Mul(turn, tz));
      cross(p, b, tx, ty, tz);
      out.force4.set(hn::Mul(turn, tx), hn::Mul(turn, ty), hn::Mul(turn, tz));
      return nothing(d);
    }
  };

  /** By the unit vectors a, b, c from atom 2 to the others: their triple product and the cosines
    between them. */
  struct Class2Improper {
    static constexpr int NATOMS = 4;

    const double *others;

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      const V one = hn::Set(d, 1.0);
      const Arrow<V> &a_side = in.side1, &b_side = in.side2;
      const V c_x = hn::Add(in.side2.x, in.side3.x), c_y = hn::Add(in.side2.y, in.side3.y),
              c_z = hn::Add(in.side2.z, in.side3.z);
      const Arrow<V> c_side{c_x, c_y, c_z};
      const V ra = hn::Div(one, hn::Sqrt(dot(a_side, a_side))),
              rb = hn::Div(one, hn::Sqrt(dot(b_side, b_side))),
              rc = hn::Div(one, hn::Sqrt(dot(c_side, c_side)));
      const V ax = hn::Mul(a_side.x, ra), ay = hn::Mul(a_side.y, ra), az = hn::Mul(a_side.z, ra);
      const V bx = hn::Mul(b_side.x, rb), by = hn::Mul(b_side.y, rb), bz = hn::Mul(b_side.z, rb);
      const V cx = hn::Mul(c_x, rc), cy = hn::Mul(c_y, rc), cz = hn::Mul(c_z, rc);
      const Arrow<V> a{ax, ay, az}, b{bx, by, bz}, c{cx, cy, cz};
      V abx, aby, abz, bcx, bcy, bcz, cax, cay, caz;
      cross(a, b, abx, aby, abz);
      cross(b, c, bcx, bcy, bcz);
      cross(c, a, cax, cay, caz);
      const Arrow<V> ab{abx, aby, abz}, bc{bcx, bcy, bcz}, ca{cax, cay, caz};

      const V cos_ab = dot(a, b), cos_bc = dot(b, c), cos_ca = dot(c, a);
      const auto straight =
          hn::Or(hn::Or(hn::Eq(cos_ab, hn::Neg(one)), hn::Eq(cos_bc, hn::Neg(one))),
                 hn::Eq(cos_ca, hn::Neg(one)));
      V by_triple, by_ab, by_bc, by_ca;
      out_of_plane(d, in, dot(bc, a), clamped_cosine(d, cos_ab), clamped_cosine(d, cos_bc),
                   clamped_cosine(d, cos_ca), by_triple, by_ab, by_bc, by_ca, out.energy);
      set_force(out.force1, a, ra, by_triple, bc, by_ab, b, by_ca, c);
      set_force(out.force3, b, rb, by_triple, ca, by_ab, a, by_bc, c);
      set_force(out.force4, c, rc, by_triple, ab, by_ca, a, by_bc, b);
      return hn::And(straight, hn::Ne(in.c0, hn::Zero(d)));
    }

   private:
    /** Energy, and derivatives by the triple product and the cosines. */
    template <class D, class V>
    HWY_INLINE void out_of_plane(D d, const BondedVectors<V> &in, V triple, V cos_ab, V cos_bc,
                                 V cos_ca, V &by_triple, V &by_ab, V &by_bc, V &by_ca,
                                 V &energy) const
    {
      const V one = hn::Set(d, 1.0), third = hn::Set(d, 1.0 / 3.0);
      const V sine_ab = hn::Div(one, sine_of(d, cos_ab)),
              sine_bc = hn::Div(one, sine_of(d, cos_bc)),
              sine_ca = hn::Div(one, sine_of(d, cos_ca));
      V chi = hn::Zero(d), cot_ab, cot_bc, cot_ca;
      by_triple = chi;
      add_angle(d, triple, sine_ab, cos_ab, chi, by_triple, cot_ab);
      add_angle(d, triple, sine_bc, cos_bc, chi, by_triple, cot_bc);
      add_angle(d, triple, sine_ca, cos_ca, chi, by_triple, cot_ca);

      // types without this term may have straight angles

      const auto bends = hn::Ne(in.c0, hn::Zero(d));
      const V delta = hn::MulSub(third, chi, in.c1), tension = hn::Mul(in.c0, delta);
      const V slope = hn::Mul(hn::Add(tension, tension), third);
      energy = hn::IfThenElseZero(bends, hn::Mul(tension, delta));
      by_triple = hn::IfThenElseZero(bends, hn::Mul(slope, by_triple));

      V k1 = in.c2, k2 = in.c3, k3, t_ab, t_ca, t_bc;
      load_rows(d, others, in.types, 4, k3, t_ab, t_ca, t_bc);
      t_ab = hn::Sub(hn::Acos(d, cos_ab), t_ab);
      t_ca = hn::Sub(hn::Acos(d, cos_ca), t_ca);
      t_bc = hn::Sub(hn::Acos(d, cos_bc), t_bc);
      const V k1_bc = hn::Mul(k1, t_bc), k2_ca = hn::Mul(k2, t_ca), k3_bc = hn::Mul(k3, t_bc);
      energy = hn::MulAdd(t_ab, hn::Add(k1_bc, k2_ca), hn::MulAdd(k3_bc, t_ca, energy));
      const auto by_cosine = [&](V cot, V by_theta, V inverse_sine) {
        return hn::Sub(
            hn::IfThenElseZero(bends, hn::Mul(slope, cot)),
            hn::IfThenElseZero(hn::Ne(by_theta, hn::Zero(d)), hn::Mul(by_theta, inverse_sine)));
      };
      by_ab = by_cosine(cot_ab, hn::Add(k1_bc, k2_ca), sine_ab);
      by_bc = by_cosine(cot_bc, hn::MulAdd(k1, t_ab, hn::Mul(k3, t_ca)), sine_bc);
      by_ca = by_cosine(cot_ca, hn::MulAdd(k2, t_ab, k3_bc), sine_ca);
    }

    /** The angle between one bond and the plane of the other two, and its derivatives by the triple
        product (added to) and the cosine between these two. */
    template <class D, class V>
    static HWY_INLINE void add_angle(D d, V triple, V sine_inverse, V cosine, V &sum, V &by_triple,
                                     V &by_cosine)
    {
      const V s = hn::Mul(triple, sine_inverse);
      const V by_sine = hn::Div(hn::Set(d, 1.0), sine_of(d, s));
      sum = hn::Add(sum, hn::Asin(d, s));
      by_triple = hn::MulAdd(by_sine, sine_inverse, by_triple);
      by_cosine =
          hn::Mul(hn::Mul(hn::Mul(by_sine, s), cosine), hn::Mul(sine_inverse, sine_inverse));
    }

    /** The gradient by a unit vector u, without its part along u, over the length. */
    template <class V>
    static HWY_INLINE void set_force(const Force<V> &force, const Arrow<V> &u, V r_inverse,
                                     V by_triple, const Arrow<V> &normal, V by_first,
                                     const Arrow<V> &first, V by_second, const Arrow<V> &second)
    {
      const V gx = hn::MulAdd(by_triple, normal.x,
                              hn::MulAdd(by_first, first.x, hn::Mul(by_second, second.x)));
      const V gy = hn::MulAdd(by_triple, normal.y,
                              hn::MulAdd(by_first, first.y, hn::Mul(by_second, second.y)));
      const V gz = hn::MulAdd(by_triple, normal.z,
                              hn::MulAdd(by_first, first.z, hn::Mul(by_second, second.z)));
      const V along = dot(Arrow<V>{gx, gy, gz}, u);
      force.set(hn::Mul(hn::MulSub(along, u.x, gx), r_inverse),
                hn::Mul(hn::MulSub(along, u.y, gy), r_inverse),
                hn::Mul(hn::MulSub(along, u.z, gz), r_inverse));
    }
  };

  void dihedral_cosine(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(CosineDihedral(), c, job, tally);
  }

  void dihedral_opls(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(OfCosine<OPLS>(), c, job, tally);
  }

  void dihedral_of_form(DihedralForm form, const DihedralFormTables &tables,
                        const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(DihedralOfForm{form, tables}, c, job, tally);
  }

  void dihedral_powers(const CosinePowers &powers, const BondedCoefficients &c,
                       const BondedJob &job, PairTally &tally)
  {
    compute_bonded(OfCosine<Powers>{Powers{powers}}, c, job, tally);
  }

  void dihedral_class2(const Class2Dihedrals &coefficients, const BondedCoefficients &c,
                       const BondedJob &job, PairTally &tally)
  {
    compute_bonded(Class2Dihedral{coefficients}, c, job, tally);
  }

  void improper_umbrella(const int *all, const BondedCoefficients &c, const BondedJob &job,
                         PairTally &tally)
  {
    compute_bonded(UmbrellaImproper{all}, c, job, tally);
  }

  void improper_inversion(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(UmbrellaImproper{nullptr, true}, c, job, tally);
  }

  void improper_distance(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(DistanceImproper(), c, job, tally);
  }

  void improper_class2(const double *others, const BondedCoefficients &c, const BondedJob &job,
                       PairTally &tally)
  {
    compute_bonded(Class2Improper{others}, c, job, tally);
  }

  void improper_harmonic(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(OfCosine<HarmonicImproper>(), c, job, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, dihedral_cosine,
            (const BondedCoefficients &c, const BondedJob &job, PairTally &tally), (c, job, tally));

TOFU_EXPORT(void, dihedral_opls,
            (const BondedCoefficients &c, const BondedJob &job, PairTally &tally), (c, job, tally));

TOFU_EXPORT(void, dihedral_of_form,
            (DihedralForm form, const DihedralFormTables &tables, const BondedCoefficients &c,
             const BondedJob &job, PairTally &tally),
            (form, tables, c, job, tally));

TOFU_EXPORT(void, dihedral_powers,
            (const CosinePowers &powers, const BondedCoefficients &c, const BondedJob &job,
             PairTally &tally),
            (powers, c, job, tally));

TOFU_EXPORT(void, dihedral_class2,
            (const Class2Dihedrals &coefficients, const BondedCoefficients &c, const BondedJob &job,
             PairTally &tally),
            (coefficients, c, job, tally));

TOFU_EXPORT(void, improper_umbrella,
            (const int *all, const BondedCoefficients &c, const BondedJob &job, PairTally &tally),
            (all, c, job, tally));

TOFU_EXPORT(void, improper_inversion,
            (const BondedCoefficients &c, const BondedJob &job, PairTally &tally), (c, job, tally));

TOFU_EXPORT(void, improper_distance,
            (const BondedCoefficients &c, const BondedJob &job, PairTally &tally), (c, job, tally));

TOFU_EXPORT(void, improper_class2,
            (const double *others, const BondedCoefficients &c, const BondedJob &job,
             PairTally &tally),
            (others, c, job, tally));

TOFU_EXPORT(void, improper_harmonic,
            (const BondedCoefficients &c, const BondedJob &job, PairTally &tally), (c, job, tally));

}    // namespace TOFU_NS
#endif
