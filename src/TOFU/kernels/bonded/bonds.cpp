// SPDX-License-Identifier: GPL-2.0-only

#include "bonds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bonded/bonds.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "bonded_loop-inl.h"

#include <cmath>
#include <cstddef>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  struct Bond {
    static constexpr int NATOMS = 2;

    template <class V>
    static HWY_INLINE void set_force(const Arrow<V> &side, V force_by_distance,
                                     const BondedResults<V> &out)
    {
      out.force1.set(hn::Mul(side.x, force_by_distance), hn::Mul(side.y, force_by_distance),
                     hn::Mul(side.z, force_by_distance));
    }
  };

  struct HarmonicBond : Bond {
    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      const V r = hn::Sqrt(dot(in.side1, in.side1)), dr = hn::Sub(r, in.c1);
      const V slope = hn::Mul(in.c0, dr);
      const auto apart = hn::Gt(r, hn::Zero(d));
      set_force(in.side1, hn::IfThenElseZero(apart, hn::Div(hn::Mul(hn::Set(d, -2.0), slope), r)),
                out);
      if (in.energy) out.energy = hn::Mul(slope, dr);
      return nothing(d);
    }
  };

  struct FENEBond : Bond {
    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      V force;
      const auto too_long = fene(d, dot(in.side1, in.side1), in, force, out.energy);
      set_force(in.side1, force, out);
      return too_long;
    }

    /** \param rsq     of the length, by which the force is divided
        \param force   over this length */
    template <class D, class V>
    static HWY_INLINE hn::Mask<D> fene(D d, V rsq, const BondedVectors<V> &in, V &force, V &energy)
    {
      const V &k = in.c0, &r0sq = in.c1, &epsilon = in.c2, &sigmasq = in.c3;
      const V one = hn::Set(d, 1.0);
      V logarg = hn::Sub(one, hn::Div(rsq, r0sq));
      const auto too_long = hn::Lt(logarg, hn::Set(d, LEAST));
      logarg = hn::IfThenElse(too_long, hn::Set(d, LEAST), logarg);

      const auto repulsive = hn::Lt(rsq, hn::Mul(hn::Set(d, CUBE_ROOT_2), sigmasq));
      const V r2inv = hn::Div(one, rsq), sr2 = hn::Mul(sigmasq, r2inv);
      const V sr6 = hn::Mul(hn::Mul(sr2, sr2), sr2);
      const V lj = hn::Mul(
          hn::Mul(hn::Mul(hn::Set(d, 48.0), epsilon), hn::Mul(sr6, hn::Sub(sr6, hn::Set(d, 0.5)))),
          r2inv);
      force = hn::Sub(hn::IfThenElseZero(repulsive, lj), hn::Div(k, logarg));

      if (in.energy) {
        const V lj_energy =
            hn::MulAdd(hn::Mul(hn::Set(d, 4.0), epsilon), hn::Mul(sr6, hn::Sub(sr6, one)), epsilon);
        energy = hn::MulAdd(hn::Mul(hn::Mul(hn::Set(d, -0.5), k), r0sq), hn::Log(d, logarg),
                            hn::IfThenElseZero(repulsive, lj_energy));
      }
      return too_long;
    }

    static constexpr double CUBE_ROOT_2 = 1.25992104989487316476721060728;

   private:
    static constexpr double LEAST = 0.1;
  };

  /** All lanes of a call have the same form. */
  struct BondOfLength : Bond {
    const BondForm form;
    const BondFormTables &tables;

    BondOfLength(BondForm form_in, const BondFormTables &tables_in) :
        form(form_in), tables(tables_in)
    {
    }

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      const V rsq = dot(in.side1, in.side1), r = hn::Sqrt(rsq);
      V slope;
      auto flagged = nothing(d);
      switch (form) {
        case BondForm::MORSE:
          morse(d, r, in, slope, out.energy);
          break;
        case BondForm::FENE_EXPAND:
          flagged = fene_expand(d, r, in, slope, out.energy);
          break;
        case BondForm::CLASS2:
          class2(d, r, in, slope, out.energy);
          break;
        case BondForm::GROMOS:
          gromos(d, r, rsq, in, slope, out.energy);
          break;
        case BondForm::NONLINEAR:
          nonlinear(d, r, in, slope, out.energy);
          break;
        case BondForm::QUARTIC:
          flagged = quartic(d, r, rsq, in, slope, out.energy);
          break;
        case BondForm::TABLE:
          flagged = look_up(d, *tables.tables, in.types, r, out.energy, slope);
          break;
      }
      const auto apart = hn::Gt(r, hn::Zero(d));
      set_force(in.side1, hn::IfThenElseZero(apart, hn::Div(hn::Neg(slope), r)), out);
      return flagged;
    }

   private:
    template <class D, class V>
    static HWY_INLINE void morse(D d, V r, const BondedVectors<V> &in, V &slope, V &energy)
    {
      const V ralpha = hn::Exp(d, hn::Mul(in.c1, hn::Sub(in.c2, r)));
      const V rest = hn::Sub(hn::Set(d, 1.0), ralpha), depth = hn::Mul(in.c0, rest);
      slope = hn::Mul(hn::Mul(hn::Add(depth, depth), in.c1), ralpha);
      energy = hn::Mul(depth, rest);
    }

    template <class D, class V>
    HWY_INLINE hn::Mask<D> fene_expand(D d, V r, const BondedVectors<V> &in, V &slope,
                                       V &energy) const
    {
      const V shifted = hn::Sub(r, by_type(d, in));
      V force;
      const auto too_long = FENEBond::fene(d, hn::Mul(shifted, shifted), in, force, energy);
      slope = hn::Neg(hn::Mul(force, shifted));
      return too_long;
    }

    template <class D, class V>
    static HWY_INLINE void class2(D d, V r, const BondedVectors<V> &in, V &slope, V &energy)
    {
      const V dr = hn::Sub(r, in.c3);
      slope = hn::Mul(dr, quartic_slope(d, dr, in.c0, in.c1, in.c2));
      energy = hn::Mul(hn::Mul(dr, dr), hn::MulAdd(dr, hn::MulAdd(dr, in.c2, in.c1), in.c0));
    }

    template <class D, class V>
    static HWY_INLINE void gromos(D d, V r, V rsq, const BondedVectors<V> &in, V &slope, V &energy)
    {
      const V drsq = hn::Sub(rsq, in.c1), tension = hn::Mul(in.c0, drsq);
      slope = hn::Mul(hn::Mul(hn::Set(d, 4.0), tension), r);
      energy = hn::Mul(tension, drsq);
    }

    template <class D, class V>
    static HWY_INLINE void nonlinear(D, V r, const BondedVectors<V> &in, V &slope, V &energy)
    {
      const V dr = hn::Sub(r, in.c1), drsq = hn::Mul(dr, dr);
      const V ratio = hn::Div(in.c0, hn::Sub(in.c2, drsq));
      slope = hn::Div(hn::Mul(hn::Mul(hn::Add(dr, dr), in.c2), ratio), hn::Sub(in.c2, drsq));
      energy = hn::Mul(ratio, drsq);
    }

    template <class D, class V>
    HWY_INLINE hn::Mask<D> quartic(D d, V r, V rsq, const BondedVectors<V> &in, V &slope,
                                   V &energy) const
    {
      const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
      const V dr = hn::Sub(r, in.c3), a = hn::Sub(dr, in.c1), b = hn::Sub(dr, in.c2);
      const V kdr = hn::Mul(in.c0, dr), ab = hn::Mul(a, b);
      slope = hn::Mul(kdr, hn::MulAdd(dr, hn::Add(a, b), hn::Add(ab, ab)));
      energy = hn::MulAdd(hn::Mul(kdr, dr), ab, by_type(d, in));

      // Lennard-Jones with epsilon and sigma of 1, up to its minimum

      const V r2inv = hn::Div(one, rsq), sr6 = hn::Mul(hn::Mul(r2inv, r2inv), r2inv);
      const auto near = hn::Lt(rsq, hn::Set(d, FENEBond::CUBE_ROOT_2));
      const V lj = hn::Mul(hn::Mul(hn::Set(d, 48.0), sr6), hn::Sub(sr6, hn::Set(d, 0.5)));
      slope = hn::Sub(slope, hn::IfThenElseZero(near, hn::Mul(hn::Mul(lj, r2inv), r)));
      energy =
          hn::Add(energy,
                  hn::IfThenElseZero(
                      near, hn::MulAdd(hn::Mul(hn::Set(d, 4.0), sr6), hn::Sub(sr6, one), one)));

      HWY_ALIGN double types[hn::MaxLanes(D())];
      const int lanes = static_cast<int>(hn::Lanes(d));
      for (int lane = 0; lane < lanes; lane++) types[lane] = in.types[lane];
      const auto whole = hn::Gt(hn::Load(d, types), zero);
      const auto breaks = hn::And(whole, hn::Gt(rsq, hn::Mul(in.c3, in.c3)));
      const auto has_force = hn::AndNot(breaks, whole);
      slope = hn::IfThenElseZero(has_force, slope);
      energy = hn::IfThenElseZero(has_force, energy);
      return breaks;
    }

    template <class D, class V> HWY_INLINE V by_type(D d, const BondedVectors<V> &in) const
    {
      HWY_ALIGN double values[hn::MaxLanes(D())];
      const int lanes = static_cast<int>(hn::Lanes(d));
      for (int lane = 0; lane < lanes; lane++) values[lane] = tables.by_type[in.types[lane]];
      return hn::Load(d, values);
    }
  };

  struct OneFour : Bond {
    const OneFourTables &tables;

    explicit OneFour(const OneFourTables &tables_in) : tables(tables_in) {}

    template <class D, class V>
    HWY_INLINE hn::Mask<D> operator()(D d, const BondedVectors<V> &in,
                                      const BondedResults<V> &out) const
    {
      HWY_ALIGN double qq[hn::MaxLanes(D())], lj[4][hn::MaxLanes(D())];
      const int lanes = static_cast<int>(hn::Lanes(d));
      for (int lane = 0; lane < lanes; lane++) {
        const int i = in.atoms[0][lane], j = in.atoms[1][lane];
        const int itype = tables.type[i], jtype = tables.type[j];
        qq[lane] = tables.q[i] * tables.q[j];
        lj[0][lane] = tables.lj1[itype][jtype];
        lj[1][lane] = tables.lj2[itype][jtype];
        lj[2][lane] = tables.lj3[itype][jtype];
        lj[3][lane] = tables.lj4[itype][jtype];
      }
      const V &weight = in.c0;
      const V rsq = dot(in.side1, in.side1), r2inv = hn::Div(hn::Set(d, 1.0), rsq);
      const V r6inv = hn::Mul(hn::Mul(r2inv, r2inv), r2inv);
      const V bare = hn::Mul(hn::Set(d, tables.qqrd2e), hn::Load(d, qq));
      V coul = hn::Mul(bare, tables.implicit ? r2inv : hn::Sqrt(r2inv)), other = coul;
      if (tables.shifted) shift(d, rsq, bare, coul, other);
      const V force = hn::Mul(r6inv, hn::MulSub(hn::Load(d, lj[0]), r6inv, hn::Load(d, lj[1])));
      set_force(in.side1, hn::Mul(hn::Mul(weight, hn::Add(force, coul)), r2inv), out);
      if (in.energy) {
        const V lj3 = hn::Load(d, lj[2]), lj4 = hn::Load(d, lj[3]);
        V energy = hn::Mul(r6inv, hn::MulSub(lj3, r6inv, lj4));
        if (tables.shifted)
          energy = hn::Sub(
              energy,
              hn::MulSub(lj3, hn::Set(d, tables.shift3), hn::Mul(lj4, hn::Set(d, tables.shift4))));
        out.energy = hn::Mul(weight, energy);
        out.other_energy = hn::Mul(weight, other);
      }
      return nothing(d);
    }

   private:
    /** Coulomb forces that end at the cut-off, and their energy: charges/r + charges r/cut^2 but
        for a constant. */
    template <class D, class V> HWY_INLINE void shift(D d, V rsq, V bare, V &force, V &energy) const
    {
      const V inverse = hn::Set(d, tables.inverse_cut);
      const V slope = hn::Mul(hn::Mul(force, rsq), hn::Mul(inverse, inverse));
      energy = hn::Sub(hn::Add(force, slope), hn::Mul(bare, hn::Add(inverse, inverse)));
      force = hn::Sub(force, slope);
    }
  };

  // Forces of bonds with few operations, one after the other: with rows that are turned into
  // columns and back, a processor has fewer roots and divisions under way, and takes longer.
  // Functions return the force over the length.

  struct HarmonicForce {
    HWY_INLINE double operator()(const double *c, double rsq) const
    {
      const double r = std::sqrt(rsq);
      return r > 0.0 ? -2.0 * c[0] * (r - c[1]) / r : 0.0;
    }
  };

  struct Class2Force {
    HWY_INLINE double operator()(const double *c, double rsq) const
    {
      const double r = std::sqrt(rsq), dr = r - c[3];
      const double slope = dr * (2.0 * c[0] + dr * (3.0 * c[1] + dr * 4.0 * c[2]));
      return r > 0.0 ? -slope / r : 0.0;
    }
  };

  struct GromosForce {
    HWY_INLINE double operator()(const double *c, double rsq) const
    {
      return -4.0 * c[0] * (rsq - c[1]);
    }
  };

  struct NonlinearForce {
    HWY_INLINE double operator()(const double *c, double rsq) const
    {
      const double r = std::sqrt(rsq), dr = r - c[1], rest = c[2] - dr * dr;
      return r > 0.0 ? -2.0 * c[0] * dr * c[2] / (rest * rest * r) : 0.0;
    }
  };

  HWY_INLINE void add_to(double *f, double fx, double fy, double fz)
  {
    f[0] += fx;
    f[1] += fy;
    f[2] += fz;
  }

  template <class Function>
  HWY_INLINE void add_force(const Function &function, const BondedCoefficients &coefficients,
                            const BondedJob &job, int k, bool own1, bool own2)
  {
    const int *const bond = job.list + 3 * static_cast<std::size_t>(job.order ? job.order[k] : k);
    const std::size_t first = 3 * static_cast<std::size_t>(bond[0]);
    const std::size_t second = 3 * static_cast<std::size_t>(bond[1]);
    const double *const x1 = job.x + first, *const x2 = job.x + second;
    const double *const c = coefficients.table + BondedCoefficients::N * bond[2];
    const double dx = x1[0] - x2[0], dy = x1[1] - x2[1], dz = x1[2] - x2[2];
    const double force = function(c, dx * dx + dy * dy + dz * dz);
    if (own1) add_to(job.f + first, dx * force, dy * force, dz * force);
    if (own2) add_to(job.f + second, -dx * force, -dy * force, -dz * force);
  }

  template <class Function>
  void add_forces(const Function &function, const BondedCoefficients &c, const BondedJob &job)
  {
    for (int k = 0; k < job.ninner; k++) add_force(function, c, job, k, true, true);
    for (int k = job.ninner; k < job.n; k++) {
      const unsigned char own = job.own[k - job.ninner];
      add_force(function, c, job, k, own & 1, own & 2);
    }
  }

  BondedJob without_forces(BondedJob job)
  {
    job.f = nullptr;
    return job;
  }

  void bond_harmonic(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    add_forces(HarmonicForce(), c, job);
    if (job.tallied) compute_bonded(HarmonicBond(), c, without_forces(job), tally);
  }

  void bond_fene(const BondedCoefficients &c, const BondedJob &job, PairTally &tally)
  {
    compute_bonded(FENEBond(), c, job, tally);
  }

  /** \return   whether the form is one of those whose forces are computed one after the other */
  bool add_simple_forces(BondForm form, const BondedCoefficients &c, const BondedJob &job)
  {
    switch (form) {
      case BondForm::CLASS2:
        add_forces(Class2Force(), c, job);
        return true;
      case BondForm::GROMOS:
        add_forces(GromosForce(), c, job);
        return true;
      case BondForm::NONLINEAR:
        add_forces(NonlinearForce(), c, job);
        return true;
      default:
        return false;
    }
  }

  void bond_of_length(BondForm form, const BondFormTables &tables, const BondedCoefficients &c,
                      const BondedJob &job, PairTally &tally)
  {
    const bool done = add_simple_forces(form, c, job);
    if (!done || job.tallied)
      compute_bonded(BondOfLength(form, tables), c, done ? without_forces(job) : job, tally);
  }

  void one_four_pairs(const OneFourTables &tables, const BondedCoefficients &c,
                      const BondedJob &job, PairTally &tally)
  {
    compute_bonded(OneFour(tables), c, job, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, bond_harmonic,
            (const BondedCoefficients &c, const BondedJob &job, PairTally &tally), (c, job, tally));

TOFU_EXPORT(void, bond_fene, (const BondedCoefficients &c, const BondedJob &job, PairTally &tally),
            (c, job, tally));

TOFU_EXPORT(void, bond_of_length,
            (BondForm form, const BondFormTables &tables, const BondedCoefficients &c,
             const BondedJob &job, PairTally &tally),
            (form, tables, c, job, tally));

TOFU_EXPORT(void, one_four_pairs,
            (const OneFourTables &tables, const BondedCoefficients &c, const BondedJob &job,
             PairTally &tally),
            (tables, c, job, tally));

}    // namespace TOFU_NS
#endif
