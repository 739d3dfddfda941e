// SPDX-License-Identifier: GPL-2.0-only
//
// The mesh of the leaders of nodes, from the bricks of all ranks.

#include "mesh_ranks.h"
#include "unit/errors.h"

#include "mesh/node_bricks.h"

#include <stdexcept>

using namespace TOFU_TEST;

namespace {

TEST(NodeLeaders, AreTheLowestRanksOfTheirNodes)
{
  EXPECT_EQ(node_leaders({7, 3, 7, 9, 3}), (std::vector<int>{0, 1, 0, 3, 1}));
  EXPECT_EQ(node_leaders({0, 1, 2}), (std::vector<int>{0, 1, 2}));
}

const MeshGrid GRID{{12, 10, 9}, {2, 2, 1}, 3, 2};

TEST(GeometryOfLeaders, IsThatOfAllRanksIfEachIsANodeOfItsOwn)
{
  const MeshGeometry all = GRID.geometry(2), found = geometry_of_leaders(all, {0, 1, 2, 3});
  EXPECT_EQ(found.me, 2);
  EXPECT_EQ(found.npoints, all.npoints);
  EXPECT_EQ(found.bricks, all.bricks);
  EXPECT_EQ(found.boxes, all.boxes);
}

TEST(GeometryOfLeaders, HasTheBoxAroundTheBricksOfANode)
{
  const MeshGeometry found = geometry_of_leaders(GRID.geometry(2), {0, 0, 2, 2});
  EXPECT_EQ(found.me, 1);
  ASSERT_EQ(found.bricks.size(), 2U);
  EXPECT_EQ(found.bricks[0], (MeshBox{{0, 0, 0}, {12, 5, 9}}));
  EXPECT_EQ(found.bricks[1], (MeshBox{{0, 5, 0}, {12, 10, 9}}));
  EXPECT_EQ(found.boxes[1], (MeshBox{{-3, 2, -3}, {14, 12, 11}}));
}

TEST(GeometryOfLeaders, HasNoPlaceForOtherRanks)
{
  EXPECT_EQ(geometry_of_leaders(GRID.geometry(1), {0, 0, 2, 2}).me, -1);
}

TEST(GeometryOfLeaders, RefusesNodesWhoseBricksAreNoBox)
{
  const std::string text = message_of<std::invalid_argument>([] {
    geometry_of_leaders(GRID.geometry(0), {0, 1, 1, 0});
  });    // two bricks at a corner
  expect_words(text, {"node of rank 0"});
}

}    // namespace
