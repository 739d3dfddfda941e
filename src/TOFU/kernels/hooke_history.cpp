// SPDX-License-Identifier: GPL-2.0-only

#include "kernels/hooke_history.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/hooke_history.cpp"
#include <hwy/foreach_target.h>

#include "kernels/rows-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <bool VIRIAL> class HookeHistoryLoop {
   public:
    HookeHistoryLoop(const HookeHistoryCoefficients &c, const PairJob &job, const Spheres &spheres,
                     const ContactHistory &history, const ContactForces &forces, PairTally &tally) :
        c_(c),
        job_(job), spheres_(spheres), history_(history), forces_(forces), tally_(tally)
    {
    }

    /** Rows from first up to, not including, last. */
    void rows(int first, int last)
    {
      for (int n = first; n < last; n++) {
        const int i = job_.list.atoms[n], nneighbors = job_.list.nneighbors[i];
        for (int k = 0; k < nneighbors; k += LANES) {
          collect(i, k, std::min(LANES, nneighbors - k));
          if (ncontacts_ > MOST_CONTACTS - LANES) compute();
        }
      }
      compute();
    }

   private:
    using D = DoublesUpTo<8>;
    using V = hn::Vec<D>;
    static constexpr int LANES =
        8;    // entries that are looked at together, whatever a vector holds
    static constexpr int MOST_CONTACTS = 256;
    static constexpr std::size_t WIDTH = Spheres::WIDTH;

    const HookeHistoryCoefficients &c_;
    const PairJob &job_;
    const Spheres &spheres_;
    const ContactHistory &history_;
    const ContactForces &forces_;
    PairTally &tally_;

    int ncontacts_ = 0;
    int i_[MOST_CONTACTS + LANES], j_[MOST_CONTACTS + LANES];
    double *slide_[MOST_CONTACTS + LANES];

    /** Append the contacts among n entries of a row, forget what has come apart. */
    HWY_INLINE void collect(int i, int k, int n)
    {
      const D d;
      const int lanes = static_cast<int>(hn::Lanes(d));
      const double *const own = spheres_.rows + WIDTH * i;
      const int *const entries = job_.list.first[i] + k;
      int *const touch = history_.touch[i] + k;
      double *const slide = history_.slide[i] + 3 * static_cast<std::size_t>(k);

      HWY_ALIGN double overlap[LANES];    // > 0: in contact
      for (int lane = 0; lane < n; lane += lanes) {
        V x, y, z, radius;
        load_rows(d, spheres_.rows, entries + lane, WIDTH, x, y, z, radius);
        const V delx = hn::Sub(hn::Set(d, own[0]), x), dely = hn::Sub(hn::Set(d, own[1]), y),
                delz = hn::Sub(hn::Set(d, own[2]), z), sum = hn::Add(hn::Set(d, own[3]), radius);
        const V rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
        hn::Store(hn::Sub(hn::Mul(sum, sum), rsq), d, overlap + lane);
      }
      for (int lane = 0; lane < n; lane++) {
        i_[ncontacts_] = i;
        j_[ncontacts_] = entries[lane];
        slide_[ncontacts_] = slide + 3 * lane;
        const bool contact = overlap[lane] > 0.0;
        ncontacts_ += contact;
        if (touch[lane] == contact) continue;
        touch[lane] = contact;
        if (!contact) std::fill_n(slide + 3 * lane, 3, 0.0);
      }
    }

    /** All contacts that have been collected. */
    void compute()
    {
      const int lanes = static_cast<int>(hn::Lanes(D()));
      if (ncontacts_ == 0) return;
      for (int k = ncontacts_; k < ncontacts_ + LANES; k++) {    // lanes behind the last contact
        i_[k] = i_[0];
        j_[k] = j_[0];
      }
      for (int k = 0; k < ncontacts_; k += lanes) contacts(k, std::min(lanes, ncontacts_ - k));
      ncontacts_ = 0;
    }

    /** n contacts from the k-th on, at most one vector of them. */
    HWY_INLINE void contacts(int k, int n)
    {
      const D d;
      V xi, yi, zi, radi, xj, yj, zj, radj;
      load_rows(d, spheres_.rows, i_ + k, WIDTH, xi, yi, zi, radi);
      load_rows(d, spheres_.rows, j_ + k, WIDTH, xj, yj, zj, radj);
      const V delx = hn::Sub(xi, xj), dely = hn::Sub(yi, yj), delz = hn::Sub(zi, zj);
      const V rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
      const V one = hn::Set(d, 1.0);
      const V r = hn::Sqrt(rsq), rinv = hn::Div(one, r), rsqinv = hn::Div(one, rsq);

      // relative velocity of the centers, along their line and across

      V vxi, vyi, vzi, massi, vxj, vyj, vzj, massj;
      load_rows(d, spheres_.rows + 4, i_ + k, WIDTH, vxi, vyi, vzi, massi);
      load_rows(d, spheres_.rows + 4, j_ + k, WIDTH, vxj, vyj, vzj, massj);
      const V vx = hn::Sub(vxi, vxj), vy = hn::Sub(vyi, vyj), vz = hn::Sub(vzi, vzj);
      const V vnnr = hn::MulAdd(vx, delx, hn::MulAdd(vy, dely, hn::Mul(vz, delz)));
      const V along = hn::Mul(vnnr, rsqinv);

      // velocity of the surfaces against each other

      V wxi, wyi, wzi, frozeni, wxj, wyj, wzj, frozenj;
      load_rows(d, spheres_.rows + 8, i_ + k, WIDTH, wxi, wyi, wzi, frozeni);
      load_rows(d, spheres_.rows + 8, j_ + k, WIDTH, wxj, wyj, wzj, frozenj);
      const V wx = hn::Mul(hn::MulAdd(radi, wxi, hn::Mul(radj, wxj)), rinv),
              wy = hn::Mul(hn::MulAdd(radi, wyi, hn::Mul(radj, wyj)), rinv),
              wz = hn::Mul(hn::MulAdd(radi, wzi, hn::Mul(radj, wzj)), rinv);
      const V vtx =
                  hn::Sub(hn::NegMulAdd(delx, along, vx), hn::MulSub(delz, wy, hn::Mul(dely, wz))),
              vty =
                  hn::Sub(hn::NegMulAdd(dely, along, vy), hn::MulSub(delx, wz, hn::Mul(delz, wx))),
              vtz =
                  hn::Sub(hn::NegMulAdd(delz, along, vz), hn::MulSub(dely, wx, hn::Mul(delx, wy)));

      // an atom that does not move is infinitely heavy

      V mass = hn::Div(hn::Mul(massi, massj), hn::Add(massi, massj));
      mass = hn::IfThenElse(hn::Gt(frozeni, hn::Zero(d)), massj, mass);
      mass = hn::IfThenElse(hn::Gt(frozenj, hn::Zero(d)), massi, mass);

      const V damping = hn::Mul(hn::Mul(mass, hn::Set(d, c_.gamman)), along);
      V normal =
          hn::MulSub(hn::Mul(hn::Set(d, c_.kn), hn::Sub(hn::Add(radi, radj), r)), rinv, damping);
      if (c_.limit_damping) normal = hn::Max(normal, hn::Zero(d));

      HWY_ALIGN double slid[3][LANES] = {};
      for (int lane = 0; lane < n; lane++)
        for (int dim = 0; dim < 3; dim++) slid[dim][lane] = slide_[k + lane][dim];
      V sx = hn::Load(d, slid[0]), sy = hn::Load(d, slid[1]), sz = hn::Load(d, slid[2]);
      V fsx, fsy, fsz;
      slide(d, {delx, dely, delz, rsqinv}, {vtx, vty, vtz}, mass,
            hn::Mul(hn::Set(d, c_.xmu), hn::Abs(hn::Mul(normal, r))), sx, sy, sz, fsx, fsy, fsz);
      hn::Store(sx, d, slid[0]);
      hn::Store(sy, d, slid[1]);
      hn::Store(sz, d, slid[2]);
      for (int lane = 0; lane < n; lane++)
        for (int dim = 0; dim < 3; dim++) slide_[k + lane][dim] = slid[dim][lane];

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

    /** Let contacts slide for a step and find the force that comes from it, up to the friction limit. */
    HWY_INLINE void slide(D d, const Line &del, const Three &velocity, V mass, V limit, V &sx,
                          V &sy, V &sz, V &fx, V &fy, V &fz) const
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
      } else if (forces_.ghosts_get_forces || j < job_.nlocal) {
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
        weights[lane] = forces_.ghosts_get_forces || j_[k + lane] < job_.nlocal ? 1.0 : 0.5;
      const V weight = hn::Load(d, weights);
      const auto sum = [&](V a, V b) {
        return sum_of(d, hn::Mul(weight, hn::Mul(a, b)));
      };
      tally_.virial[0] += sum(del.x, f.x);
      tally_.virial[1] += sum(del.y, f.y);
      tally_.virial[2] += sum(del.z, f.z);
      tally_.virial[3] += sum(del.x, f.y);
      tally_.virial[4] += sum(del.x, f.z);
      tally_.virial[5] += sum(del.y, f.z);
    }
  };

  void compute_hooke_history(const HookeHistoryCoefficients &c, const PairJob &job,
                             const Spheres &spheres, const ContactHistory &history,
                             const ContactForces &forces, int first, int last, PairTally &tally)
  {
    if (job.tallies == Tallies::NONE)
      HookeHistoryLoop<false>(c, job, spheres, history, forces, tally).rows(first, last);
    else
      HookeHistoryLoop<true>(c, job, spheres, history, forces, tally).rows(first, last);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(compute_hooke_history);

void hooke_history(const HookeHistoryCoefficients &c, const PairJob &job, const Spheres &spheres,
                   const ContactHistory &history, const ContactForces &forces, int first, int last,
                   PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_hooke_history)(c, job, spheres, history, forces, first, last, tally);
}

}    // namespace TOFU_NS
#endif
