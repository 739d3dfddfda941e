// SPDX-License-Identifier: GPL-2.0-only

#include "grains.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/granular/grains.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "contact_loop-inl.h"
#include "jkr.h"

#include <algorithm>
#include <numeric>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Contacts of one model are computed as some at a time.  Each stage goes over all of them, and
      leaves its results in columns. */
  class GrainLoop : public ContactLoop<GrainLoop> {
   public:
    GrainLoop(const GrainModels &models, const Spheres &spheres, const ContactPairs &pairs,
              const ContactForces &forces, int nlocal, double *virial) :
        ContactLoop<GrainLoop>(spheres, pairs, forces, nlocal, models.history),
        models_(models), virial_(virial)
    {
    }

    bool is_still_bound(int pair) const
    {
      const int i = pairs_.i[pair], j = pairs_.j[pair];
      const NormalModel &model = models_.models[model_of(i, j)].normal;
      if (model.law != NormalModel::JKR) return false;
      const double *const a = spheres_.x + std::size_t{3} * i,
                          *const b = spheres_.x + std::size_t{3} * j;
      const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
      const double radi = spheres_.radius[i], radj = spheres_.radius[j], sum = radi + radj;
      const double reach = sum + jkr_reach({model.cohesion, model.modulus, radi * radj / sum});
      return x * x + y * y + z * z < reach * reach;
    }

    void compute_collected()
    {
      sort_by_model();
      for (int k = 0; k < std::min(AHEAD, ncontacts_); k++) fetch(order_[k]);
      int before = model_[order_[0]];
      for (int k = 0; k < ncontacts_; k++) {
        if (k + AHEAD < ncontacts_) fetch(order_[k + AHEAD]);
        const int contact = order_[k], model = model_[contact];
        if (model != before || n_ == SOME) compute(models_.models[before]);
        before = model;
        some_i_[n_] = i_[contact];
        some_j_[n_] = j_[contact];
        some_pair_[n_] = pair_[contact];
        n_++;
      }
      compute(models_.models[before]);
    }

   private:
    static constexpr int SOME = 64;     // contacts, a multiple of all vectors
    static constexpr int AHEAD = 16;    // contacts whose data are fetched while others are computed

    using Column = double[SOME];
    struct Columns3 {
      Column x, y, z;
    };

    const GrainModels &models_;
    double *const virial_;

    int model_[MOST_CONTACTS], order_[MOST_CONTACTS];    // of contacts
    std::vector<int> ends_;                              // [nmodels+1] of models in the order

    // some contacts of one model

    int n_ = 0;
    int some_i_[SOME], some_j_[SOME], some_pair_[SOME];
    struct {    // set by meet()
      Column radi, radj, reff, depth, mass;
      Columns3 del, line;     // of the centers, and of length 1
      Columns3 slip, turn;    // velocity of surfaces across; difference of rotations
      Column approach;        // velocity along the line
    } met_;
    Column radius_;                    // of the contact
    Column along_, damping_;           // force along the line; factor of the velocity
    Column limit_, across_damping_;    // of friction 1
    Columns3 across_;
    Column history_[4];
    struct {    // set by act()
      Columns3 force, torque_i, torque_j;
      Column heat;    // that the first of the pair gets
    } act_;

    int model_of(int i, int j) const
    {
      return models_.of_types[models_.type[i] * (models_.ntypes + 1) + models_.type[j]];
    }

    static int lanes() { return static_cast<int>(hn::Lanes(D())); }
    static V load(const Column &column, int k) { return hn::LoadU(D(), column + k); }
    static void store(V value, Column &column, int k) { hn::StoreU(value, D(), column + k); }
    static void load(const Columns3 &columns, int k, V &x, V &y, V &z)
    {
      x = load(columns.x, k);
      y = load(columns.y, k);
      z = load(columns.z, k);
    }
    static void store(V x, V y, V z, Columns3 &columns, int k)
    {
      store(x, columns.x, k);
      store(y, columns.y, k);
      store(z, columns.z, k);
    }

    static V dot(V ax, V ay, V az, V bx, V by, V bz)
    {
      return hn::MulAdd(ax, bx, hn::MulAdd(ay, by, hn::Mul(az, bz)));
    }
    static V length(V x, V y, V z) { return hn::Sqrt(dot(x, y, z, x, y, z)); }
    static void cross(V ax, V ay, V az, V bx, V by, V bz, V &x, V &y, V &z)
    {
      x = hn::MulSub(ay, bz, hn::Mul(az, by));
      y = hn::MulSub(az, bx, hn::Mul(ax, bz));
      z = hn::MulSub(ax, by, hn::Mul(ay, bx));
    }

    /** Contacts of one model one after the other, else in the order of pairs. */
    void sort_by_model()
    {
      ends_.assign(models_.nmodels + 1, 0);
      for (int k = 0; k < ncontacts_; k++) {
        model_[k] = models_.nmodels == 1 ? 0 : model_of(i_[k], j_[k]);
        ends_[model_[k] + 1]++;
      }
      std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
      for (int k = 0; k < ncontacts_; k++) order_[ends_[model_[k]]++] = k;
    }

    void compute(const GrainModel &model)
    {
      if (n_ == 0) return;
      std::fill(some_i_ + n_, some_i_ + SOME, some_i_[0]);    // lanes behind the last contact
      std::fill(some_j_ + n_, some_j_ + SOME, some_j_[0]);
      std::fill(some_pair_ + n_, some_pair_ + SOME, some_pair_[0]);
      meet();
      press(model);
      rub(model);
      act();
      if (model.rolling.is_on) roll(model.rolling);
      if (model.twisting.law != TwistingModel::NONE) twist(model);
      if (forces_.heat) conduct(model.heat);
      for (int k = 0; k < n_; k++) add_one(k);
      if (virial_) add_virial();
      n_ = 0;
    }

    /** Where the spheres are, and how they move. */
    void meet()
    {
      const D d;
      for (int k = 0; k < n_; k += lanes()) {
        const int *const i = some_i_ + k, *const j = some_j_ + k;
        V xi, yi, zi, radi, xj, yj, zj, radj;
        load_places(i, xi, yi, zi, radi);
        load_places(j, xj, yj, zj, radj);
        const V dx = hn::Sub(xi, xj), dy = hn::Sub(yi, yj), dz = hn::Sub(zi, zj);
        const V r = length(dx, dy, dz), rinv = hn::Div(hn::Set(d, 1.0), r),
                sum = hn::Add(radi, radj);
        const V nx = hn::Mul(dx, rinv), ny = hn::Mul(dy, rinv), nz = hn::Mul(dz, rinv);
        store(dx, dy, dz, met_.del, k);
        store(nx, ny, nz, met_.line, k);
        store(radi, met_.radi, k);
        store(radj, met_.radj, k);
        store(hn::Div(hn::Mul(radi, radj), sum), met_.reff, k);
        store(hn::Sub(sum, r), met_.depth, k);

        V vxi, vyi, vzi, vxj, vyj, vzj;
        load_rows3(d, spheres_.v, i, vxi, vyi, vzi);
        load_rows3(d, spheres_.v, j, vxj, vyj, vzj);
        const V vx = hn::Sub(vxi, vxj), vy = hn::Sub(vyi, vyj), vz = hn::Sub(vzi, vzj);
        const V along = dot(vx, vy, vz, nx, ny, nz);
        store(along, met_.approach, k);

        V wxi, wyi, wzi, wxj, wyj, wzj, tx, ty, tz;
        load_rows3(d, spheres_.omega, i, wxi, wyi, wzi);
        load_rows3(d, spheres_.omega, j, wxj, wyj, wzj);
        store(hn::Sub(wxi, wxj), hn::Sub(wyi, wyj), hn::Sub(wzi, wzj), met_.turn, k);
        cross(hn::MulAdd(radi, wxi, hn::Mul(radj, wxj)), hn::MulAdd(radi, wyi, hn::Mul(radj, wyj)),
              hn::MulAdd(radi, wzi, hn::Mul(radj, wzj)), nx, ny, nz, tx, ty, tz);
        store(hn::Sub(hn::NegMulAdd(along, nx, vx), tx), hn::Sub(hn::NegMulAdd(along, ny, vy), ty),
              hn::Sub(hn::NegMulAdd(along, nz, vz), tz), met_.slip, k);

        store(reduced_mass(i, j), met_.mass, k);
      }
    }

    /** Forces along the line of the centers, and what limits those across. */
    void press(const GrainModel &model)
    {
      const D d;
      const NormalModel &normal = model.normal;
      const V stiffness = hn::Set(d, normal.k);
      find_radius(normal);
      for (int k = 0; k < n_; k += lanes()) {
        const V depth = load(met_.depth, k), radius = load(radius_, k), reff = load(met_.reff, k);
        V elastic = hn::Mul(stiffness, depth), pull = hn::Zero(d);
        if (normal.law == NormalModel::HERTZ || normal.law == NormalModel::DMT)
          elastic = hn::Mul(elastic, radius);
        if (normal.law == NormalModel::DMT) {
          pull = hn::Mul(hn::Set(d, 4.0 * PI * normal.cohesion), reff);
          elastic = hn::Sub(elastic, pull);
        }
        if (normal.law == NormalModel::JKR) {
          const V area = hn::Mul(radius, radius);
          const V stick =
              hn::Sqrt(hn::Div(hn::Set(d, 4.0 * normal.cohesion * normal.modulus / PI), radius));
          elastic = hn::Sub(hn::Div(hn::Mul(stiffness, hn::Mul(radius, area)), reff),
                            hn::Mul(hn::Mul(hn::Set(d, 2.0 * PI), area), stick));
          pull = hn::Mul(hn::Set(d, 3.0 * PI * normal.cohesion), reff);
        }

        const V damping = dashpot(model.damping, k, elastic);
        store(damping, damping_, k);
        V force = hn::NegMulAdd(damping, load(met_.approach, k), elastic);
        if (normal.limit_damping) force = hn::Max(force, hn::Zero(d));
        store(force, along_, k);
        const bool sticks = normal.law == NormalModel::DMT || normal.law == NormalModel::JKR;
        const V limit = sticks ? hn::MulAdd(hn::Set(d, 2.0), pull, elastic) : force;
        store(hn::Abs(limit), limit_, k);
      }
    }

    void find_radius(const NormalModel &normal)
    {
      if (normal.law == NormalModel::JKR) {
        for (int k = 0; k < n_; k++)
          radius_[k] = jkr_radius({normal.cohesion, normal.modulus, met_.reff[k]}, met_.depth[k]);
        std::fill(radius_ + n_, radius_ + SOME, radius_[0]);
        return;
      }
      for (int k = 0; k < n_; k += lanes())
        store(hn::Sqrt(hn::Mul(load(met_.depth, k), load(met_.reff, k))), radius_, k);
    }

    /** Force per velocity. */
    V dashpot(const DampingModel &damping, int k, V elastic) const
    {
      const D d;
      V factor = hn::Set(d, damping.factor);
      switch (damping.law) {
        case DampingModel::VELOCITY:
          break;
        case DampingModel::MASS_VELOCITY:
          factor = hn::Mul(factor, load(met_.mass, k));
          break;
        case DampingModel::VISCOELASTIC:
          factor = hn::Mul(hn::Mul(factor, load(met_.mass, k)), load(radius_, k));
          break;
        case DampingModel::TSUJI: {
          const V depth = load(met_.depth, k);
          const V square = hn::Div(hn::Mul(load(met_.mass, k), elastic), depth);
          const V most = hn::Sqrt(hn::Max(square, hn::Zero(d)));
          factor = hn::Mul(factor, hn::IfThenElseZero(hn::Gt(depth, hn::Zero(d)), most));
        }
      }
      return factor;
    }

    /** Forces across the line of the centers. */
    void rub(const GrainModel &model)
    {
      const D d;
      const TangentialModel &tangential = model.tangential;
      for (int k = 0; k < n_; k += lanes())
        store(hn::Mul(hn::Set(d, tangential.damping), load(damping_, k)), across_damping_, k);
      if (tangential.law == TangentialModel::DASHPOT) {
        drag(tangential);
        return;
      }
      const bool rescale = tangential.law == TangentialModel::MINDLIN && tangential.rescale;
      load_history(tangential.first, rescale ? 4 : 3);
      Spring spring;
      spring.k = tangential.k;
      spring.friction = tangential.friction;
      spring.turns_late = tangential.law == TangentialModel::CLASSIC;
      spring.as_force = tangential.law == TangentialModel::MINDLIN && tangential.as_force;
      spring.by_radius = tangential.by_radius || tangential.law == TangentialModel::MINDLIN;
      spring.rescale = rescale;
      stretch(spring, met_.slip, across_damping_, across_);
      store_history(tangential.first, rescale ? 4 : 3);
    }

    void drag(const TangentialModel &tangential)
    {
      const D d;
      for (int k = 0; k < n_; k += lanes()) {
        V x, y, z;
        load(met_.slip, k, x, y, z);
        const V speed = length(x, y, z);
        const V force = hn::Min(hn::Mul(hn::Set(d, tangential.friction), load(limit_, k)),
                                hn::Mul(load(across_damping_, k), speed));
        const V factor =
            hn::Neg(hn::IfThenElseZero(hn::Ne(speed, hn::Zero(d)), hn::Div(force, speed)));
        store(hn::Mul(factor, x), hn::Mul(factor, y), hn::Mul(factor, z), across_, k);
      }
    }

    struct Spring {
      double k = 0.0, friction = 0.0;
      bool turns_late = false;    // after the step, and becomes shorter by that
      bool by_radius = false;     // stiffer with the radius of the contact
      bool as_force = false;      // the history has the force, not the length
      bool rescale = false;       // shorter when the contact becomes smaller
    };

    /** Let springs follow the velocity for a step, and find forces of springs and dashpots, up to
        the limit. */
    void stretch(const Spring &spring, const Columns3 &velocity, const Column &dashpots,
                 Columns3 &forces)
    {
      const D d;
      const V zero = hn::Zero(d), one = hn::Set(d, 1.0), spring_k = hn::Set(d, spring.k);
      for (int k = 0; k < n_; k += lanes()) {
        const V stiffness = spring.by_radius ? hn::Mul(spring_k, load(radius_, k)) : spring_k;
        const V limit = hn::Mul(hn::Set(d, spring.friction), load(limit_, k));
        V hx = load(history_[0], k), hy = load(history_[1], k), hz = load(history_[2], k);
        V vx, vy, vz;
        load(velocity, k, vx, vy, vz);
        if (spring.rescale) {
          const V before = load(history_[3], k), now = load(radius_, k);
          const V factor = hn::IfThenElse(hn::Lt(now, before), hn::Div(now, before), one);
          hx = hn::Mul(factor, hx);
          hy = hn::Mul(factor, hy);
          hz = hn::Mul(factor, hz);
        }

        V size = zero;
        if (models_.slide) {
          if (!spring.turns_late) turn(spring, k, stiffness, limit, hx, hy, hz);
          const V dt = hn::Set(d, models_.dt);
          const V step = spring.as_force ? hn::Neg(hn::Mul(stiffness, dt)) : dt;
          hx = hn::MulAdd(step, vx, hx);
          hy = hn::MulAdd(step, vy, hy);
          hz = hn::MulAdd(step, vz, hz);
          size = length(hx, hy, hz);
          if (spring.turns_late) project(k, hx, hy, hz);
          if (spring.rescale) store(load(radius_, k), history_[3], k);
        } else {
          size = length(hx, hy, hz);
        }

        const V factor = spring.as_force ? one : hn::Neg(stiffness);
        const V dashpot = load(dashpots, k);
        const V dx = hn::Mul(dashpot, vx), dy = hn::Mul(dashpot, vy), dz = hn::Mul(dashpot, vz);
        V fx = hn::MulSub(factor, hx, dx), fy = hn::MulSub(factor, hy, dy),
          fz = hn::MulSub(factor, hz, dz);
        const V force = length(fx, fy, fz);
        const auto slips = hn::Gt(force, limit);
        if (!hn::AllFalse(d, slips)) {
          const auto is_long = hn::Ne(size, zero);
          const V kept = hn::IfThenElseZero(is_long, hn::Div(limit, force));
          fx = hn::IfThenElse(slips, hn::Mul(kept, fx), fx);
          fy = hn::IfThenElse(slips, hn::Mul(kept, fy), fy);
          fz = hn::IfThenElse(slips, hn::Mul(kept, fz), fz);
          const auto shorter = hn::And(slips, is_long);
          const V inverse = spring.as_force ? one
              : spring.turns_late           ? hn::Div(hn::Set(d, -1.0), spring_k)
                                            : hn::Div(hn::Set(d, -1.0), stiffness);
          hx = hn::IfThenElse(shorter, hn::Mul(inverse, hn::Add(fx, dx)), hx);
          hy = hn::IfThenElse(shorter, hn::Mul(inverse, hn::Add(fy, dy)), hy);
          hz = hn::IfThenElse(shorter, hn::Mul(inverse, hn::Add(fz, dz)), hz);
        }
        store(fx, fy, fz, forces, k);
        store(hx, history_[0], k);
        store(hy, history_[1], k);
        store(hz, history_[2], k);
      }
    }

    /** Springs turn with the line of the centers, unless what they have along it is nothing. */
    void turn(const Spring &spring, int k, V stiffness, V limit, V &hx, V &hy, V &hz) const
    {
      const D d;
      constexpr double NOTHING = 1e-10;
      V nx, ny, nz;
      load(met_.line, k, nx, ny, nz);
      const V along = hn::Abs(dot(hx, hy, hz, nx, ny, nz));
      const auto turns = hn::Gt(spring.as_force ? along : hn::Mul(along, stiffness),
                                hn::Mul(hn::Set(d, NOTHING), limit));
      if (hn::AllFalse(d, turns)) return;
      V px = hx, py = hy, pz = hz;
      project(k, px, py, pz);
      const V rest = length(px, py, pz);
      const V factor =
          hn::IfThenElseZero(hn::Gt(rest, hn::Zero(d)), hn::Div(length(hx, hy, hz), rest));
      hx = hn::IfThenElse(turns, hn::Mul(factor, px), hx);
      hy = hn::IfThenElse(turns, hn::Mul(factor, py), hy);
      hz = hn::IfThenElse(turns, hn::Mul(factor, pz), hz);
    }

    void project(int k, V &hx, V &hy, V &hz) const
    {
      V nx, ny, nz;
      load(met_.line, k, nx, ny, nz);
      const V along = dot(hx, hy, hz, nx, ny, nz);
      hx = hn::NegMulAdd(along, nx, hx);
      hy = hn::NegMulAdd(along, ny, hy);
      hz = hn::NegMulAdd(along, nz, hz);
    }

    /** Forces and torques from those along the line and across. */
    void act()
    {
      const V half = hn::Set(D(), 0.5);
      for (int k = 0; k < n_; k += lanes()) {
        V nx, ny, nz, sx, sy, sz, tx, ty, tz;
        load(met_.line, k, nx, ny, nz);
        load(across_, k, sx, sy, sz);
        const V along = load(along_, k);
        store(hn::MulAdd(along, nx, sx), hn::MulAdd(along, ny, sy), hn::MulAdd(along, nz, sz),
              act_.force, k);
        cross(sx, sy, sz, nx, ny, nz, tx, ty, tz);
        const V arm_i = hn::NegMulAdd(half, load(met_.depth, k), load(met_.radi, k)),
                arm_j = hn::NegMulAdd(half, load(met_.depth, k), load(met_.radj, k));
        store(hn::Mul(arm_i, tx), hn::Mul(arm_i, ty), hn::Mul(arm_i, tz), act_.torque_i, k);
        store(hn::Mul(arm_j, tx), hn::Mul(arm_j, ty), hn::Mul(arm_j, tz), act_.torque_j, k);
      }
    }

    void roll(const RollingModel &rolling)
    {
      const D d;
      Columns3 velocity, pseudo;
      Column dashpots;
      for (int k = 0; k < n_; k += lanes()) {
        V nx, ny, nz, wx, wy, wz, x, y, z;
        load(met_.line, k, nx, ny, nz);
        load(met_.turn, k, wx, wy, wz);
        cross(wx, wy, wz, nx, ny, nz, x, y, z);
        const V reff = load(met_.reff, k);
        store(hn::Mul(reff, x), hn::Mul(reff, y), hn::Mul(reff, z), velocity, k);
        store(hn::Set(d, rolling.damping), dashpots, k);
      }
      load_history(rolling.first, 3);
      Spring spring;
      spring.k = rolling.k;
      spring.friction = rolling.friction;
      stretch(spring, velocity, dashpots, pseudo);
      if (models_.slide) store_history(rolling.first, 3);
      for (int k = 0; k < n_; k += lanes()) {
        V nx, ny, nz, fx, fy, fz, x, y, z;
        load(met_.line, k, nx, ny, nz);
        load(pseudo, k, fx, fy, fz);
        cross(nx, ny, nz, fx, fy, fz, x, y, z);
        const V reff = load(met_.reff, k);
        add_torques(k, hn::Mul(reff, x), hn::Mul(reff, y), hn::Mul(reff, z));
      }
    }

    void twist(const GrainModel &model)
    {
      const D d;
      const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
      const TwistingModel &twisting = model.twisting;
      load_history(twisting.first, 1);
      for (int k = 0; k < n_; k += lanes()) {
        V nx, ny, nz, wx, wy, wz;
        load(met_.line, k, nx, ny, nz);
        load(met_.turn, k, wx, wy, wz);
        const V speed = dot(wx, wy, wz, nx, ny, nz);

        V stiffness = hn::Set(d, twisting.k), damping = hn::Set(d, twisting.damping),
          friction = hn::Set(d, twisting.friction);
        if (twisting.law == TwistingModel::MARSHALL) {
          const V radius = load(radius_, k);
          const V half = hn::Mul(hn::Set(d, 0.5), hn::Mul(radius, radius));
          stiffness = hn::Mul(hn::Set(d, model.tangential.k), half);
          damping = hn::Mul(load(across_damping_, k), half);
          friction = hn::Mul(hn::Set(d, 2.0 / 3.0 * model.tangential.friction), radius);
        }

        V angle = load(history_[0], k);
        if (models_.slide) angle = hn::MulAdd(speed, hn::Set(d, models_.dt), angle);
        const V damped = hn::Mul(damping, speed);
        V torque = hn::Neg(hn::MulAdd(stiffness, angle, damped));
        const V limit = hn::Mul(friction, load(limit_, k));
        const auto slips = hn::Gt(hn::Abs(torque), limit);
        const V sign = hn::IfThenElse(hn::Gt(speed, zero), one,
                                      hn::IfThenElseZero(hn::Lt(speed, zero), hn::Neg(one)));
        const V most = hn::Mul(limit, sign);
        angle = hn::IfThenElse(slips, hn::Div(hn::Sub(most, damped), stiffness), angle);
        torque = hn::IfThenElse(slips, hn::Neg(most), torque);
        store(angle, history_[0], k);
        add_torques(k, hn::Mul(torque, nx), hn::Mul(torque, ny), hn::Mul(torque, nz));
      }
      store_history(twisting.first, 1);
    }

    /** Torques that both get, with opposite signs. */
    void add_torques(int k, V x, V y, V z)
    {
      V tx, ty, tz;
      load(act_.torque_i, k, tx, ty, tz);
      store(hn::Add(tx, x), hn::Add(ty, y), hn::Add(tz, z), act_.torque_i, k);
      load(act_.torque_j, k, tx, ty, tz);
      store(hn::Sub(tx, x), hn::Sub(ty, y), hn::Sub(tz, z), act_.torque_j, k);
    }

    void load_history(int first, int nnumbers)
    {
      const int n = (n_ + lanes() - 1) / lanes() * lanes();
      for (int k = 0; k < n; k++) {
        const double *const from = history_of(some_pair_[k]) + first;
        for (int number = 0; number < nnumbers; number++) history_[number][k] = from[number];
      }
    }

    void store_history(int first, int nnumbers) const
    {
      for (int k = 0; k < n_; k++) {
        double *const to = history_of(some_pair_[k]) + first;
        for (int number = 0; number < nnumbers; number++) to[number] = history_[number][k];
      }
    }

    void conduct(const HeatModel &heat)
    {
      for (int k = 0; k < n_; k++) {
        const double difference = models_.temperature[some_j_[k]] - models_.temperature[some_i_[k]];
        const double wide = heat.law == HeatModel::RADIUS ? 2.0 * radius_[k]
                                                          : PI * radius_[k] * radius_[k];
        act_.heat[k] = heat.factor * wide * difference;
      }
    }

    void add_one(int k) const
    {
      add(some_i_[k], some_j_[k],
          {{act_.force.x[k], act_.force.y[k], act_.force.z[k]},
           {act_.torque_i.x[k], act_.torque_i.y[k], act_.torque_i.z[k]},
           {act_.torque_j.x[k], act_.torque_j.y[k], act_.torque_j.z[k]},
           forces_.heat ? act_.heat[k] : 0.0});
    }

    void add_virial()
    {
      const D d;
      Column weights = {};
      for (int k = 0; k < n_; k++) weights[k] = weight_of(some_j_[k]);
      for (int k = 0; k < n_; k += lanes()) {
        V dx, dy, dz, fx, fy, fz;
        load(met_.del, k, dx, dy, dz);
        load(act_.force, k, fx, fy, fz);
        const V weight = load(weights, k);
        const auto sum = [&](V a, V b) {
          return sum_of(d, hn::Mul(weight, hn::Mul(a, b)));
        };
        virial_[0] += sum(dx, fx);
        virial_[1] += sum(dy, fy);
        virial_[2] += sum(dz, fz);
        virial_[3] += sum(dx, fy);
        virial_[4] += sum(dx, fz);
        virial_[5] += sum(dy, fz);
      }
    }

    static constexpr double PI = 3.14159265358979323846;
  };

  void grains(const GrainModels &models, const Spheres &spheres, const ContactPairs &pairs,
              const ContactForces &forces, int nlocal, double *virial)
  {
    GrainLoop(models, spheres, pairs, forces, nlocal, virial).all();
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, grains,
            (const GrainModels &models, const Spheres &spheres, const ContactPairs &pairs,
             const ContactForces &forces, int nlocal, double *virial),
            (models, spheres, pairs, forces, nlocal, virial));

}    // namespace TOFU_NS
#endif
