// SPDX-License-Identifier: GPL-2.0-only

#include "pair_terms.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pair/pair_terms.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "core_shell-inl.h"
#include "coulomb-inl.h"
#include "kernels/simd/erfc-inl.h"
#include "pair_loop-inl.h"
#include "short_range-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  constexpr bool is_soft(CoulombTerm term)
  {
    return term == CoulombTerm::SOFT || term == CoulombTerm::SOFT_LONG;
  }

  // Coulomb terms: force times distance, and energy

  /** Screened by exp(-kappa r). */
  template <class D, class V>
  HWY_INLINE void screened(const PairTerms &terms, D d, const PairVectors<V> &pair, V bare,
                           V &force, V &energy)
  {
    const V kr = hn::Mul(hn::Set(d, terms.kappa), pair.place);
    energy = hn::Mul(bare, hn::Exp(d, hn::Neg(kr)));
    force = hn::Mul(energy, hn::Add(kr, hn::Set(d, 1.0)));
  }

  template <class D, class V>
  HWY_INLINE void damped(const DampedCoulomb &c, D d, const PairVectors<V> &pair, V bare, V &force,
                         V &energy)
  {
    const V r = pair.place, x = hn::Mul(hn::Set(d, c.alpha), r);
    V expm2 = x, erfc = x;
    if (c.exact)
      erfc = complementary_error_function(d, x, expm2);
    else
      erfc = ewald_erfc(d, x, expm2);
    const V slope = hn::Mul(hn::Set(d, c.slope), r);
    force =
        hn::Mul(bare, hn::MulAdd(hn::Set(d, c.f_shift), pair.rsq, hn::MulAdd(slope, expm2, erfc)));
    const V shift = hn::MulAdd(hn::Set(d, c.e_shift2), pair.rsq, hn::Mul(hn::Set(d, c.e_shift), r));
    energy = hn::Mul(bare, hn::Sub(erfc, shift));
  }

  template <class D, class V>
  HWY_INLINE void shifted_force(const PairTerms &terms, D d, const PairVectors<V> &pair, V bare,
                                V &force, V &energy)
  {
    const double inverse = 1.0 / std::sqrt(terms.coul_cutsq);
    const V one = hn::Set(d, 1.0);
    const V ratio = hn::Mul(pair.place, hn::Set(d, inverse));
    force = hn::Mul(bare, hn::NegMulAdd(ratio, ratio, one));
    energy = hn::Mul(bare, hn::MulAdd(ratio, hn::Sub(ratio, hn::Set(d, 2.0)), one));
  }

  template <class D, class V>
  HWY_INLINE void charmm_implicit(const Switching &s, D d, const PairVectors<V> &pair, V bare,
                                  V &force, V &energy)
  {
    energy = hn::Mul(hn::Mul(bare, pair.place), pair.early);
    force = hn::Add(energy, energy);
    const V innersq = hn::Set(d, s.innersq);
    const auto beyond = hn::Gt(pair.rsq, innersq);
    const V gap = hn::Sub(hn::Set(d, s.outersq), pair.rsq);
    const V factor = switched_part(s, d, pair.rsq, gap);
    const V half_slope = hn::Mul(hn::Mul(hn::Set(d, 6.0 * s.inverse_denominator), pair.rsq),
                                 hn::Mul(gap, hn::Sub(pair.rsq, innersq)));
    force = hn::IfThenElse(beyond, hn::Mul(force, hn::Add(factor, half_slope)), force);
    energy = hn::IfThenElse(beyond, hn::Mul(energy, factor), energy);
  }

  template <class D, class V>
  HWY_INLINE void gromacs_charges(const GromacsCoulomb &c, D d, const PairVectors<V> &pair, V bare,
                                  V &force, V &energy)
  {
    const V t = hn::Max(hn::Sub(pair.place, hn::Set(d, c.inner)), hn::Zero(d)), tsq = hn::Mul(t, t);
    const V growth = hn::Mul(tsq, hn::MulAdd(hn::Set(d, c.second), t, hn::Set(d, c.first)));
    const V work =
        hn::Mul(hn::Mul(tsq, t),
                hn::MulAdd(hn::Set(d, 0.25 * c.second), t, hn::Set(d, c.first * (1.0 / 3.0))));
    force = hn::MulAdd(bare, hn::Mul(growth, pair.rsq), bare);
    energy = hn::NegMulAdd(hn::Mul(bare, pair.place), hn::Add(work, hn::Set(d, c.shift)), bare);
  }

  /** c6: factor of the charges; c7: summand of the square of the distance. */
  template <bool SPECIAL, class D, class V>
  HWY_INLINE void soft_charges(const PairTerms &terms, D d, const PairVectors<V> &pair, V qq,
                               V &force, V &energy)
  {
    const V one = hn::Set(d, 1.0), distancesq = hn::Add(pair.c7, pair.rsq);
    const V distance_inv = hn::Div(one, hn::Sqrt(distancesq));
    const V bare = hn::Mul(hn::Mul(hn::Set(d, terms.qqrd2e), qq), hn::Mul(pair.c6, distance_inv));
    const V bare_force = hn::Mul(bare, hn::Mul(pair.rsq, hn::Mul(distance_inv, distance_inv)));
    V part = one, part_of_force = one;
    if (terms.coulomb == CoulombTerm::SOFT_LONG) {
      const V x = hn::Mul(hn::Set(d, terms.damped.alpha), pair.place);
      V expm2 = x;
      part = ewald_erfc(d, x, expm2);
      part_of_force = hn::MulAdd(hn::Mul(hn::Set(d, terms.damped.slope), pair.place), expm2, part);
    }
    if constexpr (SPECIAL) {
      const V missing = hn::Sub(one, pair.factor_coul);
      part = hn::Sub(part, missing);
      part_of_force = hn::Sub(part_of_force, missing);
    }
    force = hn::Mul(bare_force, part_of_force);
    energy = hn::Mul(bare, part);
  }

  template <bool ENERGY, bool SPECIAL, class D, class V>
  HWY_INLINE void long_range(const PairTerms &terms, D d, const PairVectors<V> &pair, V qq,
                             V &force, V &energy)
  {
    HWY_ALIGN std::int32_t entry[hn::MaxLanes(D())];
    const std::int32_t *const entries = entry;
    V beyond = pair.rsq;
    const CoulombLong part{*terms.long_range, terms.qqrd2e};
    const PairVectors<V> tabulated{pair.rsq, qq,      pair.early,     beyond,          entries,
                                   pair.c1,  pair.c2, pair.c3,        pair.c4,         pair.c5,
                                   pair.c6,  pair.c7, pair.factor_lj, pair.factor_coul};
    if (terms.long_range->double_rsq)
      part.look_up(d, pair.rsq, beyond, entry);
    else
      part.look_ahead(d, pair.rsq, beyond, entry);
    if (terms.long_range->core_shell)
      return core_shell_charges<ENERGY, SPECIAL>(part, d, tabulated, force, energy);
    part.template operator()<ENERGY, SPECIAL>(d, tabulated, pair.early, force, energy);
  }

  // dispersion as the short-range part of an Ewald sum: with x = g r

  /** Force times distance and energy of a coefficient of 1, which are negative:
      energy = -g^6 exp(-x^2) (1 + x^2 + x^4/2) / x^6
      (Essmann et al., J. Chem. Phys. 103, 8577 (1995), Eq. 5.2). */
  template <bool ENERGY, class D, class V>
  HWY_NOINLINE void ewald_dispersion(double g_ewald, D d, V rsq, V r2inv, V &force, V &energy)
  {
    const double g2 = g_ewald * g_ewald, g6 = g2 * g2 * g2;
    const V one = hn::Set(d, 1.0), six = hn::Set(d, 6.0);
    const V xsq = hn::Mul(hn::Set(d, g2), rsq), a = hn::Mul(hn::Set(d, 1.0 / g2), r2inv);
    const V part = hn::Mul(hn::Set(d, g6), hn::Mul(a, hn::Exp(d, hn::Neg(xsq))));
    const V sum = hn::MulAdd(hn::MulAdd(hn::MulAdd(six, a, six), a, hn::Set(d, 3.0)), a, one);
    force = hn::Mul(hn::Mul(part, xsq), sum);
    if constexpr (ENERGY) energy = hn::Mul(part, hn::MulAdd(hn::Add(a, one), a, hn::Set(d, 0.5)));
  }

  /** Put the short-range part of an Ewald sum in place of r^-6, which is in both already.  LAMMPS'
      table ends at its own cut-off, beyond which a pair's may be.

      \param lj2   coefficient of r^-6 in the force, six times that of the energy */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void dispersion(const LongRange &table, D d, const PairVectors<V> &pair, V lj2,
                             V &force, V &energy)
  {
    const auto computed =
        hn::Or(hn::Le(pair.rsq, hn::Set(d, table.innersq)),
               hn::And(hn::Gt(pair.rsq, hn::Set(d, table.cutsq)), hn::Lt(pair.rsq, pair.c1)));
    V part = hn::Zero(d), energy_part = part;
    if (!hn::AllTrue(d, computed)) {
      HWY_ALIGN std::int32_t entry[hn::MaxLanes(D())];
      V beyond = part, slope = part;
      CoulombLong{table, 0.0}.look_up(d, pair.rsq, beyond, entry);
      load_pairs(d, table.forces.doubles, entry, LongRange::stride(0.0), part, slope);
      part = hn::MulAdd(beyond, slope, part);
      if constexpr (ENERGY) {
        load_pairs(d, table.others.doubles + 2, entry, 4, energy_part, slope);
        energy_part = hn::MulAdd(beyond, slope, energy_part);
      }
    }
    if (!hn::AllFalse(d, computed)) {
      V near = part, near_energy = part;
      ewald_dispersion<ENERGY>(table.g_ewald, d, pair.rsq, pair.early, near, near_energy);
      part = hn::IfThenElse(computed, near, part);
      if constexpr (ENERGY) energy_part = hn::IfThenElse(computed, near_energy, energy_part);
    }
    const V r6inv = cube(pair.early);
    const V difference = hn::MulSub(hn::Set(d, 6.0), r6inv, part);
    const V lj4 = hn::Mul(lj2, hn::Set(d, 1.0 / 6.0));
    force = hn::MulAdd(hn::Mul(lj4, difference), pair.early, force);
    if constexpr (ENERGY) energy = hn::MulAdd(lj4, hn::Sub(r6inv, energy_part), energy);
  }

  template <bool ENERGY, bool SPECIAL, class D, class V>
  HWY_INLINE void coulomb(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                          V &energy)
  {
    const V qq = terms.short_range == ShortRange::NONE ? hn::Mul(pair.c3, pair.qq) : V(pair.qq);
    if (terms.coulomb == CoulombTerm::LONG)
      return long_range<ENERGY, SPECIAL>(terms, d, pair, qq, force, energy);
    if (is_soft(terms.coulomb)) return soft_charges<SPECIAL>(terms, d, pair, qq, force, energy);
    const V bare = hn::Mul(hn::Mul(hn::Set(d, terms.qqrd2e), qq), hn::Mul(pair.place, pair.early));
    switch (terms.coulomb) {
      case CoulombTerm::NONE:
      case CoulombTerm::SOFT:
      case CoulombTerm::SOFT_LONG:
      case CoulombTerm::LONG:
        break;
      case CoulombTerm::CUT:
        force = energy = bare;
        break;
      case CoulombTerm::DEBYE:
        screened(terms, d, pair, bare, force, energy);
        break;
      case CoulombTerm::DAMPED:
        damped(terms.damped, d, pair, bare, force, energy);
        break;
      case CoulombTerm::SHIFTED_FORCE:
        shifted_force(terms, d, pair, bare, force, energy);
        break;
      case CoulombTerm::CHARMM_IMPLICIT:
        charmm_implicit(terms.coul_switch, d, pair, bare, force, energy);
        break;
      case CoulombTerm::GROMACS:
        gromacs_charges(terms.gromacs, d, pair, bare, force, energy);
        break;
    }
    if constexpr (SPECIAL) {
      if (terms.coulomb == CoulombTerm::DAMPED) {    // as part of an Ewald sum: without the rest
        const V missing = hn::Mul(hn::Sub(hn::Set(d, 1.0), pair.factor_coul), bare);
        force = hn::Sub(force, missing);
        energy = hn::Sub(energy, missing);
      } else {
        force = hn::Mul(pair.factor_coul, force);
        energy = hn::Mul(pair.factor_coul, energy);
      }
    }
  }

  struct Terms {
    using Real = double;
    static constexpr int NCOEFFICIENTS = PairTerms::NCOEFFICIENTS;
    static constexpr int NFORCE_COEFFICIENTS = NCOEFFICIENTS;
    static constexpr int HALF_LANES = 8;
    static constexpr bool PRUNES_FIRST = true;
    static constexpr bool CHARGED = true;
    int ntypes;
    const Real *coefficients;
    double largest_cutsq;
    const PairTerms &terms;

    template <class D, class V>
    HWY_INLINE void look_ahead(D d, V rsq, V &r2inv, V &r, std::int32_t *) const
    {
      rsq = hn::Add(rsq, hn::Set(d, terms.added_rsq));
      r2inv = hn::Div(hn::Set(d, 1.0), rsq);
      r = hn::Sqrt(rsq);
    }

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &all, V &fpair, V &evdwl, V &ecoul) const
    {
      V early = all.early, place = all.place;
      if constexpr (SPECIAL)
        if (terms.long_range && terms.long_range->core_shell)
          move_bonded_apart(terms, d, all, early, place);
      const PairVectors<V> pair{all.rsq, all.qq, early,         place,          all.interval,
                                all.c1,  all.c2, all.c3,        all.c4,         all.c5,
                                all.c6,  all.c7, all.factor_lj, all.factor_coul};
      if (terms.short_range != ShortRange::NONE && !terms.only_charges) {
        V force = hn::Zero(d), energy = force;
        short_range<ENERGY>(terms, d, pair, force, energy);
        if constexpr (SPECIAL)
          if (terms.short_range != ShortRange::ZBL) {
            force = hn::Mul(pair.factor_lj, force);
            if (terms.short_range != ShortRange::LJ_SMOOTH_LINEAR)    // LAMMPS counts it whole
              energy = hn::Mul(pair.factor_lj, energy);
          }
        if (terms.dispersion) {
          const V lj2 = terms.short_range == ShortRange::LJ_12_6 ? V(pair.c4) : V(pair.c5);
          dispersion<ENERGY>(*terms.dispersion, d, pair, lj2, force, energy);
        }
        const auto within = hn::Lt(pair.rsq, pair.c1);
        fpair = hn::IfThenElseZero(within, force);
        if constexpr (ENERGY) evdwl = hn::IfThenElseZero(within, energy);
      }
      if (terms.coulomb != CoulombTerm::NONE) {
        V force = hn::Zero(d), energy = force;
        coulomb<ENERGY, SPECIAL>(terms, d, pair, force, energy);
        const V cutsq = terms.coul_cutsq > 0.0 ? hn::Set(d, terms.coul_cutsq) : V(pair.c2);
        const auto within = hn::Lt(pair.rsq, cutsq);
        auto apart = within;    // soft charges may be at one place, without a force
        if (is_soft(terms.coulomb)) apart = hn::And(within, hn::Gt(pair.rsq, hn::Zero(d)));
        fpair = hn::Add(fpair, hn::IfThenElseZero(apart, hn::Mul(pair.early, force)));
        if constexpr (ENERGY) ecoul = hn::IfThenElseZero(within, energy);
      }
    }
  };

  /** Forces of charges of an Ewald sum, alone or with LJ_12_6, which most systems have: without a
      root, and with half of the coefficients. */
  template <bool LJ> struct LongRangeForces {
    using Real = double;
    static constexpr int NCOEFFICIENTS = PairTerms::NCOEFFICIENTS;
    static constexpr int NFORCE_COEFFICIENTS = 5;
    static constexpr int HALF_LANES = 8;
    static constexpr bool PRUNES_FIRST = true;
    static constexpr bool CHARGED = true;
    int ntypes;
    const Real *coefficients;
    double largest_cutsq;
    const PairTerms &terms;
    CoulombLong charges;

    template <class D, class V>
    HWY_INLINE void look_ahead(D d, V rsq, V &r2inv, V &beyond, std::int32_t *entry) const
    {
      r2inv = hn::Div(hn::Set(d, 1.0), rsq);
      if (charges.table.double_rsq)
        charges.look_up(d, rsq, beyond, entry);
      else
        charges.look_ahead(d, rsq, beyond, entry);
    }

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V &fpair, V &, V &) const
    {
      V unused = pair.rsq, charged = unused;
      charges.template operator()<false, SPECIAL>(d, pair, pair.early, charged, unused);
      const auto in_charges = hn::Lt(pair.rsq, hn::Set(d, terms.coul_cutsq));
      if constexpr (LJ) {
        V force = unused;
        lj_12_6<false>(d, pair, force, unused);
        if constexpr (SPECIAL) force = hn::Mul(pair.factor_lj, force);
        if (terms.dispersion)
          dispersion<false>(*terms.dispersion, d, pair, V(pair.c4), force, unused);
        fpair = hn::IfThenElseZero(hn::Lt(pair.rsq, pair.c1), force);
      } else if (terms.short_range == ShortRange::NONE) {
        charged = hn::Mul(pair.c3, charged);
      }
      fpair = hn::MulAdd(pair.early, hn::IfThenElseZero(in_charges, charged), fpair);
    }
  };

  template <bool LJ>
  void compute_long_range_forces(const PairTerms &terms, const PairJob &job, int first, int last,
                                 PairTally &tally)
  {
    const LongRangeForces<LJ> potential{terms.ntypes,
                                        terms.table.doubles,
                                        terms.largest_cutsq,
                                        terms,
                                        {*terms.long_range, terms.qqrd2e}};
    const auto compute = [&](auto kind) {
      PairLoop<LongRangeForces<LJ>, decltype(kind)::value, Tallies::NONE>(potential, job, tally)
          .rows(first, last);
    };
    if (job.kind == ListKind::HALF)
      compute(std::integral_constant<ListKind, ListKind::HALF>());
    else
      compute(std::integral_constant<ListKind, ListKind::HALF_NO_GHOST>());
  }

  void pair_terms(const PairTerms &terms, const PairJob &job, int first, int last, PairTally &tally)
  {
    if (job.tallies == Tallies::NONE && terms.coulomb == CoulombTerm::LONG &&
        !terms.long_range->core_shell) {
      if (terms.short_range == ShortRange::NONE || terms.only_charges)
        return compute_long_range_forces<false>(terms, job, first, last, tally);
      if (terms.short_range == ShortRange::LJ_12_6)
        return compute_long_range_forces<true>(terms, job, first, last, tally);
    }
    const Terms potential{terms.ntypes, terms.table.doubles, terms.largest_cutsq, terms};
    compute_half_pairs(potential, job, first, last, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, pair_terms,
            (const PairTerms &terms, const PairJob &job, int first, int last, PairTally &tally),
            (terms, job, first, last, tally));

}    // namespace TOFU_NS
#endif
