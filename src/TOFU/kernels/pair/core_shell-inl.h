// SPDX-License-Identifier: GPL-2.0-only
//
// The short-range part of Ewald sums where a core and its shell may be at the same position, as in
// coul/long/cs and similar styles.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_CORE_SHELL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_CORE_SHELL_INL_H
#undef TOFU_KERNELS_CORE_SHELL_INL_H
#else
#define TOFU_KERNELS_CORE_SHELL_INL_H
#endif

#include "coulomb-inl.h"
#include "pair_terms_data.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** erfc() by LAMMPS' polynomial for cores and shells, which near 0 is more accurate than
      that of ewald_erfc().

      \param expm2   becomes exp(-x^2) */
  template <class D, class V> HWY_INLINE V core_shell_erfc(D d, V x, V &expm2)
  {
    const V one = hn::Set(d, 1.0);
    expm2 = hn::Exp(d, hn::Neg(hn::Mul(x, x)));
    const V t = hn::Div(one, hn::MulAdd(hn::Set(d, 9.95473818e-1), x, one));
    const V u = hn::Sub(one, t);
    V series = hn::Set(d, 1.14652755e-1);
    series = hn::MulAdd(series, u, hn::Set(d, -5.80844129e-3));
    series = hn::MulAdd(series, u, hn::Set(d, -8.88822059e-3));
    series = hn::MulAdd(series, u, hn::Set(d, -1.37203639e-1));
    series = hn::MulAdd(series, u, hn::Set(d, -2.57839507e-1));
    series = hn::MulAdd(series, u, hn::Set(d, -0.1335096380159268));
    return hn::Mul(hn::Mul(hn::MulAdd(series, u, one), t), expm2);
  }

  /** Pairs that are computed without the table. */
  template <class D, class V>
  HWY_INLINE auto is_computed(const LongRange &table, D d, const PairVectors<V> &pair)
  {
    return hn::Le(pair.rsq, hn::Set(d, table.innersq));
  }

  /** Force times distance, and energy. */
  template <bool ENERGY, bool SPECIAL, class D, class V>
  HWY_INLINE void core_shell_charges(const CoulombLong &part, D d, const PairVectors<V> &pair,
                                     V &force, V &energy)
  {
    const LongRange &table = part.table;
    const auto near = is_computed(table, d, pair);
    force = energy = hn::Zero(d);
    if (!hn::AllTrue(d, near)) part.template tabulated<ENERGY, SPECIAL>(d, pair, force, energy);
    if (hn::AllFalse(d, near)) return;

    const V within = hn::Min(pair.rsq, hn::Set(d, table.cutsq));
    V r = hn::Sqrt(hn::Add(within, hn::Set(d, CoreShell::ADDED_RSQ))), missing = hn::Zero(d);
    if constexpr (SPECIAL) {
      missing = hn::Sub(hn::Set(d, 1.0), pair.factor_coul);
      const auto bonded = hn::Gt(missing, hn::Zero(d));
      r = hn::Add(r, hn::IfThenElseZero(bonded, hn::Set(d, CoreShell::BOND)));
    }
    const V bare = hn::Div(hn::Mul(hn::Set(d, part.qqrd2e), pair.qq), r);
    const V x = hn::Mul(hn::Set(d, table.g_ewald), r);
    V expm2 = x;
    const V left = hn::Sub(core_shell_erfc(d, x, expm2), missing);
    const V slope = hn::Mul(hn::Mul(hn::Set(d, 1.12837917), x), expm2);
    force = hn::IfThenElse(near, hn::Mul(bare, hn::Add(slope, left)), force);
    if constexpr (ENERGY) energy = hn::IfThenElse(near, hn::Mul(bare, left), energy);
  }

  /** The inverse of r^2 of pairs that are bonded and computed has the length of a bond in it, for
      the short-range term as well.

      \param place   distance, from which LAMMPS' 9-6 potential alone takes its powers then */
  template <class D, class V>
  HWY_INLINE void move_bonded_apart(const PairTerms &terms, D d, const PairVectors<V> &pair,
                                    V &early, V &place)
  {
    const V one = hn::Set(d, 1.0);
    const auto bonded = hn::And(hn::Lt(pair.factor_coul, one),
                                hn::And(is_computed(*terms.long_range, d, pair),
                                        hn::Lt(pair.rsq, hn::Set(d, terms.coul_cutsq))));
    const V rsq =
        hn::Add(pair.rsq, hn::Set(d, CoreShell::ADDED_RSQ + CoreShell::BOND * CoreShell::BOND));
    early = hn::IfThenElse(bonded, hn::Div(one, rsq), early);
    if (terms.short_range == ShortRange::LJ_9_6)
      place = hn::IfThenElse(bonded, hn::Sqrt(rsq), place);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
