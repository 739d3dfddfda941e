// SPDX-License-Identifier: GPL-2.0-only
//
// The loop that bonds, angles, dihedrals and impropers share: as many interactions at a time as a
// vector has lanes.  A potential is a template parameter:
//
//   struct Potential {
//     static constexpr int NATOMS = 2, 3 or 4;
//
//     // Args:
//     //   in     data of the interactions
//     //   out    forces on all atoms without the second, which gets the opposite of their sum;
//     //          two kinds of energies; all are 0 before
//     // Returns: mask of the interactions for which LAMMPS' style has a warning or an error
//     template <class D, class V>
//     hn::Mask<D> operator()(D d, const BondedVectors<V> &in, const BondedResults<V> &out) const;
//   };
//
// Lanes may share atoms, so forces are added one by one.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_BONDED_LOOP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_BONDED_LOOP_INL_H
#undef TOFU_KERNELS_BONDED_LOOP_INL_H
#else
#define TOFU_KERNELS_BONDED_LOOP_INL_H
#endif

#include "bonded_data.h"
#include "kernels/simd/rows-inl.h"

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  // references, since vectors of unknown length are no members

  template <class V> struct Arrow {
    const V &x, &y, &z;
  };

  template <class V> struct Force {
    V &x, &y, &z;

    HWY_INLINE void set(V fx, V fy, V fz) const
    {
      x = fx;
      y = fy;
      z = fz;
    }
  };

  template <class V> HWY_INLINE V dot(const Arrow<V> &a, const Arrow<V> &b)
  {
    return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
  }

  template <class V> HWY_INLINE void cross(const Arrow<V> &a, const Arrow<V> &b, V &x, V &y, V &z)
  {
    x = hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y));
    y = hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z));
    z = hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x));
  }

  template <class V> struct BondedVectors {
    Arrow<V> side1, side2, side3;    // from atom 2 to 1, from 2 to 3, from 3 to 4
    const V &c0, &c1, &c2, &c3;      // coefficients
    bool energy;                     // energies are wanted
    const int *const *atoms;         // [NATOMS][lanes]
    const int *types;                // [lanes]
  };

  template <class V> struct BondedResults {
    Force<V> force1, force3, force4;
    V &energy, &other_energy;
  };

  template <class Potential> class BondedLoop {
   public:
    BondedLoop(const Potential &potential, const BondedCoefficients &coefficients,
               const BondedJob &job, PairTally &tally) :
        potential_(potential),
        coefficients_(coefficients), job_(job), tally_(tally)
    {
    }

    void all()
    {
      V energy = hn::Zero(D()), other_energy = energy;
      V vxx = energy, vyy = energy, vzz = energy, vxy = energy, vxz = energy, vyz = energy;
      const Sums sums{energy, other_energy, vxx, vyy, vzz, vxy, vxz, vyz};
      const int lanes = static_cast<int>(hn::Lanes(D()));
      for (int k = 0; k < job_.ninner; k += lanes)
        some(k, std::min(lanes, job_.ninner - k), nullptr, sums);
      for (int k = job_.ninner; k < job_.n; k += lanes)
        some(k, std::min(lanes, job_.n - k), job_.own + (k - job_.ninner), sums);
      if (!job_.tallied) return;

      const D d;
      tally_.evdwl += sum_of(d, energy);
      tally_.ecoul += sum_of(d, other_energy);
      tally_.virial[0] += sum_of(d, vxx);
      tally_.virial[1] += sum_of(d, vyy);
      tally_.virial[2] += sum_of(d, vzz);
      tally_.virial[3] += sum_of(d, vxy);
      tally_.virial[4] += sum_of(d, vxz);
      tally_.virial[5] += sum_of(d, vyz);
    }

   private:
    static constexpr int NATOMS = Potential::NATOMS;
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr std::size_t LANES = hn::MaxLanes(D());

    struct Sums {
      V &energy, &other_energy, &vxx, &vyy, &vzz, &vxy, &vxz, &vyz;
    };

    const Potential &potential_;
    const BondedCoefficients &coefficients_;
    const BondedJob &job_;
    PairTally &tally_;
    HWY_ALIGN int atoms_[NATOMS][LANES];
    HWY_ALIGN int types_[LANES];

    int row(int k) const { return job_.order ? job_.order[k] : k; }

    /** Set the atoms of n interactions; lanes from n on repeat the last one, and have no weight. */
    void find_atoms(int k, int n)
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      for (int lane = 0; lane < lanes; lane++) {
        const int *const one =
            job_.list + static_cast<std::size_t>(row(k + std::min(lane, n - 1))) * (NATOMS + 1);
        for (int a = 0; a < NATOMS; a++) atoms_[a][lane] = one[a];
        types_[lane] = one[NATOMS];
      }
    }

    /** Compute n interactions from the k-th on.

        \param own   [n] which of their atoms are own ones; nullptr: all */
    HWY_INLINE void some(int k, int n, const unsigned char *own, const Sums &sums)
    {
      const D d;
      find_atoms(k, n);
      V unused = hn::Zero(d), x1, y1, z1, x2, y2, z2;
      load_rows(d, job_.x, atoms_[0], 3, x1, y1, z1, unused);
      load_rows(d, job_.x, atoms_[1], 3, x2, y2, z2, unused);
      x1 = hn::Sub(x1, x2);
      y1 = hn::Sub(y1, y2);
      z1 = hn::Sub(z1, z2);

      V x3 = hn::Zero(d), y3 = x3, z3 = x3, x4 = x3, y4 = x3, z4 = x3;
      if constexpr (NATOMS > 2) load_rows(d, job_.x, atoms_[2], 3, x3, y3, z3, unused);
      if constexpr (NATOMS > 3) {
        load_rows(d, job_.x, atoms_[3], 3, x4, y4, z4, unused);
        x4 = hn::Sub(x4, x3);
        y4 = hn::Sub(y4, y3);
        z4 = hn::Sub(z4, z3);
      }
      if constexpr (NATOMS > 2) {
        x3 = hn::Sub(x3, x2);
        y3 = hn::Sub(y3, y2);
        z3 = hn::Sub(z3, z2);
      }

      V c0, c1, c2, c3;
      load_rows(d, coefficients_.table, types_, BondedCoefficients::N, c0, c1, c2, c3);
      V f1x = hn::Zero(d), f1y = f1x, f1z = f1x, f3x = f1x, f3y = f1x, f3z = f1x;
      V f4x = f1x, f4y = f1x, f4z = f1x, energy = f1x, other_energy = f1x;
      const int *atoms[NATOMS];
      for (int a = 0; a < NATOMS; a++) atoms[a] = atoms_[a];
      const BondedVectors<V> in{{x1, y1, z1}, {x3, y3, z3}, {x4, y4, z4}, c0,    c1,
                                c2,           c3,           job_.tallied, atoms, types_};
      const BondedResults<V> out{
          {f1x, f1y, f1z}, {f3x, f3y, f3z}, {f4x, f4y, f4z}, energy, other_energy};
      const auto flagged = potential_(d, in, out);
      if (HWY_UNLIKELY(!hn::AllFalse(d, flagged))) report(flagged, k, n);

      if (job_.f) add_forces(n, own, out);
      if (!job_.tallied) return;

      // arms from atom 2 to the others

      const V arm4x = hn::Add(x3, x4), arm4y = hn::Add(y3, y4), arm4z = hn::Add(z3, z4);
      V vxx = virial(x1, f1x, x3, f3x, arm4x, f4x), vyy = virial(y1, f1y, y3, f3y, arm4y, f4y),
        vzz = virial(z1, f1z, z3, f3z, arm4z, f4z), vxy = virial(x1, f1y, x3, f3y, arm4x, f4y),
        vxz = virial(x1, f1z, x3, f3z, arm4x, f4z), vyz = virial(y1, f1z, y3, f3z, arm4y, f4z);
      const Sums values{energy, other_energy, vxx, vyy, vzz, vxy, vxz, vyz};
      add_to_atoms(n, own, values);
      add_to_sums(weights(n, own), values, sums);
    }

    static HWY_INLINE V virial(V arm1, V f1, V arm3, V f3, V arm4, V f4)
    {
      V sum = hn::Mul(arm1, f1);
      if constexpr (NATOMS > 2) sum = hn::MulAdd(arm3, f3, sum);
      if constexpr (NATOMS > 3) sum = hn::MulAdd(arm4, f4, sum);
      return sum;
    }

    template <class M> HWY_NOINLINE void report(M mask, int k, int n)
    {
      const D d;
      HWY_ALIGN double marks[LANES];
      hn::Store(hn::IfThenElseZero(mask, hn::Set(d, 1.0)), d, marks);
      for (int lane = 0; lane < n; lane++)
        if (marks[lane] != 0.0 && job_.flagged) job_.flagged->push_back(row(k + lane));
    }

    static bool is_own(const unsigned char *own, int lane, int a)
    {
      return !own || (own[lane] >> a & 1);
    }

    HWY_INLINE void add_forces(int n, const unsigned char *own, const BondedResults<V> &out)
    {
      const D d;
      HWY_ALIGN double forces[NATOMS][3][LANES];
      V x = out.force1.x, y = out.force1.y, z = out.force1.z;
      store(out.force1, forces[0]);
      if constexpr (NATOMS > 2) {
        x = hn::Add(x, out.force3.x);
        y = hn::Add(y, out.force3.y);
        z = hn::Add(z, out.force3.z);
        store(out.force3, forces[2]);
      }
      if constexpr (NATOMS > 3) {
        x = hn::Add(x, out.force4.x);
        y = hn::Add(y, out.force4.y);
        z = hn::Add(z, out.force4.z);
        store(out.force4, forces[3]);
      }
      hn::Store(hn::Neg(x), d, forces[1][0]);
      hn::Store(hn::Neg(y), d, forces[1][1]);
      hn::Store(hn::Neg(z), d, forces[1][2]);

      for (int lane = 0; lane < n; lane++)
        for (int a = 0; a < NATOMS; a++) {
          if (!is_own(own, lane, a)) continue;
          double *const f = job_.f + 3 * static_cast<std::size_t>(atoms_[a][lane]);
          f[0] += forces[a][0][lane];
          f[1] += forces[a][1][lane];
          f[2] += forces[a][2][lane];
        }
    }

    HWY_INLINE void store(const Force<V> &force, double (*to)[LANES])
    {
      const D d;
      hn::Store(force.x, d, to[0]);
      hn::Store(force.y, d, to[1]);
      hn::Store(force.z, d, to[2]);
    }

    /** Shares of own atoms in the interactions.  Those of all parts sum up to 1, or with newton off
        to the share of this rank's atoms. */
    HWY_INLINE V weights(int n, const unsigned char *own) const
    {
      const D d;
      if (!own) return hn::IfThenElseZero(hn::FirstN(d, n), hn::Set(d, 1.0));
      HWY_ALIGN double weight[LANES];
      const int lanes = static_cast<int>(hn::Lanes(d));
      for (int lane = 0; lane < lanes; lane++) {
        int nown = 0;
        for (int a = 0; a < NATOMS; a++) nown += lane < n && is_own(own, lane, a);
        weight[lane] = nown * (1.0 / NATOMS);
      }
      return hn::Load(d, weight);
    }

    HWY_INLINE void add_to_sums(V weight, const Sums &values, const Sums &sums)
    {
      sums.energy = hn::MulAdd(weight, values.energy, sums.energy);
      sums.other_energy = hn::MulAdd(weight, values.other_energy, sums.other_energy);
      sums.vxx = hn::MulAdd(weight, values.vxx, sums.vxx);
      sums.vyy = hn::MulAdd(weight, values.vyy, sums.vyy);
      sums.vzz = hn::MulAdd(weight, values.vzz, sums.vzz);
      sums.vxy = hn::MulAdd(weight, values.vxy, sums.vxy);
      sums.vxz = hn::MulAdd(weight, values.vxz, sums.vxz);
      sums.vyz = hn::MulAdd(weight, values.vyz, sums.vyz);
    }

    void add_to_atoms(int n, const unsigned char *own, const Sums &values)
    {
      if (tally_.eatom)
        add_shares(n, own, hn::Add(values.energy, values.other_energy),
                   [&](int atom) -> double & { return tally_.eatom[atom]; });
      if (!tally_.vatom) return;
      const auto component = [&](int c) {
        return [this, c](int atom) -> double & {
          return tally_.vatom[atom][c];
        };
      };
      add_shares(n, own, values.vxx, component(0));
      add_shares(n, own, values.vyy, component(1));
      add_shares(n, own, values.vzz, component(2));
      add_shares(n, own, values.vxy, component(3));
      add_shares(n, own, values.vxz, component(4));
      add_shares(n, own, values.vyz, component(5));
    }

    template <class Target>
    HWY_NOINLINE void add_shares(int n, const unsigned char *own, V values, Target &&target)
    {
      const D d;
      HWY_ALIGN double share[LANES];
      hn::Store(hn::Mul(values, hn::Set(d, 1.0 / NATOMS)), d, share);
      for (int lane = 0; lane < n; lane++)
        for (int a = 0; a < NATOMS; a++)
          if (is_own(own, lane, a)) target(atoms_[a][lane]) += share[lane];
    }
  };

  template <class Potential>
  void compute_bonded(const Potential &potential, const BondedCoefficients &coefficients,
                      const BondedJob &job, PairTally &tally)
  {
    BondedLoop<Potential>(potential, coefficients, job, tally).all();
  }

  /** The empty mask, of potentials without warnings. */
  template <class D> HWY_INLINE hn::Mask<D> nothing(D d)
  {
    return hn::FirstN(d, 0);
  }

  /** Clamp a cosine to [-1, 1], which rounding may have left, as LAMMPS does; NaN stays. */
  template <class D, class V> HWY_INLINE V clamped_cosine(D d, V c)
  {
    const V one = hn::Set(d, 1.0), minus_one = hn::Set(d, -1.0);
    c = hn::IfThenElse(hn::Gt(c, one), one, c);
    return hn::IfThenElse(hn::Lt(c, minus_one), minus_one, c);
  }

  /** The sine of an angle from 0 to pi, exact also where it is small. */
  template <class D, class V> HWY_INLINE V sine_of(D d, V c)
  {
    const V one = hn::Set(d, 1.0);
    return hn::Sqrt(hn::Mul(hn::Sub(one, c), hn::Add(one, c)));
  }

  /** The derivative of k2 x^2 + k3 x^3 + k4 x^4, divided by x. */
  template <class D, class V> HWY_INLINE V quartic_slope(D d, V x, V k2, V k3, V k4)
  {
    const V higher = hn::MulAdd(hn::Mul(hn::Set(d, 4.0), k4), x, hn::Mul(hn::Set(d, 3.0), k3));
    return hn::MulAdd(higher, x, hn::Add(k2, k2));
  }

  /** Interpolate energies and slopes, one lane after the other.

      \param x   argument of the tables
      \return    mask of lanes outside of the range of their table; both are 0 there */
  template <class D, class V>
  HWY_INLINE hn::Mask<D> look_up(D d, const BondedTables &tables, const int *types, V x, V &energy,
                                 V &slope)
  {
    HWY_ALIGN double place[hn::MaxLanes(D())], e[hn::MaxLanes(D())], f[hn::MaxLanes(D())],
        marks[hn::MaxLanes(D())];
    hn::Store(x, d, place);
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int lane = 0; lane < lanes; lane++)
      marks[lane] = tables.look_up(types[lane], place[lane], e[lane], f[lane]) ? 0.0 : 1.0;
    energy = hn::Load(d, e);
    slope = hn::Neg(hn::Load(d, f));
    return hn::Ne(hn::Load(d, marks), hn::Zero(d));
  }

  template <class D, class V> HWY_INLINE V at_least(D d, V value, double least)
  {
    const V bound = hn::Set(d, least);
    return hn::IfThenElse(hn::Lt(value, bound), bound, value);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
