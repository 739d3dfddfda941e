// SPDX-License-Identifier: GPL-2.0-only
//
// What is found around the centers, against the distances of all atoms from all of them.

#include "balance/region_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace TOFU_NS;

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double FAR = 2.0;    // as many times the reach: not found if centers are together

using Vector = std::array<double, 3>;

Vector sum_of(const Vector &a, const Vector &b, double factor = 1.0)
{
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

struct System {
  double reach = 1.0;
  std::vector<double> x;
  std::vector<int> centers;

  int natoms() const { return static_cast<int>(x.size() / 3); }
  Vector position(int i) const { return {x[3 * i], x[3 * i + 1], x[3 * i + 2]}; }
  void add(const Vector &position) { x.insert(x.end(), position.begin(), position.end()); }

  void add_center(const Vector &position)
  {
    centers.push_back(natoms());
    add(position);
  }

  void take_all_as_centers()
  {
    centers.resize(natoms());
    std::iota(centers.begin(), centers.end(), 0);
  }

  double square_from_nearest_center(int i) const
  {
    double nearest = INFINITE;
    for (int center : centers) {
      double sum = 0.0;
      for (int dim = 0; dim < 3; dim++) {
        const double d = x[3 * i + dim] - x[3 * center + dim];
        sum += d * d;
      }
      nearest = std::min(nearest, sum);    // unless it is not a number
    }
    return nearest;
  }

  /** Whether the box around the centers is not much larger than what is near them. */
  bool is_compact() const
  {
    static constexpr double MOST_PER_CENTER = 30.0;    // cubes of the reach
    double volume = 1.0;
    for (int dim = 0; dim < 3; dim++) {
      double lo = INFINITE, hi = -INFINITE;
      for (int center : centers) {
        if (!std::isfinite(x[3 * center + dim])) return false;
        lo = std::min(lo, x[3 * center + dim]);
        hi = std::max(hi, x[3 * center + dim]);
      }
      volume *= (hi - lo) / reach + 2.5;
    }
    return volume <= MOST_PER_CENTER * static_cast<double>(centers.size());
  }
};

std::vector<int> found_by(RegionFinder &finder, const System &system)
{
  finder.find(system.x.data(), system.natoms(), system.centers.data(),
              static_cast<int>(system.centers.size()), system.reach);
  return finder.atoms();
}

/** That all is found that must be, and nothing that must not. */
void check(RegionFinder &finder, const System &system)
{
  const std::vector<int> found = found_by(finder, system);
  const double near = system.reach * system.reach, far = FAR * FAR * near;
  for (std::size_t n = 1; n < found.size(); n++) ASSERT_LT(found[n - 1], found[n]);
  if (!found.empty()) {
    ASSERT_GE(found.front(), 0);
    ASSERT_LT(found.back(), system.natoms());
  }
  const bool compact = system.is_compact();
  auto next = found.begin();
  for (int i = 0; i < system.natoms(); i++) {
    const bool there = next != found.end() && *next == i;
    if (there) next++;
    const double square = system.square_from_nearest_center(i);
    if (square <= near) {
      ASSERT_TRUE(there) << "atom " << i << " at " << std::sqrt(square) << " was not found";
    } else if (compact && std::isfinite(square) && square > far) {
      ASSERT_FALSE(there) << "atom " << i << " at " << std::sqrt(square) << " was found";
    }
  }
}

void check(const System &system)
{
  RegionFinder finder;
  check(finder, system);
}

/* ---------------------------------------------------------------------- */

class RandomSystems {
 public:
  explicit RandomSystems(unsigned seed) : random_(seed) {}

  double uniform(double lo, double hi)
  {
    return std::uniform_real_distribution<double>(lo, hi)(random_);
  }

  int number(int end) { return static_cast<int>(random_() % end); }
  double size(double least, double most) { return least * std::pow(most / least, uniform(0, 1)); }

  template <class T> T one_of(std::initializer_list<T> values)
  {
    return values.begin()[number(static_cast<int>(values.size()))];
  }

  Vector place_in(const Vector &lengths)
  {
    return {uniform(0.0, lengths[0]), uniform(0.0, lengths[1]), uniform(0.0, lengths[2])};
  }

  Vector place_around_origin() { return sum_of({-8.0, -8.0, -8.0}, place_in({16.0, 16.0, 16.0})); }

  Vector direction()
  {
    Vector v;
    double square;
    do {
      v = {uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0)};
      square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    } while (square > 1.0 || square < 0.01);
    return sum_of({0.0, 0.0, 0.0}, v, 1.0 / std::sqrt(square));
  }

  /** Atoms in a box, whose lengths are in units of the reach, spread or in drops. */
  System system(const Vector &lengths, int natoms)
  {
    System s;
    s.reach = one_of({1.0, 0.1, 12.3, size(1e-3, 1e3)});
    const double origin = one_of({0.0, -7.3, 1e5, -1e6, 1e6});
    const int ndrops = number(3) * 4;
    std::vector<Vector> drops;
    for (int n = 0; n < ndrops; n++) drops.push_back(place_in(lengths));
    for (int n = 0; n < natoms; n++) {
      Vector place = place_in(lengths);
      if (ndrops > 0) place = sum_of(drops[n % ndrops], direction(), uniform(0.0, 1.5));
      s.add(sum_of({origin, origin, origin}, place, s.reach));
    }
    choose_centers(s);
    return s;
  }

  void shuffle(std::vector<int> &atoms) { std::shuffle(atoms.begin(), atoms.end(), random_); }

 private:
  /** One, all, a few, those around an atom, or those on one side of one. */
  void choose_centers(System &s)
  {
    const int kind = number(8), one = number(s.natoms()), dim = number(3);
    const double size = s.reach * uniform(0.1, 3.0);
    s.centers = {one};
    if (kind == 0) return;
    if (kind == 1) return s.take_all_as_centers();
    const int every = 1 + number(20);
    for (int i = 0; i < s.natoms(); i++) {
      if (i == one) continue;
      const Vector d = sum_of(s.position(i), s.position(one), -1.0);
      const bool around = std::hypot(d[0], d[1], d[2]) < size;
      const bool beside = d[dim] > 0.0 && (kind == 6 || d[dim] < size);
      if (kind < 4 ? number(every) == 0 : kind < 6 ? around : beside) s.centers.push_back(i);
    }
    shuffle(s.centers);
  }

  std::mt19937 random_;
};

TEST(RegionFinder, FindsWhatIsNearInRandomBoxes)
{
  RandomSystems random(1);
  RegionFinder finder;
  int ncompact = 0;
  for (int n = 0; n < 1000; n++) {
    SCOPED_TRACE("system " + std::to_string(n));
    const Vector lengths{random.size(0.05, 40.0), random.size(0.05, 12.0), random.size(0.05, 12.0)};
    const System system = random.system(lengths, 1 + random.number(300));
    check(finder, system);
    if (HasFatalFailure()) return;
    ncompact += system.is_compact();
  }
  EXPECT_GT(ncompact, 600);
}

TEST(RegionFinder, FindsWhatIsNearInLongThinBoxes)
{
  RandomSystems random(2);
  RegionFinder finder;
  int ncompact = 0;
  for (int n = 0; n < 200; n++) {
    SCOPED_TRACE("system " + std::to_string(n));
    Vector lengths{random.uniform(0.0, 2.0), random.uniform(0.0, 2.0), random.uniform(0.0, 2.0)};
    lengths[n % 5 < 3 ? 0 : n % 5 - 2] = random.size(10.0, 300.0);
    const System system = random.system(lengths, 300 + random.number(300));
    check(finder, system);
    if (HasFatalFailure()) return;
    ncompact += system.is_compact();
  }
  EXPECT_GT(ncompact, 120);
}

TEST(RegionFinder, FindsWhatIsNearInALargeDenseBox)
{
  RandomSystems random(3);
  System system;
  for (int n = 0; n < 20000; n++) system.add(random.place_in({20.0, 6.0, 6.0}));
  for (int n = 0; n < 80; n++) system.centers.push_back(random.number(20) + 250 * n);
  ASSERT_TRUE(system.is_compact());
  check(system);
}

TEST(RegionFinder, FindsWhatIsNearALoneCenter)
{
  RandomSystems random(4);
  for (double reach : {1.0, 0.3, 9.7}) {
    System system;
    system.reach = reach;
    const double length = 5.0 * reach;
    system.add_center({0.5 * length, 0.5 * length, 0.5 * length});
    for (int n = 0; n < 20000; n++) system.add(random.place_in({length, length, length}));
    ASSERT_TRUE(system.is_compact());
    check(system);
  }
}

TEST(RegionFinder, FindsWhatIsNearALoneCenterAnywhereInALongRow)
{
  static constexpr double STEP = 1.0 / 8.0;
  System row;
  for (int n = 0; n < 800; n++) row.add({n * STEP, 0.0, 0.0});
  for (int n = 0; n < 50; n++) row.add_center({0.0, 0.0, 0.0});
  RegionFinder finder;
  for (int n = 0; n < 800; n++) {
    SCOPED_TRACE("center " + std::to_string(n));
    System system = row;
    system.centers.push_back(n);
    ASSERT_TRUE(system.is_compact());
    const std::vector<int> found = found_by(finder, system);
    for (int i = 0; i < system.natoms(); i++) {
      const double nearest = std::min(std::abs(i - n), i < 800 ? i : 0) * STEP;
      const bool there = std::binary_search(found.begin(), found.end(), i);
      ASSERT_TRUE(there || nearest > 1.0) << i;
      ASSERT_FALSE(there && nearest > FAR) << i;
    }
  }
}

TEST(RegionFinder, FindsNothingInBetweenClustersOfCenters)
{
  RandomSystems random(5);
  System system;
  for (int n = 0; n < 200; n++)
    system.add_center(sum_of({n % 2 * 10.0, 0.0, 0.0}, random.direction(), 0.5));
  for (int n = 0; n < 1000; n++)
    system.add(sum_of({2.6, -1.0, -1.0}, random.place_in({4.8, 2.0, 2.0})));
  ASSERT_TRUE(system.is_compact());
  std::vector<int> centers = system.centers;
  RegionFinder finder;
  EXPECT_EQ(found_by(finder, system), centers);
}

/* ---------------------------------------------------------------------- */

/** Of many atoms at the same coordinates, and at the distances of what cells are made of. */
class Lattice : public testing::TestWithParam<double> {
 protected:
  static System points(const std::array<int, 3> &n, double reach, double spacing, double origin)
  {
    System system;
    system.reach = reach;
    for (int z = 0; z < n[2]; z++)
      for (int y = 0; y < n[1]; y++)
        for (int x = 0; x < n[0]; x++)
          system.add({origin + x * spacing, origin + y * spacing, origin + z * spacing});
    return system;
  }

  /** Several choices of centers, by numbers of points. */
  void check_all(const std::array<int, 3> &n, const std::vector<std::vector<int>> &choices)
  {
    RegionFinder finder;
    for (double reach : {1.0, 0.7, 10.3})
      for (double origin : {0.0, 0.1, -7.3, 1e5}) {
        SCOPED_TRACE("reach " + std::to_string(reach) + " origin " + std::to_string(origin));
        System system = points(n, reach, reach * GetParam(), origin);
        for (const auto &centers : choices) {
          ASSERT_FALSE(centers.empty());
          system.centers = centers;
          check(finder, system);
          if (HasFatalFailure()) return;
        }
      }
  }
};

TEST_P(Lattice, HasWhatIsNearFound)
{
  static constexpr int NX = 9, NY = 8, NZ = 7;
  std::vector<std::vector<int>> choices(6);
  for (int i = 0; i < NX * NY * NZ; i++) {
    const int x = i % NX, y = i / NX % NY, z = i / (NX * NY);
    choices[0].push_back(i);
    if (x == 4 && y == 4 && z == 3) choices[1].push_back(i);
    if (x == 4) choices[2].push_back(i);
    if (x / 2 == 2 && y / 2 == 2 && z / 2 == 1) choices[3].push_back(i);
    if (x % 3 == 0 && y % 4 == 1 && z % 3 == 1) choices[4].push_back(i);
    if ((x == 0 || x == NX - 1) && y == NY - 1) choices[5].push_back(i);
  }
  check_all({NX, NY, NZ}, choices);
}

TEST_P(Lattice, HasWhatIsNearFoundAroundAnyPointOfARow)
{
  static constexpr int N = 40;
  const auto choices = [](int distance) {    // in the list of points
    std::vector<std::vector<int>> centers;
    for (int i = 1; i < N; i++) centers.push_back({0, distance * i});
    return centers;
  };
  check_all({N, 2, 2}, choices(1));
  check_all({2, N, 2}, choices(2));
  check_all({2, 2, N}, choices(4));
}

INSTANTIATE_TEST_SUITE_P(Spacings, Lattice,
                         testing::Values(1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0, 1.0 / 6.0,
                                         1.0 / 8.0));

/* ---------------------------------------------------------------------- */

/** Along axes and diagonals, to corners of cells, and at random. */
std::vector<Vector> directions(RandomSystems &random)
{
  std::vector<Vector> all;
  for (int z = -4; z <= 4; z++)
    for (int y = -4; y <= 4; y++)
      for (int x = -4; x <= 4; x++) {
        const double length = std::hypot(x, y, z);
        if (length > 0.0) all.push_back({x / length, y / length, z / length});
      }
  for (int n = 0; n < 300; n++) all.push_back(random.direction());
  return all;
}

/** A center, and others apart from it, on whose place its own place among cells depends. */
System center_and_others(RandomSystems &random, const Vector &center, double reach)
{
  System system;
  system.reach = reach;
  system.add_center(center);
  const bool halves = random.number(2) == 0;    // of cells, if there are four in the reach
  const auto part = [&] {
    return halves ? random.number(9) / 8.0 : random.uniform(0.0, 1.0);
  };
  const Vector apart{random.one_of({-1.0, 1.0}) * (4.0 + part()),
                     random.one_of({-1.0, 1.0}) * part(), random.one_of({-1.0, 1.0}) * part()};
  for (int n = 0; n < 20; n++) system.add_center(sum_of(center, apart, reach * (1.0 + 1e-6)));
  return system;
}

TEST(RegionFinder, FindsAtomsJustWithinReachInAllDirections)
{
  RandomSystems random(6);
  RegionFinder finder;
  const std::vector<Vector> all = directions(random);
  for (int n = 0; n < 300; n++) {
    SCOPED_TRACE("system " + std::to_string(n));
    const Vector center = random.place_around_origin();
    System system = center_and_others(random, center, random.one_of({1.0, 0.7, 3.3}));
    if (n % 10 == 0) system.centers = {0};
    ASSERT_TRUE(system.is_compact());
    for (const Vector &direction : all)
      system.add(sum_of(center, direction, system.reach * (1.0 - 1e-12)));
    const std::vector<int> found = found_by(finder, system);
    for (int i = 21; i < system.natoms(); i++)
      ASSERT_TRUE(std::binary_search(found.begin(), found.end(), i)) << i;
  }
}

TEST(RegionFinder, FindsNothingJustBeyondTwiceTheReachInAnyDirection)
{
  RandomSystems random(7);
  RegionFinder finder;
  const std::vector<Vector> all = directions(random);
  for (int n = 0; n < 300; n++) {
    SCOPED_TRACE("system " + std::to_string(n));
    const Vector center = random.place_around_origin();
    System system = center_and_others(random, center, random.one_of({1.0, 0.7, 3.3}));
    ASSERT_TRUE(system.is_compact());
    for (const Vector &direction : all)
      system.add(sum_of(center, direction, FAR * system.reach * (1.0 + 1e-9)));
    check(finder, system);
    if (HasFatalFailure()) return;
  }
}

TEST(RegionFinder, FindsAtomsJustWithinReachFarFromTheOrigin)
{
  RandomSystems random(8);
  RegionFinder finder;
  const std::vector<Vector> all = directions(random);
  for (const Vector &center : {Vector{1e6, 1e6, 1e6}, {-1e6, 0.1, 1e6}, {0.0, -1e6, 1e9}})
    for (int n = 0; n < 20; n++) {
      System system = center_and_others(random, center, 1.0);
      for (const Vector &direction : all) {
        system.add(sum_of(center, direction, 1.0 - 1e-12));
        system.add(sum_of(center, direction, 1.0 - 1e-6));
      }
      check(finder, system);
      if (HasFatalFailure()) return;
    }
}

/* ---------------------------------------------------------------------- */

TEST(RegionFinder, FindsNothingWithoutCenters)
{
  RegionFinder finder;
  EXPECT_TRUE(finder.atoms().empty());
  System system;
  EXPECT_TRUE(found_by(finder, system).empty());
  for (int n = 0; n < 10; n++) system.add({0.1 * n, 0.0, 0.0});
  EXPECT_TRUE(found_by(finder, system).empty());
  system.centers = {3};
  EXPECT_EQ(found_by(finder, system).size(), 10u);
  system.centers.clear();
  EXPECT_TRUE(found_by(finder, system).empty());
}

TEST(RegionFinder, FindsAllIfAllAreCenters)
{
  RandomSystems random(9);
  RegionFinder finder;
  for (int n = 0; n < 50; n++) {
    System system = random.system(
        {random.size(0.1, 200.0), random.size(0.1, 20.0), random.size(0.1, 20.0)}, 300);
    system.take_all_as_centers();
    const std::vector<int> all = system.centers;
    random.shuffle(system.centers);
    ASSERT_EQ(found_by(finder, system), all);
  }
}

TEST(RegionFinder, FindsAtomsAtThePlaceOfTheirCenter)
{
  for (int ncenters : {1, 100}) {
    System system;
    for (int n = 0; n < 200; n++)
      n < ncenters ? system.add_center({5, 6, 7}) : system.add({5, 6, 7});
    RegionFinder finder;
    EXPECT_EQ(found_by(finder, system).size(), 200u);
  }
}

TEST(RegionFinder, FindsWhatIsNearCentersThatAreExtremelyFarApart)
{
  RandomSystems random(10);
  RegionFinder finder;
  for (double distance : {1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e12, 1e15, 1e300})
    for (const Vector &axis : {Vector{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 1, 0}, {1, -1, 1}}) {
      SCOPED_TRACE("distance " + std::to_string(distance));
      System system;
      for (int n = 0; n < 100; n++) {
        const Vector origin = sum_of({0.0, 0.0, 0.0}, axis, n % 2 * distance);
        const Vector place = sum_of(origin, random.place_in({2.0, 2.0, 2.0}));
        n < 4 ? system.add_center(place) : system.add(place);
      }
      check(finder, system);
      if (HasFatalFailure()) return;
    }
}

/** A cloud with a coordinate of one of the atoms that is of no use. */
std::vector<System> with_unusable_coordinate(int atom)
{
  std::vector<System> systems;
  for (double value : {NOT_A_NUMBER, INFINITE, -INFINITE, 1e300, -1e300, 1e20, -1e20})
    for (int dims = 1; dims < 8; dims++) {
      RandomSystems random(11);
      systems.emplace_back();
      for (int n = 0; n < 200; n++) {
        const Vector place = random.place_in({6.0, 5.0, 4.0});
        n < 20 ? systems.back().add_center(place) : systems.back().add(place);
      }
      for (int dim = 0; dim < 3; dim++)
        if (dims >> dim & 1) systems.back().x[3 * atom + dim] = value;
    }
  return systems;
}

TEST(RegionFinder, MayMeetAnAtomAtNoPlaceAtAll)
{
  RegionFinder finder;
  for (int atom : {20, 100, 199})
    for (const System &system : with_unusable_coordinate(atom)) {
      ASSERT_TRUE(system.is_compact());
      check(finder, system);
      if (HasFatalFailure()) return;
    }
}

TEST(RegionFinder, FindsWhatIsNearTheOthersIfACenterIsAtNoPlaceAtAll)
{
  RegionFinder finder;
  for (int atom : {0, 10, 19})
    for (const System &system : with_unusable_coordinate(atom)) {
      check(finder, system);
      if (HasFatalFailure()) return;
    }
}

TEST(RegionFinder, MayHaveNoCenterThatIsAtAnyPlace)
{
  System system;
  system.add_center({NOT_A_NUMBER, 0.0, 0.0});
  system.add_center({0.0, INFINITE, -INFINITE});
  system.add({0.0, 0.0, 0.0});
  check(system);
}

TEST(RegionFinder, RemembersNothingOfTheSystemBefore)
{
  RandomSystems random(12);
  RegionFinder used;
  for (int n = 0; n < 300; n++) {
    const Vector lengths{random.size(0.05, 100.0), random.size(0.05, 8.0), random.size(0.05, 8.0)};
    System system = random.system(lengths, 1 + random.number(300));
    if (n % 10 == 3) system.centers.clear();
    if (n % 10 == 6) system.x[3 * system.centers[0]] = NOT_A_NUMBER;
    RegionFinder fresh;
    ASSERT_EQ(found_by(used, system), found_by(fresh, system)) << "system " << n;
    ASSERT_EQ(found_by(used, system), fresh.atoms()) << "system " << n << " again";
  }
}

}    // namespace
