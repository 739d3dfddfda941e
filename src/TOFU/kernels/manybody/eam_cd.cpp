// SPDX-License-Identifier: GPL-2.0-only

#include "eam_cd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/eam_cd.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "embedded_atoms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Stukowski, Sadigh, Erhart and Caro, Modelling Simul. Mater. Sci. Eng. 17, 075005 (2009). */
  class EAMCDLoop {
   public:
    EAMCDLoop(const EAMCDTables &tables, const PairJob &job) : tables_(tables), job_(job) {}

    void densities(int first, int last, RowArena &arena, EAMInside &inside,
                   const EAMCDSums &sums) const
    {
      for (int n = first; n < last; n++) {
        const int i = job_.list.atoms[n];
        find_inside(job_, tables_.cutsq, i, arena, inside);
        if (tables_.two_site)
          density<false>(i, inside, sums);
        else
          density<true>(i, inside, sums);
      }
    }

    void slopes(int first, int last, const EAMInside &inside, const double *atoms,
                double *cross) const
    {
      for (int n = first; n < last; n++) {
        const int i = job_.list.atoms[n];
        cross[i] = slope(i, inside, atoms);
      }
    }

    template <Tallies TALLIES>
    void forces(int first, int last, const EAMInside &inside, const double *atoms,
                PairTally &tally) const
    {
      for (int n = first; n < last; n++) force<TALLIES>(job_.list.atoms[n], inside, atoms, tally);
    }

   private:
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr std::size_t MOST = hn::MaxLanes(D());

    const EAMCDTables &tables_;
    const PairJob &job_;

    /** From some neighbors to atom i: square of the distance, its inverse, and place in the
        splines.  They are computed one vector ahead of what follows from them, as in eam.cpp. */
    struct Located {
      V &delx, &dely, &delz, &rsq, &rinv, &p;
    };

    /** \param index   [lanes] gets the intervals of the splines */
    HWY_INLINE void locate(int i, const int *entries, const Located &of, std::int32_t *index) const
    {
      const D d;
      V unused;
      of.rsq = distances(d, job_, i, entries, of.delx, of.dely, of.delz, unused);
      const V r = hn::Sqrt(of.rsq);
      of.rinv = hn::Div(hn::Set(d, 1.0), r);
      of.p = find_intervals(d, tables_.nr, tables_.rdr, r, index);
    }

    /** work(entries, of, index) for the neighbors of atom i, a vector at a time. */
    template <class Work>
    HWY_INLINE void for_inside(int i, const EAMInside &inside, Work &&work) const
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d)), n = inside.nneighbors[i];
      const int *const near = inside.first[i];
      if (!n) return;
      HWY_ALIGN std::int32_t index[2][MOST];
      V delx = hn::Zero(d), dely = delx, delz = delx, rsq = delx, rinv = delx, p = delx;
      const Located of{delx, dely, delz, rsq, rinv, p};
      locate(i, near, of, index[0]);
      for (int k = 0, now = 0; k < n; k += lanes, now = 1 - now) {
        V next_x = delx, next_y = dely, next_z = delz, next_rsq = rsq, next_rinv = rinv, next_p = p;
        if (k + lanes < n)
          locate(i, near + k + lanes, Located{next_x, next_y, next_z, next_rsq, next_rinv, next_p},
                 index[1 - now]);
        work(near + k, of, index[now]);
        delx = next_x;
        dely = next_y;
        delz = next_z;
        rsq = next_rsq;
        rinv = next_rinv;
        p = next_p;
      }
    }

    /** All but the padding. */
    HWY_INLINE hn::Mask<D> are_inside(V rsq) const
    {
      return hn::Lt(rsq, hn::Set(D(), tables_.cutsq));
    }

    /** Of some pairs: rows of the splines, and what depends on types alone. */
    struct Rows {
      HWY_ALIGN int rhor_ij[MOST], rhor_ji[MOST], z2r[MOST];
      HWY_ALIGN double from_b[MOST], cross[MOST];
    };

    /** Not inlined: GCC 12 crashes if it is, for SVE. */
    HWY_NOINLINE void find_rows(int i, const int *entries, const std::int32_t *index,
                                Rows &rows) const
    {
      const int lanes = static_cast<int>(hn::Lanes(D())), itype = job_.atoms.type[i];
      for (int k = 0; k < lanes; k++) {
        const EAMCDTables::Pair &pair = tables_.of(itype, job_.atoms.type[entries[k]]);
        rows.rhor_ij[k] = pair.rhor_ij + index[k];
        rows.rhor_ji[k] = pair.rhor_ji + index[k];
        rows.z2r[k] = pair.z2r + index[k];
        rows.from_b[k] = pair.from_b;
        rows.cross[k] = pair.cross;
      }
    }

    template <bool WITH_CROSS>
    void density(int i, const EAMInside &inside, const EAMCDSums &sums) const
    {
      const D d;
      V rho = hn::Zero(d), rho_b = rho, cross = rho;
      for_inside(i, inside, [&](const int *entries, const Located &of, const std::int32_t *index) {
        Rows rows;
        V density, z2;
        find_rows(i, entries, index, rows);
        const auto some = are_inside(of.rsq);
        spline_value(d, tables_.rhor.data(), rows.rhor_ji, of.p, density);
        density = hn::IfThenElseZero(some, density);
        rho = hn::Add(rho, density);
        rho_b = hn::MulAdd(hn::Load(d, rows.from_b), density, rho_b);
        if constexpr (WITH_CROSS) {
          spline_value(d, tables_.z2r.data(), rows.z2r, of.p, z2);
          const V phi = hn::IfThenElseZero(some, hn::Mul(z2, of.rinv));
          cross = hn::MulAdd(hn::Load(d, rows.cross), phi, cross);
        }
      });
      sums.rho[i] = sum_of(d, rho);
      sums.rho_b[i] = sum_of(d, rho_b);
      if (WITH_CROSS) sums.cross[i] = sum_of(d, cross);
    }

    double slope(int i, const EAMInside &inside, const double *atoms) const
    {
      const D d;
      const double *const own = atoms + EAMCDAtom::STRIDE * static_cast<std::size_t>(i);
      if (own[EAMCDAtom::DEPENDS] == 0.0) return 0.0;
      V sum = hn::Zero(d);
      for_inside(i, inside, [&](const int *entries, const Located &of, const std::int32_t *index) {
        Rows rows;
        V z2, by_others, by_b, site, depends;
        find_rows(i, entries, index, rows);
        load_rows(d, atoms, entries, EAMCDAtom::STRIDE, by_others, by_b, site, depends);
        spline_value(d, tables_.z2r.data(), rows.z2r, of.p, z2);
        const V mean = hn::Mul(hn::Set(d, 0.5), hn::Add(hn::Set(d, own[EAMCDAtom::SITE]), site));
        const V factor = hn::Mul(hn::Mul(hn::Load(d, rows.cross), depends), h_slope(mean));
        const V phi = hn::IfThenElseZero(are_inside(of.rsq), hn::Mul(z2, of.rinv));
        sum = hn::MulAdd(factor, phi, sum);
      });
      return sum_of(d, sum);
    }

    HWY_INLINE V h(V x) const
    {
      const D d;
      V value = hn::Zero(d);
      for (std::size_t k = tables_.h.size(); k-- > 0;)
        value = hn::MulAdd(value, x, hn::Set(d, tables_.h[k]));
      return value;
    }

    HWY_INLINE V h_slope(V x) const
    {
      const D d;
      V value = hn::Zero(d);
      for (std::size_t k = tables_.h.size(); k-- > 1;)
        value = hn::MulAdd(value, x, hn::Set(d, static_cast<double>(k) * tables_.h[k]));
      return value;
    }

    template <Tallies TALLIES>
    void force(int i, const EAMInside &inside, const double *atoms, PairTally &tally) const
    {
      const D d;
      V fx = hn::Zero(d), fy = fx, fz = fx, evdwl = fx, ecoul = fx;
      V vxx = fx, vyy = fx, vzz = fx, vxy = fx, vxz = fx, vyz = fx;
      const RowSums<V> sums{fx, fy, fz, evdwl, ecoul, vxx, vyy, vzz, vxy, vxz, vyz};
      for_inside(i, inside, [&](const int *entries, const Located &of, const std::int32_t *index) {
        V fpair, phi;
        pair(i, entries, of, index, atoms, fpair, phi);
        const V &x = of.delx, &y = of.dely, &z = of.delz;
        const V px = hn::Mul(x, fpair), py = hn::Mul(y, fpair), pz = hn::Mul(z, fpair);
        add_to_sums<TALLIES>(x, y, z, px, py, pz, phi, sums);
      });
      add_full_row<D, TALLIES>(job_, i, sums, tally);
    }

    /** Some pairs: force on atom i divided by the distance, and energy. */
    HWY_INLINE void pair(int i, const int *entries, const Located &of, const std::int32_t *index,
                         const double *atoms, V &fpair, V &phi) const
    {
      const D d;
      Rows rows;
      find_rows(i, entries, index, rows);
      const auto some = are_inside(of.rsq);
      const V rinv = of.rinv, p = of.p, rdr = hn::Set(d, tables_.rdr);
      const V one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);

      // density of each atom at the place of the other, by the species it comes from

      const double *const own = atoms + EAMCDAtom::STRIDE * static_cast<std::size_t>(i);
      const bool own_is_b = tables_.of(1, job_.atoms.type[i]).from_b != 0.0;
      V by_others, by_b, site, depends, unused, slope_ij, slope_ji, z2, z2p;
      load_rows(d, atoms, entries, EAMCDAtom::STRIDE, by_others, by_b, site, depends);
      const V theirs = own_is_b ? by_b : by_others;
      const V mine = hn::MulAdd(hn::Load(d, rows.from_b),
                                hn::Set(d, own[EAMCDAtom::BY_B] - own[EAMCDAtom::BY_OTHERS]),
                                hn::Set(d, own[EAMCDAtom::BY_OTHERS]));
      spline_slope(d, tables_.rhor.data(), rows.rhor_ij, p, rdr, unused, slope_ij);
      spline_slope(d, tables_.rhor.data(), rows.rhor_ji, p, rdr, unused, slope_ji);

      // the pair itself, whose energy depends on the concentration if it is one of A and B

      const V own_site = hn::Set(d, own[EAMCDAtom::SITE]);
      const V mean = hn::Mul(half, hn::Add(own_site, site));
      const V factor = tables_.two_site ? h(mean) : mean;
      const V dependent =
          hn::Mul(hn::Load(d, rows.cross), hn::Mul(depends, hn::Set(d, own[EAMCDAtom::DEPENDS])));
      const V strength = hn::IfThenElse(hn::Ne(dependent, hn::Zero(d)), factor, one);
      spline_slope(d, tables_.z2r.data(), rows.z2r, p, rdr, z2, z2p);
      const V bare = hn::Mul(z2, rinv);
      const V phip = hn::Mul(hn::Sub(z2p, bare), rinv);
      const V psip =
          hn::MulAdd(mine, slope_ji, hn::MulAdd(theirs, slope_ij, hn::Mul(strength, phip)));
      fpair = hn::IfThenElseZero(some, hn::Neg(hn::Mul(psip, rinv)));
      phi = hn::IfThenElseZero(some, hn::Mul(strength, bare));
    }
  };

  void eam_cd_densities(const EAMCDTables &tables, const PairJob &job, int first, int last,
                        RowArena &arena, EAMInside &inside, const EAMCDSums &sums)
  {
    EAMCDLoop(tables, job).densities(first, last, arena, inside, sums);
  }

  void eam_cd_slopes(const EAMCDTables &tables, const PairJob &job, int first, int last,
                     const EAMInside &inside, const double *atoms, double *cross)
  {
    EAMCDLoop(tables, job).slopes(first, last, inside, atoms, cross);
  }

  void eam_cd_forces(const EAMCDTables &tables, const PairJob &job, int first, int last,
                     const EAMInside &inside, const double *atoms, PairTally &tally)
  {
    with_tallies(job.tallies, [&](auto tallies) {
      const EAMCDLoop loop(tables, job);
      loop.template forces<decltype(tallies)::value>(first, last, inside, atoms, tally);
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, eam_cd_densities,
            (const EAMCDTables &tables, const PairJob &job, int first, int last, RowArena &arena,
             EAMInside &inside, const EAMCDSums &sums),
            (tables, job, first, last, arena, inside, sums));

TOFU_EXPORT(void, eam_cd_slopes,
            (const EAMCDTables &tables, const PairJob &job, int first, int last,
             const EAMInside &inside, const double *atoms, double *cross),
            (tables, job, first, last, inside, atoms, cross));

TOFU_EXPORT(void, eam_cd_forces,
            (const EAMCDTables &tables, const PairJob &job, int first, int last,
             const EAMInside &inside, const double *atoms, PairTally &tally),
            (tables, job, first, last, inside, atoms, tally));

double eam_cd_h(const EAMCDTables &tables, double x)
{
  double value = 0.0;
  for (std::size_t k = tables.h.size(); k-- > 0;) value = value * x + tables.h[k];
  return value;
}

double eam_cd_h_slope(const EAMCDTables &tables, double x)
{
  double value = 0.0;
  for (std::size_t k = tables.h.size(); k-- > 1;)
    value = value * x + static_cast<double>(k) * tables.h[k];
  return value;
}

}    // namespace TOFU_NS
#endif
