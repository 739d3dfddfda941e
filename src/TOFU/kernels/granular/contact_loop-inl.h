// SPDX-License-Identifier: GPL-2.0-only
//
// The loop over pairs of spheres.  Few entries of a list are contacts; contacts are collected over
// several rows first, so that the vectors of the kernel are full.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_CONTACT_LOOP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_CONTACT_LOOP_INL_H
#undef TOFU_KERNELS_CONTACT_LOOP_INL_H
#else
#define TOFU_KERNELS_CONTACT_LOOP_INL_H
#endif

#include "contact_data.h"
#include "kernels/simd/compress-inl.h"
#include "kernels/simd/rows-inl.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Force on the first atom of a contact, torques on both, and heat. */
  struct ContactAct {
    double force[3], torque_i[3], torque_j[3];
    double heat = 0.0;    // to the first atom
  };

  /** Law is derived from this, and has

      void compute_collected()             compute the contacts that have been collected
      bool is_still_bound(int pair) const  whether a pair that was in contact still is, although the
                                           spheres do not overlap */
  template <class Law> class ContactLoop {
   public:
    ContactLoop(const Spheres &spheres, const ContactPairs &pairs, const ContactForces &forces,
                int nlocal, bool has_history) :
        spheres_(spheres),
        pairs_(pairs), forces_(forces), nlocal_(nlocal), has_history_(has_history)
    {
    }

    void all()
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      for (int k = 0; k < pairs_.n; k += lanes) {
        collect(k);
        if (ncontacts_ > MOST_CONTACTS - LANES) compute();
      }
      compute();
    }

   protected:
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr int LANES = 8;    // at most
    static constexpr int MOST_CONTACTS = 256;

    const Spheres &spheres_;
    const ContactPairs &pairs_;
    const ContactForces &forces_;
    const int nlocal_;
    const bool has_history_;

    int ncontacts_ = 0;
    int pair_[MOST_CONTACTS + LANES];    // pairs that are contacts
    int i_[MOST_CONTACTS + LANES], j_[MOST_CONTACTS + LANES];

    double *history_of(int pair) const
    {
      return pairs_.history + static_cast<std::size_t>(pairs_.nhistory) * pair;
    }

    void fetch(int contact) const
    {
      const std::size_t j = j_[contact];
      if (has_history_) hwy::Prefetch(history_of(pair_[contact]));
      hwy::Prefetch(spheres_.v + 3 * j);
      hwy::Prefetch(spheres_.omega + 3 * j);
      hwy::Prefetch(forces_.f + 3 * j);
      hwy::Prefetch(forces_.torque + 3 * j);
    }

    /** Centers and radii of some spheres. */
    HWY_INLINE void load_places(const int *index, V &x, V &y, V &z, V &radius) const
    {
      load_rows3(D(), spheres_.x, index, x, y, z);
      radius = load_numbers(D(), spheres_.radius, index);
    }

    /** Reduced masses of pairs of spheres. */
    HWY_INLINE V reduced_mass(const int *i, const int *j) const
    {
      const V massi = load_numbers(D(), spheres_.mass, i),
              massj = load_numbers(D(), spheres_.mass, j);
      const V mass = hn::Div(hn::Mul(massi, massj), hn::Add(massi, massj));
      if (!spheres_.frozen) return mass;
      return hn::IfThenElse(is_frozen(j), massi, hn::IfThenElse(is_frozen(i), massj, mass));
    }

    /** Pairs with a ghost that gets no force count half: both ranks have them. */
    double weight_of(int j) const { return forces_.ghosts_get_forces || j < nlocal_ ? 1.0 : 0.5; }

    HWY_INLINE void add(int i, int j, const ContactAct &act) const
    {
      add_three(act.force, 1.0, forces_.f, i);
      add_three(act.torque_i, 1.0, forces_.torque, i);
      if (forces_.heat) forces_.heat[i] += act.heat;
      if (forces_.own.has(j)) {
        add_three(act.force, -1.0, forces_.f, j);
        add_three(act.torque_j, 1.0, forces_.torque, j);
        if (forces_.heat) forces_.heat[j] -= act.heat;
      } else if (forces_.ghosts_get_forces || j < nlocal_) {
        ContactReaction reaction{j, {}, {}, act.heat};
        for (int dim = 0; dim < 3; dim++) {
          reaction.force[dim] = act.force[dim];
          reaction.torque[dim] = -act.torque_j[dim];
        }
        forces_.others->push_back(reaction);
      }
    }

   private:
    // all values are read before the first is written, so that compilers take two at a time

    static HWY_INLINE void add_three(const double *three, double sign, double *to, int atom)
    {
      double *const row = to + 3 * static_cast<std::size_t>(atom);
      const double x = row[0] + sign * three[0], y = row[1] + sign * three[1],
                   z = row[2] + sign * three[2];
      row[0] = x;
      row[1] = y;
      row[2] = z;
    }

    HWY_INLINE hn::Mask<D> is_frozen(const int *index) const
    {
      const hn::Rebind<std::int32_t, D> d32;
      const hn::RebindToSigned<D> d64;
      const auto groups = hn::GatherIndex(d32, spheres_.mask, hn::LoadU(d32, index));
      const auto frozen = hn::PromoteTo(d64, hn::And(groups, hn::Set(d32, spheres_.frozen)));
      return hn::RebindMask(D(), hn::Ne(frozen, hn::Zero(d64)));
    }

    Law &law() { return static_cast<Law &>(*this); }

    void compute()
    {
      if (ncontacts_) law().compute_collected();
      ncontacts_ = 0;
    }

    /** Append the contacts among one vector of pairs from the k-th on. */
    HWY_INLINE void collect(int k)
    {
      const D d;
      const hn::Rebind<std::int32_t, D> d32;
      V xi, yi, zi, radi, xj, yj, zj, radj;
      load_places(pairs_.i + k, xi, yi, zi, radi);
      load_places(pairs_.j + k, xj, yj, zj, radj);
      const V delx = hn::Sub(xi, xj), dely = hn::Sub(yi, yj), delz = hn::Sub(zi, zj),
              sum = hn::Add(radi, radj);
      const V rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
      const V inside = hn::IfThenElseZero(hn::Lt(rsq, hn::Mul(sum, sum)), hn::Set(d, -1.0));
      const auto known = hn::FirstN(d32, static_cast<std::size_t>(pairs_.n - k));
      auto contact =
          hn::And(hn::MaskFromVec(hn::DemoteTo(d32, inside)), known);    // all bits of -1 are set

      if (has_history_) {
        const auto touched = hn::Ne(was_touching(k), hn::Zero(d32));
        if (!hn::AllFalse(d32, hn::Xor(contact, touched))) contact = update_contacts(k, contact);
      }

      hn::StoreU(compress(d32, hn::LoadU(d32, pairs_.i + k), contact), d32, i_ + ncontacts_);
      hn::StoreU(compress(d32, hn::LoadU(d32, pairs_.j + k), contact), d32, j_ + ncontacts_);

      // of Iota(d32, k) compilers make each number by itself

      hn::StoreU(compress(d32, hn::Add(hn::Iota(d32, 0), hn::Set(d32, k)), contact), d32,
                 pair_ + ncontacts_);
      ncontacts_ += static_cast<int>(hn::CountTrue(d32, contact));
    }

    /** Values of `touch` from the k-th on, without reading behind the last. */
    HWY_INLINE hn::Vec<hn::Rebind<std::int32_t, D>> was_touching(int k) const
    {
      const hn::Rebind<std::int32_t, D> d32;
      const int n = pairs_.n - k, lanes = static_cast<int>(hn::Lanes(d32));
      if (n >= lanes) return hn::LoadU(d32, pairs_.touch + k);
      HWY_ALIGN int copies[LANES] = {};
      std::copy_n(pairs_.touch + k, n, copies);
      return hn::Load(d32, copies);
    }

    /** Update contacts that begin or end; the history of those that end is set to 0.

        \return   all that are in contact */
    template <class Mask> HWY_NOINLINE Mask update_contacts(int k, Mask overlap)
    {
      const hn::Rebind<std::int32_t, D> d32;
      HWY_ALIGN int contacts[LANES];
      hn::Store(hn::IfThenElseZero(overlap, hn::Set(d32, 1)), d32, contacts);
      const int n = std::min(pairs_.n - k, static_cast<int>(hn::Lanes(d32)));
      for (int lane = 0; lane < n; lane++) {
        if (!contacts[lane] && pairs_.touch[k + lane] && law().is_still_bound(k + lane))
          contacts[lane] = 1;
        pairs_.touch[k + lane] = contacts[lane];
        if (!contacts[lane]) std::fill_n(history_of(k + lane), pairs_.nhistory, 0.0);
      }
      return hn::Ne(hn::Load(d32, contacts), hn::Zero(d32));
    }
  };

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
