// SPDX-License-Identifier: GPL-2.0-only

#include "eam.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/eam.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "embedded_atoms-inl.h"
#include "kernels/pair/pair_sums-inl.h"

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <ListKind KIND> class EAMLoop {
   public:
    EAMLoop(const EAMTables &tables, const PairJob &job) : tables_(tables), job_(job) {}

    void densities(int first, int last, RowArena &arena, EAMInside &inside, double *rho) const
    {
      for (int n = first; n < last; n++) density(job_.list.atoms[n], arena, inside, rho);
    }

    template <Tallies TALLIES>
    void forces(int first, int last, const EAMInside &inside, PairTally &tally) const
    {
      for (int n = first; n < last; n++) force<TALLIES>(job_.list.atoms[n], inside, tally);
    }

   private:
    static constexpr bool HALF = KIND != ListKind::FULL;
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr std::size_t MOST = hn::MaxLanes(D());

    const EAMTables &tables_;
    const PairJob &job_;

    void density(int i, RowArena &arena, EAMInside &inside, double *rho) const
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      const int nnear = find_inside(job_, tables_.cutsq, i, arena, inside);
      const int *const near = inside.first[i];
      V sum = hn::Zero(D());
      if (nnear) {
        HWY_ALIGN std::int32_t index[2][MOST];
        V rsq = sum, p = sum;
        locate(i, near, rsq, p, index[0]);
        for (int k = 0, now = 0; k < nnear; k += lanes, now = 1 - now) {
          V next_rsq = rsq, next_p = p;
          if (k + lanes < nnear) locate(i, near + k + lanes, next_rsq, next_p, index[1 - now]);
          sum = hn::Add(sum, add_densities(i, near + k, rsq, p, index[now], rho));
          rsq = next_rsq;
          p = next_p;
        }
      }
      rho[i] += sum_of(D(), sum);
    }

    /** Distances and their places in the splines.  They are computed one vector ahead of what
        follows from them: a processor that waits for a square root does not look far enough ahead
        to find other work. */
    HWY_INLINE void locate(int i, const int *entries, V &rsq, V &p, std::int32_t *index) const
    {
      V delx, dely, delz, fourth;
      rsq = distances(D(), job_, i, entries, delx, dely, delz, fourth);
      p = find_intervals(D(), tables_.nr, tables_.rdr, hn::Sqrt(rsq), index);
    }

    /** Splines of some pairs of several types. */
    struct Rows {
      HWY_ALIGN int rhor_ij[MOST], rhor_ji[MOST], z2r[MOST];
      HWY_ALIGN double scale[MOST];
    };

    HWY_INLINE void find_rows(int i, const int *entries, const std::int32_t *index,
                              Rows &rows) const
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      for (int k = 0; k < lanes; k++) {
        const EAMTables::Pair &pair = tables_.of(job_.atoms.type[i], job_.atoms.type[entries[k]]);
        rows.rhor_ij[k] = pair.rhor_ij * (tables_.nr + 1) + index[k];
        rows.rhor_ji[k] = pair.rhor_ji * (tables_.nr + 1) + index[k];
        rows.z2r[k] = pair.z2r * (tables_.nr + 1) + index[k];
        rows.scale[k] = pair.scale;
      }
    }

    /** The spline of the only pair of types. */
    const double *only_table(const std::vector<double> &tables, int which) const
    {
      return tables.data() + static_cast<std::size_t>(which) * (tables_.nr + 1) * 4;
    }

    HWY_INLINE V add_densities(int i, const int *entries, V rsq, V p, const std::int32_t *index,
                               double *rho) const
    {
      const D d;
      const auto inside = hn::Lt(rsq, hn::Set(d, tables_.cutsq));    // all but the padding
      V at_i, at_j;
      if (tables_.ntypes == 1) {
        spline_value(d, only_table(tables_.rhor, tables_.of(1, 1).rhor_ij), index, p, at_i);
        at_j = at_i;
      } else {
        Rows rows;
        find_rows(i, entries, index, rows);
        spline_value(d, tables_.rhor.data(), rows.rhor_ji, p, at_i);
        spline_value(d, tables_.rhor.data(), rows.rhor_ij, p, at_j);
      }
      if constexpr (HALF) {
        HWY_ALIGN double value[MOST];
        hn::Store(hn::IfThenElseZero(inside, at_j), d, value);
        for (std::size_t k = 0; k < hn::Lanes(d); k++) rho[entries[k]] += value[k];
      }
      return hn::IfThenElseZero(inside, at_i);
    }

    template <Tallies TALLIES> void force(int i, const EAMInside &inside, PairTally &tally) const
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d));
      const int *const near = inside.first[i];
      V fx = hn::Zero(d), fy = fx, fz = fx, evdwl = fx, ecoul = fx;
      V vxx = fx, vyy = fx, vzz = fx, vxy = fx, vxz = fx, vyz = fx;
      const RowSums<V> sums{fx, fy, fz, evdwl, ecoul, vxx, vyy, vzz, vxy, vxz, vyz};
      const int n = inside.nneighbors[i];
      if (n) {
        HWY_ALIGN std::int32_t index[2][MOST];
        V delx = fx, dely = fx, delz = fx, fp = fx, rsq = fx, recip = fx, p = fx;
        const Located of{delx, dely, delz, fp, rsq, recip, p};
        locate(i, near, of, index[0]);
        for (int k = 0, now = 0; k < n; k += lanes, now = 1 - now) {
          V next_x = delx, next_y = dely, next_z = delz, next_fp = fp, next_rsq = rsq,
            next_recip = recip, next_p = p;
          if (k + lanes < n)
            locate(i, near + k + lanes,
                   Located{next_x, next_y, next_z, next_fp, next_rsq, next_recip, next_p},
                   index[1 - now]);
          pairs<TALLIES>(i, near + k, of, index[now], sums, tally);
          delx = next_x;
          dely = next_y;
          delz = next_z;
          fp = next_fp;
          rsq = next_rsq;
          recip = next_recip;
          p = next_p;
        }
      }
      add_row<D, HALF, TALLIES>(job_, i, sums, tally);
    }

    /** Some pairs: distances, the derivative of the embedding energy of the neighbors, and places
        in the splines. */
    struct Located {
      V &delx, &dely, &delz, &fp, &rsq, &recip, &p;
    };

    HWY_INLINE void locate(int i, const int *entries, const Located &of, std::int32_t *index) const
    {
      const D d;
      of.rsq = distances(d, job_, i, entries, of.delx, of.dely, of.delz, of.fp);
      const V r = hn::Sqrt(of.rsq);
      of.recip = hn::Div(hn::Set(d, 1.0), r);
      of.p = find_intervals(d, tables_.nr, tables_.rdr, r, index);
    }

    template <Tallies TALLIES>
    HWY_INLINE void pairs(int i, const int *entries, const Located &of, const std::int32_t *index,
                          const RowSums<V> &sums, PairTally &tally) const
    {
      const D d;
      const auto inside = hn::Lt(of.rsq, hn::Set(d, tables_.cutsq));
      const V own_fp = hn::Set(d, job_.atoms.rows[4 * static_cast<std::size_t>(i) + 3]);
      const V rdr = hn::Set(d, tables_.rdr), p = of.p, recip = of.recip;
      V unused, slope_ij, slope_ji, z2, z2p, scale;
      if (tables_.ntypes == 1) {
        const EAMTables::Pair &pair = tables_.of(1, 1);
        spline_slope(d, only_table(tables_.rhor, pair.rhor_ij), index, p, rdr, unused, slope_ij);
        spline_slope(d, only_table(tables_.z2r, pair.z2r), index, p, rdr, z2, z2p);
        slope_ji = slope_ij;
        scale = hn::Set(d, pair.scale);
      } else {
        Rows rows;
        find_rows(i, entries, index, rows);
        spline_slope(d, tables_.rhor.data(), rows.rhor_ij, p, rdr, unused, slope_ij);
        spline_slope(d, tables_.rhor.data(), rows.rhor_ji, p, rdr, unused, slope_ji);
        spline_slope(d, tables_.z2r.data(), rows.z2r, p, rdr, z2, z2p);
        scale = hn::Load(d, rows.scale);
      }

      const V phi = hn::Mul(z2, recip);
      const V phip = hn::Mul(hn::Sub(z2p, phi), recip);
      const V psip = hn::MulAdd(own_fp, slope_ji, hn::MulAdd(of.fp, slope_ij, phip));
      const V fpair = hn::Neg(hn::Mul(hn::Mul(scale, psip), recip));
      const V evdwl = TALLIES == Tallies::ALL ? hn::Mul(scale, phi) : fpair;
      add_pairs<D, KIND, TALLIES>(job_, i, entries, inside, fpair, evdwl, hn::Zero(d), of.delx,
                                  of.dely, of.delz, sums, tally);
    }
  };

  void eam_densities(const EAMTables &tables, const PairJob &job, int first, int last,
                     RowArena &arena, EAMInside &inside, double *rho)
  {
    with_kind(job.kind, [&](auto kind) {
      EAMLoop<decltype(kind)::value>(tables, job).densities(first, last, arena, inside, rho);
    });
  }

  void eam_forces(const EAMTables &tables, const PairJob &job, int first, int last,
                  const EAMInside &inside, PairTally &tally)
  {
    with_kind(job.kind, [&](auto kind) {
      with_tallies(job.tallies, [&](auto tallies) {
        const EAMLoop<decltype(kind)::value> loop(tables, job);
        loop.template forces<decltype(tallies)::value>(first, last, inside, tally);
      });
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, eam_densities,
            (const EAMTables &tables, const PairJob &job, int first, int last, RowArena &arena,
             EAMInside &inside, double *rho),
            (tables, job, first, last, arena, inside, rho));

TOFU_EXPORT(void, eam_forces,
            (const EAMTables &tables, const PairJob &job, int first, int last,
             const EAMInside &inside, PairTally &tally),
            (tables, job, first, last, inside, tally));

}    // namespace TOFU_NS
#endif
