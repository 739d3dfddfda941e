// SPDX-License-Identifier: GPL-2.0-only
//
// The vectorised kernel of fix shake: lengths at the end of the step, forces against a plain
// iteration, virial, and what is said about clusters that cannot be solved.

#include "kernels/motion/shake_clusters.h"

#include "unit/kernels/simd/instruction_sets.h"

using namespace TOFU_NS;
using namespace TOFU_TEST;

namespace {

using Point = std::array<double, 3>;
using Real = long double;

constexpr double FORCE_TO_SHIFT = 0.01, TOLERANCE = 1e-14;
constexpr int MANY = 200;

struct Ends {
  int first, second;
};

std::vector<Ends> ends_of(ClusterShape shape)
{
  switch (shape) {
    case ClusterShape::BOND:
      return {{0, 1}};
    case ClusterShape::TWO_BONDS:
      return {{0, 1}, {0, 2}};
    case ClusterShape::THREE_BONDS:
      return {{0, 1}, {0, 2}, {0, 3}};
    default:
      return {{0, 1}, {0, 2}, {1, 2}};
  }
}

Point from(const std::vector<double> &rows, int i, int j)
{
  return {rows[3 * i] - rows[3 * j], rows[3 * i + 1] - rows[3 * j + 1],
          rows[3 * i + 2] - rows[3 * j + 2]};
}

double dot(const Point &a, const Point &b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Clusters of one shape with lengths that are right before the step, some of their atoms those of
    another rank. */
struct System {
  ClusterColumns columns;
  std::vector<double> x, moved, mass, f;    // f: at first not 0
  std::vector<std::array<double, 3>> length;
  int nlocal = 0;

  System(ClusterShape shape, int nclusters, double shift = 0.02) : columns(shape)
  {
    std::mt19937 random(nclusters + 10 * static_cast<int>(shape));
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    const int natoms = columns.natoms() * nclusters;
    nlocal = natoms - natoms / 5;
    for (int i = 0; i < natoms; i++) {
      const Point corner = i % columns.natoms() == 0
          ? Point{0.0, 0.0, 0.0}
          : Point{i % columns.natoms() == 1 ? 1.0 : 0.3, i % columns.natoms() == 2 ? 1.1 : 0.2,
                  i % columns.natoms() == 3 ? 0.9 : 0.1};
      for (int k = 0; k < 3; k++) {
        x.push_back(corner[k] + 0.1 * any(random) + 3.0 * (i / columns.natoms()));
        moved.push_back(x.back() + shift * any(random));
        f.push_back(any(random));
      }
      mass.push_back(2.0 + any(random));
    }

    // the atoms of a cluster are not side by side, and some are ghosts

    std::vector<int> place(natoms);
    for (int i = 0; i < natoms; i++) place[i] = i;
    std::shuffle(place.begin(), place.end(), random);
    std::vector<double> sorted_x(x), sorted_moved(moved);
    for (int i = 0; i < natoms; i++)
      for (int k = 0; k < 3; k++) {
        x[3 * place[i] + k] = sorted_x[3 * i + k];
        moved[3 * place[i] + k] = sorted_moved[3 * i + k];
      }
    for (int c = 0; c < nclusters; c++) columns.add(place.data() + c * columns.natoms());
    columns.finish();
    for (int c = 0; c < nclusters; c++) set(c);
  }

  int nowned(int cluster) const
  {
    int n = 0;
    for (int a = 0; a < columns.natoms(); a++) n += columns.atom(cluster, a) < nlocal;
    return n;
  }

  void set(int cluster)
  {
    double inverse_mass[4];
    for (int a = 0; a < columns.natoms(); a++)
      inverse_mass[a] = 1.0 / mass[columns.atom(cluster, a)];
    length.resize(cluster + 1);
    const auto ends = ends_of(columns.shape());
    for (std::size_t c = 0; c < ends.size(); c++) {
      const Point r =
          from(x, columns.atom(cluster, ends[c].first), columns.atom(cluster, ends[c].second));
      length[cluster][c] = std::sqrt(dot(r, r));
    }
    columns.set(cluster, inverse_mass, length[cluster].data(),
                static_cast<double>(nowned(cluster)) / columns.natoms());
  }

  ClusterStep step()
  {
    ClusterStep one;
    one.x = x.data();
    one.moved = moved.data();
    one.f = f.data();
    one.nlocal = nlocal;
    one.force_to_shift = FORCE_TO_SHIFT;
    one.tolerance = TOLERANCE;
    one.most_iterations = MANY;
    return one;
  }

  /** Multipliers of a cluster, by an iteration over one bond after the other. */
  std::vector<double> multipliers(int cluster) const
  {
    const auto ends = ends_of(columns.shape());
    std::vector<double> found;
    std::vector<std::array<Real, 3>> s;
    for (const auto &one : ends) {
      const Point after =
          from(moved, columns.atom(cluster, one.first), columns.atom(cluster, one.second));
      s.push_back({after[0], after[1], after[2]});
    }
    std::vector<Real> sum(ends.size(), 0.0);
    Real largest = 1.0;
    for (int i = 0; i < 10000 && largest > 1e-17; i++) {
      largest = 0.0;
      for (std::size_t c = 0; c < ends.size(); c++) {
        const Point r = r_of(cluster, ends[c]);
        Real ss = 0.0, sr = 0.0;
        for (int k = 0; k < 3; k++) {
          ss += s[c][k] * s[c][k];
          sr += s[c][k] * r[k];
        }
        const Real length_now = length[cluster][c];
        const Real more =
            (length_now * length_now - ss) / (2.0 * weight(cluster, ends[c], ends[c]) * sr);
        for (std::size_t e = 0; e < ends.size(); e++)
          for (int k = 0; k < 3; k++) s[e][k] += weight(cluster, ends[e], ends[c]) * more * r[k];
        sum[c] += more;
        largest = std::max(largest, std::fabs(more));
      }
    }
    for (const Real one : sum) found.push_back(static_cast<double>(one / FORCE_TO_SHIFT));
    return found;
  }

  Point r_of(int cluster, const Ends &ends) const
  {
    return from(x, columns.atom(cluster, ends.first), columns.atom(cluster, ends.second));
  }

  /** What a multiplier of one distance does to another. */
  Real weight(int cluster, const Ends &to, const Ends &by) const
  {
    Real sum = 0.0;
    for (int a = 0; a < columns.natoms(); a++)
      sum += ((a == to.first) - (a == to.second)) * ((a == by.first) - (a == by.second)) /
          static_cast<Real>(mass[columns.atom(cluster, a)]);
    return sum;
  }
};

class ShakeClusters : public ::testing::TestWithParam<ClusterShape> {
 protected:
  void TearDown() override { use_best_instruction_set(); }
};

void add_expected_forces(const System &system, int cluster, std::vector<double> &f, double *virial,
                         std::vector<double> &vatom)
{
  const auto ends = ends_of(system.columns.shape());
  const auto multipliers = system.multipliers(cluster);
  double v[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  for (std::size_t c = 0; c < ends.size(); c++) {
    const int a = system.columns.atom(cluster, ends[c].first),
              b = system.columns.atom(cluster, ends[c].second);
    const Point r = from(system.x, a, b);
    for (int k = 0; k < 3; k++) {
      if (a < system.nlocal) f[3 * a + k] += multipliers[c] * r[k];
      if (b < system.nlocal) f[3 * b + k] -= multipliers[c] * r[k];
      v[k] += multipliers[c] * r[k] * r[k];
    }
    v[3] += multipliers[c] * r[0] * r[1];
    v[4] += multipliers[c] * r[0] * r[2];
    v[5] += multipliers[c] * r[1] * r[2];
  }
  const int natoms = system.columns.natoms();
  for (int k = 0; k < 6; k++) {
    virial[k] += v[k] * system.nowned(cluster) / natoms;
    for (int a = 0; a < natoms; a++) {
      const int i = system.columns.atom(cluster, a);
      if (i < system.nlocal) vatom[6 * i + k] += v[k] / natoms;
    }
  }
}

}    // namespace

TEST_P(ShakeClusters, ForcesVirialAndLengthsAreThoseOfOneBondAfterTheOther)
{
  for_each_instruction_set([&] {
    for (const int nclusters : {1, 7, 8, 9, 37}) {
      SCOPED_TRACE("clusters: " + std::to_string(nclusters));
      System system(GetParam(), nclusters);
      const int natoms = static_cast<int>(system.mass.size());
      std::vector<double> f(system.f), vatom(6 * natoms, 0.0), expected_vatom(vatom);
      double virial[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
      for (int c = 0; c < nclusters; c++) add_expected_forces(system, c, f, virial, expected_vatom);

      ClusterStep step = system.step();
      step.tallied = true;
      step.vatom = reinterpret_cast<double(*)[6]>(vatom.data());
      ClusterSums sums;
      constrain_clusters(system.columns, step, 0, system.columns.nblocks(), sums);
      for (int k = 0; k < 3 * natoms; k++) EXPECT_NEAR(system.f[k], f[k], 1e-10) << k / 3;
      for (int k = 0; k < 6 * natoms; k++) EXPECT_NEAR(vatom[k], expected_vatom[k], 1e-10) << k / 6;
      for (int k = 0; k < 6; k++) EXPECT_NEAR(sums.virial[k], virial[k], 1e-9);
      EXPECT_EQ(sums.nunsolvable, 0);
      EXPECT_EQ(sums.nnegative, 0);
    }
  });
}

TEST_P(ShakeClusters, PartsOfTheBlocksAddUpToAllOfThem)
{
  System whole(GetParam(), 37), parts(GetParam(), 37);
  ClusterStep step = whole.step();
  step.tallied = true;
  ClusterSums all, some;
  constrain_clusters(whole.columns, step, 0, whole.columns.nblocks(), all);
  step.f = parts.f.data();
  for (int block = 0; block < whole.columns.nblocks(); block++)
    constrain_clusters(parts.columns, step, block, block + 1, some);
  EXPECT_EQ(whole.f, parts.f);
  for (int k = 0; k < 6; k++) EXPECT_NEAR(all.virial[k], some.virial[k], 1e-12 * 40.0);
}

TEST_P(ShakeClusters, IterationsEndAtTheirGreatestNumber)
{
  if (GetParam() == ClusterShape::BOND) GTEST_SKIP() << "is solved without iterations";
  for_each_instruction_set([&] {
    std::vector<double> previous;
    for (const int most : {1, 2, 100}) {
      System system(GetParam(), 9);
      ClusterStep step = system.step();
      step.most_iterations = most;
      ClusterSums sums;
      constrain_clusters(system.columns, step, 0, system.columns.nblocks(), sums);
      EXPECT_NE(system.f, previous);
      previous = system.f;
    }
  });
}

TEST_P(ShakeClusters, ClustersThatAreFarFromTheirLengthsGiveFiniteIterationsOrAreCounted)
{
  for_each_instruction_set([&] {
    System system(GetParam(), 9);
    if (GetParam() == ClusterShape::BOND) {
      const int i = system.columns.atom(8, 0);    // the last one, which is repeated in its vector
      for (int k = 0; k < 3; k++) system.moved[3 * i + k] += 50.0 * (k + 1);
    } else {
      for (int a = 1; a < system.columns.natoms(); a++)    // all distances 0
        for (int k = 0; k < 3; k++)
          system.x[3 * system.columns.atom(8, a) + k] = system.x[3 * system.columns.atom(8, 0) + k];
    }
    ClusterSums sums;
    constrain_clusters(system.columns, system.step(), 0, system.columns.nblocks(), sums);
    EXPECT_EQ(sums.nnegative, GetParam() == ClusterShape::BOND ? 1 : 0);
    EXPECT_EQ(sums.nunsolvable, GetParam() == ClusterShape::BOND ? 0 : 1);
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShakeClusters,
                         ::testing::Values(ClusterShape::BOND, ClusterShape::TWO_BONDS,
                                           ClusterShape::THREE_BONDS, ClusterShape::TRIANGLE));
