// SPDX-License-Identifier: GPL-2.0-only
//
// Ghost points that are images of a rank's own points, against a computation point by point.

#include "mesh_ranks.h"

#include "mesh/own_images.h"

using namespace TOFU_TEST;

namespace {

struct Shape {
  std::array<int, 3> npoints;
  MeshBox brick, box;
};

class OwnImagesOf : public testing::TestWithParam<Shape> {
 protected:
  const Shape &s = GetParam();
  OwnImages images{s.npoints, s.brick, s.box};

  /** Place in the inner array of a point of the box, or of the point of which it is an image. */
  std::ptrdiff_t place(int x, int y, int z) const
  {
    std::array<int, 3> point{x, y, z};
    for (int dim = 0; dim < 3; dim++) {
      if (s.brick.length(dim) < s.npoints[dim]) continue;
      while (point[dim] < s.brick.lo[dim]) point[dim] += s.npoints[dim];
      while (point[dim] >= s.brick.hi[dim]) point[dim] -= s.npoints[dim];
    }
    return MeshLayout{images.inner()}.offset(point);
  }
};

TEST_P(OwnImagesOf, AreAddedToWhatTheyAreImagesOf)
{
  std::vector<double> outer(s.box.npoints()), inner(images.inner().npoints(), -1.0),
      expected(inner.size(), 0.0);
  for_points({s.box}, [&](int x, int y, int z, std::ptrdiff_t n) {
    outer[n] = 1.0 + static_cast<double>(n * n % 1009);
    expected[place(x, y, z)] += outer[n];
  });
  images.fold(outer.data(), inner.data());
  EXPECT_EQ(inner, expected);    // integers: no rounding
}

TEST_P(OwnImagesOf, GetTheValuesOfWhatTheyAreImagesOf)
{
  std::vector<float> outer(s.box.npoints(), -1.0F), inner(images.inner().npoints());
  for (std::size_t n = 0; n < inner.size(); n++) inner[n] = static_cast<float>(n);
  images.unfold(inner.data(), outer.data());
  for_points({s.box}, [&](int x, int y, int z, std::ptrdiff_t n) {
    EXPECT_EQ(outer[n], inner[place(x, y, z)]) << x << " " << y << " " << z;
  });
}

TEST_P(OwnImagesOf, AreLeftOutInDimensionsThatTheRankHasWholeAlone)
{
  for (int dim = 0; dim < 3; dim++) {
    const bool whole = s.brick.length(dim) == s.npoints[dim];
    EXPECT_EQ(images.inner().lo[dim], whole ? s.brick.lo[dim] : s.box.lo[dim]);
    EXPECT_EQ(images.inner().hi[dim], whole ? s.brick.hi[dim] : s.box.hi[dim]);
  }
  EXPECT_EQ(images.any(), !(images.inner() == s.box));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, OwnImagesOf,
    testing::Values(Shape{{8, 7, 6}, {{0, 0, 0}, {8, 7, 6}}, {{-3, -3, -3}, {11, 10, 9}}},
                    Shape{{2, 1, 3}, {{0, 0, 0}, {2, 1, 3}}, {{-3, -3, -3}, {6, 5, 7}}},
                    Shape{{8, 7, 6}, {{0, 0, 3}, {8, 7, 6}}, {{-2, -3, 0}, {11, 10, 9}}},
                    Shape{{8, 7, 6}, {{4, 0, 3}, {8, 7, 6}}, {{1, -3, 0}, {11, 10, 9}}},
                    Shape{{8, 7, 6}, {{4, 0, 3}, {8, 4, 6}}, {{1, -3, 0}, {11, 7, 9}}},
                    Shape{{8, 7, 6}, {{0, 0, 0}, {8, 7, 6}}, {{0, 0, 0}, {8, 7, 6}}},
                    Shape{{8, 7, 2}, {{0, 0, 1}, {8, 7, 1}}, {{-2, -2, -2}, {10, 9, 5}}}));

}    // namespace
