// SPDX-License-Identifier: GPL-2.0-only
//
// Charge sites of water, and rows without the atoms of one type.

#include "unit/testing.h"

#include "kernels/data/rows_without_type.h"
#include "kernels/sites/water_sites.h"

using namespace TOFU_NS;

namespace {

constexpr double ALPHA = 0.26;
const Water WATER{1, {3, 0}};
const double X[5][3] = {{0.5, 0.25, 0.0}, {0.0, 0.0, 0.0}, {9.0, 9.0, 9.0}, {-0.5, 0.25, 1.0}, {}};

TEST(WaterSites, SiteIsTheWeightedMeanOfTheAtoms)
{
  std::vector<double> sites(15, 7.0);
  place_sites(&WATER, 1, ALPHA, X[0], sites.data());
  for (int dim = 0; dim < 3; dim++)
    EXPECT_DOUBLE_EQ(sites[3 + dim],
                     (1.0 - ALPHA) * X[1][dim] + 0.5 * ALPHA * (X[3][dim] + X[0][dim]));
  EXPECT_EQ(sites[0], 7.0);
  EXPECT_EQ(sites[9], 7.0);
}

TEST(WaterSites, ForceAndTorqueStayTheSameWhenTheyAreShared)
{
  std::vector<double> sites(15, 0.0), forces(20, 0.0);
  place_sites(&WATER, 1, ALPHA, X[0], sites.data());
  const double on_site[3] = {1.0, -2.0, 0.5};
  for (int dim = 0; dim < 3; dim++) forces[4 + dim] = on_site[dim];
  share_site(WATER, ALPHA, forces.data(), 3, 4);
  double sum[3] = {}, torque[3] = {};
  for (const int i : {1, 3, 0})
    for (int dim = 0; dim < 3; dim++) {
      const int next = (dim + 1) % 3, last = (dim + 2) % 3;
      sum[dim] += forces[4 * i + dim];
      torque[dim] += X[i][next] * forces[4 * i + last] - X[i][last] * forces[4 * i + next];
    }
  for (int dim = 0; dim < 3; dim++) {
    const int next = (dim + 1) % 3, last = (dim + 2) % 3;
    EXPECT_NEAR(sum[dim], on_site[dim], 1e-15);
    EXPECT_NEAR(torque[dim], sites[3 + next] * on_site[last] - sites[3 + last] * on_site[next],
                1e-15);
  }
  EXPECT_NEAR(forces[12], 0.5 * ALPHA, 1e-15);
  EXPECT_EQ(forces[7], 0.0);    // the fourth is nobody's
}

TEST(RowsWithoutType, KeepOrderAndSpecialBonds)
{
  const int special = 2 << SPECIAL_SHIFT;
  const int type[6] = {1, 2, 1, 3, 2, 1};
  const int atoms[4] = {0, 1, 2, 5};
  std::vector<int> rows[4] = {{2 | special, 4 | special, 3, 1, 5}, {3}, {4}, {3 | special, 0}};
  const int nspecial[6] = {2, 0, 0, 0, 0, 1};
  const int nneighbors[6] = {5, 1, 1, 0, 0, 2};
  const int *first[6] = {rows[0].data(), rows[1].data(), rows[2].data(),
                         nullptr,        nullptr,        rows[3].data()};
  const PairRows list{4, atoms, first, nneighbors, nspecial};
  RowsWithoutType others;
  others.resize(2, 6);
  for (int time = 0; time < 2; time++) {    // rows are made again and again
    others.fill(0, list, 0, 2, type, 2);
    others.fill(1, list, 2, 4, type, 2);
  }

  const PairRows one = others.rows(0), two = others.rows(1);
  ASSERT_EQ(one.nrows, 1);    // atom 1 is of the type
  ASSERT_EQ(two.nrows, 1);    // the row of atom 2 is empty
  EXPECT_EQ(one.atoms[0], 0);
  EXPECT_EQ(two.atoms[0], 5);
  EXPECT_EQ(one.nspecial[0], 1);
  const std::vector<int> expected[2] = {{2 | special, 3, 5}, {3 | special, 0}};
  for (const int part : {0, 1}) {
    const PairRows rows_of_part = others.rows(part);
    const int i = rows_of_part.atoms[0];
    ASSERT_EQ(rows_of_part.nneighbors[i], static_cast<int>(expected[part].size()));
    for (int k = 0; k < rows_of_part.nneighbors[i]; k++)
      EXPECT_EQ(rows_of_part.first[i][k], expected[part][k]);
    for (int k = 0; k < ROW_PADDING; k++)
      EXPECT_EQ(rows_of_part.first[i][rows_of_part.nneighbors[i] + k], 6);
  }
  EXPECT_EQ(two.nspecial[5], 1);
}

}    // namespace
