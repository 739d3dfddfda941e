// SPDX-License-Identifier: GPL-2.0-only

#include "sw.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/sw.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "center_triples-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Stillinger and Weber, Phys. Rev. B 31, 5262 (1985), with the names of LAMMPS' manual.  ONE:
      there is a single element.  MOD: small angles only have three-body terms, see
      SWCoefficients. */
  template <bool ONE, bool MOD> struct StillingerWeber {
    const SWCoefficients &c;

    HWY_INLINE auto cutsq_of(double center) const
    {
      return CutsqOf<ONE>{c.cutsq, c.nelements, center};
    }

    template <class D> using Fields = TripleFields<D>;

    template <Tallies TALLIES, class D>
    HWY_INLINE void compute(D d, const CenterGroup &group, const CenterJob &job) const
    {
      Fields<D> fields(job.memory.fields, group.nslots);
      hn::Vec<D> energy = hn::Zero(d);
      TallyShares<D> shares(job, group.nslots);
      for (int k = 0; k < group.nslots; k++)
        pairs<TALLIES>(d, group, job.pairs, k, fields, energy, shares);
      for (int j = 0; j < group.nslots; j++)
        add_triples<TALLIES>(d, *this, j, group.nslots, fields, energy, shares);
      add_results<UNIT, RINV, GRADIENT, TALLIES>(d, group, fields, energy, shares, job);
    }

    /** Energy of a triple and its derivative with respect to the cosine. */
    template <class D, class V>
    HWY_INLINE void angle(D d, const Fields<D> &fields, int j, int k, V cs, V decays, V &e,
                          V &slope) const
    {
      V strength, costheta;
      if constexpr (ONE) {
        strength = hn::Set(d, c.triples[0]);
        costheta = hn::Set(d, c.triples[1]);
      } else {
        V unused, unused_too;
        load_triple<SWCoefficients::NTRIPLE>(d, c.triples, c.nelements, fields, j, k, strength,
                                             costheta, unused, unused_too);
      }
      const V delcs = limited(d, hn::Sub(cs, costheta));
      const V w = hn::Mul(hn::Mul(strength, decays), delcs);
      slope = hn::Add(w, w);
      e = hn::Mul(w, delcs);
    }

   private:
    /** Coefficients of a pair for two-body terms.  The members are references, since vectors of
        unknown length cannot be members. */
    template <class V> struct Pair {
      V &cut, &sigma, &sigma_gamma, &p, &q, &repulsion, &attraction;
    };

    template <class D, class V>
    HWY_INLINE void load_pair(D d, V center, V other, const Pair<V> &pair) const
    {
      if constexpr (ONE) {
        pair.cut = hn::Set(d, c.pairs[0]);
        pair.sigma = hn::Set(d, c.pairs[1]);
        pair.sigma_gamma = hn::Set(d, c.pairs[2]);
        pair.p = hn::Set(d, c.pairs[3]);
        pair.q = hn::Set(d, c.pairs[4]);
        pair.repulsion = hn::Set(d, c.pairs[5]);
        pair.attraction = hn::Set(d, c.pairs[6]);
      } else {
        const hn::Rebind<std::int32_t, D> d32;
        HWY_ALIGN int rows[hn::MaxLanes(D())];
        const V row = hn::MulAdd(center, hn::Set(d, c.nelements), other);
        hn::Store(hn::DemoteTo(d32, row), d32, rows);
        constexpr int N = SWCoefficients::NPAIR;
        V unused;
        load_rows(d, c.pairs, rows, N, pair.cut, pair.sigma, pair.sigma_gamma, pair.p);
        load_rows(d, c.pairs + 4, rows, N, pair.q, pair.repulsion, pair.attraction, unused);
      }
    }

    /** rinv to the power of n, or of the vector if n is negative. */
    template <class D, class V> static HWY_INLINE V power(D d, V rinv, int n, V any)
    {
      if (n < 0) return hn::Exp(d, hn::Mul(any, hn::Log(d, rinv)));
      V result = hn::Set(d, 1.0), square = rinv;
      for (; n; n >>= 1) {
        if (n & 1) result = hn::Mul(result, square);
        square = hn::Mul(square, square);
      }
      return result;
    }

    template <Tallies TALLIES, class D, class V>
    HWY_INLINE void pairs(D d, const CenterGroup &group, const PairJob &job, int k,
                          Fields<D> &fields, V &energy, TallyShares<D> &shares) const
    {
      V ux, uy, uz, r, rinv, center, number;
      const auto real = unit_vectors(d, group, job, k, ux, uy, uz, r, rinv, center, number);
      V cut, sigma, sigma_gamma, p, q, repulsion, attraction;
      const Pair<V> pair{cut, sigma, sigma_gamma, p, q, repulsion, attraction};
      load_pair(d, center, number, pair);
      const auto inside = hn::And(real, hn::Lt(r, pair.cut));
      const V gap = hn::IfThenElse(inside, hn::Sub(r, pair.cut), hn::Set(d, -1.0));
      const V rainv = hn::Div(hn::Set(d, 1.0), gap), rainvsq = hn::Mul(rainv, rainv);

      const V decay = hn::Exp(d, hn::Mul(pair.sigma_gamma, rainv));
      fields.set(k, RINV, rinv);
      fields.set(k, UNIT, ux);
      fields.set(k, UNIT + 1, uy);
      fields.set(k, UNIT + 2, uz);
      fields.set(k, DECAY, hn::IfThenElseZero(inside, decay));
      fields.set(k, STEEP, hn::Mul(pair.sigma_gamma, rainvsq));
      if constexpr (!ONE) {
        fields.set(k, ELEMENT, number);
        fields.set(k, PAIR, hn::MulAdd(center, hn::Set(d, c.nelements), number));
      }

      // half the energy of the pair: the other half has the other atom as its center

      V weight = hn::Set(d, 0.5);
      if (c.tags) weight = whole_weights(d, group, k, c.tags, ux, uy, uz);
      const V share =
          hn::IfThenElseZero(inside, hn::Mul(weight, hn::Exp(d, hn::Mul(sigma, rainv))));
      const V repulsive = hn::Mul(pair.repulsion, power(d, rinv, c.p, pair.p));
      const V attractive = hn::Mul(pair.attraction, power(d, rinv, c.q, pair.q));
      const V both = hn::Sub(repulsive, attractive);
      const V slope = hn::MulAdd(hn::MulSub(pair.p, repulsive, hn::Mul(pair.q, attractive)), rinv,
                                 hn::Mul(both, hn::Mul(pair.sigma, rainvsq)));
      const V gradient = hn::Neg(hn::Mul(share, slope));
      fields.set(k, GRADIENT, hn::Mul(gradient, ux));
      fields.set(k, GRADIENT + 1, hn::Mul(gradient, uy));
      fields.set(k, GRADIENT + 2, hn::Mul(gradient, uz));
      if constexpr (TALLIES == Tallies::ALL) {
        const V mine = hn::Mul(share, both);
        energy = hn::Add(energy, mine);
        if (shares.wanted()) shares.template add_pair<UNIT>(fields, k, mine, r, gradient);
      }
    }

    /** Differences of cosines, which end between delta1 and delta2.  LAMMPS does not differentiate
        this factor, so forces of angles between these are not the gradients of the energy. */
    template <class D, class V> HWY_INLINE V limited(D d, V delcs) const
    {
      if constexpr (!MOD) return delcs;
      const V size = hn::Abs(delcs), delta1 = hn::Set(d, c.delta1), half = hn::Set(d, 0.5);
      const auto beyond = hn::Ge(size, hn::Set(d, c.delta2));
      const auto between = hn::AndNot(beyond, hn::Gt(size, delta1));
      const V result = hn::IfThenZeroElse(beyond, delcs);
      if (hn::AllFalse(d, between)) return result;
      const V scale = hn::Set(d, 3.14159265358979323846 / (c.delta2 - c.delta1));
      const V angle = hn::IfThenElseZero(between, hn::Mul(hn::Sub(size, delta1), scale));
      const V factor = hn::MulAdd(half, hn::Cos(d, angle), half);
      return hn::IfThenElse(between, hn::Mul(factor, delcs), result);
    }
  };

  template <bool MOD> void compute_form(const SWCoefficients &c, const CenterJob &job)
  {
    if (c.nelements == 1)
      compute_centers(StillingerWeber<true, MOD>{c}, job);
    else
      compute_centers(StillingerWeber<false, MOD>{c}, job);
  }

  void stillinger_weber(const SWCoefficients &c, const CenterJob &job)
  {
    if (c.modified)
      compute_form<true>(c, job);
    else
      compute_form<false>(c, job);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, stillinger_weber, (const SWCoefficients &c, const CenterJob &job), (c, job));

}    // namespace TOFU_NS
#endif
