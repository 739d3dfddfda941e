// SPDX-License-Identifier: GPL-2.0-only

#include "contacts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/granular/contacts.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "contact_loop-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <bool VIRIAL> class ClassicContacts : public ContactLoop<ClassicContacts<VIRIAL>> {
   public:
    ClassicContacts(const ContactCoefficients &c, const Spheres &spheres, const ContactPairs &pairs,
                    const ContactForces &forces, int nlocal, double *virial) :
        Loop(spheres, pairs, forces, nlocal, c.law != ContactLaw::HOOKE),
        c_(c), virial_(virial)
    {
    }

    static bool is_still_bound(int) { return false; }

    void compute_collected()
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
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
    }

   private:
    using Loop = ContactLoop<ClassicContacts<VIRIAL>>;
    using Loop::history_of, Loop::fetch, Loop::weight_of;
    using Loop::spheres_, Loop::has_history_, Loop::ncontacts_, Loop::pair_, Loop::i_, Loop::j_;
    using typename Loop::D, typename Loop::V;
    static constexpr int LANES = Loop::LANES;
    static constexpr int AHEAD = 16;    // contacts whose data are fetched while others are computed

    const ContactCoefficients &c_;
    double *const virial_;

    /** n contacts from the k-th on, at most one vector of them. */
    HWY_INLINE void one_vector(int k, int n)
    {
      const D d;
      V xi, yi, zi, radi, xj, yj, zj, radj;
      Loop::load_places(i_ + k, xi, yi, zi, radi);
      Loop::load_places(j_ + k, xj, yj, zj, radj);
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

      const V mass = Loop::reduced_mass(i_ + k, j_ + k);
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
      if (has_history_) {
        V sx, sy, sz;
        load_rows3(d, Loop::pairs_.history, pair_ + k, sx, sy, sz);
        slide(d, {delx, dely, delz, rsqinv}, {vtx, vty, vtz}, mass, area, limit, sx, sy, sz, fsx,
              fsy, fsz);
        keep(k, n, {sx, sy, sz});
      } else {
        rub(d, {vtx, vty, vtz}, mass, limit, fsx, fsy, fsz);
      }

      const V fx = hn::MulAdd(delx, normal, fsx), fy = hn::MulAdd(dely, normal, fsy),
              fz = hn::MulAdd(delz, normal, fsz);
      const V tx = hn::Mul(rinv, hn::MulSub(delz, fsy, hn::Mul(dely, fsz))),
              ty = hn::Mul(rinv, hn::MulSub(delx, fsz, hn::Mul(delz, fsx))),
              tz = hn::Mul(rinv, hn::MulSub(dely, fsx, hn::Mul(delx, fsy)));
      HWY_ALIGN double force[3][LANES], torque[3][LANES], radius[2][LANES];
      hn::Store(fx, d, force[0]);
      hn::Store(fy, d, force[1]);
      hn::Store(fz, d, force[2]);
      hn::Store(tx, d, torque[0]);
      hn::Store(ty, d, torque[1]);
      hn::Store(tz, d, torque[2]);
      hn::Store(radi, d, radius[0]);
      hn::Store(radj, d, radius[1]);
      for (int lane = 0; lane < n; lane++) {
        ContactAct act;
        for (int dim = 0; dim < 3; dim++) {
          act.force[dim] = force[dim][lane];
          act.torque_i[dim] = radius[0][lane] * torque[dim][lane];
          act.torque_j[dim] = radius[1][lane] * torque[dim][lane];
        }
        Loop::add(i_[k + lane], j_[k + lane], act);
      }
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
        double *const to = history_of(pair_[k + lane]);
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

    void add_virial(int k, int n, const Three &del, const Three &f)
    {
      const D d;
      HWY_ALIGN double weights[LANES] = {};
      for (int lane = 0; lane < n; lane++) weights[lane] = weight_of(j_[k + lane]);
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
      ClassicContacts<true>(c, spheres, pairs, forces, nlocal, virial).all();
    else
      ClassicContacts<false>(c, spheres, pairs, forces, nlocal, virial).all();
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
