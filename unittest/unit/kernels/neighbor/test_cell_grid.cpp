// SPDX-License-Identifier: GPL-2.0-only

#include "unit/base/part_threads.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/neighbor/cell_grid.h"

using namespace TOFU_NS;

namespace {

double distancesq(const std::vector<double> &x, int i, int j)
{
  double sum = 0.0;
  for (int dim = 0; dim < 3; dim++)
    sum += (x[3 * i + dim] - x[3 * j + dim]) * (x[3 * i + dim] - x[3 * j + dim]);
  return sum;
}

/** Neighbors in ascending order. */
std::vector<int> sorted_neighbors(const CellGrid &grid, int i, double cutoff, bool upper,
                                  CellGrid::Doubts &doubts)
{
  std::vector<int> found;
  found.resize(grid.neighbors(i, cutoff, upper, found, doubts));
  std::sort(found.begin(), found.end());
  return found;
}

// all atoms within the cut-off are found, and atoms beyond it only where the grid says that it may
// find some

void expect_all_neighbors_with_this_set(const std::vector<double> &x, double longest, double cutoff)
{
  const int n = static_cast<int>(x.size() / 3);
  CellGrid grid;
  grid.sort({x.data(), n}, longest);
  for (int i = 0; i < n; i++)
    for (bool upper : {false, true}) {
      CellGrid::Doubts doubts;
      std::vector<int> sorted = sorted_neighbors(grid, i, cutoff, upper, doubts), expected;
      if (doubts.distance)
        sorted.erase(std::remove_if(sorted.begin(), sorted.end(),
                                    [&](int j) { return distancesq(x, i, j) > cutoff * cutoff; }),
                     sorted.end());
      for (int j = upper ? i + 1 : 0; j < n; j++)
        if (j != i && distancesq(x, i, j) <= cutoff * cutoff) expected.push_back(j);
      ASSERT_EQ(sorted, expected) << "atom " << i << (upper ? ", upper" : "");
    }
}

void expect_all_neighbors(const std::vector<double> &x, double longest, double cutoff)
{
  TOFU_TEST::for_each_instruction_set(
      [&] { expect_all_neighbors_with_this_set(x, longest, cutoff); });
}

std::vector<double> random_atoms(int n, const double *lengths, unsigned seed)
{
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-0.3, 0.7);
  std::vector<double> x;
  for (int i = 0; i < n; i++)
    for (int dim = 0; dim < 3; dim++) x.push_back(lengths[dim] * uniform(random));
  return x;
}

}    // namespace

TEST(CellGrid, FindsAllNeighborsInBoxesOfEveryShape)
{
  unsigned seed = 1;
  for (double x : {0.5, 7.0, 40.0})
    for (double y : {1.0, 9.0})
      for (double z : {0.001, 3.0, 20.0})
        for (int n : {1, 2, 50, 400}) {
          const double lengths[3] = {x, y, z};
          expect_all_neighbors(random_atoms(n, lengths, seed++), 2.8, 2.8);
        }
}

TEST(CellGrid, FindsNeighborsAtShorterDistancesThanItWasSortedFor)
{
  const double lengths[3] = {12.0, 12.0, 12.0};
  for (double cutoff : {0.3, 1.7, 2.5})
    expect_all_neighbors(random_atoms(500, lengths, 7), 2.5, cutoff);
}

TEST(CellGrid, FindsNeighborsInAHugeAndNearlyEmptyBox)
{
  const double lengths[3] = {1e5, 2e5, 3e3};
  std::vector<double> x = random_atoms(100, lengths, 3);
  const std::vector<double> near = x;
  for (std::size_t i = 0; i < near.size(); i++) x.push_back(near[i] + 0.4);
  expect_all_neighbors(x, 1.0, 1.0);
}

TEST(CellGrid, CallsAtomsByTheirNamesIfTheyHaveSome)
{
  const double lengths[3] = {6.0, 7.0, 8.0}, cutoff = 2.1;
  const int n = 300;
  const std::vector<double> x = random_atoms(n, lengths, 11);
  std::vector<int> names, plain, found;
  for (int i = 0; i < n; i++) names.push_back(5000 - 7 * i);
  TOFU_TEST::for_each_instruction_set([&] {
    CellGrid grid, named;
    grid.sort({x.data(), n}, cutoff);
    named.sort({x.data(), n, nullptr, names.data()}, cutoff);
    for (int i = 0; i < n; i++) {
      CellGrid::Doubts doubts;
      const int nplain = grid.neighbors(i, cutoff, false, plain, doubts);
      ASSERT_EQ(named.neighbors(i, cutoff, false, found, doubts), nplain);
      for (int k = 0; k < nplain; k++) ASSERT_EQ(found[k], names[plain[k]]);
    }
  });
}

TEST(CellGrid, TellsPairsAtTheCutOffApart)
{
  std::vector<double> x;
  const double spacing = 0.7;    // a lattice: many distances are equal, some equal the cut-off
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 8; k++) x.insert(x.end(), {i * spacing, j * spacing, k * spacing});
  for (double cutoff : {2 * spacing, 3 * spacing, 5 * spacing, std::sqrt(2.0) * spacing})
    expect_all_neighbors(x, cutoff, cutoff);
}

TEST(CellGrid, FindsHighAtomsBesideThoseWithHigherIndices)
{
  const double lengths[3] = {9.0, 7.0, 8.0}, cutoff = 2.2;
  const int n = 400;
  const std::vector<double> x = random_atoms(n, lengths, 11);
  std::vector<char> high(n, 0);
  for (int i = 0; i < n; i++) high[i] = i % 7 < 3;
  TOFU_TEST::for_each_instruction_set([&] {
    CellGrid grid;
    for (bool some_high : {true, false}) {    // the grid does not keep them
      grid.sort({x.data(), n, some_high ? high.data() : nullptr}, cutoff);
      for (int i = 0; i < n; i++) {
        if (some_high && high[i]) continue;
        CellGrid::Doubts doubts;
        std::vector<int> expected;
        const std::vector<int> found = sorted_neighbors(grid, i, cutoff, true, doubts);
        for (int j = 0; j < n; j++)
          if (j != i && (j > i || (some_high && high[j])) && distancesq(x, i, j) <= cutoff * cutoff)
            expected.push_back(j);
        ASSERT_EQ(found, expected) << "atom " << i;
      }
    }
  });
}

// z of some ghosts differs from that of owned atoms by less than single precision has

TEST(CellGrid, LeavesOutGhostsBelowAnAtomAndTellsWhereItCannot)
{
  const double lengths[3] = {9.0, 7.0, 8.0}, cutoff = 2.2;
  const int n = 400, nowned = 150;
  std::vector<double> x = random_atoms(n, lengths, 13);
  for (int i = 0; i < 30; i++) x[3 * (nowned + i) + 2] = x[3 * i + 2] + (i % 3 - 1) * 1e-9;
  std::vector<char> high(n, 0);
  for (int i = 0; i < nowned; i++) high[i] = i % 5 == 0;
  int ndoubts = 0, nlower = 0;
  TOFU_TEST::for_each_instruction_set([&] {
    for (bool some_high : {false, true}) {
      CellGrid grid;
      grid.sort({x.data(), n, some_high ? high.data() : nullptr, nullptr, nowned}, cutoff);
      for (int i = 0; i < nowned; i++) {
        if (some_high && high[i]) continue;
        CellGrid::Doubts doubts;
        std::vector<int> expected;
        const std::vector<int> found = sorted_neighbors(grid, i, cutoff, true, doubts);
        bool any_doubt = false;
        for (int j = 0; j < n; j++) {
          if (distancesq(x, i, j) > cutoff * cutoff || j == i) continue;
          const bool same = j >= nowned && std::fabs(x[3 * i + 2] - x[3 * j + 2]) < 1e-8;
          const bool lower = j >= nowned && !same && x[3 * j + 2] < x[3 * i + 2];
          any_doubt = any_doubt || same;
          nlower += lower;
          if (!lower && (j > i || (some_high && high[j]))) expected.push_back(j);
        }
        ASSERT_FALSE(doubts.distance);
        ASSERT_EQ(found, expected) << "atom " << i;
        ASSERT_EQ(doubts.height, any_doubt) << "atom " << i;
        ndoubts += doubts.height;
      }
    }
  });
  EXPECT_GT(ndoubts, 0);
  EXPECT_GT(nlower, 0);
}

TEST(CellGrid, IsTheSameWhateverPartsSortIt)
{
  const double lengths[3] = {30.0, 11.0, 20.0}, cutoff = 2.2;
  const int n = 6600;
  const std::vector<double> x = random_atoms(n, lengths, 5);
  std::vector<char> high(n, 0);
  for (int i = 0; i < n; i++) high[i] = i % 11 == 0;
  const char *const none = nullptr;
  for (const char *which : {none, static_cast<const char *>(high.data())})
    for (int nparts : {2, 3, 6}) {
      const Parts threads = TOFU_TEST::part_threads(nparts);
      CellGrid expected, grid;
      expected.sort({x.data(), n, which}, cutoff);
      grid.sort({x.data(), n, which}, cutoff, threads);
      for (int i = 0; i < n; i++)
        for (bool upper : {false, true}) {
          if (upper && which && which[i]) continue;
          std::vector<int> first, second;
          CellGrid::Doubts first_doubts, second_doubts;
          first.resize(expected.neighbors(i, cutoff, upper, first, first_doubts));
          second.resize(grid.neighbors(i, cutoff, upper, second, second_doubts));
          ASSERT_EQ(first, second) << "atom " << i << ", parts " << nparts;
          ASSERT_EQ(first_doubts.distance, second_doubts.distance);
          ASSERT_EQ(first_doubts.height, second_doubts.height);
        }
    }
}

TEST(CellGrid, TakesNoAtomsAndCoordinatesThatAreNotNumbers)
{
  CellGrid grid;
  grid.sort({}, 2.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x = {0.0, 0.0, 0.0, nan, nan, nan, 0.5, 0.0, 0.0};
  grid.sort({x.data(), 3}, 2.0);
  std::vector<int> found;
  CellGrid::Doubts doubts;
  ASSERT_EQ(grid.neighbors(0, 2.0, false, found, doubts), 1);
  EXPECT_EQ(found[0], 2);
  EXPECT_EQ(grid.neighbors(1, 2.0, false, found, doubts), 0);
}
