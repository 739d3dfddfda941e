// SPDX-License-Identifier: GPL-2.0-only
//
// Contacts of random spheres against the equations, one pair at a time.

#include "kernels/granular/grains.h"
#include "kernels/granular/jkr.h"
#include "random_spheres.h"

using namespace TOFU_NS;

namespace {

constexpr double PI = 3.14159265358979323846;
constexpr int NHISTORY = 10;    // 4 of springs across, 3 of rolling, 3 of twisting

Vector scaled(double factor, const Vector &a)
{
  return {factor * a[0], factor * a[1], factor * a[2]};
}

Vector sum(const Vector &a, const Vector &b, double factor = 1.0)
{
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

double length(const Vector &a)
{
  return std::sqrt(dot(a, a));
}

/** A spring that has been stretched, with a dashpot, up to a limit. */
struct Spring {
  double k, friction_force, damping;
  bool classic, as_force;

  Vector force(Vector &stretched, const Vector &n, const Vector &v, double kt, double dt,
               bool slide) const
  {
    double before = length(stretched);
    if (slide) {
      const Vector across = sum(stretched, n, -dot(stretched, n));
      if (!classic) stretched = scaled(length(across) > 0 ? before / length(across) : 0.0, across);
      stretched = sum(stretched, v, as_force ? -kt * dt : dt);
      before = length(stretched);
      if (classic) stretched = sum(stretched, n, -dot(stretched, n));
    }
    const Vector elastic = scaled(as_force ? 1.0 : -kt, stretched);
    Vector all = sum(elastic, v, -damping);
    if (length(all) <= friction_force) return all;
    if (before == 0.0) return {0.0, 0.0, 0.0};
    all = scaled(friction_force / length(all), all);
    stretched = scaled(as_force ? 1.0 : -1.0 / (classic ? k : kt), sum(all, v, damping));
    return all;
  }
};

struct System : RandomSpheres {
  explicit System(int npairs) : RandomSpheres(npairs, NHISTORY)
  {
    for (int n = 0; n < natoms; n++) {
      type.push_back(1 + n % 2);
      temperature.push_back(1.0 + n % 5);
    }
    heat.assign(natoms, 0.0);
  }
  std::vector<int> type;
  std::vector<double> temperature, heat;

  /** Forces and torques of one pair by the equations of LAMMPS' manual. */
  void reference(int pair, const GrainModel &m, double dt, bool slide, double *virial)
  {
    const int a = i[pair], b = j[pair];
    const double ra = radii[a], rb = radii[b], reff = ra * rb / (ra + rb);
    const Vector del = sum(of(x, a), of(x, b), -1.0);
    const double r = length(del), depth = ra + rb - r;
    const NormalModel &normal = m.normal;
    const bool jkr = normal.law == NormalModel::JKR;
    const JkrSpheres adhesive{normal.cohesion, normal.modulus, reff};
    const bool contact = depth > (jkr && touch[pair] ? -jkr_reach(adhesive) : 0.0);
    double *const memory = &history[static_cast<std::size_t>(NHISTORY) * pair];
    touch[pair] = contact;
    if (!contact) {
      std::fill_n(memory, NHISTORY, 0.0);
      return;
    }
    const Vector n = scaled(1.0 / r, del), wa = of(omega, a), wb = of(omega, b),
                 vr = sum(of(v, a), of(v, b), -1.0);
    const Vector vt = sum(sum(vr, n, -dot(vr, n)), cross(sum(scaled(ra, wa), wb, rb), n), -1.0);
    const double mass_ab = reduced_mass(a, b);

    const double radius = jkr ? jkr_radius(adhesive, depth) : std::sqrt(depth * reff);
    double along = normal.k * depth, limit = 0.0;
    if (normal.law != NormalModel::HOOKE) along *= radius;
    if (normal.law == NormalModel::DMT) {
      along -= 4.0 * PI * normal.cohesion * reff;
      limit = std::fabs(along + 8.0 * PI * normal.cohesion * reff);
    }
    if (jkr) {
      along = 4.0 / 3.0 * normal.modulus * std::pow(radius, 3) / reff -
          2.0 * PI * radius * radius *
              std::sqrt(4.0 * normal.cohesion * normal.modulus / (PI * radius));
      limit = std::fabs(along + 6.0 * PI * normal.cohesion * reff);
    }
    double dashpot = m.damping.factor;
    if (m.damping.law == DampingModel::MASS_VELOCITY) dashpot *= mass_ab;
    if (m.damping.law == DampingModel::VISCOELASTIC) dashpot *= mass_ab * radius;
    if (m.damping.law == DampingModel::TSUJI) dashpot *= std::sqrt(mass_ab * along / depth);
    along -= dashpot * dot(vr, n);
    if (normal.limit_damping && along < 0.0) along = 0.0;
    if (limit == 0.0) limit = std::fabs(along);

    const TangentialModel &t = m.tangential;
    Vector across;
    if (t.law == TangentialModel::DASHPOT) {
      const double force = std::fmin(t.friction * limit, t.damping * dashpot * length(vt));
      across = scaled(-force / length(vt), vt);
    } else {
      double *const spring = memory + t.first;
      Vector stretched{spring[0], spring[1], spring[2]};
      const bool mindlin = t.law == TangentialModel::MINDLIN;
      if (t.rescale && radius < spring[3]) stretched = scaled(radius / spring[3], stretched);
      if (t.rescale && slide) spring[3] = radius;
      const double kt = mindlin || t.by_radius ? t.k * radius : t.k;
      across = Spring{t.k, t.friction * limit, t.damping * dashpot,
                      t.law == TangentialModel::CLASSIC, t.as_force}
                   .force(stretched, n, vt, kt, dt, slide);
      std::copy_n(stretched.data(), 3, spring);
    }
    const Vector force = sum(scaled(along, n), across), arm = cross(across, n);
    Vector torque_a = scaled(ra - 0.5 * depth, arm), torque_b = scaled(rb - 0.5 * depth, arm);

    const Vector turn = sum(wa, wb, -1.0);
    if (m.rolling.is_on) {
      double *const spring = memory + m.rolling.first;
      Vector stretched{spring[0], spring[1], spring[2]};
      const Vector rolls =
          Spring{m.rolling.k, m.rolling.friction * limit, m.rolling.damping, false, false}.force(
              stretched, n, scaled(reff, cross(turn, n)), m.rolling.k, dt, slide);
      if (slide) std::copy_n(stretched.data(), 3, spring);
      torque_a = sum(torque_a, cross(n, rolls), reff);
      torque_b = sum(torque_b, cross(n, rolls), -reff);
    }
    if (m.twisting.law != TwistingModel::NONE) {
      double k = m.twisting.k, damping = m.twisting.damping, most = m.twisting.friction * limit;
      if (m.twisting.law == TwistingModel::MARSHALL) {
        k = 0.5 * t.k * radius * radius;
        damping = 0.5 * t.damping * dashpot * radius * radius;
        most = 2.0 / 3.0 * t.friction * radius * limit;
      }
      double &angle = memory[m.twisting.first];
      const double speed = dot(turn, n);
      if (slide) angle += speed * dt;
      double twists = -k * angle - damping * speed;
      if (std::fabs(twists) > most) {
        twists = speed > 0.0 ? -most : most;
        angle = (-twists - damping * speed) / k;
      }
      torque_a = sum(torque_a, n, twists);
      torque_b = sum(torque_b, n, -twists);
    }

    const double wide = m.heat.law == HeatModel::RADIUS ? 2.0 * radius : PI * radius * radius;
    const double flow = m.heat.factor * wide * (temperature[b] - temperature[a]);
    heat[a] += flow;
    if (b < nlocal) heat[b] -= flow;
    for (int dim = 0; dim < 3; dim++) {
      f[3 * a + dim] += force[dim];
      torque[3 * a + dim] += torque_a[dim];
      if (b >= nlocal) continue;
      f[3 * b + dim] -= force[dim];
      torque[3 * b + dim] += torque_b[dim];
    }
    const double weight = b < nlocal ? 1.0 : 0.5;
    const double products[6] = {del[0] * force[0], del[1] * force[1], del[2] * force[2],
                                del[0] * force[1], del[0] * force[2], del[1] * force[2]};
    for (int k = 0; k < 6; k++) virial[k] += weight * products[k];
  }
};

GrainModel model(NormalModel::Law normal, DampingModel::Law damping,
                 TangentialModel::Law tangential, double friction)
{
  GrainModel m;
  m.normal.law = normal;
  m.normal.k = 200.0;
  m.normal.modulus = 150.0;
  m.normal.cohesion = 1.5;
  m.damping = {damping, 3.0};
  m.tangential.law = tangential;
  m.tangential.k = 60.0;
  m.tangential.damping = 0.4;
  m.tangential.friction = friction;
  return m;
}

/** All of the parts, each with much and with little friction. */
std::vector<GrainModel> models()
{
  using N = NormalModel;
  using D = DampingModel;
  using T = TangentialModel;
  std::vector<GrainModel> all{model(N::HOOKE, D::VELOCITY, T::DASHPOT, 0.5),
                              model(N::HERTZ, D::MASS_VELOCITY, T::DASHPOT, 0.01),
                              model(N::HERTZ, D::TSUJI, T::LINEAR, 0.5),
                              model(N::HOOKE, D::TSUJI, T::LINEAR, 0.02),
                              model(N::HOOKE, D::MASS_VELOCITY, T::CLASSIC, 0.5),
                              model(N::HERTZ, D::VISCOELASTIC, T::CLASSIC, 0.02),
                              model(N::DMT, D::VISCOELASTIC, T::MINDLIN, 0.5),
                              model(N::DMT, D::VELOCITY, T::MINDLIN, 0.02),
                              model(N::JKR, D::VISCOELASTIC, T::MINDLIN, 0.5),
                              model(N::JKR, D::MASS_VELOCITY, T::MINDLIN, 0.02)};
  all[1].normal.limit_damping = all[4].normal.limit_damping = true;
  all[5].tangential.by_radius = true;
  all[7].tangential.as_force = all[8].tangential.as_force = true;
  all[8].tangential.rescale = all[9].tangential.rescale = true;
  for (std::size_t k = 0; k < all.size(); k++) {
    GrainModel &m = all[k];
    if (k % 3 != 0) m.rolling = {true, 20.0, 0.3, k % 2 ? 0.5 : 0.01, 4};
    if (k % 3 == 1) m.twisting = {TwistingModel::SDS, 15.0, 0.2, k % 2 ? 0.5 : 0.01, 7};
    m.heat = {k % 2 ? HeatModel::RADIUS : HeatModel::AREA, 0.7};
    if (k % 3 == 2) m.twisting = {TwistingModel::MARSHALL, 0.0, 0.0, 0.0, 7};
  }
  return all;
}

struct Trial {
  explicit Trial(std::vector<GrainModel> some) : known(std::move(some))
  {
    all.nmodels = static_cast<int>(known.size());
    all.models = known.data();
    all.ntypes = 2;
    all.of_types = of_types;
    all.dt = 0.01;
    const int last = all.nmodels - 1;
    for (int k : {4, 8}) of_types[k] = k == 4 ? 0 : last;    // equal types
    of_types[5] = of_types[7] = last / 2;
  }

  const GrainModel &of_pair(const System &s, int pair) const
  {
    return known[of_types[3 * s.type[s.i[pair]] + s.type[s.j[pair]]]];
  }

  void compare(int npairs)
  {
    System expected(npairs), found(npairs);
    double virial[2][6] = {};
    for (int pair = 0; pair < npairs; pair++)
      expected.reference(pair, of_pair(expected, pair), all.dt, all.slide, virial[0]);
    std::vector<ContactReaction> others;
    const ContactForces forces{
        found.f.data(), found.torque.data(), found.heat.data(), {0, found.nlocal, 0, 0}, false,
        &others};
    all.type = found.type.data();
    all.temperature = found.temperature.data();
    grains(all, found.spheres(), found.pairs(), forces, found.nlocal, virial[1]);
    EXPECT_TRUE(others.empty());
    EXPECT_EQ(expected.touch, found.touch);
    expect_near(expected.history, found.history);
    expect_near(expected.f, found.f);
    expect_near(expected.torque, found.torque);
    expect_near(expected.heat, found.heat);
    for (int k = 0; k < 6; k++)
      EXPECT_NEAR(virial[0][k], virial[1][k], 1e-11 * (1.0 + std::fabs(virial[0][k])));
  }

  std::vector<GrainModel> known;
  int of_types[9] = {};
  GrainModels all;
};

}    // namespace

TEST(Grains, ForcesTorquesHistoryAndVirialAreThoseOfTheEquations)
{
  int number = 0;
  for (const GrainModel &one : models())
    for (bool slide : {true, false}) {
      SCOPED_TRACE("model " + std::to_string(number++ / 2) + (slide ? "" : ", no time passes"));
      Trial trial({one});
      trial.all.slide = slide;
      for (int npairs : {1, 7, 8, 523}) trial.compare(npairs);
    }
}

TEST(Grains, EachPairOfTypesHasItsModel)
{
  const std::vector<GrainModel> all = models();
  Trial({all[2], all[8]}).compare(523);
  Trial({all[0], all[5], all[9]}).compare(523);
}

TEST(Grains, WhatAtomsOfOthersGetIsLeftToThem)
{
  Trial trial({models()[8]});
  System whole(400), part(400);
  trial.all.type = whole.type.data();
  trial.all.temperature = whole.temperature.data();
  std::vector<ContactReaction> none, others;
  grains(trial.all, whole.spheres(), whole.pairs(),
         {whole.f.data(), whole.torque.data(), whole.heat.data(), {0, 60, 0, 0}, true, &none}, 45,
         nullptr);
  grains(trial.all, part.spheres(), part.pairs(),
         {part.f.data(), part.torque.data(), part.heat.data(), {0, 20, 50, 55}, true, &others}, 45,
         nullptr);
  ASSERT_FALSE(others.empty());
  subtract(others, part);
  for (const ContactReaction &reaction : others) part.heat[reaction.j] -= reaction.heat;
  expect_near(whole.heat, part.heat);
  expect_near(whole.f, part.f);
  expect_near(whole.torque, part.torque);
}

TEST(Jkr, TheRadiusOfAContactBelongsToItsDepth)
{
  const JkrSpheres spheres{1.5, 150.0, 0.3};
  const double reach = jkr_reach(spheres);
  for (double depth : {-0.9 * reach, -0.3 * reach, 0.0, 0.01, 0.1}) {
    const double radius = jkr_radius(spheres, depth);
    EXPECT_NEAR(depth,
                radius * radius / spheres.reff -
                    2.0 * std::sqrt(PI * spheres.cohesion * radius / spheres.modulus),
                1e-12);
  }
}

TEST(Jkr, AContactEndsWhereItsPullIsGreatest)
{
  const JkrSpheres spheres{1.5, 150.0, 0.3};
  const double w = spheres.cohesion, e = spheres.modulus, reff = spheres.reff;
  double most = 0.0, depth = 0.0;
  for (double a = 1e-5; a < 0.5; a += 1e-5) {
    const double pull = 4.0 * std::sqrt(PI * w * e * a * a * a) - 4.0 / 3.0 * e * a * a * a / reff;
    if (pull < most) continue;
    most = pull;
    depth = a * a / reff - 2.0 * std::sqrt(PI * w * a / e);
  }
  EXPECT_NEAR(-depth, jkr_reach(spheres), 1e-5);
}
