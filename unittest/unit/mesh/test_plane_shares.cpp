// SPDX-License-Identifier: GPL-2.0-only
//
// Planes of the mesh that parts spread charges to.

#include "unit/testing.h"

#include "mesh/plane_shares.h"

using namespace TOFU_NS;

namespace {

constexpr int LO = -3, HI = 21;

std::vector<int> points_in(int natoms, int lo, int hi)
{
  std::mt19937 random(2);
  std::uniform_int_distribution<int> plane(lo, hi - 1);
  std::vector<int> points;
  for (int i = 0; i < natoms; i++) {
    points.insert(points.end(), {0, 0});
    points.push_back(plane(random));
  }
  return points;
}

TEST(PlaneShares, CoverAllPlanesInOrder)
{
  for (int natoms : {0, 1, 5, 4000})
    for (int nparts : {1, 2, 3, 40}) {
      PlaneShares shares;
      shares.assign(points_in(natoms, LO, HI).data(), natoms, LO, HI, nparts);
      EXPECT_EQ(shares.first(0), LO);
      EXPECT_EQ(shares.last(nparts - 1), HI);
      for (int part = 0; part < nparts; part++) EXPECT_LE(shares.first(part), shares.last(part));
    }
}

TEST(PlaneShares, HaveAboutAsManyAtomsEach)
{
  constexpr int NATOMS = 30000, NPARTS = 3;
  std::vector<int> points = points_in(NATOMS / 2, LO, HI);    // most are in the lower half
  const std::vector<int> more = points_in(NATOMS / 2, LO, 9);
  points.insert(points.end(), more.begin(), more.end());
  PlaneShares shares;
  shares.assign(points.data(), NATOMS, LO, HI, NPARTS);
  for (int part = 0; part < NPARTS; part++) {
    int natoms = 0;
    for (int i = 0; i < NATOMS; i++)
      natoms += shares.first(part) <= points[3 * i + 2] && points[3 * i + 2] < shares.last(part);
    EXPECT_NEAR(natoms, NATOMS / NPARTS, 0.1 * NATOMS);
  }
}

}    // namespace
