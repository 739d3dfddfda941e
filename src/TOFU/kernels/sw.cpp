// SPDX-License-Identifier: GPL-2.0-only

#include "sw.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sw.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>

#include "center_loop-inl.h"

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

    template <Tallies TALLIES, class D>
    HWY_INLINE void compute(D d, const CenterGroup &group, const PairJob &job,
                            const CenterForces &forces, CenterWorkspace &work,
                            PairTally &tally) const
    {
      Fields<D> fields(work.fields, group.nslots);
      hn::Vec<D> energy = hn::Zero(d);
      for (int k = 0; k < group.nslots; k++) pairs<TALLIES>(d, group, job, k, fields, energy);
      for (int j = 0; j < group.nslots; j++) triples<TALLIES>(d, j, group.nslots, fields, energy);
      if constexpr (TALLIES == Tallies::ALL) tally.evdwl += sum_of(d, energy);
      add_gradients<UNIT, RINV, GRADIENT, TALLIES>(d, group, fields, forces, tally);
    }

   private:
    enum Field : int {
      UNIT = 0,
      RINV = 3,
      DECAY = 4,       // exp(gamma sigma / (r - cut)), 0 beyond the cut-off
      STEEP = 5,       // its logarithmic derivative, with the opposite sign
      GRADIENT = 6,    // of the energy of the center
      ELEMENT = 9,     // number of the element
      PAIR = 10,       // number of the pair of elements
      NFIELDS = 11
    };
    template <class D> using Fields = SlotFields<D, NFIELDS>;

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
                          Fields<D> &fields, V &energy) const
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
      if constexpr (TALLIES == Tallies::ALL) energy = hn::MulAdd(share, both, energy);
    }

    /** Triples of slot j and all slots behind it. */
    template <Tallies TALLIES, class D, class V>
    HWY_INLINE void triples(D d, int j, int nslots, Fields<D> &fields, V &energy) const
    {
      const V jx = fields.get(j, UNIT), jy = fields.get(j, UNIT + 1), jz = fields.get(j, UNIT + 2);
      const V jrinv = fields.get(j, RINV), jdecay = fields.get(j, DECAY),
              jsteep = fields.get(j, STEEP);
      V gx = fields.get(j, GRADIENT), gy = fields.get(j, GRADIENT + 1),
        gz = fields.get(j, GRADIENT + 2);
      V strength = hn::Set(d, c.triples[0]), costheta = hn::Set(d, c.triples[1]);
      for (int k = j + 1; k < nslots; k++) {
        const V kx = fields.get(k, UNIT), ky = fields.get(k, UNIT + 1),
                kz = fields.get(k, UNIT + 2), krinv = fields.get(k, RINV);
        if constexpr (!ONE) load_triple(d, fields, j, k, strength, costheta);
        const V cs = hn::MulAdd(jx, kx, hn::MulAdd(jy, ky, hn::Mul(jz, kz)));
        const V delcs = limited(d, hn::Sub(cs, costheta));
        const V decays = hn::Mul(strength, hn::Mul(jdecay, fields.get(k, DECAY)));
        const V w = hn::Mul(decays, delcs), w2 = hn::Add(w, w), e = hn::Mul(w, delcs);
        if constexpr (TALLIES == Tallies::ALL) energy = hn::Add(energy, e);

        // radial parts of both, and what turns them about the center

        const V jturn = hn::Mul(w2, jrinv), kturn = hn::Mul(w2, krinv);
        const V jradial = hn::MulAdd(e, jsteep, hn::Mul(jturn, cs));
        const V kradial = hn::MulAdd(e, fields.get(k, STEEP), hn::Mul(kturn, cs));
        gx = hn::MulAdd(jturn, kx, hn::NegMulAdd(jradial, jx, gx));
        gy = hn::MulAdd(jturn, ky, hn::NegMulAdd(jradial, jy, gy));
        gz = hn::MulAdd(jturn, kz, hn::NegMulAdd(jradial, jz, gz));
        add_to(fields, k, GRADIENT, kturn, jx, kradial, kx);
        add_to(fields, k, GRADIENT + 1, kturn, jy, kradial, ky);
        add_to(fields, k, GRADIENT + 2, kturn, jz, kradial, kz);
      }
      fields.set(j, GRADIENT, gx);
      fields.set(j, GRADIENT + 1, gy);
      fields.set(j, GRADIENT + 2, gz);
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

    template <class F, class V>
    static HWY_INLINE void add_to(F &fields, int k, int field, V turn, V other, V radial, V own)
    {
      fields.set(k, field,
                 hn::MulAdd(turn, other, hn::NegMulAdd(radial, own, fields.get(k, field))));
    }

    template <class D, class V>
    HWY_INLINE void load_triple(D d, const Fields<D> &fields, int j, int k, V &strength,
                                V &costheta) const
    {
      const hn::Rebind<std::int32_t, D> d32;
      HWY_ALIGN int rows[hn::MaxLanes(D())];
      const V row =
          hn::MulAdd(fields.get(j, PAIR), hn::Set(d, c.nelements), fields.get(k, ELEMENT));
      hn::Store(hn::DemoteTo(d32, row), d32, rows);
      V unused, unused_too;
      load_rows(d, c.triples, rows, SWCoefficients::NTRIPLE, strength, costheta, unused,
                unused_too);
    }
  };

  template <bool MOD>
  void compute_form(const SWCoefficients &c, const PairJob &job, const CenterForces &forces,
                    CenterWorkspace &work, int first, int last, PairTally &tally)
  {
    if (c.nelements == 1)
      compute_centers(StillingerWeber<true, MOD>{c}, job, forces, work, first, last, tally);
    else
      compute_centers(StillingerWeber<false, MOD>{c}, job, forces, work, first, last, tally);
  }

  void compute_stillinger_weber(const SWCoefficients &c, const PairJob &job,
                                const CenterForces &forces, CenterWorkspace &work, int first,
                                int last, PairTally &tally)
  {
    if (c.modified)
      compute_form<true>(c, job, forces, work, first, last, tally);
    else
      compute_form<false>(c, job, forces, work, first, last, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(compute_stillinger_weber);

void stillinger_weber(const SWCoefficients &c, const PairJob &job, const CenterForces &forces,
                      CenterWorkspace &work, int first, int last, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_stillinger_weber)(c, job, forces, work, first, last, tally);
}

}    // namespace TOFU_NS
#endif
