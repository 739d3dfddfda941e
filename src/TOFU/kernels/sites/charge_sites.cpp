// SPDX-License-Identifier: GPL-2.0-only

#include "charge_sites.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sites/charge_sites.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/pair/coulomb-inl.h"
#include "kernels/pair/pair_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <class Coulomb> struct SiteCharges {
    using Real = double;
    static constexpr int NCOEFFICIENTS = 4, NFORCE_COEFFICIENTS = 4;
    static constexpr int HALF_LANES = 8;
    static constexpr bool PRUNES_FIRST = true;
    static constexpr bool CHARGED = true;
    int ntypes;
    const double *coefficients;
    double largest_cutsq;
    Coulomb coulomb;

    template <class D, class V>
    HWY_INLINE void look_ahead(D d, V rsq, V &r2inv, V &place, std::int32_t *interval) const
    {
      r2inv = hn::Div(hn::Set(d, 1.0), rsq);
      coulomb.look_ahead(d, rsq, place, interval);
    }

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V &fpair, V &, V &ecoul) const
    {
      const V r2inv = pair.early;
      V force = r2inv;
      coulomb.template operator()<ENERGY, SPECIAL>(d, pair, r2inv, force, ecoul);
      fpair = hn::Mul(r2inv, force);
    }
  };

  template <class Coulomb>
  void compute_charge_sites(const SiteCutoffs &cutoffs, const Coulomb &coulomb, const PairJob &job,
                            int first, int last, PairTally &tally)
  {
    using Potential = SiteCharges<Coulomb>;
    constexpr int N = Potential::NCOEFFICIENTS;
    double coefficients[4 * N] = {};    // of one type, which stands for all
    coefficients[3 * N] = cutoffs.charges_cutsq;
    const Potential potential{1, coefficients, cutoffs.atoms_cutsq, coulomb};
    if (job.tallies == Tallies::NONE)
      PairLoop<Potential, ListKind::HALF, Tallies::NONE>(potential, job, tally).rows(first, last);
    else
      PairLoop<Potential, ListKind::HALF, Tallies::ALL>(potential, job, tally).rows(first, last);
  }

  void charge_sites_cut(const SiteCutoffs &cutoffs, double qqrd2e, const PairJob &job, int first,
                        int last, PairTally &tally)
  {
    compute_charge_sites(cutoffs, CoulombCut{qqrd2e}, job, first, last, tally);
  }

  void charge_sites_long(const SiteCutoffs &cutoffs, double qqrd2e, const LongRange &table,
                         const PairJob &job, int first, int last, PairTally &tally)
  {
    compute_charge_sites(cutoffs, CoulombLong{table, qqrd2e}, job, first, last, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, charge_sites_cut,
            (const SiteCutoffs &cutoffs, double qqrd2e, const PairJob &job, int first, int last,
             PairTally &tally),
            (cutoffs, qqrd2e, job, first, last, tally));

TOFU_EXPORT(void, charge_sites_long,
            (const SiteCutoffs &cutoffs, double qqrd2e, const LongRange &table, const PairJob &job,
             int first, int last, PairTally &tally),
            (cutoffs, qqrd2e, table, job, first, last, tally));

}    // namespace TOFU_NS
#endif
