// SPDX-License-Identifier: GPL-2.0-only

#include "tersoff.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tersoff.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>

#include "center_loop-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Tersoff, Phys. Rev. B 37, 6991 (1988), with the names of LAMMPS' manual.  ONE: there is one
    element. */
  template <bool ONE> struct Tersoff {
    const TersoffCoefficients &c;

    HWY_INLINE auto cutsq_of(double center) const
    {
      return CutsqOf<ONE>{c.cutsq, c.nelements, center};
    }

    template <Tallies TALLIES, class D>
    HWY_INLINE void compute(D d, const CenterGroup &group, const PairJob &job,
                            const CenterForces &forces, CenterWorkspace &work,
                            PairTally &tally) const
    {
      Fields<D> fields(work.fields, group.nslots);
      SlotFields<D, 2> terms(work.triples, group.nslots);
      hn::Vec<D> energy = hn::Zero(d);
      for (int k = 0; k < group.nslots; k++) pairs<TALLIES>(d, group, job, k, fields, energy);
      for (int j = 0; j < group.nslots; j++) bond<TALLIES>(d, group, j, fields, terms, energy);
      if constexpr (TALLIES == Tallies::ALL) tally.evdwl += sum_of(d, energy);
      add_gradients<UNIT, RINV, GRADIENT, TALLIES>(d, group, fields, forces, tally);
    }

   private:
    enum Field : int {
      UNIT = 0,
      RINV = 3,
      R = 4,     // shifted; very large where there is no neighbor
      FC = 5,    // cut-off function, and its derivative; of the pair
      FC_D = 6,
      GRADIENT = 7,    // of the energy of the center
      ELEMENT = 10,    // number of the element
      PAIR = 11,       // number of the pair of elements
      FA = 12,         // half the attraction, and half its derivative
      FA_D = 13,
      NFIELDS = 14
    };
    template <class D> using Fields = SlotFields<D, NFIELDS>;

    static constexpr double NOWHERE = 1.0e10;    // its powers up to the sixth are finite
    static constexpr double LARGEST_EXPONENT = 69.0776, LARGEST_POWER = 1.0e30;

    /** Rows of a table. */
    template <class D, class V> static HWY_INLINE void store_rows(D, V numbers, int *rows)
    {
      const hn::Rebind<std::int32_t, D> d32;
      hn::Store(hn::DemoteTo(d32, numbers), d32, rows);
    }

    /** Some columns of a table; if there is one element, it has one row. */
    template <class D, class V>
    static HWY_INLINE void load(D d, const double *table, int n, const int *rows, V &a, V &b, V &e,
                                V &f)
    {
      if constexpr (ONE) {
        a = hn::Set(d, table[0]);
        b = hn::Set(d, table[1]);
        e = hn::Set(d, table[2]);
        f = hn::Set(d, table[3]);
      } else {
        load_rows(d, table, rows, n, a, b, e, f);
      }
    }

    /** From 1 to 0 between R-D and R+D, and its derivative. */
    template <class D, class V>
    static HWY_INLINE void cut_off(D d, V r, V center, V width, V inverse_width, V &fc, V &fc_d)
    {
      const V one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
      const auto inner = hn::Lt(r, hn::Sub(center, width));
      const auto between = hn::AndNot(inner, hn::Le(r, hn::Add(center, width)));
      fc = hn::IfThenElseZero(inner, one);
      fc_d = hn::Zero(d);
      if (hn::AllFalse(d, between)) return;
      const V scale = hn::Mul(hn::Set(d, 1.5707963267948966), inverse_width);
      const V angle = hn::IfThenElseZero(between, hn::Mul(hn::Sub(r, center), scale));
      fc = hn::IfThenElse(between, hn::NegMulAdd(half, hn::Sin(d, angle), half), fc);
      fc_d = hn::IfThenElseZero(between, hn::Neg(hn::Mul(hn::Mul(half, scale), hn::Cos(d, angle))));
    }

    /** Repulsion, and all other values that depend on one neighbor. */
    template <Tallies TALLIES, class D, class V>
    HWY_INLINE void pairs(D d, const CenterGroup &group, const PairJob &job, int k,
                          Fields<D> &fields, V &energy) const
    {
      V ux, uy, uz, r, rinv, center, number;
      const auto real = unit_vectors(d, group, job, k, ux, uy, uz, r, rinv, center, number);
      r = hn::IfThenElse(real, hn::Add(r, hn::Set(d, c.shift)), hn::Set(d, NOWHERE));

      HWY_ALIGN int rows[hn::MaxLanes(D())];
      const V pair = hn::MulAdd(center, hn::Set(d, c.nelements), number);
      if constexpr (!ONE) store_rows(d, pair, rows);
      constexpr int N = TersoffCoefficients::NPAIR;
      V middle, width, inverse_width, lambda1, a, lambda2, b, unused;
      load(d, c.pairs, N, rows, middle, width, inverse_width, lambda1);
      load(d, c.pairs + 4, N, rows, a, lambda2, b, unused);

      V fc, fc_d;
      cut_off(d, r, middle, width, inverse_width, fc, fc_d);
      fields.set(k, UNIT, ux);
      fields.set(k, UNIT + 1, uy);
      fields.set(k, UNIT + 2, uz);
      fields.set(k, RINV, rinv);
      fields.set(k, R, r);
      fields.set(k, FC, fc);
      fields.set(k, FC_D, fc_d);
      fields.set(k, ELEMENT, number);
      fields.set(k, PAIR, pair);

      const V half_b =
          hn::Mul(hn::Mul(hn::Set(d, 0.5), b), hn::Exp(d, hn::Neg(hn::Mul(lambda2, r))));
      fields.set(k, FA, hn::Neg(hn::Mul(half_b, fc)));
      fields.set(k, FA_D, hn::Mul(half_b, hn::MulSub(lambda2, fc, fc_d)));

      V weight = hn::Set(d, 0.5);
      if (c.tags) weight = whole_weights(d, group, k, c.tags, ux, uy, uz);
      const V repulsion = hn::Mul(hn::Mul(weight, a), hn::Exp(d, hn::Neg(hn::Mul(lambda1, r))));
      const V slope = hn::Mul(repulsion, hn::NegMulAdd(lambda1, fc, fc_d));
      fields.set(k, GRADIENT, hn::Mul(slope, ux));
      fields.set(k, GRADIENT + 1, hn::Mul(slope, uy));
      fields.set(k, GRADIENT + 2, hn::Mul(slope, uz));
      if constexpr (TALLIES == Tallies::ALL) energy = hn::MulAdd(repulsion, fc, energy);
    }

    /** exp(lambda3^m (rij-rik)^m) and its derivative with respect to rij. */
    template <class D, class V>
    static HWY_INLINE void exponential(D d, V difference, V lambda3, V m, V &ex, V &ex_d)
    {
      const auto cubic = hn::Gt(m, hn::Set(d, 2.0));
      const V one = hn::Mul(lambda3, difference), square = hn::Mul(one, one);
      const V exponent = hn::IfThenElse(cubic, hn::Mul(square, one), one);
      const V limit = hn::Set(d, LARGEST_EXPONENT);
      ex = hn::Exp(d, hn::Min(hn::Max(exponent, hn::Neg(limit)), limit));
      ex = hn::IfThenElse(hn::Gt(exponent, limit), hn::Set(d, LARGEST_POWER), ex);
      ex = hn::IfThenElse(hn::Lt(exponent, hn::Neg(limit)), hn::Zero(d), ex);
      const V slope =
          hn::IfThenElse(cubic, hn::Mul(hn::Mul(hn::Set(d, 3.0), lambda3), square), lambda3);
      ex_d = hn::Mul(slope, ex);
    }

    /** Contribution of neighbor k to zeta, and its gradients.  Each gradient, with respect to k or
        to j, has a component in the direction of k and one in the direction of j. */
    template <class D, class V>
    HWY_INLINE void zeta_term(D d, const Fields<D> &fields, int j, int k, V cs, V &zeta, V &k_by_k,
                              V &k_by_j, V &j_by_k, V &j_by_j) const
    {
      HWY_ALIGN int rows[hn::MaxLanes(D())];
      if constexpr (!ONE)
        store_rows(d,
                   hn::MulAdd(fields.get(j, PAIR), hn::Set(d, c.nelements), fields.get(k, ELEMENT)),
                   rows);
      constexpr int N = TersoffCoefficients::NTRIPLE;
      V gamma, c2, d2, h, c2_d2, lambda3, m, unused;
      load(d, c.triples, N, rows, gamma, c2, d2, h);
      load(d, c.triples + 4, N, rows, c2_d2, lambda3, m, unused);

      V fc = fields.get(k, FC), fc_d = fields.get(k, FC_D);
      if constexpr (!ONE) {    // LAMMPS takes the values of the triple, not those of its third atom
        V middle, width, inverse_width;
        load(d, c.triples + 8, N, rows, middle, width, inverse_width, unused);
        cut_off(d, fields.get(k, R), middle, width, inverse_width, fc, fc_d);
      }

      // g(theta) = gamma (1 + c^2/d^2 - c^2/(d^2 + x^2)), without cancellation

      const V x = hn::Sub(h, cs), x2 = hn::Mul(x, x);
      const V inverse = hn::Div(hn::Set(d, 1.0), hn::Add(d2, x2));
      const V g = hn::MulAdd(hn::Mul(gamma, c2_d2), hn::Mul(x2, inverse), gamma);
      V turn = hn::Mul(hn::Mul(hn::Mul(gamma, c2), hn::Mul(x, inverse)), inverse);
      turn = hn::Mul(hn::Mul(hn::Set(d, -2.0), turn), fc);
      V radial = hn::Mul(fc_d, g), stretch = hn::Zero(d);
      zeta = hn::Mul(fc, g);
      if (c.exponents) {
        V ex, ex_d;
        exponential(d, hn::Sub(fields.get(j, R), fields.get(k, R)), lambda3, m, ex, ex_d);
        stretch = hn::Mul(zeta, ex_d);
        zeta = hn::Mul(zeta, ex);
        turn = hn::Mul(turn, ex);
        radial = hn::Mul(radial, ex);
      }
      k_by_j = hn::Mul(turn, fields.get(k, RINV));
      k_by_k = hn::Sub(hn::NegMulAdd(k_by_j, cs, radial), stretch);
      j_by_k = hn::Mul(turn, fields.get(j, RINV));
      j_by_j = hn::NegMulAdd(j_by_k, cs, stretch);
    }

    /** b = (1 + (beta zeta)^n)^(-1/2n) and its derivative. */
    template <class D, class V> HWY_INLINE void bond_order(D d, V pair, V zeta, V &b, V &b_d) const
    {
      HWY_ALIGN int rows[hn::MaxLanes(D())];
      if constexpr (!ONE) store_rows(d, pair, rows);
      constexpr int N = TersoffCoefficients::NPAIR;
      V a, lambda2, strength, beta, n, least, unused, unused_too;
      load(d, c.pairs + 4, N, rows, a, lambda2, strength, beta);
      load(d, c.pairs + 8, N, rows, n, least, unused, unused_too);

      // beyond the largest exponent (1 + y)^(1/n) is y^(1/n) in all digits

      const V one = hn::Set(d, 1.0), beta_zeta = hn::Mul(beta, zeta);
      const auto some = hn::Ge(beta_zeta, least);
      const V exponent = hn::Mul(n, hn::Log(d, hn::IfThenElse(some, beta_zeta, one)));
      const V limit = hn::Set(d, LARGEST_EXPONENT);
      const V y = hn::Exp(d, hn::Min(exponent, limit)), sum = hn::Add(one, y);
      const V log_of_sum = hn::IfThenElse(hn::Gt(exponent, limit), exponent, hn::Log(d, sum));
      const V minus_half = hn::Set(d, -0.5);
      b = hn::IfThenElse(some, hn::Exp(d, hn::Div(hn::Mul(minus_half, log_of_sum), n)), one);
      b_d = hn::IfThenElseZero(some,
                               hn::Div(hn::Mul(hn::Mul(minus_half, b), y),
                                       hn::Mul(sum, hn::IfThenElse(some, zeta, one))));
    }

    /** The bond that the center has with neighbor j, which all others weaken. */
    template <Tallies TALLIES, class D, class V>
    HWY_INLINE void bond(D d, const CenterGroup &group, int j, Fields<D> &fields,
                         SlotFields<D, 2> &terms, V &energy) const
    {
      const V jx = fields.get(j, UNIT), jy = fields.get(j, UNIT + 1), jz = fields.get(j, UNIT + 2);
      V zeta = hn::Zero(d), along_j = zeta, gx = zeta, gy = zeta, gz = zeta;
      for (int k = 0; k < group.nslots; k++) {
        if (k == j) continue;
        const V kx = fields.get(k, UNIT), ky = fields.get(k, UNIT + 1),
                kz = fields.get(k, UNIT + 2);
        const V cs = hn::MulAdd(jx, kx, hn::MulAdd(jy, ky, hn::Mul(jz, kz)));
        V term, k_by_k, k_by_j, j_by_k, j_by_j;
        zeta_term(d, fields, j, k, cs, term, k_by_k, k_by_j, j_by_k, j_by_j);
        zeta = hn::Add(zeta, term);
        along_j = hn::Add(along_j, j_by_j);
        gx = hn::MulAdd(j_by_k, kx, gx);
        gy = hn::MulAdd(j_by_k, ky, gy);
        gz = hn::MulAdd(j_by_k, kz, gz);
        terms.set(k, 0, k_by_k);
        terms.set(k, 1, k_by_j);
      }

      V b, b_d;
      bond_order(d, fields.get(j, PAIR), zeta, b, b_d);
      const V fa = fields.get(j, FA), weight = hn::Mul(fa, b_d);
      if constexpr (TALLIES == Tallies::ALL) energy = hn::MulAdd(b, fa, energy);

      const V radial = hn::MulAdd(weight, along_j, hn::Mul(b, fields.get(j, FA_D)));
      add_to(fields, j, GRADIENT, weight, gx, radial, jx);
      add_to(fields, j, GRADIENT + 1, weight, gy, radial, jy);
      add_to(fields, j, GRADIENT + 2, weight, gz, radial, jz);
      for (int k = 0; k < group.nslots; k++) {
        if (k == j) continue;
        const V by_k = hn::Mul(weight, terms.get(k, 0)), by_j = hn::Mul(weight, terms.get(k, 1));
        add_to(fields, k, GRADIENT, by_j, jx, by_k, fields.get(k, UNIT));
        add_to(fields, k, GRADIENT + 1, by_j, jy, by_k, fields.get(k, UNIT + 1));
        add_to(fields, k, GRADIENT + 2, by_j, jz, by_k, fields.get(k, UNIT + 2));
      }
    }

    template <class F, class V>
    static HWY_INLINE void add_to(F &fields, int k, int field, V a, V x, V b, V y)
    {
      fields.set(k, field, hn::MulAdd(a, x, hn::MulAdd(b, y, fields.get(k, field))));
    }
  };

  void compute_tersoff(const TersoffCoefficients &c, const PairJob &job, const CenterForces &forces,
                       CenterWorkspace &work, int first, int last, PairTally &tally)
  {
    if (c.nelements == 1)
      compute_centers(Tersoff<true>{c}, job, forces, work, first, last, tally);
    else
      compute_centers(Tersoff<false>{c}, job, forces, work, first, last, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(compute_tersoff);

void tersoff(const TersoffCoefficients &c, const PairJob &job, const CenterForces &forces,
             CenterWorkspace &work, int first, int last, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_tersoff)(c, job, forces, work, first, last, tally);
}

}    // namespace TOFU_NS
#endif
