// SPDX-License-Identifier: GPL-2.0-only
//
// The side on which a donor has a receiver, against a search over all images of the receiver.

#include "unit/testing.h"

#include "balance/transfer/receiver_image.h"

using namespace TOFU_NS;

namespace {

using Grid = std::array<int, 3>;
using Place = std::array<double, 3>;

/** Sub-box of a place in a grid of ranks. */
SubBox cell(const Grid &grid, const Grid &loc)
{
  SubBox box;
  for (int dim = 0; dim < 3; dim++) {
    box.lo[dim] = static_cast<double>(loc[dim]) / grid[dim];
    box.hi[dim] = static_cast<double>(loc[dim] + 1) / grid[dim];
  }
  return box;
}

SubBox moved(SubBox box, const Grid &box_shift)
{
  for (int dim = 0; dim < 3; dim++) {
    box.lo[dim] -= box_shift[dim];
    box.hi[dim] -= box_shift[dim];
  }
  return box;
}

double square_of(const Place &place, const SubBox &box)
{
  return square_from(place.data(), box, {4.0, 6.0, 5.0});
}

class NearestImageInAGrid : public testing::TestWithParam<Grid> {};

}    // namespace

TEST_P(NearestImageInAGrid, IsTheNearestOfAll)
{
  const Grid grid = GetParam();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-0.1, 1.1);    // atoms may have left the box
  for (int n = 0; n < 500; n++) {
    const Grid loc = {static_cast<int>(random() % grid[0]), static_cast<int>(random() % grid[1]),
                      static_cast<int>(random() % grid[2])};
    const Grid periodicity = {n % 2, n / 2 % 2, n / 4 % 2};
    const SubBox receiver = cell(grid, loc);
    const Place place = {uniform(random), uniform(random), uniform(random)};

    double least = 1e30;
    for (int z = -2 * periodicity[2]; z <= 2 * periodicity[2]; z++)
      for (int y = -2 * periodicity[1]; y <= 2 * periodicity[1]; y++)
        for (int x = -2 * periodicity[0]; x <= 2 * periodicity[0]; x++)
          least = std::min(least, square_of(place, moved(receiver, {x, y, z})));

    const ReceiverImage image = nearest_image(place, receiver, periodicity);
    EXPECT_DOUBLE_EQ(square_of(place, image.box), least);
    for (int dim = 0; dim < 3; dim++) {
      EXPECT_TRUE(periodicity[dim] || image.box_shift[dim] == 0);
      EXPECT_DOUBLE_EQ(image.box.lo[dim], receiver.lo[dim] - image.box_shift[dim]);
      EXPECT_DOUBLE_EQ(image.box.hi[dim], receiver.hi[dim] - image.box_shift[dim]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, NearestImageInAGrid,
                         testing::Values(Grid{1, 1, 1}, Grid{2, 1, 1}, Grid{2, 2, 2}, Grid{4, 2, 8},
                                         Grid{3, 5, 7}));

TEST(NearestImage, IsOnTheSideOfThePlace)
{
  const SubBox upper = cell({2, 1, 1}, {1, 0, 0});
  EXPECT_EQ(nearest_image({0.1, 0.5, 0.5}, upper, {1, 1, 1}).box_shift, (Grid{1, 0, 0}));
  EXPECT_EQ(nearest_image({0.4, 0.5, 0.5}, upper, {1, 1, 1}).box_shift, (Grid{0, 0, 0}));
  EXPECT_EQ(nearest_image({0.1, 0.5, 0.5}, upper, {0, 1, 1}).box_shift, (Grid{0, 0, 0}));
}

TEST(NearestImage, IsTheReceiverItselfIfAnotherIsAsNear)
{
  EXPECT_EQ(nearest_image({0.25, 0.0, 1.0}, cell({2, 1, 1}, {1, 0, 0}), {1, 1, 1}).box_shift,
            (Grid{0, 0, 0}));
  EXPECT_EQ(nearest_image({0.75, 0.0, 1.0}, cell({2, 1, 1}, {0, 0, 0}), {1, 1, 1}).box_shift,
            (Grid{0, 0, 0}));
}
