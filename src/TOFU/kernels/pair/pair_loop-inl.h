// SPDX-License-Identifier: GPL-2.0-only
//
// The common loop of all pairwise additive potentials; a potential is a template parameter:
//
//   struct Potential {
//     // coefficients of a pair of types, the first is the square of the cut-off; the force needs
//     // NFORCE_COEFFICIENTS of them, energies need the others; 0: none, 2: the second and the
//     // third, 5: the second to the fifth, where the cut-off of all pairs is largest_cutsq
//     using Real = double;         // or float: pairs in single precision
//     static constexpr int NCOEFFICIENTS = 4 or 8, NFORCE_COEFFICIENTS = 0, 2, 4, 5, 8;
//     static constexpr int HALF_LANES = 4 or 8;    // pairs of doubles at a time in half lists
//     static constexpr bool PRUNES_FIRST;       // true: remove pairs beyond largest_cutsq first
//     static constexpr bool CHARGED;            // the fourth value of an atom's row is its charge
//     const Real *coefficients;         // [ntypes+1][ntypes+1][NCOEFFICIENTS]
//     int ntypes;
//     double largest_cutsq;             // if PRUNES_FIRST: of all coefficients
//
//     // what follows from distances alone, computed one vector ahead of the rest
//     template <class D, class V>
//     void look_ahead(D d, V rsq, V &early, V &place, std::int32_t *interval) const;
//
//     // force divided by distance, and energy, for a vector of pairs within the cut-off; results
//     // in other lanes are not used
//     template <bool ENERGY, bool SPECIAL, class D, class V>
//     void operator()(D d, const PairVectors<V> &pair, V &fpair, V &evdwl, V &ecoul) const;
//   };
//
// Rows of the full list are 8 wide; all are 16 wide in single precision.  In half lists each pair
// also writes to its neighbor, and with short rows wider vectors of doubles lose more in their ends
// than they gain.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_PAIR_LOOP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_PAIR_LOOP_INL_H
#undef TOFU_KERNELS_PAIR_LOOP_INL_H
#else
#define TOFU_KERNELS_PAIR_LOOP_INL_H
#endif

#include "kernels/data/pair_data.h"
#include "kernels/simd/select-inl.h"
#include "pair_sums-inl.h"

#include "base/flush_to_zero.h"

#include <algorithm>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Data of some pairs that a potential gets.  The members are references, since vectors of
      unknown length cannot be members. */
  template <class V> struct PairVectors {
    const V &rsq;              // distance squared
    const V &qq;               // product of both charges, if CHARGED
    const V &early, &place;    // of look_ahead(), with an interval in a table for each pair
    const std::int32_t *const &interval;
    const V &c1, &c2, &c3;    // coefficients; behind the fourth only for energies
    const V &c4, &c5, &c6, &c7;
    const V &factor_lj, &factor_coul;    // if SPECIAL
  };

  template <class Potential, ListKind KIND, Tallies TALLIES> class PairLoop {
   public:
    PairLoop(const Potential &potential, const PairJob &job, PairTally &tally) :
        potential_(potential), job_(job), tally_(tally)
    {
    }

    /** Rows [first, last). */
    void rows(int first, int last)
    {
      if constexpr (!Potential::
                        PRUNES_FIRST)    // the others have more to do than to load coefficients
        if (potential_.ntypes == 1) return rows<true>(first, last);
      rows<false>(first, last);
    }

    HWY_INLINE void row(int i) { row<false>(i); }

   private:
    static constexpr bool HALF = KIND != ListKind::FULL;
    static constexpr bool ENERGY = TALLIES == Tallies::ALL;
    using Real = typename Potential::Real;
    static constexpr bool SINGLE = std::is_same<Real, float>::value;
    using D =
        std::conditional_t<SINGLE, FloatsUpTo<16>, DoublesUpTo<HALF ? Potential::HALF_LANES : 8>>;
    using V = hn::Vec<D>;
    static constexpr int N = Potential::NCOEFFICIENTS;
    static constexpr bool NO_COEFFICIENTS = !ENERGY && Potential::NFORCE_COEFFICIENTS == 0;
    static constexpr bool TWO = !ENERGY && Potential::NFORCE_COEFFICIENTS == 2;
    static constexpr bool SECOND_TO_FIFTH = !ENERGY && Potential::NFORCE_COEFFICIENTS == 5;
    static constexpr bool SECOND_ROW = N == 8 && (ENERGY || Potential::NFORCE_COEFFICIENTS == 8);

    // Of forces divided by distance, and of energies, in single precision.  A row that changes its
    // owner alone is computed again with limits if one of its sums is not below that; in other such
    // rows a pair may have more

    static constexpr float LIMIT = 1e30F;
    static constexpr bool LIMITED_AFTERWARDS = SINGLE && !HALF && TALLIES == Tallies::NONE;

    static constexpr int PIECE = 512;    // entries; what they need stays in the first cache

    const Potential &potential_;
    const PairJob &job_;
    PairTally &tally_;
    int near_[Potential::PRUNES_FIRST ? PIECE + SINGLE_ROW_PADDING : 1];

    static const double *rows_of(const PairAtoms &atoms, double) { return atoms.rows; }
    static const float *rows_of(const PairAtoms &atoms, float) { return atoms.singles; }
    static const double *near_rows_of(const PairAtoms &atoms, double)
    {
      return atoms.near_rows ? atoms.near_rows : atoms.rows;
    }
    static const float *near_rows_of(const PairAtoms &atoms, float) { return atoms.singles; }
    const Real *atoms() const { return rows_of(job_.atoms, Real()); }

    template <bool ONE_TYPE> HWY_INLINE void rows(int first, int last)
    {
      for (int n = first; n < last; n++) row<ONE_TYPE>(job_.list.atoms[n]);
    }

    template <bool ONE_TYPE> HWY_INLINE void row(int i)
    {
      const int *const neighbors = job_.list.first[i];
      const int n = job_.list.nneighbors[i], nspecial = job_.list.nspecial[i];
      if (nspecial) special_row(i, neighbors, nspecial);
      if constexpr (Potential::PRUNES_FIRST)
        selected_row(i, neighbors + nspecial, n - nspecial);
      else
        plain_row<ONE_TYPE>(i, neighbors + nspecial, n - nspecial);
    }

    template <bool ONE_TYPE> HWY_INLINE void plain_row(int i, const int *entries, int n)
    {
      if constexpr (LIMITED_AFTERWARDS) {
        if (!add_plain_row<ONE_TYPE, false>(i, entries, n)) limited_row<ONE_TYPE>(i, entries, n);
      } else {
        add_plain_row<ONE_TYPE, SINGLE>(i, entries, n);
      }
    }

    template <bool ONE_TYPE> HWY_NOINLINE void limited_row(int i, const int *entries, int n)
    {
      add_plain_row<ONE_TYPE, true>(i, entries, n);
    }

    /** Distances, and what follows from them alone, are computed one vector ahead of the rest: a
        processor that waits for a division does not look far enough ahead to find other work.
        There is always a first vector; for an empty row it has the entries behind the row.

        \return   whether it was added, which limited rows always are */
    template <bool ONE_TYPE, bool LIMITED>
    HWY_INLINE bool add_plain_row(int i, const int *entries, int n)
    {
      V fx = hn::Zero(D()), fy = fx, fz = fx, evdwl = fx, ecoul = fx;
      V vxx = fx, vyy = fx, vzz = fx, vxy = fx, vxz = fx, vyz = fx;
      const RowSums<V> sums{fx, fy, fz, evdwl, ecoul, vxx, vyy, vzz, vxy, vxz, vyz};
      V delx = fx, dely = fx, delz = fx, rsq = fx, qq = fx, early = fx, place = fx;
      V cutsq = fx, c1 = fx, c2 = fx, c3 = fx, c4 = fx, c5 = fx, c6 = fx, c7 = fx;
      HWY_ALIGN std::int32_t intervals[2][hn::MaxLanes(D())];
      const std::int32_t *interval = intervals[0];
      const PairVectors<V> pair{rsq, qq, early, place, interval, c1,  c2,
                                c3,  c4, c5,    c6,    c7,       rsq, rsq};
      if constexpr (ONE_TYPE) load_coefficients(cutsq, c1, c2, c3, c4, c5, c6, c7);

      const int lanes = static_cast<int>(hn::Lanes(D()));
      load_distances(i, entries, delx, dely, delz, rsq, qq);
      potential_.look_ahead(D(), rsq, early, place, intervals[0]);
      int other = 1;
      for (const int *const end = entries + n; entries + lanes < end; entries += lanes) {
        V next_x = delx, next_y = dely, next_z = delz, next_rsq = rsq, next_qq = qq;
        V next_early = early, next_place = place;
        load_distances(i, entries + lanes, next_x, next_y, next_z, next_rsq, next_qq);
        potential_.look_ahead(D(), next_rsq, next_early, next_place, intervals[other]);
        if constexpr (!ONE_TYPE) load_coefficients(i, entries, cutsq, c1, c2, c3, c4, c5, c6, c7);
        add_forces<false, LIMITED>(i, entries, delx, dely, delz, cutsq, pair, sums);
        delx = next_x;
        dely = next_y;
        delz = next_z;
        rsq = next_rsq;
        qq = next_qq;
        early = next_early;
        place = next_place;
        interval = intervals[other];
        other = 1 - other;
      }
      if constexpr (!ONE_TYPE) load_coefficients(i, entries, cutsq, c1, c2, c3, c4, c5, c6, c7);
      add_forces<false, LIMITED>(i, entries, delx, dely, delz, cutsq, pair, sums);
      if constexpr (LIMITED_AFTERWARDS && !LIMITED)
        return add_sums_within(D(), LIMIT, fx, fy, fz,
                               job_.forces.f + 3 * static_cast<std::size_t>(i));
      add_row<D, HALF, TALLIES>(job_, i, sums, tally_);
      return true;
    }

    /** For each piece of the row: remove the pairs beyond the cut-off, then compute the others. */
    HWY_INLINE void selected_row(int i, const int *entries, int n)
    {
      const Real *const rows = near_rows_of(job_.atoms, Real());
      const Real *const own = rows + 4 * static_cast<std::size_t>(i);
      const int far = last_entry(i);
      for (int begin = 0; begin < n; begin += PIECE) {
        int *const end = append_near(rows, own, potential_.largest_cutsq, entries + begin,
                                     std::min(PIECE, n - begin), near_);
        std::fill_n(end, SINGLE_ROW_PADDING, far);
        plain_row<false>(i, near_, static_cast<int>(end - near_));
      }
    }

    HWY_NOINLINE void special_row(int i, const int *entries, int n)
    {
      V fx = hn::Zero(D()), fy = fx, fz = fx, evdwl = fx, ecoul = fx;
      V vxx = fx, vyy = fx, vzz = fx, vxy = fx, vxz = fx, vyz = fx;
      const RowSums<V> sums{fx, fy, fz, evdwl, ecoul, vxx, vyy, vzz, vxy, vxz, vyz};
      const int lanes = static_cast<int>(hn::Lanes(D()));
      HWY_ALIGN int copies[hn::MaxLanes(D())];
      for (int k = 0; k < n; k += lanes)
        special_pairs(i, entries + k, std::min(lanes, n - k), copies, sums);
      add_row<D, HALF, TALLIES>(job_, i, sums, tally_);
    }

    /** Up to one vector of entries that carry the kind of their bond in their upper bits. */
    void special_pairs(int i, const int *entries, int n, int *neighbors, const RowSums<V> &sums)
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      const int far = last_entry(i);
      for (int k = 0; k < lanes; k++) neighbors[k] = k < n ? entries[k] : far;

      const D d;
      V factor_lj = hn::Zero(d), factor_coul = factor_lj;
      V delx = factor_lj, dely = delx, delz = delx, rsq = delx, qq = delx;
      V cutsq = delx, c1 = delx, c2 = delx, c3 = delx, c4 = delx, c5 = delx, c6 = delx, c7 = delx;
      V early = delx, place = delx;
      HWY_ALIGN std::int32_t intervals[hn::MaxLanes(D())];
      const std::int32_t *const interval = intervals;
      const PairVectors<V> pair{rsq, qq, early, place, interval, c1,        c2,
                                c3,  c4, c5,    c6,    c7,       factor_lj, factor_coul};
      strip_factors(neighbors, factor_lj, factor_coul);
      load_distances(i, neighbors, delx, dely, delz, rsq, qq);
      potential_.look_ahead(d, rsq, early, place, intervals);
      load_coefficients(i, neighbors, cutsq, c1, c2, c3, c4, c5, c6, c7);
      add_forces<true, SINGLE>(i, neighbors, delx, dely, delz, cutsq, pair, sums);
    }

    /** The atom that is far away. */
    int last_entry(int i) const { return job_.list.first[i][job_.list.nneighbors[i]]; }

    HWY_INLINE void load_distances(int i, const int *entries, V &delx, V &dely, V &delz, V &rsq,
                                   V &qq) const
    {
      const D d;
      const Real *const own = atoms() + 4 * static_cast<std::size_t>(i);
      V x = hn::Zero(d), y = x, z = x, q = x;
      load_rows(d, atoms(), entries, 4, x, y, z, q);
      delx = hn::Sub(hn::Set(d, own[0]), x);
      dely = hn::Sub(hn::Set(d, own[1]), y);
      delz = hn::Sub(hn::Set(d, own[2]), z);
      rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
      if constexpr (Potential::CHARGED) qq = hn::Mul(hn::Set(d, own[3]), q);
    }

    template <bool SPECIAL, bool LIMITED>
    HWY_INLINE void add_forces(int i, const int *entries, V delx, V dely, V delz, V cutsq,
                               const PairVectors<V> &pair, const RowSums<V> &sums)
    {
      const D d;
      const auto inside = hn::Lt(pair.rsq, cutsq);
      V fpair = hn::Zero(d), evdwl = fpair, ecoul = fpair;
      potential_.template operator()<ENERGY, SPECIAL>(d, pair, fpair, evdwl, ecoul);
      if constexpr (LIMITED) limit(pair.rsq, fpair, evdwl, ecoul);
      add_pairs<D, KIND, TALLIES>(job_, i, entries, inside, fpair, evdwl, ecoul, delx, dely, delz,
                                  sums, tally_);
    }

    /** Limit the force on atoms that overlap to a finite value.  For two atoms at the same position
        the force is infinite: it has no direction, and the run must not go on. */
    HWY_INLINE void limit(V rsq, V &fpair, V &evdwl, V &ecoul) const
    {
      const D d;
      const V most = hn::Set(d, LIMIT);
      const auto limited = [&](V v) {
        return hn::Max(hn::Min(v, most), hn::Neg(most));
      };
      fpair = hn::IfThenElse(hn::Eq(rsq, hn::Zero(d)),
                             hn::Set(d, std::numeric_limits<float>::infinity()), limited(fpair));
      evdwl = limited(evdwl);
      ecoul = limited(ecoul);
    }

    /** The same for all pairs, of one type. */
    HWY_INLINE void load_coefficients(V &c0, V &c1, V &c2, V &c3, V &c4, V &c5, V &c6, V &c7) const
    {
      const D d;
      const Real *const of = potential_.coefficients + 3 * N;    // types count from 1
      c0 = hn::Set(d, of[0]);
      c1 = hn::Set(d, of[1]);
      c2 = hn::Set(d, of[2]);
      c3 = hn::Set(d, of[3]);
      if constexpr (SECOND_ROW || SECOND_TO_FIFTH) {
        c4 = hn::Set(d, of[4]);
        c5 = hn::Set(d, of[5]);
        c6 = hn::Set(d, of[6]);
        c7 = hn::Set(d, of[7]);
      }
    }

    /** By types of both atoms. */
    HWY_INLINE void load_coefficients(int i, const int *entries, V &c0, V &c1, V &c2, V &c3, V &c4,
                                      V &c5, V &c6, V &c7) const
    {
      const D d;
      if constexpr (NO_COEFFICIENTS) {
        c0 = hn::Set(d, static_cast<Real>(potential_.largest_cutsq));
        return;
      }
      if (potential_.ntypes == 1) return load_coefficients(c0, c1, c2, c3, c4, c5, c6, c7);
      const Real *const table = potential_.coefficients +
          static_cast<std::size_t>(job_.atoms.type[i]) * (potential_.ntypes + 1) * N;
      HWY_ALIGN int types[hn::MaxLanes(D())];
      const int lanes = static_cast<int>(hn::Lanes(d));
      for (int k = 0; k < lanes; k++) types[k] = job_.atoms.type[entries[k]];
      if constexpr (TWO) {
        c0 = hn::Set(d, static_cast<Real>(potential_.largest_cutsq));
        load_pairs(d, table + 1, types, N, c1, c2);
      } else if constexpr (SECOND_TO_FIFTH) {
        c0 = hn::Set(d, static_cast<Real>(potential_.largest_cutsq));
        load_rows(d, table + 1, types, N, c1, c2, c3, c4);
      } else {
        load_rows(d, table, types, N, c0, c1, c2, c3);
      }
      if constexpr (SECOND_ROW) load_rows(d, table + 4, types, N, c4, c5, c6, c7);
    }

    void strip_factors(int *entries, V &factor_lj, V &factor_coul) const
    {
      const D d;
      HWY_ALIGN Real lj[hn::MaxLanes(D())], coul[hn::MaxLanes(D())];
      const int lanes = static_cast<int>(hn::Lanes(d));
      for (int k = 0; k < lanes; k++) {
        const std::uint32_t entry = entries[k];
        lj[k] = static_cast<Real>(job_.special_lj[entry >> SPECIAL_SHIFT & 3]);
        coul[k] = static_cast<Real>(job_.special_coul[entry >> SPECIAL_SHIFT & 3]);
        entries[k] = static_cast<int>(entry & NEIGHBOR_MASK);
      }
      factor_lj = hn::Load(d, lj);
      factor_coul = hn::Load(d, coul);
    }
  };

  /** call(real) with a number of the precision that atoms are given in. */
  template <class Call> void with_precision(const PairJob &job, Call &&call)
  {
    if (job.atoms.singles)
      call(float());
    else
      call(double());
  }

  /** Rows [first, last). */
  template <class Potential>
  void compute_pairs(const Potential &potential, const PairJob &job, int first, int last,
                     PairTally &tally)
  {
    const FlushToZero far_pairs;
    const auto compute = [&](auto kind) {
      with_tallies(job.tallies, [&](auto tallies) {
        PairLoop<Potential, decltype(kind)::value, decltype(tallies)::value>(potential, job, tally)
            .rows(first, last);
      });
    };
    with_kind(job.kind, compute);
  }

  /** Rows [first, last), of which some have a simpler potential.  Steps
      with energies do not make this difference.

      \param is_simple   is_simple(i) says whether the row of atom i has the simpler one */
  template <class Potential, class Simpler, class IsSimple>
  void compute_pairs(const Potential &potential, const Simpler &simpler, const IsSimple &is_simple,
                     const PairJob &job, int first, int last, PairTally &tally)
  {
    if (job.tallies == Tallies::ALL) return compute_pairs(potential, job, first, last, tally);
    const FlushToZero far_pairs;
    const auto compute = [&](auto kind, auto tallies) {
      constexpr ListKind KIND = decltype(kind)::value;
      constexpr Tallies TALLIES = decltype(tallies)::value;
      PairLoop<Potential, KIND, TALLIES> loop(potential, job, tally);
      PairLoop<Simpler, KIND, TALLIES> simpler_loop(simpler, job, tally);
      for (int n = first; n < last; n++) {
        const int i = job.list.atoms[n];
        if (is_simple(i))
          simpler_loop.row(i);
        else
          loop.row(i);
      }
    };
    with_kind(job.kind, [&](auto kind) {
      if (job.tallies == Tallies::NONE)
        compute(kind, std::integral_constant<Tallies, Tallies::NONE>());
      else
        compute(kind, std::integral_constant<Tallies, Tallies::VIRIAL>());
    });
  }

  /** Rows [first, last) of half lists, for potentials that take long to
      compile: a step that needs the virial alone gets the energy, too. */
  template <class Potential>
  void compute_half_pairs(const Potential &potential, const PairJob &job, int first, int last,
                          PairTally &tally)
  {
    const FlushToZero far_pairs;
    const auto compute = [&](auto kind, auto tallies) {
      PairLoop<Potential, decltype(kind)::value, decltype(tallies)::value>(potential, job, tally)
          .rows(first, last);
    };
    using All = std::integral_constant<Tallies, Tallies::ALL>;
    using None = std::integral_constant<Tallies, Tallies::NONE>;
    using Half = std::integral_constant<ListKind, ListKind::HALF>;
    using NoGhost = std::integral_constant<ListKind, ListKind::HALF_NO_GHOST>;
    const bool ghosts = job.kind == ListKind::HALF;
    if (job.tallies == Tallies::NONE)
      ghosts ? compute(Half(), None()) : compute(NoGhost(), None());
    else
      ghosts ? compute(Half(), All()) : compute(NoGhost(), All());
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
