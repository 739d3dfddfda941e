// SPDX-License-Identifier: GPL-2.0-only

#include "far_pairs.h"

#include "shielded_distance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reaxff/far_pairs.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/pair/pair_loop-inl.h"
#include "kernels/simd/cube_root-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** g(x) of ShieldedDistance and its slope. */
  template <class D, class V>
  HWY_INLINE void shielded_distance(const double *table, D d, V x, V &g, V &slope)
  {
    constexpr int N = ShieldedDistance::NCOEFFICIENTS;
    constexpr int SHIFT = 19;    // of the bits of a float: the exponent and four more are left
    constexpr int FIRST = (127 + ShieldedDistance::FIRST_OCTAVE) * ShieldedDistance::PER_OCTAVE;
    const hn::Rebind<float, D> df;
    const hn::RebindToSigned<decltype(df)> di;
    HWY_ALIGN std::int32_t interval[hn::MaxLanes(D())];

    // a float that is rounded up to the next interval is at its begin; x is then just below it

    const auto bits = hn::ShiftRight<SHIFT>(hn::BitCast(di, hn::DemoteTo(df, x)));
    const V begin = hn::PromoteTo(d, hn::BitCast(df, hn::ShiftLeft<SHIFT>(bits)));
    const auto last = hn::Set(di, ShieldedDistance::NINTERVALS - 1);
    const auto number = hn::Sub(bits, hn::Set(di, FIRST));
    hn::Store(hn::Min(hn::Max(number, hn::Zero(di)), last), di, interval);

    V c0 = x, c1 = x, c2 = x, c3 = x, c4 = x, c5 = x, c6 = x, c7 = x;
    load_rows(d, table, interval, N, c0, c1, c2, c3);
    load_rows(d, table + 4, interval, N, c4, c5, c6, c7);
    const V t = hn::Sub(x, begin);
    g = hn::MulAdd(c7, t, c6);
    slope = hn::MulAdd(c7, t, g);
    g = hn::MulAdd(g, t, c5);
    slope = hn::MulAdd(slope, t, g);
    g = hn::MulAdd(g, t, c4);
    slope = hn::MulAdd(slope, t, g);
    g = hn::MulAdd(g, t, c3);
    slope = hn::MulAdd(slope, t, g);
    g = hn::MulAdd(g, t, c2);
    slope = hn::MulAdd(slope, t, g);
    g = hn::MulAdd(g, t, c1);
    slope = hn::MulAdd(slope, t, g);
    g = hn::MulAdd(g, t, c0);
  }

  /** The taper, and its slope divided by the distance. */
  template <class D, class V>
  HWY_INLINE void taper(const FarPairs &pairs, D d, V r, V rinv, V &value, V &slope)
  {
    const double *const of = pairs.terms().taper, *const slopes = pairs.taper_slope();
    value = hn::MulAdd(hn::Set(d, of[7]), r, hn::Set(d, of[6]));
    for (int k = 5; k >= 0; k--) value = hn::MulAdd(value, r, hn::Set(d, of[k]));
    slope = hn::MulAdd(hn::Set(d, slopes[5]), r, hn::Set(d, slopes[4]));
    for (int k = 3; k >= 0; k--) slope = hn::MulAdd(slope, r, hn::Set(d, slopes[k]));
    slope = hn::MulAdd(hn::Set(d, of[1]), rinv, slope);
  }

  struct FarPotential {
    using Real = double;
    static constexpr int HALF_LANES = 8;
    static constexpr bool PRUNES_FIRST = true;
    int ntypes;
    const Real *coefficients;
    double largest_cutsq;
    const FarPairs &pairs;

    template <class D, class V>
    HWY_INLINE void look_ahead(D d, V rsq, V &rinv, V &r, std::int32_t *) const
    {
      r = hn::Sqrt(rsq);
      rinv = hn::Div(hn::Set(d, 1.0), r);
    }
  };

  /** Van der Waals forces without dispersion, and charges. */
  template <bool SHIELDED, bool WALL> struct WithCharges : FarPotential {
    static constexpr int NCOEFFICIENTS = FarPairs::NCOEFFICIENTS;
    static constexpr int NFORCE_COEFFICIENTS = NCOEFFICIENTS;
    static constexpr bool CHARGED = true;

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V &fpair, V &evdwl, V &ecoul) const
    {
      constexpr double C_ELE = 332.06371;    // as LAMMPS has it
      const V r = pair.place, rinv = pair.early;
      V tap = r, dtap = r;
      taper(pairs, d, r, rinv, tap, dtap);

      // energies, and their slopes divided by the distance, without the taper

      V evdw = r, dvdw = r;
      van_der_waals(d, pair, evdw, dvdw);
      const V s = hn::MulAdd(pair.rsq, r, pair.c5), root = inverse_cube_root(d, s);
      const V ecou = hn::Mul(hn::Mul(hn::Set(d, C_ELE), pair.qq), root);
      const V dcou = hn::Mul(hn::Mul(ecou, r), hn::Mul(hn::Mul(root, root), root));    // negative

      const V slope = hn::Sub(dvdw, dcou), energy = hn::Add(evdw, ecou);
      fpair = hn::Neg(hn::MulAdd(tap, slope, hn::Mul(dtap, energy)));
      if constexpr (ENERGY) {
        evdwl = hn::Mul(tap, evdw);
        ecoul = hn::Mul(tap, ecou);
      }
    }

    template <class D, class V>
    HWY_INLINE void van_der_waals(D d, const PairVectors<V> &pair, V &energy, V &slope) const
    {
      const V r = pair.place, rinv = pair.early;
      V g = r, dg = rinv;
      if constexpr (SHIELDED) {
        shielded_distance(pairs.shielded(), d, V(hn::Mul(r, pair.c4)), g, dg);
        dg = hn::Mul(hn::Mul(pair.c4, dg), rinv);
      }
      const V y = hn::Exp(d, hn::NegMulAdd(pair.c3, g, pair.c2));
      const V dy = hn::Mul(pair.c1, y);
      energy = hn::Mul(dy, hn::Sub(y, hn::Set(d, 2.0)));
      slope = hn::Mul(hn::Mul(hn::Set(d, -2.0), hn::MulSub(dy, y, dy)), hn::Mul(pair.c3, dg));
      if constexpr (WALL) {
        const V wall = hn::Mul(pair.c6, hn::Exp(d, hn::Neg(hn::Mul(pair.c7, r))));
        energy = hn::Add(energy, wall);
        slope = hn::NegMulAdd(wall, hn::Mul(pair.c7, rinv), slope);
      }
    }
  };

  /** Dispersion alone: force fields that have it need more coefficients than one loop loads. */
  struct Dispersion : FarPotential {
    static constexpr int NCOEFFICIENTS = FarPairs::NDISPERSION;
    static constexpr int NFORCE_COEFFICIENTS = NCOEFFICIENTS;
    static constexpr bool CHARGED = false;

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V &fpair, V &evdwl, V &) const
    {
      V tap = pair.rsq, dtap = tap;
      taper(pairs, d, V(pair.place), V(pair.early), tap, dtap);
      const V r4 = hn::Mul(pair.rsq, pair.rsq);
      const V inverse = hn::Div(hn::Set(d, 1.0), hn::MulAdd(r4, pair.rsq, pair.c2));
      const V energy = hn::Neg(hn::Mul(pair.c1, inverse));
      const V slope = hn::Mul(hn::Mul(hn::Set(d, -6.0), energy), hn::Mul(r4, inverse));
      fpair = hn::Neg(hn::MulAdd(tap, slope, hn::Mul(dtap, energy)));
      if constexpr (ENERGY) evdwl = hn::Mul(tap, energy);
    }
  };

  template <class Potential>
  void compute_far_pairs(const FarPairs &pairs, const double *coefficients, const PairJob &job,
                         int first, int last, PairTally &tally)
  {
    const Potential potential{
        {pairs.ntypes(), coefficients, pairs.terms().cut * pairs.terms().cut, pairs}};
    if (job.tallies == Tallies::NONE)
      PairLoop<Potential, ListKind::HALF, Tallies::NONE>(potential, job, tally).rows(first, last);
    else
      PairLoop<Potential, ListKind::HALF, Tallies::ALL>(potential, job, tally).rows(first, last);
  }

  void far_pairs(const FarPairs &pairs, const PairJob &job, int first, int last, PairTally &tally)
  {
    const FlushToZero small_numbers;
    const FarPairTerms &terms = pairs.terms();
    const auto compute = terms.shielded ? (terms.wall ? compute_far_pairs<WithCharges<true, true>>
                                                      : compute_far_pairs<WithCharges<true, false>>)
                                        : compute_far_pairs<WithCharges<false, true>>;
    compute(pairs, pairs.coefficients(), job, first, last, tally);
    if (terms.dispersion && terms.wall)
      compute_far_pairs<Dispersion>(pairs, pairs.dispersion(), job, first, last, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, far_pairs,
            (const FarPairs &pairs, const PairJob &job, int first, int last, PairTally &tally),
            (pairs, job, first, last, tally));

FarPairs::FarPairs(int ntypes, const FarPairTerms &terms) :
    ntypes_(ntypes), terms_(terms),
    coefficients_(static_cast<std::size_t>(ntypes + 1) * (ntypes + 1) * NCOEFFICIENTS, 0.0),
    dispersion_(static_cast<std::size_t>(ntypes + 1) * (ntypes + 1) * NDISPERSION, 0.0)
{
  if (terms.shielded) shielded_ = ShieldedDistance::table(terms.p);
  for (int k = 2; k < 8; k++) taper_slope_[k - 2] = k * terms.taper[k];
}

void FarPairs::set(int itype, int jtype, const FarPairParameters &p)
{
  constexpr double LARGEST_GAMMA = 1e280;    // of an atom without gamma, infinite: no charge
  double row[NCOEFFICIENTS] = {terms_.cut * terms_.cut};
  const double gamma_w =
      terms_.shielded ? std::min(p.gamma_w, ShieldedDistance::LARGEST / terms_.cut) : 1.0;
  if (p.r_vdW != 0.0 && !(gamma_w <= 0.0)) {
    row[1] = p.D;
    row[2] = 0.5 * p.alpha;
    row[3] = 0.5 * p.alpha / (p.r_vdW * gamma_w);
    row[4] = gamma_w;
  }
  row[5] = std::min(p.gamma, LARGEST_GAMMA);
  if (p.rcore != 0.0) {
    row[6] = p.ecore * std::exp(p.acore);
    row[7] = p.acore / p.rcore;
  }
  // hn::Exp() of what is not a number may be one
  if (std::isnan(row[2] + row[3] + row[4])) row[1] = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(row[7])) row[6] = std::numeric_limits<double>::quiet_NaN();
  const double re3 = p.lgre * p.lgre * p.lgre;
  const double others[NDISPERSION] = {terms_.cut * terms_.cut, p.lgcij, re3 * re3};
  for (int way = 0; way < 2; way++) {
    const std::size_t place = static_cast<std::size_t>(itype) * (ntypes_ + 1) + jtype;
    std::copy(row, row + NCOEFFICIENTS, &coefficients_[place * NCOEFFICIENTS]);
    std::copy(others, others + NDISPERSION, &dispersion_[place * NDISPERSION]);
    std::swap(itype, jtype);
  }
}

}    // namespace TOFU_NS
#endif
