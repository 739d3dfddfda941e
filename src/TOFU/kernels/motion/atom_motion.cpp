// SPDX-License-Identifier: GPL-2.0-only

#include "atom_motion.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/motion/atom_motion.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/rows-inl.h"

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Of numbers of atoms, a vector, the n-th of three vectors of numbers of their coordinates: each
      number three times in a row. */
  template <class D> HWY_INLINE hn::Vec<D> third(D d, int n, hn::Vec<D> numbers)
  {
    if constexpr (hn::MaxLanes(D()) == 1) {
      return numbers;
    } else {
      HWY_ALIGN static constexpr std::int64_t atoms[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3,
                                                         4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7};
      return hn::TableLookupLanes(numbers, hn::SetTableIndices(d, atoms + n * hn::Lanes(d)));
    }
  }

  template <class D> HWY_INLINE hn::Vec<D> masses_from(D d, const AtomMasses &atoms, int i)
  {
    if (atoms.of_atoms) return hn::LoadU(d, atoms.of_atoms + i);
    if (atoms.one_type) return hn::Set(d, atoms.of_types[1]);
    return load_numbers(d, atoms.of_types, atoms.types + i);
  }

  /** Not 0 for atoms in the group. */
  template <class D> HWY_INLINE hn::Vec<D> members_from(D d, const AtomMasses &atoms, int i)
  {
    const hn::Rebind<std::int32_t, D> d32;
    return hn::PromoteTo(d, hn::And(hn::LoadU(d32, atoms.mask + i), hn::Set(d32, atoms.group)));
  }

  bool all_are_members(const AtomMasses &atoms)
  {
    if (!atoms.mask) return true;
    int outside = 0;
    for (int i = 0; i < atoms.natoms; i++) outside |= ~atoms.mask[i] & atoms.group;
    return !outside;
  }

  /** work(i) for as many vectors of atoms as there are from the first on.

      \return   first atom that is not in these */
  template <class D, class Work> HWY_INLINE int for_vectors(D d, int first, int natoms, Work &&work)
  {
    const int lanes = static_cast<int>(hn::Lanes(d));
    int i = first;
    for (; i + lanes <= natoms; i += lanes) work(i);
    return i;
  }

  /** Kick and move with the factor of mass that factor_of(d, i) gives for a vector of atoms. */
  template <bool ALL, bool KICK, bool MOVE, class D, class Factor>
  HWY_INLINE int advance(D d, const AtomMasses &atoms, int first, const Factor &factor_of,
                         const double *HWY_RESTRICT f, double *HWY_RESTRICT v, double time,
                         double *HWY_RESTRICT x)
  {
    using V = hn::Vec<D>;
    const V step = hn::Set(d, time);
    return for_vectors(d, first, atoms.natoms, [&](int i) HWY_ATTR {
      const V factor = factor_of(d, i), members = ALL ? hn::Zero(d) : members_from(d, atoms, i);
      for (int n = 0; n < 3; n++) {
        const std::size_t k = std::size_t{3} * i + n * hn::Lanes(d);
        const auto member = hn::Ne(third(d, n, members), hn::Zero(d));
        const V before = hn::LoadU(d, v + k);
        V after = before;
        if constexpr (KICK) {
          after = hn::MulAdd(third(d, n, factor), hn::LoadU(d, f + k), before);
          if constexpr (!ALL) after = hn::IfThenElse(member, after, before);
          hn::StoreU(after, d, v + k);
        }
        if constexpr (MOVE) {
          const V from = hn::LoadU(d, x + k);
          V to = hn::MulAdd(step, after, from);
          if constexpr (!ALL) to = hn::IfThenElse(member, to, from);
          hn::StoreU(to, d, x + k);
        }
      }
    });
  }

  template <bool ALL, bool KICK, bool MOVE, class Factor>
  void advance_all(const AtomMasses &atoms, const Factor &factor_of, const double *f, double *v,
                   double time, double *x)
  {
    const int rest = advance<ALL, KICK, MOVE>(DoublesUpTo<8>(), atoms, 0, factor_of, f, v, time, x);
    advance<ALL, KICK, MOVE>(DoublesUpTo<1>(), atoms, rest, factor_of, f, v, time, x);
  }

  template <bool KICK, bool MOVE>
  void kick_and_move_by(const AtomMasses &atoms, double factor, const double *f, double *v,
                        double time, double *x)
  {
    const auto by_mass = [&](auto d, int i) HWY_ATTR {
      if constexpr (KICK)
        return hn::Div(hn::Set(d, factor), masses_from(d, atoms, i));
      else
        return hn::Zero(d);
    };
    if (all_are_members(atoms))
      advance_all<true, KICK, MOVE>(atoms, by_mass, f, v, time, x);
    else
      advance_all<false, KICK, MOVE>(atoms, by_mass, f, v, time, x);
  }

  void kick_and_move_atoms(const AtomMasses &atoms, double factor, const double *f, double *v,
                           double time, double *x)
  {
    if (f && x)
      kick_and_move_by<true, true>(atoms, factor, f, v, time, x);
    else if (f)
      kick_and_move_by<true, false>(atoms, factor, f, v, time, x);
    else
      kick_and_move_by<false, true>(atoms, factor, f, v, time, x);
  }

  void turn_atoms(const AtomMasses &atoms, double factor, const double *radius,
                  const double *torque, double *omega)
  {
    const auto by_inertia = [&](auto d, int i) HWY_ATTR {
      const auto r = hn::LoadU(d, radius + i);
      return hn::Div(hn::Set(d, factor), hn::Mul(hn::Mul(r, r), masses_from(d, atoms, i)));
    };
    if (all_are_members(atoms))
      advance_all<true, true, false>(atoms, by_inertia, torque, omega, 0.0, nullptr);
    else
      advance_all<false, true, false>(atoms, by_inertia, torque, omega, 0.0, nullptr);
  }

  // the pattern of the acceleration in three vectors

  template <class D>
  HWY_INLINE int pull_from(D d, const AtomMasses &atoms, int first, const double *acceleration,
                           const double *HWY_RESTRICT x, double *HWY_RESTRICT f, double &energy)
  {
    using V = hn::Vec<D>;
    const std::size_t lanes = hn::Lanes(d);
    HWY_ALIGN double along[3 * hn::MaxLanes(D())];
    for (std::size_t k = 0; k < 3 * lanes; k++) along[k] = acceleration[k % 3];
    V sum = hn::Zero(d);
    const int rest = for_vectors(d, first, atoms.natoms, [&](int i) HWY_ATTR {
      const auto member = hn::Ne(members_from(d, atoms, i), hn::Zero(d));
      const V mass = hn::IfThenElseZero(member, masses_from(d, atoms, i));
      for (int n = 0; n < 3; n++) {
        const std::size_t k = std::size_t{3} * i + n * lanes;
        const V weight = hn::Mul(third(d, n, mass), hn::Load(d, along + n * lanes));
        hn::StoreU(hn::Add(hn::LoadU(d, f + k), weight), d, f + k);
        sum = hn::MulAdd(weight, hn::LoadU(d, x + k), sum);
      }
    });
    energy += sum_of(d, sum);
    return rest;
  }

  double pull_atoms(const AtomMasses &atoms, const double *acceleration, const double *x, double *f)
  {
    double energy = 0.0;
    const int rest = pull_from(DoublesUpTo<8>(), atoms, 0, acceleration, x, f, energy);
    pull_from(DoublesUpTo<1>(), atoms, rest, acceleration, x, f, energy);
    return energy;
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, kick_and_move_atoms,
            (const AtomMasses &atoms, double factor, const double *f, double *v, double time,
             double *x),
            (atoms, factor, f, v, time, x));

TOFU_EXPORT(void, turn_atoms,
            (const AtomMasses &atoms, double factor, const double *radius, const double *torque,
             double *omega),
            (atoms, factor, radius, torque, omega));

TOFU_EXPORT(double, pull_atoms,
            (const AtomMasses &atoms, const double *acceleration, const double *x, double *f),
            (atoms, acceleration, x, f));

}    // namespace TOFU_NS
#endif
