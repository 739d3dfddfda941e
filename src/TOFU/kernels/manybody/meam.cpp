// SPDX-License-Identifier: GPL-2.0-only

#include "meam.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/meam.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/pair/pair_sums-inl.h"
#include "kernels/simd/rows-inl.h"

#include <hwy/contrib/math/math-inl.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Baskes, Phys. Rev. B 46, 2727 (1992): partial densities of each atom are sums of a spherical
      one and of three with an angle, and its energy is a function of them. */
  class MEAMLoop {
   public:
    explicit MEAMLoop(const MEAMTables &tables, const MEAMPairs &pairs) :
        tables_(tables), pairs_(pairs), row_(tables.row()), stride_(row_.stride())
    {
    }

    void densities(double *sums) const
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      for (int k = 0; k < pairs_.n; k += lanes) add_densities(k, sums);
    }

    template <Tallies TALLIES>
    void forces(const PairJob &job, double *pull, const double *derivatives, PairTally &tally) const
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      for (int k = 0; k < pairs_.n; k += lanes)
        pair_forces<TALLIES>(job, k, pull, derivatives, tally);
      for (int k = 0; k < pairs_.ntriples; k += lanes) triple_forces<TALLIES>(job, k, tally);
    }

   private:
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr int MOST = static_cast<int>(hn::MaxLanes(D()));
    static constexpr std::size_t ELEMENT = sizeof(MEAMTables::Element) / sizeof(double);

    const MEAMTables &tables_;
    const MEAMPairs &pairs_;
    const MEAMRow row_;
    const std::size_t stride_;

    /** Unit vectors of some pairs, from i to j, and products of their components. */
    struct Directions {
      V &x, &y, &z, &xx, &xy, &xz, &yy, &yz, &zz;
    };

    HWY_INLINE void find_directions(int k, V rinv, const Directions &to) const
    {
      const D d;
      to.x = hn::Mul(hn::Load(d, pairs_.delx.data() + k), rinv);
      to.y = hn::Mul(hn::Load(d, pairs_.dely.data() + k), rinv);
      to.z = hn::Mul(hn::Load(d, pairs_.delz.data() + k), rinv);
      to.xx = hn::Mul(to.x, to.x);
      to.xy = hn::Mul(to.x, to.y);
      to.xz = hn::Mul(to.x, to.z);
      to.yy = hn::Mul(to.y, to.y);
      to.yz = hn::Mul(to.y, to.z);
      to.zz = hn::Mul(to.z, to.z);
    }

    /** What some elements contribute at these distances: spherical, and of the three moments. */
    struct Partial {
      V &zeroth, &first, &second, &third;
    };

    enum class Use { DENSITY, FORCE };

    template <Use USE>
    HWY_INLINE void contributions(int set, const int *elements, V r, const Partial &to,
                                  const Partial &slope) const
    {
      const D d;
      const MEAMTables::Element *const begin = tables_.elements.data()->data() + set;
      const double *const table = begin->slope;
      constexpr std::size_t SHIFT = 4, STRENGTH = USE == Use::DENSITY ? 8 : 12;
      V b0, b1, b2, b3, s0, s1, s2, s3;
      load_rows(d, table, elements, 2 * ELEMENT, b0, b1, b2, b3);
      load_rows(d, table + SHIFT, elements, 2 * ELEMENT, s0, s1, s2, s3);
      to.zeroth = hn::Exp(d, hn::NegMulAdd(b0, r, s0));
      to.first = hn::Exp(d, hn::NegMulAdd(b1, r, s1));
      to.second = hn::Exp(d, hn::NegMulAdd(b2, r, s2));
      to.third = hn::Exp(d, hn::NegMulAdd(b3, r, s3));
      load_rows(d, table + STRENGTH, elements, 2 * ELEMENT, s0, s1, s2, s3);
      to.zeroth = hn::Mul(to.zeroth, s0);
      to.first = hn::Mul(to.first, s1);
      to.second = hn::Mul(to.second, s2);
      to.third = hn::Mul(to.third, s3);
      if constexpr (USE == Use::FORCE) {
        slope.zeroth = hn::Neg(hn::Mul(b0, to.zeroth));
        slope.first = hn::Neg(hn::Mul(b1, to.first));
        slope.second = hn::Neg(hn::Mul(b2, to.second));
        slope.third = hn::Neg(hn::Mul(b3, to.third));
      }
    }

    /** Contributions of j, which i gets, and those of i. */
    template <Use USE>
    HWY_INLINE void both_contributions(int set, int k, V r, const Partial &of_j,
                                       const Partial &slope_j, const Partial &of_i,
                                       const Partial &slope_i) const
    {
      contributions<USE>(set, pairs_.jelement.data() + k, r, of_j, slope_j);
      if (tables_.nelements > 1) {
        contributions<USE>(set, pairs_.ielement.data() + k, r, of_i, slope_i);
        return;
      }
      of_i.zeroth = of_j.zeroth;
      of_i.first = of_j.first;
      of_i.second = of_j.second;
      of_i.third = of_j.third;
      if constexpr (USE == Use::FORCE) {
        slope_i.zeroth = slope_j.zeroth;
        slope_i.first = slope_j.first;
        slope_i.second = slope_j.second;
        slope_i.third = slope_j.third;
      }
    }

    void add_densities(int k, double *sums) const
    {
      const D d;
      const V r = hn::Load(d, pairs_.r.data() + k), rinv = hn::Div(hn::Set(d, 1.0), r);
      const V screening = hn::Load(d, pairs_.screening.data() + k);
      const int *const i = pairs_.i.data() + k, *const j = pairs_.j.data() + k;
      V x, y, z, xx, xy, xz, yy, yz, zz;
      const Directions n{x, y, z, xx, xy, xz, yy, yz, zz};
      find_directions(k, rinv, n);
      for (int set = 0; set < row_.nblocks; set++) {
        V j0, j1, j2, j3, i0, i1, i2, i3;
        const Partial of_j{j0, j1, j2, j3}, of_i{i0, i1, i2, i3};
        both_contributions<Use::DENSITY>(set, k, r, of_j, of_j, of_i, of_i);
        if (set == 0) {
          add_spherical(i, pairs_.jelement.data() + k, hn::Mul(j0, screening), sums);
          add_spherical(j, pairs_.ielement.data() + k, hn::Mul(i0, screening), sums);
        }
        double *const block = sums + static_cast<std::size_t>(MEAMRow::BLOCK) * set;
        add_block(block, i, n, hn::Mul(j1, screening), hn::Mul(j2, screening),
                  hn::Mul(j3, screening));
        const V minus = hn::Neg(screening);
        add_block(block, j, n, hn::Mul(i1, minus), hn::Mul(i2, screening), hn::Mul(i3, minus));
      }
    }

    HWY_INLINE void add_spherical(const int *atoms, const int *elements, V density,
                                  double *sums) const
    {
      HWY_ALIGN double of[MOST];
      hn::Store(density, D(), of);
      double *const begin = sums + row_.spherical();
      for (int lane = 0; lane < static_cast<int>(hn::Lanes(D())); lane++)
        begin[stride_ * atoms[lane] + elements[lane]] += of[lane];
    }

    HWY_INLINE void add_block(double *block, const int *atoms, const Directions &n, V first,
                              V second, V third) const
    {
      const D d;
      const auto add = [&](int place, V a, V b, V c, V e) {
        add_to_rows(d, block + place, atoms, stride_, a, b, c, e);
      };
      const V x3 = hn::Mul(third, n.x), y3 = hn::Mul(third, n.y), z3 = hn::Mul(third, n.z);
      add(MEAMRow::FIRST, hn::Mul(first, n.x), hn::Mul(first, n.y), hn::Mul(first, n.z), second);
      add(MEAMRow::THIRD_TRACE, x3, y3, z3, hn::Zero(d));
      add(MEAMRow::SECOND, hn::Mul(second, n.xx), hn::Mul(second, n.xy), hn::Mul(second, n.xz),
          hn::Mul(second, n.yy));
      add(MEAMRow::SECOND + 4, hn::Mul(second, n.yz), hn::Mul(second, n.zz), hn::Mul(x3, n.xx),
          hn::Mul(x3, n.xy));
      add(MEAMRow::THIRD + 2, hn::Mul(x3, n.xz), hn::Mul(x3, n.yy), hn::Mul(x3, n.yz),
          hn::Mul(x3, n.zz));
      add(MEAMRow::THIRD + 6, hn::Mul(y3, n.yy), hn::Mul(y3, n.yz), hn::Mul(y3, n.zz),
          hn::Mul(z3, n.zz));
    }

    /** Derivatives of an atom's energy: sums of products with contributions to its partial
        densities, and with slopes of these.

        \param gx   the former with respect to a unit vector in which they are homogeneous; gy, gz
                    likewise; radial: product of it with the unit vector */
    struct Derivatives {
      V &value, &slope, &gx, &gy, &gz, &radial;
    };

    /** Add those of one set.

        \param sign    1 for atoms i, -1 for atoms j, which see the other in the opposite direction
     */
    HWY_INLINE void add_derivatives(const double *block, const int *atoms, double sign,
                                    const Directions &n, const Partial &of, const Partial &slope,
                                    const Derivatives &to) const
    {
      const D d;
      V bx, by, bz, trace, tx, ty, tz, unused;
      load_rows(d, block + MEAMRow::FIRST, atoms, stride_, bx, by, bz, trace);
      load_rows(d, block + MEAMRow::THIRD_TRACE, atoms, stride_, tx, ty, tz, unused);
      V axx, axy, axz, ayy, ayz, azz, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9;
      load_rows(d, block + MEAMRow::SECOND, atoms, stride_, axx, axy, axz, ayy);
      load_rows(d, block + MEAMRow::SECOND + 4, atoms, stride_, ayz, azz, c0, c1);
      load_rows(d, block + MEAMRow::THIRD + 2, atoms, stride_, c2, c3, c4, c5);
      load_rows(d, block + MEAMRow::THIRD + 6, atoms, stride_, c6, c7, c8, c9);

      // gradients of the second and of the third moment

      const V sx = hn::MulAdd(axx, n.x, hn::MulAdd(axy, n.y, hn::Mul(axz, n.z)));
      const V sy = hn::MulAdd(axy, n.x, hn::MulAdd(ayy, n.y, hn::Mul(ayz, n.z)));
      const V sz = hn::MulAdd(axz, n.x, hn::MulAdd(ayz, n.y, hn::Mul(azz, n.z)));
      const V xy2 = hn::Add(n.xy, n.xy), xz2 = hn::Add(n.xz, n.xz), yz2 = hn::Add(n.yz, n.yz);
      const auto contract = [&](V xx, V xy, V xz, V yy, V yz, V zz) {
        return hn::Add(hn::MulAdd(xx, n.xx, hn::MulAdd(xy, xy2, hn::Mul(xz, xz2))),
                       hn::MulAdd(yy, n.yy, hn::MulAdd(yz, yz2, hn::Mul(zz, n.zz))));
      };
      const V ux = contract(c0, c1, c2, c3, c4, c5), uy = contract(c1, c3, c4, c6, c7, c8),
              uz = contract(c2, c4, c5, c7, c8, c9);

      const auto along = [&](V x, V y, V z) {
        return hn::MulAdd(x, n.x, hn::MulAdd(y, n.y, hn::Mul(z, n.z)));
      };
      const V odd = hn::Set(d, sign);
      const V first = hn::Mul(odd, along(bx, by, bz)), second = along(sx, sy, sz),
              third = hn::Mul(odd, along(ux, uy, uz)), rest = hn::Mul(odd, along(tx, ty, tz));
      const V second_value = hn::MulAdd(hn::Set(d, 0.5), second, trace);
      const V third_value = hn::MulAdd(hn::Set(d, 1.0 / 3.0), third, rest);
      to.value =
          hn::Add(to.value,
                  hn::MulAdd(of.first, first,
                             hn::MulAdd(of.second, second_value, hn::Mul(of.third, third_value))));
      to.slope = hn::Add(
          to.slope,
          hn::MulAdd(slope.first, first,
                     hn::MulAdd(slope.second, second_value, hn::Mul(slope.third, third_value))));
      to.radial = hn::Add(
          to.radial,
          hn::MulAdd(of.first, first,
                     hn::MulAdd(of.second, second, hn::Mul(of.third, hn::Add(third, rest)))));
      const V f1 = hn::Mul(odd, of.first), f3 = hn::Mul(odd, of.third);
      const auto gradient = [&](V b, V s, V u, V t) {
        return hn::MulAdd(f1, b, hn::MulAdd(of.second, s, hn::Mul(f3, hn::Add(u, t))));
      };
      to.gx = hn::Add(to.gx, gradient(bx, sx, ux, tx));
      to.gy = hn::Add(to.gy, gradient(by, sy, uy, ty));
      to.gz = hn::Add(to.gz, gradient(bz, sz, uz, tz));
    }

    /** Derivatives of the atoms' energies by the spherical densities of these elements. */
    HWY_INLINE V spherical_derivatives(const double *derivatives, const int *atoms,
                                       const int *elements) const
    {
      HWY_ALIGN double of[MOST];
      const double *const begin = derivatives + row_.spherical();
      for (int lane = 0; lane < static_cast<int>(hn::Lanes(D())); lane++)
        of[lane] = begin[stride_ * atoms[lane] + elements[lane]];
      return hn::Load(D(), of);
    }

    HWY_INLINE void pair_energies(int k, V r, V &energy, V &slope) const
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d));
      const hn::Rebind<std::int32_t, D> d32;
      const V rdr = hn::Set(d, tables_.rdr), place = hn::Mul(r, rdr);
      const auto m = hn::DemoteTo(d32, hn::Min(place, hn::Set(d, tables_.nr - 2.0)));
      HWY_ALIGN std::int32_t index[MOST];
      hn::Store(m, d32, index);
      for (int lane = 0; lane < lanes; lane++)
        index[lane] +=
            tables_.spline_of[static_cast<std::size_t>(pairs_.ielement.data()[k + lane]) *
                                  tables_.nelements +
                              pairs_.jelement.data()[k + lane]];
      const V p = hn::Min(hn::Sub(place, hn::PromoteTo(d, m)), hn::Set(d, 1.0));
      V a, b, c, e;
      load_rows(d, tables_.splines.data(), index, 4, a, b, c, e);
      energy = hn::MulAdd(hn::MulAdd(hn::MulAdd(a, p, b), p, c), p, e);
      const V a3 = hn::Mul(hn::Set(d, 3.0), a), b2 = hn::Add(b, b);
      slope = hn::Mul(rdr, hn::MulAdd(hn::MulAdd(a3, p, b2), p, c));
    }

    template <Tallies TALLIES>
    void pair_forces(const PairJob &job, int k, double *pull, const double *derivatives,
                     PairTally &tally) const
    {
      const D d;
      const int *const i = pairs_.i.data() + k, *const j = pairs_.j.data() + k;
      const V r = hn::Load(d, pairs_.r.data() + k), rinv = hn::Div(hn::Set(d, 1.0), r);
      V x, y, z, xx, xy, xz, yy, yz, zz;
      const Directions n{x, y, z, xx, xy, xz, yy, yz, zz};
      find_directions(k, rinv, n);

      V energy, energy_slope;
      pair_energies(k, r, energy, energy_slope);
      V value = energy, slope = energy_slope, gx = hn::Zero(d), gy = gx, gz = gx, radial = gx;
      const Derivatives all{value, slope, gx, gy, gz, radial};
      for (int set = 0; set < row_.nblocks; set++) {
        V j0, j1, j2, j3, i0, i1, i2, i3, dj0, dj1, dj2, dj3, di0, di1, di2, di3;
        const Partial of_j{j0, j1, j2, j3}, slope_j{dj0, dj1, dj2, dj3};
        const Partial of_i{i0, i1, i2, i3}, slope_i{di0, di1, di2, di3};
        both_contributions<Use::FORCE>(set, k, r, of_j, slope_j, of_i, slope_i);
        if (set == 0) {
          const V wi = spherical_derivatives(derivatives, i, pairs_.jelement.data() + k),
                  wj = spherical_derivatives(derivatives, j, pairs_.ielement.data() + k);
          value = hn::Add(value, hn::MulAdd(wi, j0, hn::Mul(wj, i0)));
          slope = hn::Add(slope, hn::MulAdd(wi, dj0, hn::Mul(wj, di0)));
        }
        const double *const block = derivatives + static_cast<std::size_t>(MEAMRow::BLOCK) * set;
        add_derivatives(block, i, 1.0, n, of_j, slope_j, all);
        add_derivatives(block, j, -1.0, n, of_i, slope_i, all);
      }

      const V scale = hn::Load(d, pairs_.scale.data() + k);
      const V screening = hn::Load(d, pairs_.screening.data() + k);
      const V change = hn::Load(d, pairs_.slope.data() + k);
      const V weight = hn::Mul(scale, screening);
      const V tangential = hn::Mul(weight, rinv);
      V central = hn::Mul(weight, hn::NegMulAdd(radial, rinv, slope));
      central = hn::MulAdd(hn::Mul(scale, value), hn::Mul(change, r), central);
      const V fx = hn::MulAdd(central, n.x, hn::Mul(tangential, gx)),
              fy = hn::MulAdd(central, n.y, hn::Mul(tangential, gy)),
              fz = hn::MulAdd(central, n.z, hn::Mul(tangential, gz));
      subtract_from_rows(d, job.forces.rows, j, fx, fy, fz);
      subtract_from_rows(d, job.forces.rows, i, hn::Neg(fx), hn::Neg(fy), hn::Neg(fz));
      hn::Store(hn::Mul(weight, value), d, pull + k);

      if constexpr (TALLIES == Tallies::ALL) add_energies(k, hn::Mul(weight, energy), tally);
      if constexpr (TALLIES != Tallies::NONE) {
        const V half = hn::Set(d, 0.5);
        const V delx = hn::Mul(r, n.x), dely = hn::Mul(r, n.y), delz = hn::Mul(r, n.z);
        const auto component = [&](V share, V a, V fa, V b, V fb) {
          return hn::Neg(hn::Mul(share, hn::MulAdd(a, fb, hn::Mul(b, fa))));
        };
        const int *const atoms[2] = {i, j};
        add_virials(atoms, 2, component(half, delx, fx, delx, fx),
                    component(half, dely, fy, dely, fy), component(half, delz, fz, delz, fz),
                    component(half, delx, fx, dely, fy), component(half, delx, fx, delz, fz),
                    component(half, dely, fy, delz, fz), lanes_of(k), tally);
      }
    }

    /** Those with a pair, of the vector that begins with the k-th. */
    int lanes_of(int k) const { return std::min(pairs_.n - k, static_cast<int>(hn::Lanes(D()))); }

    HWY_NOINLINE void add_energies(int k, V energy, PairTally &tally) const
    {
      tally.evdwl += sum_of(D(), energy);
      if (!tally.eatom) return;
      HWY_ALIGN double of[MOST];
      hn::Store(energy, D(), of);
      const int last = lanes_of(k);
      for (int lane = 0; lane < last; lane++) {
        tally.eatom[pairs_.i.data()[k + lane]] += 0.5 * of[lane];
        tally.eatom[pairs_.j.data()[k + lane]] += 0.5 * of[lane];
      }
    }

    /** Virials of some pairs or triples, of which each atom gets the same share.

        \param atoms   [natoms][lanes]
        \param last    lanes that are tallied by atom */
    HWY_NOINLINE void add_virials(const int *const *atoms, int natoms, V vxx, V vyy, V vzz, V vxy,
                                  V vxz, V vyz, int last, PairTally &tally) const
    {
      const D d;
      tally.virial[0] += sum_of(d, vxx);
      tally.virial[1] += sum_of(d, vyy);
      tally.virial[2] += sum_of(d, vzz);
      tally.virial[3] += sum_of(d, vxy);
      tally.virial[4] += sum_of(d, vxz);
      tally.virial[5] += sum_of(d, vyz);
      if (!tally.vatom) return;
      HWY_ALIGN double of[6][MOST];
      hn::Store(vxx, d, of[0]);
      hn::Store(vyy, d, of[1]);
      hn::Store(vzz, d, of[2]);
      hn::Store(vxy, d, of[3]);
      hn::Store(vxz, d, of[4]);
      hn::Store(vyz, d, of[5]);
      for (int lane = 0; lane < last; lane++)
        for (int n = 0; n < natoms; n++)
          for (int c = 0; c < 6; c++) tally.vatom[atoms[n][lane]][c] += of[c][lane] / natoms;
    }

    /** Forces since third atoms change the screening of pairs. */
    template <Tallies TALLIES> void triple_forces(const PairJob &job, int k, PairTally &tally) const
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d)), n = std::min(lanes, pairs_.ntriples - k);
      HWY_ALIGN int i[MOST], j[MOST], third[MOST];
      HWY_ALIGN double pull[MOST];
      for (int lane = 0; lane < lanes; lane++) {
        const int triple = std::min(k + lane, pairs_.ntriples - 1), pair = pairs_.pair[triple];
        i[lane] = pairs_.i.data()[pair];
        j[lane] = pairs_.j.data()[pair];
        third[lane] = pairs_.third[triple];
        pull[lane] = lane < n ? pairs_.pull.data()[pair] : 0.0;
      }
      V xi, yi, zi, xj, yj, zj, xk, yk, zk, unused;
      load_rows(d, job.atoms.rows, i, 4, xi, yi, zi, unused);
      load_rows(d, job.atoms.rows, j, 4, xj, yj, zj, unused);
      load_rows(d, job.atoms.rows, third, 4, xk, yk, zk, unused);
      const auto some = hn::FirstN(d, n);
      const V energy = hn::Load(d, pull);
      const V a = hn::IfThenElseZero(some, hn::Mul(energy, hn::LoadU(d, &pairs_.by_first[k]))),
              b = hn::IfThenElseZero(some, hn::Mul(energy, hn::LoadU(d, &pairs_.by_second[k])));
      const V ix = hn::Sub(xk, xi), iy = hn::Sub(yk, yi), iz = hn::Sub(zk, zi);
      const V jx = hn::Sub(xk, xj), jy = hn::Sub(yk, yj), jz = hn::Sub(zk, zj);
      const V aix = hn::Mul(a, ix), aiy = hn::Mul(a, iy), aiz = hn::Mul(a, iz);
      const V bjx = hn::Mul(b, jx), bjy = hn::Mul(b, jy), bjz = hn::Mul(b, jz);
      double *const rows = job.forces.rows;
      subtract_from_rows(d, rows, i, hn::Neg(aix), hn::Neg(aiy), hn::Neg(aiz));
      subtract_from_rows(d, rows, j, hn::Neg(bjx), hn::Neg(bjy), hn::Neg(bjz));
      subtract_from_rows(d, rows, third, hn::Add(aix, bjx), hn::Add(aiy, bjy), hn::Add(aiz, bjz));
      if constexpr (TALLIES != Tallies::NONE) {
        const auto minus = [&](V p, V fp, V q, V fq) {
          return hn::Neg(hn::MulAdd(p, fp, hn::Mul(q, fq)));
        };
        const int *const atoms[3] = {i, j, third};
        add_virials(atoms, 3, minus(ix, aix, jx, bjx), minus(iy, aiy, jy, bjy),
                    minus(iz, aiz, jz, bjz), minus(ix, aiy, jx, bjy), minus(ix, aiz, jx, bjz),
                    minus(iy, aiz, jy, bjz), n, tally);
      }
    }
  };

  void meam_densities(const MEAMTables &tables, const MEAMPairs &pairs, double *sums)
  {
    MEAMLoop(tables, pairs).densities(sums);
  }

  void meam_forces(const MEAMTables &tables, const PairJob &job, MEAMPairs &pairs,
                   const double *derivatives, PairTally &tally)
  {
    with_tallies(job.tallies, [&](auto tallies) {
      const MEAMLoop loop(tables, pairs);
      loop.template forces<decltype(tallies)::value>(job, pairs.pull.data(), derivatives, tally);
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, meam_densities, (const MEAMTables &tables, const MEAMPairs &pairs, double *sums),
            (tables, pairs, sums));

TOFU_EXPORT(void, meam_forces,
            (const MEAMTables &tables, const PairJob &job, MEAMPairs &pairs,
             const double *derivatives, PairTally &tally),
            (tables, job, pairs, derivatives, tally));

}    // namespace TOFU_NS
#endif
