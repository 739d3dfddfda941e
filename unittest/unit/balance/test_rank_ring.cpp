// SPDX-License-Identifier: GPL-2.0-only
//
// Rings over all small grids of ranks and some larger ones, and rings that a user gives.

#include "unit/errors.h"

#include "balance/rank_ring.h"

using namespace TOFU_NS;
using TOFU_TEST::message_of;

namespace {

using Triple = std::array<int, 3>;

/** A grid and its boundaries; p and f in names of tests mean periodic or not. */
struct Shape {
  Triple procgrid, periodicity;
};

/** Ranks at shuffled locations in their grid. */
class Grid {
 public:
  explicit Grid(const Shape &shape) : procgrid(shape.procgrid), periodicity(shape.periodicity)
  {
    for (int x = 0; x < procgrid[0]; x++)
      for (int y = 0; y < procgrid[1]; y++)
        for (int z = 0; z < procgrid[2]; z++) locations_.push_back({x, y, z});
    std::shuffle(locations_.begin(), locations_.end(), std::mt19937(1));
  }

  int size() const { return static_cast<int>(locations_.size()); }

  RankRing ring() const
  {
    return serpentine_ring(procgrid, periodicity, [this](int x, int y, int z) {
      return std::find(locations_.begin(), locations_.end(), Triple{x, y, z}) - locations_.begin();
    });
  }

  enum class Boundaries { INSIDE, THROUGH };

  bool share_a_face(int a, int b, Boundaries boundaries) const
  {
    const Triple at = locations_[a], other = locations_[b];
    int nsteps = 0;
    for (int dim = 0; dim < 3; dim++) {
      int distance = std::abs(at[dim] - other[dim]);
      if (boundaries == Boundaries::THROUGH && periodicity[dim])
        distance = std::min(distance, procgrid[dim] - distance);
      nsteps += distance;
    }
    return nsteps == 1;
  }

  int ndims_cut() const
  {
    return static_cast<int>(
        std::count_if(procgrid.begin(), procgrid.end(), [](int n) { return n > 1; }));
  }

  /** Whether there is a closed ring.  Without periodic boundaries the colors of a chessboard
      alternate on a ring, so that its length is even. */
  bool has_ring() const
  {
    bool periodic = false;
    for (int dim = 0; dim < 3; dim++)
      periodic = periodic || (procgrid[dim] > 1 && periodicity[dim]);
    return size() > 2 && (periodic || (ndims_cut() > 1 && size() % 2 == 0));
  }

 private:
  Triple procgrid, periodicity;
  std::vector<Triple> locations_;    // [nranks]
};

std::vector<Shape> shapes()
{
  std::vector<Triple> procgrids = {{1, 1, 9}, {6, 5, 4}, {5, 3, 7}, {7, 1, 5},
                                   {1, 6, 5}, {5, 5, 2}, {8, 8, 8}};
  for (int x = 1; x <= 4; x++)
    for (int y = 1; y <= 4; y++)
      for (int z = 1; z <= 4; z++) procgrids.push_back({x, y, z});
  std::vector<Shape> all;
  for (const Triple &procgrid : procgrids)
    for (int periodic = 0; periodic < 8; periodic++)
      all.push_back({procgrid, {periodic & 1, periodic >> 1 & 1, periodic >> 2}});
  return all;
}

std::string name_of(const testing::TestParamInfo<Shape> &info)
{
  std::string name;
  for (int dim = 0; dim < 3; dim++)
    name += (dim ? "x" : "") + std::to_string(info.param.procgrid[dim]) +
        (info.param.periodicity[dim] ? "p" : "f");
  return name;
}

class SerpentineRing : public testing::TestWithParam<Shape> {
 protected:
  const Grid grid{GetParam()};
  const RankRing ring = grid.ring();
};

TEST_P(SerpentineRing, HasEachRankOnce)
{
  std::vector<int> ranks = ring.order, all(grid.size());
  std::iota(all.begin(), all.end(), 0);
  std::sort(ranks.begin(), ranks.end());
  EXPECT_EQ(ranks, all);
}

TEST_P(SerpentineRing, StaysInsideTheBoxFromFaceToFace)
{
  for (std::size_t n = 1; n < ring.order.size(); n++)
    EXPECT_TRUE(grid.share_a_face(ring.order[n - 1], ring.order[n], Grid::Boundaries::INSIDE)) << n;
}

TEST_P(SerpentineRing, IsClosedWhereverThereIsSuchARing)
{
  EXPECT_EQ(ring.closed, grid.has_ring());
  if (ring.closed) {
    EXPECT_TRUE(
        grid.share_a_face(ring.order.back(), ring.order.front(), Grid::Boundaries::THROUGH));
  }
}

TEST_P(SerpentineRing, NeedsNoBoundaryIfTheNumberOfRanksIsEvenInMoreThanOneDimension)
{
  if (grid.ndims_cut() < 2 || grid.size() % 2) return;
  EXPECT_TRUE(grid.share_a_face(ring.order.back(), ring.order.front(), Grid::Boundaries::INSIDE));
}

INSTANTIATE_TEST_SUITE_P(Grids, SerpentineRing, testing::ValuesIn(shapes()), name_of);

TEST(SerpentineRingOfOne, IsOpen)
{
  const RankRing ring = serpentine_ring({1, 1, 1}, {1, 1, 1}, [](int, int, int) { return 0; });
  EXPECT_EQ(ring.order, std::vector<int>{0});
  EXPECT_FALSE(ring.closed);
}

/** Sub-boxes of recursive bisection with cuts at random, ranks in the order of the tree. */
void bisect(const SubBox &box, int nranks, std::mt19937 &random, std::vector<SubBox> &boxes)
{
  if (nranks == 1) {
    boxes.push_back(box);
    return;
  }
  const int dim = static_cast<int>(random() % 3),
            nlower = 1 + static_cast<int>(random() % (nranks - 1));
  const double at = box.lo[dim] +
      (box.hi[dim] - box.lo[dim]) * std::uniform_real_distribution<double>(0.2, 0.8)(random);
  SubBox lower = box, upper = box;
  lower.hi[dim] = upper.lo[dim] = at;
  bisect(lower, nlower, random, boxes);
  bisect(upper, nranks - nlower, random, boxes);
}

bool touch(const SubBox &a, const SubBox &b)
{
  for (int dim = 0; dim < 3; dim++)
    if (a.lo[dim] > b.hi[dim] || b.lo[dim] > a.hi[dim]) return false;
  return true;
}

TEST(RingOfBoxes, HasEachRankOnceAndMostlyTouchesTheNext)
{
  std::mt19937 random(1);
  int npairs = 0, ntouch = 0;
  for (int n = 1; n <= 300; n++) {
    const int nranks = 1 + n % 60;
    std::vector<SubBox> boxes;
    bisect({{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, nranks, random, boxes);
    std::shuffle(boxes.begin(), boxes.end(), random);
    const RankRing ring = ring_of_boxes(boxes);
    std::vector<int> ranks = ring.order, all(nranks);
    std::iota(all.begin(), all.end(), 0);
    std::sort(ranks.begin(), ranks.end());
    ASSERT_EQ(ranks, all);
    EXPECT_EQ(ring.closed, nranks > 2);
    for (int i = 1; i < nranks; i++) {
      npairs++;
      ntouch += touch(boxes[ring.order[i - 1]], boxes[ring.order[i]]);
    }
  }
  EXPECT_GT(ntouch, 0.8 * npairs);
}

TEST(RingOfBoxes, GoesFromFaceToFaceThroughEightEqualBoxes)
{
  std::vector<SubBox> boxes;
  for (int k = 0; k < 8; k++) {
    const std::array<double, 3> lo{0.5 * (k & 1), 0.5 * (k >> 1 & 1), 0.5 * (k >> 2)};
    boxes.push_back({lo, {lo[0] + 0.5, lo[1] + 0.5, lo[2] + 0.5}});
  }
  const RankRing ring = ring_of_boxes(boxes);
  for (int i = 1; i < 8; i++) {
    const int changed = ring.order[i - 1] ^ ring.order[i];
    EXPECT_TRUE(changed == 1 || changed == 2 || changed == 4) << i;
  }
}

TEST(RingOfBoxes, TakesBoxesThatNoCutDivides)
{
  // four around a fifth
  const std::vector<SubBox> boxes = {{{0.0, 0.0, 0.0}, {0.7, 0.3, 1.0}},
                                     {{0.7, 0.0, 0.0}, {1.0, 0.7, 1.0}},
                                     {{0.3, 0.7, 0.0}, {1.0, 1.0, 1.0}},
                                     {{0.0, 0.3, 0.0}, {0.3, 1.0, 1.0}},
                                     {{0.3, 0.3, 0.0}, {0.7, 0.7, 1.0}}};
  std::vector<int> ranks = ring_of_boxes(boxes).order;
  std::sort(ranks.begin(), ranks.end());
  EXPECT_EQ(ranks, (std::vector<int>{0, 1, 2, 3, 4}));
}

std::string error_of(std::vector<int> ranks, int nranks)
{
  return message_of<std::invalid_argument>([&] { ring_from_ranks(std::move(ranks), nranks); });
}

TEST(RingFromRanks, KeepsTheirOrderAndIsClosedFromThreeOn)
{
  EXPECT_EQ(ring_from_ranks({2, 0, 3, 1}, 4).order, (std::vector<int>{2, 0, 3, 1}));
  EXPECT_TRUE(ring_from_ranks({2, 0, 1}, 3).closed);
  EXPECT_FALSE(ring_from_ranks({1, 0}, 2).closed);
  EXPECT_FALSE(ring_from_ranks({0}, 1).closed);
}

TEST(RingFromRanks, SaysWhatIsWrong)
{
  EXPECT_EQ(error_of({0, 2, 1, 2}, 4),
            "the ring has rank 2 twice, it must have each of the ranks 0 to 3 once");
  EXPECT_EQ(error_of({0, 4, 1, 2}, 4),
            "the ring has rank 4, it must have each of the ranks 0 to 3 once");
  EXPECT_EQ(error_of({0, -1}, 4),
            "the ring has rank -1, it must have each of the ranks 0 to 3 once");
  EXPECT_EQ(error_of({3, 0, 1}, 4),
            "the ring has 3 ranks and lacks rank 2, it must have each of the ranks 0 to 3 once");
  EXPECT_EQ(error_of({}, 1),
            "the ring has 0 ranks and lacks rank 0, it must have each of the ranks 0 to 0 once");
}

std::vector<int> own_nodes(int nranks)
{
  std::vector<int> nodes(nranks);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TEST(RingPartners, AreTheTwoNeighborsOnTheRing)
{
  const auto partners = ring_partners({{2, 0, 3, 1, 4}, true}, own_nodes(5));
  EXPECT_EQ(partners, (std::vector<std::vector<int>>{{2, 3}, {3, 4}, {0, 4}, {0, 1}, {1, 2}}));
}

TEST(RingPartners, AreTheSameRankOnceOrNoneOnShortRings)
{
  EXPECT_EQ(ring_partners({{1, 0}, false}, own_nodes(2)),
            (std::vector<std::vector<int>>{{1}, {0}}));
  EXPECT_EQ(ring_partners({{0}, false}, own_nodes(1)), (std::vector<std::vector<int>>{{}}));
}

TEST(RingPartners, AreAllRanksOfTheOwnNodeAndOfThoseBesideIt)
{
  // nodes in the order of the ring: 7 (ranks 0, 5), 3 (1, 4), 9 (2), 1 (3)
  const auto partners =
      ring_partners({{0, 5, 1, 4, 2, 3}, true}, std::vector<int>{7, 3, 9, 1, 3, 7});
  EXPECT_EQ(partners[0], (std::vector<int>{1, 3, 4, 5}));
  EXPECT_EQ(partners[4], (std::vector<int>{0, 1, 2, 5}));
  EXPECT_EQ(partners[2], (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(partners[3], (std::vector<int>{0, 2, 5}));
}

}    // namespace
