// SPDX-License-Identifier: GPL-2.0-only

#include "edip_multi.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/edip_multi.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "edip_centers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <bool ONE_ELEMENT> struct EDIPFromFormulas {
    static constexpr bool ONE = ONE_ELEMENT;

    const EDIPCoefficients &c;
    const int nelements;

    HWY_INLINE auto cutsq_of(double center) const
    {
      return CutsqOf<ONE>{c.cutsq, nelements, center};
    }

    template <class D, class V, class M>
    HWY_INLINE V distance(D d, int k, V r, V rinv, M real, TripleFields<D> &fields,
                          EDIPTerms<D> &terms) const
    {
      V a, b, rho, sigma, cut, near, alpha, gamma, beta;
      pair_coefficients(d, k, fields, a, b, rho, sigma, cut, near, alpha, gamma, beta);
      const V one = hn::Set(d, 1.0), gap = hn::Set(d, EDIPCoefficients::GAP);
      const auto inside = hn::And(real, hn::Lt(r, hn::Sub(cut, gap)));
      const V inverse = hn::Div(one, hn::IfThenElse(inside, hn::Sub(r, cut), hn::Neg(one)));
      const V gamma_inverse = hn::Mul(gamma, inverse), sigma_inverse = hn::Mul(sigma, inverse);
      fields.set(k, DECAY, hn::IfThenElseZero(inside, hn::Exp(d, gamma_inverse)));
      fields.set(k, STEEP, hn::Mul(gamma_inverse, inverse));
      terms.set(k, STRENGTH, hn::IfThenElseZero(inside, hn::Mul(a, hn::Exp(d, sigma_inverse))));
      terms.set(k, FADING, hn::Mul(sigma_inverse, inverse));
      terms.set(k, POWER, hn::Exp(d, hn::Mul(rho, hn::Log(d, hn::Mul(b, rinv)))));
      terms.set(k, RHO, rho);
      terms.set(k, BETA, beta);

      const auto far = hn::AndNot(hn::Lt(r, hn::Add(near, gap)), inside);
      V slope = hn::Zero(d), count = one;
      if (!hn::AllFalse(d, far)) count = count_far(d, far, r, cut, near, alpha, slope);
      terms.set(k, COUNT_SLOPE, slope);
      return hn::IfThenElseZero(inside, count);
    }

    template <class D, class V> HWY_INLINE V weakening(D d, V z, V beta) const
    {
      return hn::Exp(d, hn::Neg(hn::Mul(beta, hn::Mul(z, z))));
    }

    template <class D, class V>
    HWY_INLINE void environment(D d, V z, V center, int slot, EDIPTerms<D> &to) const
    {
      for (int j = 0; j < nelements; j++)
        for (int k = 0; k < nelements; k++)
          environment_of(d, z, center, slot, j * nelements + k, to);
    }

   private:
    template <class D, class V>
    HWY_INLINE void pair_coefficients(D d, int k, const TripleFields<D> &fields, V &a, V &b, V &rho,
                                      V &sigma, V &cut, V &near, V &alpha, V &gamma, V &beta) const
    {
      constexpr int N = EDIPCoefficients::NPAIR;
      if constexpr (ONE) {
        a = hn::Set(d, c.pairs[0]);
        b = hn::Set(d, c.pairs[1]);
        rho = hn::Set(d, c.pairs[2]);
        sigma = hn::Set(d, c.pairs[3]);
        cut = hn::Set(d, c.pairs[4]);
        near = hn::Set(d, c.pairs[5]);
        alpha = hn::Set(d, c.pairs[6]);
        gamma = hn::Set(d, c.pairs[7]);
        beta = hn::Set(d, c.pairs[8]);
      } else {
        HWY_ALIGN int rows[hn::MaxLanes(D())];
        store_rows(d, fields.get(k, PAIR), rows);
        load_rows(d, c.pairs, rows, N, a, b, rho, sigma);
        load_rows(d, c.pairs + 4, rows, N, cut, near, alpha, gamma);
        V unused;
        load_pairs(d, c.pairs + 8, rows, N, beta, unused);
      }
    }

    /** f(r) of neighbors beyond c, 1 of others, and its derivative. */
    template <class D, class V, class M>
    HWY_INLINE V count_far(D d, M far, V r, V cut, V near, V alpha, V &slope) const
    {
      const V one = hn::Set(d, 1.0), width = hn::Sub(cut, near);
      const V x = hn::IfThenElse(far, hn::Div(width, hn::Sub(r, near)), hn::Set(d, 2.0));
      const V cube = hn::Mul(x, hn::Mul(x, x)), inverse = hn::Div(one, hn::Sub(one, cube));
      const V exponent = hn::Mul(alpha, inverse), count = hn::Exp(d, exponent);
      const V steep = hn::Mul(hn::Div(hn::Mul(hn::Set(d, 3.0), hn::Mul(x, cube)), width),
                              hn::Mul(exponent, inverse));
      slope = hn::IfThenElseZero(far, hn::Neg(hn::Mul(steep, count)));
      return hn::IfThenElse(far, count, one);
    }

    /** Values for one pair of elements of neighbors. */
    template <class D, class V>
    HWY_INLINE void environment_of(D d, V z, V center, int slot, int pair, EDIPTerms<D> &to) const
    {
      V q0, mu, lambda, eta, u1, u2, u3, u4;
      constexpr int N = EDIPCoefficients::NTRIPLE;
      HWY_ALIGN int rows[hn::MaxLanes(D())];
      store_rows(d,
                 ONE ? hn::Zero(d)
                     : hn::MulAdd(center, hn::Set(d, nelements * nelements), hn::Set(d, pair)),
                 rows);
      load_rows(d, c.triples, rows, N, q0, mu, lambda, eta);
      load_rows(d, c.triples + 4, rows, N, u1, u2, u3, u4);
      const V decay = hn::Exp(d, hn::Neg(hn::Mul(u4, z)));
      const V first = hn::Mul(u2, hn::Mul(u3, decay)), second = hn::Mul(u2, hn::Mul(decay, decay));
      to.set(slot + pair, Q, hn::Mul(q0, hn::Exp(d, hn::Neg(hn::Mul(mu, z)))));
      to.set(slot + pair, TAU, hn::Add(u1, hn::Sub(first, second)));
      to.set(slot + pair, TAU_SLOPE, hn::Mul(u4, hn::Sub(hn::Add(second, second), first)));
      to.set(slot + pair, HALF_MU, hn::Mul(hn::Set(d, 0.5), mu));
      to.set(slot + pair, LAMBDA, lambda);
      to.set(slot + pair, ETA, eta);
    }

    template <class D, class V> HWY_INLINE static void store_rows(D, V numbers, int *rows)
    {
      const hn::Rebind<std::int32_t, D> d32;
      hn::Store(hn::DemoteTo(d32, numbers), d32, rows);
    }
  };

  template <bool ONE> void compute_elements(const EDIPCoefficients &c, const CenterJob &job)
  {
    const EDIPFromFormulas<ONE> functions{c, c.nelements};
    compute_centers(EDIPCenters<EDIPFromFormulas<ONE>>{functions}, job);
  }

  void edip_multi(const EDIPCoefficients &c, const CenterJob &job)
  {
    if (c.nelements == 1)
      compute_elements<true>(c, job);
    else
      compute_elements<false>(c, job);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, edip_multi, (const EDIPCoefficients &c, const CenterJob &job), (c, job));

}    // namespace TOFU_NS
#endif
