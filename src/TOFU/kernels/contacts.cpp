// SPDX-License-Identifier: GPL-2.0-only

#include "contacts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/contacts.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>

#include "compress-inl.h"
#include "rows-inl.h"

#include <hwy/cache_control.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <bool VIRIAL> class ContactLoop {
   public:
    ContactLoop(const ContactCoefficients &c, const Spheres &spheres, const ContactPairs &pairs,
                const ContactForces &forces, int nlocal, double *virial) :
        c_(c),
        spheres_(spheres), pairs_(pairs), forces_(forces), nlocal_(nlocal), virial_(virial)
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

   private:
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr int LANES = 8;    // at most
    static constexpr int MOST_CONTACTS = 256;
    static constexpr int AHEAD = 16;    // contacts whose data are fetched while others are computed

    const ContactCoefficients &c_;
    const Spheres &spheres_;
    const ContactPairs &pairs_;
    const ContactForces &forces_;
    const int nlocal_;
    double *const virial_;

    int ncontacts_ = 0;
    int pair_[MOST_CONTACTS + LANES];    // pairs that are contacts
    int i_[MOST_CONTACTS + LANES], j_[MOST_CONTACTS + LANES];

    bool has_history() const { return c_.law != ContactLaw::HOOKE; }
    double *slide_of(int contact) const { return pairs_.slide + std::size_t{3} * pair_[contact]; }

    /** Append the contacts among one vector of pairs from the k-th on. */
    HWY_INLINE void collect(int k)
    {
      const D d;
      const hn::Rebind<std::int32_t, D> d32;
      V xi, yi, zi, radi, xj, yj, zj, radj;
      load_rows(d, spheres_.place, pairs_.i + k, 4, xi, yi, zi, radi);
      load_rows(d, spheres_.place, pairs_.j + k, 4, xj, yj, zj, radj);
      const V delx = hn::Sub(xi, xj), dely = hn::Sub(yi, yj), delz = hn::Sub(zi, zj),
              sum = hn::Add(radi, radj);
      const V rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
      const V inside = hn::IfThenElseZero(hn::Lt(rsq, hn::Mul(sum, sum)), hn::Set(d, -1.0));
      const auto known = hn::FirstN(d32, static_cast<std::size_t>(pairs_.n - k));
      const auto contact =
          hn::And(hn::MaskFromVec(hn::DemoteTo(d32, inside)), known);    // all bits of -1 are set

      if (has_history()) {
        const auto touched = hn::Ne(was_touching(k), hn::Zero(d32));
        if (!hn::AllFalse(d32, hn::Xor(contact, touched))) note_changes(k, contact);
      }

      hn::StoreU(compress(d32, hn::LoadU(d32, pairs_.i + k), contact), d32, i_ + ncontacts_);
      hn::StoreU(compress(d32, hn::LoadU(d32, pairs_.j + k), contact), d32, j_ + ncontacts_);
      hn::StoreU(compress(d32, hn::Iota(d32, k), contact), d32, pair_ + ncontacts_);
      ncontacts_ += static_cast<int>(hn::CountTrue(d32, contact));
    }

    /** Behind the last value there may be nothing that can be read. */
    HWY_INLINE hn::Vec<hn::Rebind<std::int32_t, D>> was_touching(int k) const
    {
      const hn::Rebind<std::int32_t, D> d32;
      const int n = pairs_.n - k, lanes = static_cast<int>(hn::Lanes(d32));
      if (n >= lanes) return hn::LoadU(d32, pairs_.touch + k);
      HWY_ALIGN int copies[LANES] = {};
      std::copy_n(pairs_.touch + k, n, copies);
      return hn::Load(d32, copies);
    }

    /** Some have come into contact, others have come apart: these forget. */
    template <class Mask> HWY_NOINLINE void note_changes(int k, Mask contact) const
    {
      const hn::Rebind<std::int32_t, D> d32;
      HWY_ALIGN int contacts[LANES];
      hn::Store(hn::IfThenElseZero(contact, hn::Set(d32, 1)), d32, contacts);
      const int n = std::min(pairs_.n - k, static_cast<int>(hn::Lanes(d32)));
      for (int lane = 0; lane < n; lane++) {
        pairs_.touch[k + lane] = contacts[lane];
        if (!contacts[lane]) std::fill_n(pairs_.slide + std::size_t{3} * (k + lane), 3, 0.0);
      }
    }

    void fetch(int contact) const
    {
      const std::size_t j = j_[contact];
      if (has_history()) hwy::Prefetch(slide_of(contact));
      hwy::Prefetch(spheres_.v + 3 * j);
      hwy::Prefetch(spheres_.omega + 3 * j);
      hwy::Prefetch(forces_.f + 3 * j);
      hwy::Prefetch(forces_.torque + 3 * j);
    }

    /** All contacts that have been collected. */
    void compute()
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      if (ncontacts_ == 0) return;
      for (int k = ncontacts_; k < ncontacts_ + LANES; k++) {    // lanes behind the last contact
        i_[k] = i_[0];
        j_[k] = j_[0];
        pair_[k] = pair_[0];
      }
      for (int k = 0; k < std::min(AHEAD, ncontacts_); k++) fetch(k);
      for (int k = 0; k < ncontacts_; k += lanes) {
        const int last = std::min(k + lanes + AHEAD, ncontacts_);
        for (int ahead = k + AHEAD; ahead < last; ahead++) fetch(ahead);
        one_vector(k, std::min(lanes, ncontacts_ - k));
      }
      ncontacts_ = 0;
    }

    /** n contacts from the k-th on, at most one vector of them. */
    HWY_INLINE void one_vector(int k, int n)
    {
      const D d;
      const hn::Rebind<std::int32_t, D> d32;
      const hn::RebindToSigned<D> d64;
      V xi, yi, zi, radi, xj, yj, zj, radj;
      load_rows(d, spheres_.place, i_ + k, 4, xi, yi, zi, radi);
      load_rows(d, spheres_.place, j_ + k, 4, xj, yj, zj, radj);
      const V delx = hn::Sub(xi, xj), dely = hn::Sub(yi, yj), delz = hn::Sub(zi, zj);
      const V rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
      const V one = hn::Set(d, 1.0);
      const V r = hn::Sqrt(rsq), rinv = hn::Div(one, r), rsqinv = hn::Div(one, rsq);

      // relative velocity of the centers, along their line and across

      V vxi, vyi, vzi, vxj, vyj, vzj;
      load_rows3(d, spheres_.v, i_ + k, vxi, vyi, vzi);
      load_rows3(d, spheres_.v, j_ + k, vxj, vyj, vzj);
      const V vx = hn::Sub(vxi, vxj), vy = hn::Sub(vyi, vyj), vz = hn::Sub(vzi, vzj);
      const V vnnr = hn::MulAdd(vx, delx, hn::MulAdd(vy, dely, hn::Mul(vz, delz)));
      const V along = hn::Mul(vnnr, rsqinv);

      // velocity of the surfaces against each other

      V wxi, wyi, wzi, wxj, wyj, wzj;
      load_rows3(d, spheres_.omega, i_ + k, wxi, wyi, wzi);
      load_rows3(d, spheres_.omega, j_ + k, wxj, wyj, wzj);
      const V wx = hn::Mul(hn::MulAdd(radi, wxi, hn::Mul(radj, wxj)), rinv),
              wy = hn::Mul(hn::MulAdd(radi, wyi, hn::Mul(radj, wyj)), rinv),
              wz = hn::Mul(hn::MulAdd(radi, wzi, hn::Mul(radj, wzj)), rinv);
      const V vtx =
                  hn::Sub(hn::NegMulAdd(delx, along, vx), hn::MulSub(delz, wy, hn::Mul(dely, wz))),
              vty =
                  hn::Sub(hn::NegMulAdd(dely, along, vy), hn::MulSub(delx, wz, hn::Mul(delz, wx))),
              vtz =
                  hn::Sub(hn::NegMulAdd(delz, along, vz), hn::MulSub(dely, wx, hn::Mul(delx, wy)));

      const V massi = hn::GatherIndex(d, spheres_.mass, hn::PromoteTo(d64, hn::LoadU(d32, i_ + k))),
              massj = hn::GatherIndex(d, spheres_.mass, hn::PromoteTo(d64, hn::LoadU(d32, j_ + k)));
      V mass = hn::Div(hn::Mul(massi, massj), hn::Add(massi, massj));
      mass = hn::IfThenElse(hn::Lt(massi, hn::Zero(d)), massj, mass);
      mass = hn::Abs(hn::IfThenElse(hn::Lt(massj, hn::Zero(d)), massi, mass));

      const V damping = hn::Mul(hn::Mul(mass, hn::Set(d, c_.gamman)), along);
      const V depth = hn::Sub(hn::Add(radi, radj), r);
      V normal = hn::MulSub(hn::Mul(hn::Set(d, c_.kn), depth), rinv, damping), area = one;
      if (c_.law == ContactLaw::HERTZ_HISTORY) {
        area = hn::Sqrt(hn::Div(hn::Mul(depth, hn::Mul(radi, radj)), hn::Add(radi, radj)));
        normal = hn::Mul(normal, area);
      }
      if (c_.limit_damping) normal = hn::Max(normal, hn::Zero(d));

      const V limit = hn::Mul(hn::Set(d, c_.xmu), hn::Abs(hn::Mul(normal, r)));
      V fsx, fsy, fsz;
      if (has_history()) {
        V sx, sy, sz;
        load_rows3(d, pairs_.slide, pair_ + k, sx, sy, sz);
        slide(d, {delx, dely, delz, rsqinv}, {vtx, vty, vtz}, mass, area, limit, sx, sy, sz, fsx,
              fsy, fsz);
        keep(k, n, {sx, sy, sz});
      } else {
        rub(d, {vtx, vty, vtz}, mass, limit, fsx, fsy, fsz);
      }

      const V fx = hn::MulAdd(delx, normal, fsx), fy = hn::MulAdd(dely, normal, fsy),
              fz = hn::MulAdd(delz, normal, fsz);
      HWY_ALIGN double force[3][LANES], torque[3][LANES], radius[2][LANES];
      hn::Store(fx, d, force[0]);
      hn::Store(fy, d, force[1]);
      hn::Store(fz, d, force[2]);
      hn::Store(hn::Mul(rinv, hn::MulSub(dely, fsz, hn::Mul(delz, fsy))), d, torque[0]);
      hn::Store(hn::Mul(rinv, hn::MulSub(delz, fsx, hn::Mul(delx, fsz))), d, torque[1]);
      hn::Store(hn::Mul(rinv, hn::MulSub(delx, fsy, hn::Mul(dely, fsx))), d, torque[2]);
      hn::Store(radi, d, radius[0]);
      hn::Store(radj, d, radius[1]);
      for (int lane = 0; lane < n; lane++) add(k + lane, lane, force, torque, radius);
      if constexpr (VIRIAL) add_virial(k, n, {delx, dely, delz}, {fx, fy, fz});
    }

    struct Three {
      const V &x, &y, &z;
    };
    struct Line {
      const V &x, &y, &z, &rsqinv;
    };

    void keep(int k, int n, const Three &slide) const
    {
      const D d;
      HWY_ALIGN double slid[3][LANES];
      hn::Store(slide.x, d, slid[0]);
      hn::Store(slide.y, d, slid[1]);
      hn::Store(slide.z, d, slid[2]);
      for (int lane = 0; lane < n; lane++) {
        double *const to = slide_of(k + lane);
        for (int dim = 0; dim < 3; dim++) to[dim] = slid[dim][lane];
      }
    }

    /** The force across without a history. */
    HWY_INLINE void rub(D d, const Three &velocity, V mass, V limit, V &fx, V &fy, V &fz) const
    {
      const V speed =
          hn::Sqrt(hn::MulAdd(velocity.x, velocity.x,
                              hn::MulAdd(velocity.y, velocity.y, hn::Mul(velocity.z, velocity.z))));
      const V force = hn::Min(limit, hn::Mul(hn::Mul(mass, hn::Set(d, c_.gammat)), speed));
      const V factor =
          hn::Neg(hn::IfThenElseZero(hn::Ne(speed, hn::Zero(d)), hn::Div(force, speed)));
      fx = hn::Mul(factor, velocity.x);
      fy = hn::Mul(factor, velocity.y);
      fz = hn::Mul(factor, velocity.z);
    }

    /** Let contacts slide for a step and find the force that comes from it, up to the friction
        limit. */
    HWY_INLINE void slide(D d, const Line &del, const Three &velocity, V mass, V area, V limit,
                          V &sx, V &sy, V &sz, V &fx, V &fy, V &fz) const
    {
      const V dt = hn::Set(d, c_.dt), kt = hn::Set(d, c_.kt);
      sx = hn::MulAdd(velocity.x, dt, sx);
      sy = hn::MulAdd(velocity.y, dt, sy);
      sz = hn::MulAdd(velocity.z, dt, sz);
      const V length = hn::MulAdd(sx, sx, hn::MulAdd(sy, sy, hn::Mul(sz, sz)));
      if (c_.dt != 0.0) {    // the line of the centers has turned since the last step
        const V along =
            hn::Mul(hn::MulAdd(sx, del.x, hn::MulAdd(sy, del.y, hn::Mul(sz, del.z))), del.rsqinv);
        sx = hn::NegMulAdd(along, del.x, sx);
        sy = hn::NegMulAdd(along, del.y, sy);
        sz = hn::NegMulAdd(along, del.z, sz);
      }

      const V damping = hn::Mul(mass, hn::Set(d, c_.gammat));
      const V dx = hn::Mul(damping, velocity.x), dy = hn::Mul(damping, velocity.y),
              dz = hn::Mul(damping, velocity.z);
      fx = hn::Neg(hn::MulAdd(kt, sx, dx));
      fy = hn::Neg(hn::MulAdd(kt, sy, dy));
      fz = hn::Neg(hn::MulAdd(kt, sz, dz));
      if (c_.law == ContactLaw::HERTZ_HISTORY) {
        fx = hn::Mul(area, fx);
        fy = hn::Mul(area, fy);
        fz = hn::Mul(area, fz);
      }
      const V fs = hn::Sqrt(hn::MulAdd(fx, fx, hn::MulAdd(fy, fy, hn::Mul(fz, fz))));
      const auto slips = hn::Gt(fs, limit);
      if (hn::AllFalse(d, slips)) return;

      const auto has_slid = hn::Ne(length, hn::Zero(d));
      const auto shorter = hn::And(slips, has_slid);
      const V ratio = hn::Div(limit, fs), ktinv = hn::Div(hn::Set(d, 1.0), kt);
      const V kept = hn::IfThenElse(slips, hn::IfThenElseZero(has_slid, ratio), hn::Set(d, 1.0));
      const auto shorten = [&](V s, V damped) {
        const V rest = hn::Mul(damped, ktinv);
        return hn::IfThenElse(shorter, hn::MulSub(ratio, hn::Add(s, rest), rest), s);
      };
      sx = shorten(sx, dx);
      sy = shorten(sy, dy);
      sz = shorten(sz, dz);
      fx = hn::Mul(kept, fx);
      fy = hn::Mul(kept, fy);
      fz = hn::Mul(kept, fz);
    }

    HWY_INLINE void add(int k, int lane, const double (*force)[LANES],
                        const double (*torque)[LANES], const double (*radius)[LANES])
    {
      const int i = i_[k], j = j_[k];
      double *const fi = forces_.f + 3 * static_cast<std::size_t>(i);
      double *const ti = forces_.torque + 3 * static_cast<std::size_t>(i);
      for (int dim = 0; dim < 3; dim++) {
        fi[dim] += force[dim][lane];
        ti[dim] -= radius[0][lane] * torque[dim][lane];
      }
      if (forces_.own.has(j)) {
        double *const fj = forces_.f + 3 * static_cast<std::size_t>(j);
        double *const tj = forces_.torque + 3 * static_cast<std::size_t>(j);
        for (int dim = 0; dim < 3; dim++) {
          fj[dim] -= force[dim][lane];
          tj[dim] -= radius[1][lane] * torque[dim][lane];
        }
      } else if (forces_.ghosts_get_forces || j < nlocal_) {
        ContactReaction reaction{j, {}, {}};
        for (int dim = 0; dim < 3; dim++) {
          reaction.force[dim] = force[dim][lane];
          reaction.torque[dim] = radius[1][lane] * torque[dim][lane];
        }
        forces_.others->push_back(reaction);
      }
    }

    /** Pairs with a ghost that gets no force count half: both ranks have them. */
    void add_virial(int k, int n, const Three &del, const Three &f)
    {
      const D d;
      HWY_ALIGN double weights[LANES] = {};
      for (int lane = 0; lane < n; lane++)
        weights[lane] = forces_.ghosts_get_forces || j_[k + lane] < nlocal_ ? 1.0 : 0.5;
      const V weight = hn::Load(d, weights);
      const auto sum = [&](V a, V b) {
        return sum_of(d, hn::Mul(weight, hn::Mul(a, b)));
      };
      virial_[0] += sum(del.x, f.x);
      virial_[1] += sum(del.y, f.y);
      virial_[2] += sum(del.z, f.z);
      virial_[3] += sum(del.x, f.y);
      virial_[4] += sum(del.x, f.z);
      virial_[5] += sum(del.y, f.z);
    }
  };

  void compute_contacts(const ContactCoefficients &c, const Spheres &spheres,
                        const ContactPairs &pairs, const ContactForces &forces, int nlocal,
                        double *virial)
  {
    if (virial)
      ContactLoop<true>(c, spheres, pairs, forces, nlocal, virial).all();
    else
      ContactLoop<false>(c, spheres, pairs, forces, nlocal, virial).all();
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(compute_contacts);

void contacts(const ContactCoefficients &c, const Spheres &spheres, const ContactPairs &pairs,
              const ContactForces &forces, int nlocal, double *virial)
{
  HWY_DYNAMIC_DISPATCH(compute_contacts)(c, spheres, pairs, forces, nlocal, virial);
}

}    // namespace TOFU_NS
#endif
