// SPDX-License-Identifier: GPL-2.0-only
//
// Triples of a center whose energy is a function of the angle, times a factor for each of its two
// neighbors that decays with distance.
//
//   struct Potential {
//     // energy of the triple of j, the center and k, and its derivative with respect to the cosine
//     void angle(D, const TripleFields<D> &, int j, int k, V cosine, V factors, V &energy,
//                V &slope) const;
//   };
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_CENTER_TRIPLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_CENTER_TRIPLES_INL_H
#undef TOFU_KERNELS_CENTER_TRIPLES_INL_H
#else
#define TOFU_KERNELS_CENTER_TRIPLES_INL_H
#endif

#include "center_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Fields of each slot. */
  enum TripleField : int {
    UNIT = 0,
    RINV = 3,
    DECAY = 4,       // the factor, 0 beyond the cut-off
    STEEP = 5,       // its logarithmic derivative, with the opposite sign
    GRADIENT = 6,    // of the energy of the center
    ELEMENT = 9,     // number of the element
    PAIR = 10,       // number of the pair of elements
    NTRIPLE_FIELDS = 11
  };
  template <class D> using TripleFields = SlotFields<D, NTRIPLE_FIELDS>;

  /** Four coefficients of the triple of j, the center and k.

      \param table   [nelements][nelements][nelements][N], the first element is that of the center
    */
  template <int N, class D, class V>
  HWY_INLINE void load_triple(D d, const double *table, int nelements,
                              const TripleFields<D> &fields, int j, int k, V &a, V &b, V &c, V &e)
  {
    const hn::Rebind<std::int32_t, D> d32;
    HWY_ALIGN int rows[hn::MaxLanes(D())];
    const V row = hn::MulAdd(fields.get(j, PAIR), hn::Set(d, nelements), fields.get(k, ELEMENT));
    hn::Store(hn::DemoteTo(d32, row), d32, rows);
    load_rows(d, table, rows, N, a, b, c, e);
  }

  template <class F, class V>
  HWY_INLINE void add_gradient(F &fields, int k, int field, V turn, V other, V radial, V own)
  {
    fields.set(k, field, hn::MulAdd(turn, other, hn::NegMulAdd(radial, own, fields.get(k, field))));
  }

  /** Triples of slot j and all slots behind it: energies and gradients. */
  template <Tallies TALLIES, class D, class Potential, class V>
  HWY_INLINE void add_triples(D d, const Potential &potential, int j, int nslots,
                              TripleFields<D> &fields, V &energy, TallyShares<D> &shares)
  {
    const V jx = fields.get(j, UNIT), jy = fields.get(j, UNIT + 1), jz = fields.get(j, UNIT + 2);
    const V jrinv = fields.get(j, RINV), jdecay = fields.get(j, DECAY),
            jsteep = fields.get(j, STEEP);
    V gx = fields.get(j, GRADIENT), gy = fields.get(j, GRADIENT + 1),
      gz = fields.get(j, GRADIENT + 2);
    for (int k = j + 1; k < nslots; k++) {
      const V kx = fields.get(k, UNIT), ky = fields.get(k, UNIT + 1), kz = fields.get(k, UNIT + 2),
              krinv = fields.get(k, RINV);
      const V cs = hn::MulAdd(jx, kx, hn::MulAdd(jy, ky, hn::Mul(jz, kz)));
      V e, slope;
      potential.angle(d, fields, j, k, cs, hn::Mul(jdecay, fields.get(k, DECAY)), e, slope);
      if constexpr (TALLIES == Tallies::ALL) energy = hn::Add(energy, e);

      // radial parts of both, and what turns them about the center

      const V jturn = hn::Mul(slope, jrinv), kturn = hn::Mul(slope, krinv);
      const V jradial = hn::MulAdd(e, jsteep, hn::Mul(jturn, cs));
      const V kradial = hn::MulAdd(e, fields.get(k, STEEP), hn::Mul(kturn, cs));
      gx = hn::MulAdd(jturn, kx, hn::NegMulAdd(jradial, jx, gx));
      gy = hn::MulAdd(jturn, ky, hn::NegMulAdd(jradial, jy, gy));
      gz = hn::MulAdd(jturn, kz, hn::NegMulAdd(jradial, jz, gz));
      add_gradient(fields, k, GRADIENT, kturn, jx, kradial, kx);
      add_gradient(fields, k, GRADIENT + 1, kturn, jy, kradial, ky);
      add_gradient(fields, k, GRADIENT + 2, kturn, jz, kradial, kz);
      if constexpr (TALLIES == Tallies::ALL)
        if (shares.wanted())
          shares.template add_triple<UNIT>(fields, j, k, e, hn::Neg(hn::Div(jradial, jrinv)),
                                           hn::Neg(hn::Div(kradial, krinv)), slope);
    }
    fields.set(j, GRADIENT, gx);
    fields.set(j, GRADIENT + 1, gy);
    fields.set(j, GRADIENT + 2, gz);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
