// SPDX-License-Identifier: GPL-2.0-only

#include "adp.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/adp.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "embedded_atoms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Mishin, Mehl and Papaconstantopoulos, Acta Mater. 53, 4029 (2005). */
  class ADPLoop {
   public:
    ADPLoop(const ADPTables &tables, const PairJob &job) : tables_(tables), job_(job) {}

    void moments(int first, int last, RowArena &arena, EAMInside &inside, double *moments) const
    {
      for (int n = first; n < last; n++) {
        const int i = job_.list.atoms[n];
        find_inside(job_, tables_.cutsq, i, arena, inside);
        sum_up(i, inside, moments + ADPMoments::STRIDE * static_cast<std::size_t>(i));
      }
    }

    template <Tallies TALLIES>
    void forces(int first, int last, const EAMInside &inside, const double *moments,
                PairTally &tally) const
    {
      for (int n = first; n < last; n++) force<TALLIES>(job_.list.atoms[n], inside, moments, tally);
    }

   private:
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr std::size_t MOST = hn::MaxLanes(D());

    const ADPTables &tables_;
    const PairJob &job_;

    /** From some neighbors to atom i: distance, its inverse, and place in the splines. */
    struct Located {
      V &delx, &dely, &delz, &r, &rinv, &p;
    };

    /** \param index    [lanes] gets the intervals of the splines
        \param inside   whether there is such a neighbor: all but the padding */
    HWY_INLINE void locate(int i, const int *entries, const Located &of, std::int32_t *index,
                           hn::Mask<D> &inside) const
    {
      const D d;
      V x, y, z, unused;
      const V rsq = distances(d, job_, i, entries, x, y, z, unused);
      inside = hn::Lt(rsq, hn::Set(d, tables_.cutsq));
      of.delx = hn::IfThenElseZero(inside, x);
      of.dely = hn::IfThenElseZero(inside, y);
      of.delz = hn::IfThenElseZero(inside, z);
      of.r = hn::Sqrt(hn::IfThenElse(inside, rsq, hn::Set(d, 1.0)));
      of.rinv = hn::Div(hn::Set(d, 1.0), of.r);
      of.p = find_intervals(d, tables_.nr, tables_.rdr, of.r, index);
    }

    /** Rows of the splines of some pairs, from the begin of each kind of spline. */
    struct Rows {
      HWY_ALIGN int rhor_ij[MOST], rhor_ji[MOST], z2r[MOST], u2r[MOST], w2r[MOST];
    };

    /** Inline, GCC 12 crashes on it for SVE2 with vectors of 128 bits. */
    HWY_NOINLINE void find_rows(int i, const int *entries, const std::int32_t *index,
                                Rows &rows) const
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      const bool one = tables_.ntypes == 1;    // types are not looked at
      const int itype = one ? 1 : job_.atoms.type[i];
      for (int k = 0; k < lanes; k++) {
        const ADPTables::Pair &pair = tables_.of(itype, one ? 1 : job_.atoms.type[entries[k]]);
        rows.rhor_ij[k] = pair.rhor_ij + index[k];
        rows.rhor_ji[k] = pair.rhor_ji + index[k];
        rows.z2r[k] = pair.z2r + index[k];
        rows.u2r[k] = pair.u2r + index[k];
        rows.w2r[k] = pair.w2r + index[k];
      }
    }

    void sum_up(int i, const EAMInside &inside, double *to) const
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d)), n = inside.nneighbors[i];
      const int *const near = inside.first[i];
      V rho = hn::Zero(d), mu_x = rho, mu_y = rho, mu_z = rho;
      V xx = rho, yy = rho, zz = rho, yz = rho, xz = rho, xy = rho;
      for (int k = 0; k < n; k += lanes) {
        HWY_ALIGN std::int32_t index[MOST];
        Rows rows;
        hn::Mask<D> some = hn::FirstN(d, 0);
        V x, y, z, r, rinv, p;
        locate(i, near + k, Located{x, y, z, r, rinv, p}, index, some);
        find_rows(i, near + k, index, rows);
        V density, u, w;
        spline_value(d, tables_.rhor.data(), rows.rhor_ji, p, density);
        spline_value(d, tables_.u2r.data(), rows.u2r, p, u);
        spline_value(d, tables_.w2r.data(), rows.w2r, p, w);
        rho = hn::Add(rho, hn::IfThenElseZero(some, density));
        mu_x = hn::MulAdd(u, x, mu_x);
        mu_y = hn::MulAdd(u, y, mu_y);
        mu_z = hn::MulAdd(u, z, mu_z);
        const V wx = hn::Mul(w, x), wy = hn::Mul(w, y), wz = hn::Mul(w, z);
        xx = hn::MulAdd(wx, x, xx);
        yy = hn::MulAdd(wy, y, yy);
        zz = hn::MulAdd(wz, z, zz);
        yz = hn::MulAdd(wy, z, yz);
        xz = hn::MulAdd(wx, z, xz);
        xy = hn::MulAdd(wx, y, xy);
      }
      to[ADPMoments::DENSITY] = sum_of(d, rho);
      std::fill_n(to + ADPMoments::MU, 9, 0.0);
      add_sums(d, mu_x, mu_y, mu_z, to + ADPMoments::MU);
      add_sums(d, xx, yy, zz, to + ADPMoments::LAMBDA);
      add_sums(d, yz, xz, xy, to + ADPMoments::LAMBDA + 3);
    }

    template <Tallies TALLIES>
    void force(int i, const EAMInside &inside, const double *moments, PairTally &tally) const
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d)), n = inside.nneighbors[i];
      const int *const near = inside.first[i];
      V fx = hn::Zero(d), fy = fx, fz = fx, evdwl = fx, ecoul = fx;
      V vxx = fx, vyy = fx, vzz = fx, vxy = fx, vxz = fx, vyz = fx;
      const RowSums<V> sums{fx, fy, fz, evdwl, ecoul, vxx, vyy, vzz, vxy, vxz, vyz};
      for (int k = 0; k < n; k += lanes) {
        hn::Mask<D> some = hn::FirstN(d, 0);
        V x, y, z, px, py, pz, phi;
        pair(i, near + k, moments, x, y, z, px, py, pz, phi, some);
        add_to_sums<TALLIES>(x, y, z, px, py, pz, phi, sums);
      }
      add_full_row<D, TALLIES>(job_, i, sums, tally);
    }

    /** Some pairs: forces on atom i, and energies. */
    HWY_INLINE void pair(int i, const int *entries, const double *moments, V &x, V &y, V &z, V &fx,
                         V &fy, V &fz, V &phi, hn::Mask<D> &some) const
    {
      const D d;
      HWY_ALIGN std::int32_t index[MOST];
      Rows rows;
      V r, rinv, p;
      locate(i, entries, Located{x, y, z, r, rinv, p}, index, some);
      find_rows(i, entries, index, rows);

      // sums of the moments of both atoms, differences of dipoles

      constexpr int STRIDE = ADPMoments::STRIDE;
      const double *const own = moments + STRIDE * static_cast<std::size_t>(i);
      const auto mine = [&](int which) {
        return hn::Set(d, own[which]);
      };
      V fp, mu_x, mu_y, mu_z, xx, yy, zz, yz, xz, xy, unused, unused_too;
      load_rows(d, moments, entries, STRIDE, fp, mu_x, mu_y, mu_z);
      load_rows(d, moments + 4, entries, STRIDE, xx, yy, zz, yz);
      load_rows(d, moments + 8, entries, STRIDE, xz, xy, unused, unused_too);
      mu_x = hn::Sub(mine(1), mu_x);
      mu_y = hn::Sub(mine(2), mu_y);
      mu_z = hn::Sub(mine(3), mu_z);
      xx = hn::Add(mine(4), xx);
      yy = hn::Add(mine(5), yy);
      zz = hn::Add(mine(6), zz);
      yz = hn::Add(mine(7), yz);
      xz = hn::Add(mine(8), xz);
      xy = hn::Add(mine(9), xy);

      // the pair, and what is embedded

      const V rdr = hn::Set(d, tables_.rdr), two = hn::Set(d, 2.0);
      V slope_ij, slope_ji, z2, z2p, u, up, w, wp;
      spline_slope(d, tables_.rhor.data(), rows.rhor_ij, p, rdr, unused, slope_ij);
      spline_slope(d, tables_.rhor.data(), rows.rhor_ji, p, rdr, unused, slope_ji);
      spline_slope(d, tables_.z2r.data(), rows.z2r, p, rdr, z2, z2p);
      phi = hn::Mul(z2, rinv);
      const V phip = hn::Mul(hn::Sub(z2p, phi), rinv);
      const V psip = hn::MulAdd(mine(0), slope_ji, hn::MulAdd(fp, slope_ij, phip));

      // dipoles and quadrupoles: what is along the distance, and what is not

      spline_slope(d, tables_.u2r.data(), rows.u2r, p, rdr, u, up);
      spline_slope(d, tables_.w2r.data(), rows.w2r, p, rdr, w, wp);
      const V lx = hn::MulAdd(xx, x, hn::MulAdd(xy, y, hn::Mul(xz, z)));
      const V ly = hn::MulAdd(xy, x, hn::MulAdd(yy, y, hn::Mul(yz, z)));
      const V lz = hn::MulAdd(xz, x, hn::MulAdd(yz, y, hn::Mul(zz, z)));
      const V dipole = hn::MulAdd(mu_x, x, hn::MulAdd(mu_y, y, hn::Mul(mu_z, z)));
      const V quadrupole = hn::MulAdd(lx, x, hn::MulAdd(ly, y, hn::Mul(lz, z)));
      const V third_of_trace = hn::Mul(hn::Set(d, 1.0 / 3.0), hn::Add(xx, hn::Add(yy, zz)));
      const V trace = hn::Mul(third_of_trace, hn::MulAdd(wp, r, hn::Mul(two, w)));
      const V along = hn::MulAdd(hn::MulAdd(dipole, up, hn::MulAdd(quadrupole, wp, psip)), rinv,
                                 hn::Neg(trace));
      const V twice_w = hn::Mul(two, w);
      const auto component = [&](V del, V mu, V l) {
        const V sum = hn::MulAdd(along, del, hn::MulAdd(mu, u, hn::Mul(twice_w, l)));
        return hn::IfThenElseZero(some, hn::Neg(sum));
      };
      fx = component(x, mu_x, lx);
      fy = component(y, mu_y, ly);
      fz = component(z, mu_z, lz);
      phi = hn::IfThenElseZero(some, phi);
    }
  };

  void adp_moments(const ADPTables &tables, const PairJob &job, int first, int last,
                   RowArena &arena, EAMInside &inside, double *moments)
  {
    ADPLoop(tables, job).moments(first, last, arena, inside, moments);
  }

  void adp_forces(const ADPTables &tables, const PairJob &job, int first, int last,
                  const EAMInside &inside, const double *moments, PairTally &tally)
  {
    with_tallies(job.tallies, [&](auto tallies) {
      const ADPLoop loop(tables, job);
      loop.template forces<decltype(tallies)::value>(first, last, inside, moments, tally);
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, adp_moments,
            (const ADPTables &tables, const PairJob &job, int first, int last, RowArena &arena,
             EAMInside &inside, double *moments),
            (tables, job, first, last, arena, inside, moments));

TOFU_EXPORT(void, adp_forces,
            (const ADPTables &tables, const PairJob &job, int first, int last,
             const EAMInside &inside, const double *moments, PairTally &tally),
            (tables, job, first, last, inside, moments, tally));

}    // namespace TOFU_NS
#endif
