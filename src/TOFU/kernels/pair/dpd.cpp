// SPDX-License-Identifier: GPL-2.0-only

#include "dpd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pair/dpd.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/select-inl.h"
#include "pair_noise-inl.h"
#include "pair_sums-inl.h"

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <ListKind KIND, Tallies TALLIES> class DpdLoop {
   public:
    DpdLoop(const DpdCoefficients &c, const PairJob &job, PairTally &tally) :
        c_(c), job_(job), tally_(tally)
    {
    }

    void rows(int first, int last)
    {
      for (int n = first; n < last; n++) row(job_.list.atoms[n]);
    }

   private:
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr bool ENERGY = TALLIES == Tallies::ALL;
    static constexpr int LANES = 8;             // at most
    static constexpr int PIECE = 512;           // entries
    static constexpr double CLOSEST = 1e-10;    // pairs that are closer have no direction

    const DpdCoefficients &c_;
    const PairJob &job_;
    PairTally &tally_;
    int near_[PIECE + LANES];

    /** The special bonds, then for each piece of the others those within the cut-off. */
    void row(int i)
    {
      const D d;
      V fx = hn::Zero(d), fy = fx, fz = fx, evdwl = fx, ecoul = fx;
      V vxx = fx, vyy = fx, vzz = fx, vxy = fx, vxz = fx, vyz = fx;
      const RowSums<V> sums{fx, fy, fz, evdwl, ecoul, vxx, vyy, vzz, vxy, vxz, vyz};
      const int *const entries = job_.list.first[i];
      const int n = job_.list.nneighbors[i], nspecial = job_.list.nspecial[i];
      const int lanes = static_cast<int>(hn::Lanes(d));
      for (int k = 0; k < nspecial; k += lanes)
        special_pairs(i, entries + k, std::min(lanes, nspecial - k), sums);

      const double *const own = job_.atoms.rows + 4 * static_cast<std::size_t>(i);
      for (int begin = nspecial; begin < n; begin += PIECE) {
        int *const end = append_near(job_.atoms.rows, own, c_.largest_cutsq, entries + begin,
                                     std::min(PIECE, n - begin), near_);
        std::fill_n(end, LANES, i);    // too close to itself
        const V one = hn::Set(d, 1.0);
        for (const int *k = near_; k < end; k += lanes) pairs<false>(i, k, one, sums);
      }
      add_row<D, true, TALLIES>(job_, i, sums, tally_);
    }

    void special_pairs(int i, const int *entries, int n, const RowSums<V> &sums)
    {
      HWY_ALIGN int neighbors[LANES];
      HWY_ALIGN double factors[LANES] = {};
      std::fill_n(neighbors, LANES, i);
      for (int k = 0; k < n; k++) {
        const std::uint32_t entry = entries[k];
        factors[k] = job_.special_lj[entry >> SPECIAL_SHIFT & 3];
        neighbors[k] = static_cast<int>(entry & NEIGHBOR_MASK);
      }
      pairs<true>(i, neighbors, hn::Load(D(), factors), sums);
    }

    template <bool SPECIAL>
    HWY_INLINE void pairs(int i, const int *entries, V factor, const RowSums<V> &sums)
    {
      const D d;
      const double *const own = job_.atoms.rows + 4 * static_cast<std::size_t>(i);
      const double *const own_v = c_.v + 3 * static_cast<std::size_t>(i);
      V x, y, z, tag, vx, vy, vz;
      load_rows(d, job_.atoms.rows, entries, 4, x, y, z, tag);
      const V delx = hn::Sub(hn::Set(d, own[0]), x), dely = hn::Sub(hn::Set(d, own[1]), y),
              delz = hn::Sub(hn::Set(d, own[2]), z);
      const V rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
      load_rows3(d, c_.v, entries, vx, vy, vz);
      const V dot = hn::MulAdd(delx, hn::Sub(hn::Set(d, own_v[0]), vx),
                               hn::MulAdd(dely, hn::Sub(hn::Set(d, own_v[1]), vy),
                                          hn::Mul(delz, hn::Sub(hn::Set(d, own_v[2]), vz))));

      V cutsq, cutinv, a0, gamma;
      load_coefficients(i, entries, cutsq, cutinv, a0, gamma);
      const V one = hn::Set(d, 1.0), r = hn::Sqrt(rsq), rinv = hn::Div(one, r);
      const V w = hn::NegMulAdd(r, cutinv, one);
      const V drag = hn::Mul(hn::Mul(gamma, w), hn::Mul(dot, rinv));
      V force = hn::Sub(a0, drag), random = hn::Zero(d);
      if (c_.noise != 0.0)
        random = hn::Mul(hn::Sqrt(hn::Mul(hn::Set(d, c_.noise), gamma)),
                         pair_noise(d, c_.seed, c_.step, hn::Set(d, own[3]), tag));
      if constexpr (SPECIAL) {
        force = hn::Mul(factor, force);
        random = hn::Mul(hn::Sqrt(factor), random);
      }
      const V fpair = hn::Mul(hn::Mul(w, hn::Add(force, random)), rinv);
      V evdwl = hn::Zero(d);
      const V ecoul = evdwl;
      if constexpr (ENERGY) {
        evdwl = hn::Div(hn::Mul(hn::Mul(hn::Set(d, 0.5), a0), hn::Mul(w, w)), cutinv);
        if constexpr (SPECIAL) evdwl = hn::Mul(factor, evdwl);
      }
      const auto inside = hn::And(hn::Lt(rsq, cutsq), hn::Ge(r, hn::Set(d, CLOSEST)));
      add_pairs<D, KIND, TALLIES>(job_, i, entries, inside, fpair, evdwl, ecoul, delx, dely, delz,
                                  sums, tally_);
    }

    HWY_INLINE void load_coefficients(int i, const int *entries, V &cutsq, V &cutinv, V &a0,
                                      V &gamma) const
    {
      const D d;
      constexpr int N = DpdCoefficients::NCOEFFICIENTS;
      const double *table = c_.table.doubles;
      if (c_.ntypes == 1) {
        table += 3 * N;    // types count from 1
        cutsq = hn::Set(d, table[0]);
        cutinv = hn::Set(d, table[1]);
        a0 = hn::Set(d, table[2]);
        gamma = hn::Set(d, table[3]);
        return;
      }
      table += static_cast<std::size_t>(job_.atoms.type[i]) * (c_.ntypes + 1) * N;
      HWY_ALIGN int types[LANES];
      const int lanes = static_cast<int>(hn::Lanes(d));
      for (int k = 0; k < lanes; k++) types[k] = job_.atoms.type[entries[k]];
      load_rows(d, table, types, N, cutsq, cutinv, a0, gamma);
    }
  };

  void dissipative_particles(const DpdCoefficients &c, const PairJob &job, int first, int last,
                             PairTally &tally)
  {
    const auto compute = [&](auto kind, auto tallies) {
      DpdLoop<decltype(kind)::value, decltype(tallies)::value>(c, job, tally).rows(first, last);
    };
    with_tallies(job.tallies, [&](auto tallies) {
      if (job.kind == ListKind::HALF)
        compute(std::integral_constant<ListKind, ListKind::HALF>(), tallies);
      else
        compute(std::integral_constant<ListKind, ListKind::HALF_NO_GHOST>(), tallies);
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, dissipative_particles,
            (const DpdCoefficients &c, const PairJob &job, int first, int last, PairTally &tally),
            (c, job, first, last, tally));

}    // namespace TOFU_NS
#endif
