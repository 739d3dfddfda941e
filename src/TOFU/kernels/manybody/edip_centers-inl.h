// SPDX-License-Identifier: GPL-2.0-only
//
// Centers of EDIP: Justo, Bazant, Kaxiras, Bulatov, Yip, Phys. Rev. B 58, 2539 (1998).
//
// The coordination number Z of a center is a sum over its neighbors, on which all pairs and triples
// of the center depend.  Therefore forces need three stages: Z, pairs and triples at this Z with
// their derivatives with respect to Z, and the forces on neighbors from these derivatives.
//
//   struct Functions {
//     static constexpr bool ONE;    // there is one element
//     int nelements;
//
//     auto cutsq_of(double center) const;      // as of CenterLoop
//
//     // functions of the distance of neighbor k, in fields and terms; PAIR and ELEMENT are there
//     // before if there are more elements; returns the share in Z
//     V distance(D, int k, V r, V rinv, Mask real, TripleFields<D> &, EDIPTerms<D> &) const;
//
//     // functions of Z
//     V weakening(D, V z, V beta) const;
//     void environment(D, V z, V center, int slot, EDIPTerms<D> &) const;    // from slot on
//   };
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_EDIP_CENTERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_EDIP_CENTERS_INL_H
#undef TOFU_KERNELS_EDIP_CENTERS_INL_H
#else
#define TOFU_KERNELS_EDIP_CENTERS_INL_H
#endif

#include "center_triples-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Fields of each slot beside those of triples. */
  enum EDIPTerm : int {
    STRENGTH = 0,    // A exp(sigma/(r-a)), 0 beyond the cut-off
    FADING = 1,      // its logarithmic derivative, with the opposite sign
    POWER = 2,       // (B/r)^rho
    RHO = 3,
    BETA = 4,
    COUNT_SLOPE = 5,    // derivative of the share in Z
    ENERGY = 6,         // of the pair
    RADIAL = 7,         // its derivative with respect to distance, at constant Z
    NEDIP_TERMS = 8
  };
  template <class D> using EDIPTerms = SlotFields<D, NEDIP_TERMS>;

  /** Fields of a center for each pair of elements of two neighbors, in slots behind those of
      neighbors. */
  enum EDIPEnvironmentTerm : int {
    Q = 0,
    TAU = 1,
    TAU_SLOPE = 2,
    HALF_MU = 3,
    LAMBDA = 4,
    ETA = 5
  };

  /** Energies of triples, and their derivatives with respect to the cosine and to Z. */
  template <class D, bool ONE> struct EDIPAngles {
    using V = hn::Vec<D>;

    const EDIPTerms<D> &terms;
    const int environment;         // its first slot
    const double *const values;    // of this slot and those behind it
    const int nelements;
    V &coordination_slope;

    HWY_INLINE void angle(D d, const TripleFields<D> &fields, int j, int k, V cs, V factors, V &e,
                          V &slope) const
    {
      const V one = hn::Set(d, 1.0);
      const V triple = ONE ? hn::Zero(d)
                           : number_of_triple(d, fields.get(j, ELEMENT), fields.get(k, ELEMENT));
      const V delta = hn::Add(cs, get(d, triple, TAU)), qdelta = hn::Mul(get(d, triple, Q), delta);
      const V exponent = hn::Mul(qdelta, delta), decay = hn::Exp(d, hn::Neg(exponent));
      const V strength = hn::Mul(get(d, triple, LAMBDA), factors), eta = get(d, triple, ETA);
      e = hn::Mul(strength, hn::MulAdd(eta, exponent, hn::Sub(one, decay)));
      slope = hn::Mul(hn::Mul(hn::Add(strength, strength), qdelta), hn::Add(eta, decay));
      coordination_slope = hn::MulAdd(
          slope, hn::NegMulAdd(get(d, triple, HALF_MU), delta, get(d, triple, TAU_SLOPE)),
          coordination_slope);
    }

   private:
    HWY_INLINE V number_of_triple(D d, V j, V k) const
    {
      return hn::MulAdd(j, hn::Set(d, nelements), k);
    }
    HWY_INLINE V get(D d, V triple, int field) const
    {
      if constexpr (ONE) return terms.get(environment, field);
      const hn::Rebind<std::int64_t, D> d64;
      const auto row = hn::Mul(triple, hn::Set(d, NEDIP_TERMS));
      const auto place = hn::Mul(hn::Add(row, hn::Set(d, field)), hn::Set(d, hn::Lanes(d)));
      return hn::GatherIndex(d, values, hn::Add(hn::ConvertTo(d64, place), hn::Iota(d64, 0)));
    }
  };

  template <class Functions> struct EDIPCenters {
    const Functions &functions;

    HWY_INLINE auto cutsq_of(double center) const { return functions.cutsq_of(center); }

    template <Tallies TALLIES, class D>
    HWY_INLINE void compute(D d, const CenterGroup &group, const CenterJob &job) const
    {
      using V = hn::Vec<D>;
      if (group.nslots == 0) return;
      constexpr bool ONE = Functions::ONE;
      const int n = functions.nelements, nslots = group.nslots,
                lanes = static_cast<int>(hn::Lanes(d));
      TripleFields<D> fields(job.memory.fields, nslots);
      EDIPTerms<D> terms(job.memory.triples, nslots + n * n);
      TallyShares<D> shares(job, nslots);

      V z = hn::Zero(d), energy = z, slope = z, center = z;
      for (int k = 0; k < nslots; k++)
        z = hn::Add(z, count(d, group, job.pairs, k, fields, terms, center));
      functions.environment(d, z, center, nslots, terms);
      pairs_at<TALLIES>(d, z, nslots, fields, terms, energy, slope);
      const EDIPAngles<D, ONE> angles{
          terms, nslots, job.memory.triples.data() + nslots * NEDIP_TERMS * lanes, n, slope};
      for (int j = 0; j < nslots; j++)
        add_triples<TALLIES>(d, angles, j, nslots, fields, energy, shares);
      for (int k = 0; k < nslots; k++) add_radial<TALLIES>(d, k, slope, fields, terms, shares);
      add_results<UNIT, RINV, GRADIENT, TALLIES>(d, group, fields, energy, shares, job);
    }

   private:
    /** Functions of the distances to slot k.  Returns: shares in Z. */
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE V count(D d, const CenterGroup &group, const PairJob &job, int k,
                       TripleFields<D> &fields, EDIPTerms<D> &terms, V &center) const
    {
      V ux, uy, uz, r, rinv, number;
      const auto real = unit_vectors(d, group, job, k, ux, uy, uz, r, rinv, center, number);
      fields.set(k, UNIT, ux);
      fields.set(k, UNIT + 1, uy);
      fields.set(k, UNIT + 2, uz);
      fields.set(k, RINV, rinv);
      for (int dim = 0; dim < 3; dim++) fields.set(k, GRADIENT + dim, hn::Zero(d));
      if constexpr (!Functions::ONE) {
        fields.set(k, ELEMENT, number);
        fields.set(k, PAIR, hn::MulAdd(center, hn::Set(d, functions.nelements), number));
      }
      return functions.distance(d, k, r, rinv, real, fields, terms);
    }

    /** Energies of pairs, their derivatives with respect to distance, and the sum of those with
        respect to Z. */
    template <Tallies TALLIES, class D, class V>
    HWY_INLINE void pairs_at(D d, V z, int nslots, const TripleFields<D> &fields,
                             EDIPTerms<D> &terms, V &energy, V &slope) const
    {
      V weakening = z;
      if constexpr (Functions::ONE) weakening = functions.weakening(d, z, terms.get(0, BETA));
      for (int k = 0; k < nslots; k++) {
        const V beta = terms.get(k, BETA), strength = terms.get(k, STRENGTH),
                power = terms.get(k, POWER);
        if constexpr (!Functions::ONE) weakening = functions.weakening(d, z, beta);
        const V e = hn::Mul(strength, hn::Sub(power, weakening));
        const V steep = hn::Mul(hn::Mul(terms.get(k, RHO), fields.get(k, RINV)), power);
        terms.set(k, ENERGY, e);
        terms.set(k, RADIAL,
                  hn::Neg(hn::MulAdd(terms.get(k, FADING), e, hn::Mul(strength, steep))));
        const V twice = hn::Mul(hn::Add(beta, beta), z);
        slope = hn::MulAdd(hn::Mul(twice, weakening), strength, slope);
        if constexpr (TALLIES == Tallies::ALL) energy = hn::Add(energy, e);
      }
    }

    /** Gradients with respect to distances: of pairs, and of Z.

        \param slope   derivative of the energy of the centers with respect to Z */
    template <Tallies TALLIES, class D, class V>
    HWY_INLINE void add_radial(D d, int k, V slope, TripleFields<D> &fields,
                               const EDIPTerms<D> &terms, TallyShares<D> &shares) const
    {
      const V radial = hn::MulAdd(slope, terms.get(k, COUNT_SLOPE), terms.get(k, RADIAL));
      for (int dim = 0; dim < 3; dim++)
        fields.set(k, GRADIENT + dim,
                   hn::MulAdd(radial, fields.get(k, UNIT + dim), fields.get(k, GRADIENT + dim)));
      if constexpr (TALLIES == Tallies::ALL)
        if (shares.wanted())
          shares.template add_pair<UNIT>(fields, k, terms.get(k, ENERGY),
                                         hn::Div(hn::Set(d, 1.0), fields.get(k, RINV)), radial);
    }
  };

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
