// SPDX-License-Identifier: GPL-2.0-only
//
// Sums of pair kernels: forces and energies of pairs are added to both atoms, or to the owner of
// the row only, and to the tallies.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_PAIR_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_PAIR_SUMS_INL_H
#undef TOFU_KERNELS_PAIR_SUMS_INL_H
#else
#define TOFU_KERNELS_PAIR_SUMS_INL_H
#endif

#include "kernels/data/pair_data.h"
#include "kernels/simd/rows-inl.h"

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Sums of one row.  The members are references, since vectors of unknown length cannot be
      members. */
  template <class V> struct RowSums {
    V &fx, &fy, &fz, &evdwl, &ecoul, &vxx, &vyy, &vzz, &vxy, &vxz, &vyz;
  };

  /** Add the sums of one row to its owner and to the tallies. */
  template <class D, bool HALF, Tallies TALLIES, class V = hn::Vec<D>>
  HWY_INLINE void add_row(const PairJob &job, int i, const RowSums<V> &sums, PairTally &tally)
  {
    const D d;
    double *const f = HALF ? job.forces.rows + 4 * static_cast<std::size_t>(i)
                           : job.forces.f + 3 * static_cast<std::size_t>(i);
    add_sums(d, sums.fx, sums.fy, sums.fz, f);
    if constexpr (TALLIES == Tallies::ALL) {
      tally.evdwl += sum_of(d, sums.evdwl);
      tally.ecoul += sum_of(d, sums.ecoul);
    }
    if constexpr (TALLIES != Tallies::NONE) {
      tally.virial[0] += sum_of(d, sums.vxx);
      tally.virial[1] += sum_of(d, sums.vyy);
      tally.virial[2] += sum_of(d, sums.vzz);
      tally.virial[3] += sum_of(d, sums.vxy);
      tally.virial[4] += sum_of(d, sums.vxz);
      tally.virial[5] += sum_of(d, sums.vyz);
    }
  }

  /** Tallies per atom: each atom of a pair gets half of the values of the pair.  Pairs that are
      listed twice have values of half the weight, all of which the owner of the row gets. */
  template <class D, ListKind KIND, class V = hn::Vec<D>> class AtomShares {
   public:
    AtomShares(const PairJob &job, int i, const int *entries) : job_(job), i_(i), entries_(entries)
    {
    }

    // values of atom i are summed before they are added: additions of one number after the other to
    // the same place in memory take longer than the pairs

    template <class Target> HWY_NOINLINE void add(V values, Target &&target) const
    {
      const D d;
      if constexpr (KIND == ListKind::FULL) {
        target(i_) += sum_of(d, values);
        return;
      }
      HWY_ALIGN hn::TFromD<D> value[hn::MaxLanes(D())];
      hn::Store(values, d, value);
      const int lanes = static_cast<int>(hn::Lanes(d));
      double mine = 0.0;
      for (int k = 0; k < lanes; k++) {
        if (value[k] == 0) continue;
        const int j = entries_[k];
        const bool both = KIND == ListKind::HALF || j < job_.nlocal;
        const double all = value[k];
        mine += both ? 0.5 * all : all;
        if (both) target(j) += 0.5 * all;
      }
      target(i_) += mine;
    }

   private:
    const PairJob &job_;
    const int i_;
    const int *const entries_;
  };

  /** Weights of pairs: 1/2 for a pair with a ghost that both ranks have. */
  template <class D, ListKind KIND, class V = hn::Vec<D>>
  HWY_INLINE V weights(const PairJob &job, const int *entries)
  {
    const D d;
    if constexpr (KIND == ListKind::HALF_NO_GHOST) {
      HWY_ALIGN hn::TFromD<D> weight[hn::MaxLanes(D())];
      const int lanes = static_cast<int>(hn::Lanes(d));
      for (int k = 0; k < lanes; k++) weight[k] = entries[k] < job.nlocal ? 1.0F : 0.5F;
      return hn::Load(d, weight);
    } else {
      return hn::Set(d, KIND == ListKind::FULL ? 0.5 : 1.0);
    }
  }

  /** Add some pairs of atom i.  Values in other lanes may be NaN, and NaN times 0 is NaN: an atom
      with such a position must not affect atoms of which it is no neighbor.

      \param entries   [lanes] the other atoms
      \param pairs     where there is a pair
      \param fpair     force divided by distance
      \param delx      distance from the other atom to i; dely, delz likewise */
  template <class D, ListKind KIND, Tallies TALLIES, class V = hn::Vec<D>>
  HWY_INLINE void add_pairs(const PairJob &job, int i, const int *entries, hn::Mask<D> pairs,
                            V fpair, V evdwl, V ecoul, V delx, V dely, V delz,
                            const RowSums<V> &sums, PairTally &tally)
  {
    const D d;
    if constexpr (KIND == ListKind::FULL && TALLIES == Tallies::NONE) {
      sums.fx = hn::IfThenElse(pairs, hn::MulAdd(delx, fpair, sums.fx), sums.fx);
      sums.fy = hn::IfThenElse(pairs, hn::MulAdd(dely, fpair, sums.fy), sums.fy);
      sums.fz = hn::IfThenElse(pairs, hn::MulAdd(delz, fpair, sums.fz), sums.fz);
      return;
    }
    V fx = hn::IfThenElseZero(pairs, hn::Mul(delx, fpair)),
      fy = hn::IfThenElseZero(pairs, hn::Mul(dely, fpair)),
      fz = hn::IfThenElseZero(pairs, hn::Mul(delz, fpair));
    sums.fx = hn::Add(sums.fx, fx);
    sums.fy = hn::Add(sums.fy, fy);
    sums.fz = hn::Add(sums.fz, fz);
    if constexpr (KIND != ListKind::FULL)
      subtract_from_rows(d, job.forces.rows, entries, fx, fy, fz);

    if constexpr (TALLIES != Tallies::NONE) {
      const V weight = weights<D, KIND>(job, entries);
      delx = hn::IfThenElseZero(pairs, delx);
      dely = hn::IfThenElseZero(pairs, dely);
      delz = hn::IfThenElseZero(pairs, delz);
      fx = hn::Mul(weight, fx);
      fy = hn::Mul(weight, fy);
      fz = hn::Mul(weight, fz);
      sums.vxx = hn::MulAdd(delx, fx, sums.vxx);
      sums.vyy = hn::MulAdd(dely, fy, sums.vyy);
      sums.vzz = hn::MulAdd(delz, fz, sums.vzz);
      sums.vxy = hn::MulAdd(delx, fy, sums.vxy);
      sums.vxz = hn::MulAdd(delx, fz, sums.vxz);
      sums.vyz = hn::MulAdd(dely, fz, sums.vyz);
      if constexpr (TALLIES == Tallies::VIRIAL) return;

      evdwl = hn::IfThenElseZero(pairs, hn::Mul(weight, evdwl));
      ecoul = hn::IfThenElseZero(pairs, hn::Mul(weight, ecoul));
      sums.evdwl = hn::Add(sums.evdwl, evdwl);
      sums.ecoul = hn::Add(sums.ecoul, ecoul);
      const AtomShares<D, KIND> shares(job, i, entries);
      if (tally.eatom)
        shares.add(hn::Add(evdwl, ecoul), [&](int atom) -> double & { return tally.eatom[atom]; });
      if (tally.vatom) {
        const auto component = [&](int c) {
          return [&tally, c](int atom) -> double & {
            return tally.vatom[atom][c];
          };
        };
        shares.add(hn::Mul(delx, fx), component(0));
        shares.add(hn::Mul(dely, fy), component(1));
        shares.add(hn::Mul(delz, fz), component(2));
        shares.add(hn::Mul(delx, fy), component(3));
        shares.add(hn::Mul(delx, fz), component(4));
        shares.add(hn::Mul(dely, fz), component(5));
      }
    }
  }

  /** call(std::integral_constant<Tallies, tallies>). */
  template <class Call> void with_tallies(Tallies tallies, Call &&call)
  {
    switch (tallies) {
      case Tallies::NONE:
        return call(std::integral_constant<Tallies, Tallies::NONE>());
      case Tallies::VIRIAL:
        return call(std::integral_constant<Tallies, Tallies::VIRIAL>());
      case Tallies::ALL:
        return call(std::integral_constant<Tallies, Tallies::ALL>());
    }
  }

  /** call(std::integral_constant<ListKind, kind>). */
  template <class Call> void with_kind(ListKind kind, Call &&call)
  {
    switch (kind) {
      case ListKind::FULL:
        return call(std::integral_constant<ListKind, ListKind::FULL>());
      case ListKind::HALF:
        return call(std::integral_constant<ListKind, ListKind::HALF>());
      case ListKind::HALF_NO_GHOST:
        return call(std::integral_constant<ListKind, ListKind::HALF_NO_GHOST>());
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
