// SPDX-License-Identifier: GPL-2.0-only

#include "lj_coul.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lj_coul.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>

#include "lj_coul-inl.h"

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

  void compute_cut_cut(const LJCoulCoefficients &c, const PairJob &job, int first, int last,
                       PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      const LJCoul<decltype(real), LJCutPart, CoulombCut, 8> potential{
          c.ntypes, c.table.as(real), c.largest_cutsq, {}, {c.qqrd2e}};
      compute_pairs(potential, job, first, last, tally);
    });
  }

  void compute_cut_long(const LJCoulCoefficients &c, const LongRange &table, const PairJob &job,
                        int first, int last, PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      const LJCoul<decltype(real), LJCutPart, CoulombLong, 4> potential{
          c.ntypes, c.table.as(real), c.largest_cutsq, {}, {table, c.qqrd2e}};
      compute_pairs(potential, job, first, last, tally);
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(compute_cut_cut);
HWY_EXPORT(compute_cut_long);

void lj_cut_coul_cut(const LJCoulCoefficients &c, const PairJob &job, int first, int last,
                     PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_cut_cut)(c, job, first, last, tally);
}

void lj_cut_coul_long(const LJCoulCoefficients &c, const LongRange &table, const PairJob &job,
                      int first, int last, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_cut_long)(c, table, job, first, last, tally);
}

}    // namespace TOFU_NS
#endif
