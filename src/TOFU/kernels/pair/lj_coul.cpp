// SPDX-License-Identifier: GPL-2.0-only

#include "lj_coul.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pair/lj_coul.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "lj_coul-inl.h"

#include <algorithm>
#include <cstddef>

#ifndef TOFU_KERNELS_LJ_COUL_ONCE
#define TOFU_KERNELS_LJ_COUL_ONCE
namespace TOFU_NS {

/** Types of atoms that have no Lennard-Jones forces with any other. */
class TypesWithoutLJ {
 public:
  /** \param table   the coefficients, in one precision or the other */
  template <class Real> TypesWithoutLJ(int ntypes, const Real *table)
  {
    for (int type = 1; type <= std::min(ntypes, MOST); type++)
      without_[type] = !has_lj(ntypes, table, type);
  }

  bool has(int type) const { return type <= MOST && without_[type]; }

 private:
  static constexpr int MOST = 255;    // of others it is not found out
  bool without_[MOST + 1] = {};

  template <class Real> static bool has_lj(int ntypes, const Real *table, int type)
  {
    const std::size_t n = static_cast<std::size_t>(ntypes) + 1;
    for (std::size_t other = 1; other < n; other++) {
      const Real *const pair = table + LJCoulCoefficients::NCOEFFICIENTS * (n * type + other);
      if (pair[1] != 0 || pair[2] != 0) return true;
    }
    return false;
  }
};

}    // namespace TOFU_NS
#endif

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Cut off: the fourth coefficient is the square of the cut-off. */
  struct LJCutPart {
    template <class D, class V> HWY_INLINE V cutsq(D, const PairVectors<V> &pair) const
    {
      return pair.c3;
    }

    template <bool ENERGY, class D, class V>
    HWY_INLINE void operator()(D, const PairVectors<V> &pair, V r6inv, V &force, V &energy) const
    {
      force = hn::Mul(r6inv, hn::MulSub(pair.c1, r6inv, pair.c2));
      if constexpr (ENERGY)
        energy = hn::Sub(hn::Mul(r6inv, hn::MulSub(pair.c5, r6inv, pair.c6)), pair.c7);
    }
  };

  void lj_cut_coul_cut(const LJCoulCoefficients &c, const PairJob &job, int first, int last,
                       PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      const LJCoul<decltype(real), LJCutPart, CoulombCut, 8> potential{
          c.ntypes, c.table.as(real), c.largest_cutsq, {}, {c.qqrd2e}};
      compute_pairs(potential, job, first, last, tally);
    });
  }

  void lj_cut_coul_long(const LJCoulCoefficients &c, const LongRange &table, const PairJob &job,
                        int first, int last, PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      const LJCoul<decltype(real), LJCutPart, CoulombLong, 4> potential{
          c.ntypes, c.table.as(real), c.largest_cutsq, {}, {table, c.qqrd2e}};
      const ChargesAlone<decltype(real), CoulombLong> charges{
          c.ntypes, c.table.as(real), table.cutsq, {table, c.qqrd2e}};
      const TypesWithoutLJ types(c.ntypes, c.table.as(real));
      compute_pairs(
          potential, charges,
          [&](int i) { return types.has(c.ntypes == 1 ? 1 : job.atoms.type[i]); }, job, first, last,
          tally);
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, lj_cut_coul_cut,
            (const LJCoulCoefficients &c, const PairJob &job, int first, int last,
             PairTally &tally),
            (c, job, first, last, tally));

TOFU_EXPORT(void, lj_cut_coul_long,
            (const LJCoulCoefficients &c, const LongRange &table, const PairJob &job, int first,
             int last, PairTally &tally),
            (c, table, job, first, last, tally));

}    // namespace TOFU_NS
#endif
