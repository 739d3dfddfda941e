// SPDX-License-Identifier: GPL-2.0-only
//
// Values of a mesh between boxes of all kinds, ranks as threads over heap memory.

#include "mesh_ranks.h"

#include "mesh/exchange/mesh_exchange.h"

using namespace TOFU_TEST;

namespace {

std::vector<MeshLayout> layouts(const std::vector<MeshBox> &boxes, std::array<int, 3> order)
{
  std::vector<MeshLayout> found;
  for (const MeshBox &box : boxes) found.push_back({box, order});
  return found;
}

struct Case {
  MeshGrid grid;
  std::array<int, 3> order;    // of the arrays that are not bricks in x, y, z
};

class MeshExchangeOn : public testing::TestWithParam<Case> {};

double value_at(std::size_t index, int field, int part)
{
  return 1.0 + 3.0 * static_cast<double>(index) + 1000.0 * field + 0.25 * part;
}

/** From bricks to boxes with ghosts, with complex numbers of three fields at once.  The exchange
    runs twice, since slots are used again. */
TEST_P(MeshExchangeOn, EveryPointGetsTheValueOfItsImage)
{
  const Case &c = GetParam();
  on_threads(c.grid.size(), [&](Bootstrap &bootstrap, SharedMemory &memory) {
    const int me = bootstrap.rank();
    const MeshGeometry geometry = c.grid.geometry(me);
    const auto sources = layouts(geometry.bricks, {0, 1, 2}),
               targets = layouts(geometry.boxes, c.order);
    MeshExchange exchange(me, c.grid.npoints, sources, targets);
    std::vector<std::size_t> nbytes(c.grid.size(), 0);
    exchange.add_traffic(3 * 2 * sizeof(double), nbytes);
    auto transport = connect_mesh(bootstrap, memory, nbytes);
    exchange.bind(*transport);

    std::vector<double> from[3], to[3];
    const double *sent[3];
    double *received[3];
    for (int field = 0; field < 3; field++) {
      from[field].resize(2 * sources[me].box.npoints());
      to[field].assign(2 * targets[me].box.npoints(), -1.0);
      for_points(sources[me], [&](int x, int y, int z, std::ptrdiff_t n) {
        for (int part = 0; part < 2; part++)
          from[field][2 * n + part] = value_at(mesh_index(c.grid.npoints, x, y, z), field, part);
      });
      sent[field] = from[field].data();
      received[field] = to[field].data();
    }
    for (int repeat = 0; repeat < 2; repeat++) exchange.copy(3, 2, sent, received);
    for (int field = 0; field < 3; field++)
      for_points(targets[me], [&](int x, int y, int z, std::ptrdiff_t n) {
        for (int part = 0; part < 2; part++)
          EXPECT_EQ(to[field][2 * n + part],
                    value_at(mesh_index(c.grid.npoints, x, y, z), field, part))
              << x << " " << y << " " << z;
      });
  });
}

/** From boxes with ghosts to bricks: a point gets as many shares as it has images in all boxes. */
TEST_P(MeshExchangeOn, OwnersGetTheSumOverAllImages)
{
  const Case &c = GetParam();
  std::vector<float> expected(whole_mesh(c.grid.npoints).npoints(), 0.0F);
  const MeshGeometry any = c.grid.geometry(0);
  for (int rank = 0; rank < c.grid.size(); rank++)
    for_points({any.boxes[rank]}, [&](int x, int y, int z, std::ptrdiff_t) {
      expected[mesh_index(c.grid.npoints, x, y, z)] += static_cast<float>(rank + 1);
    });
  on_threads(c.grid.size(), [&](Bootstrap &bootstrap, SharedMemory &memory) {
    const int me = bootstrap.rank();
    const MeshGeometry geometry = c.grid.geometry(me);
    const auto sources = layouts(geometry.boxes, c.order),
               targets = layouts(geometry.bricks, {0, 1, 2});
    MeshExchange exchange(me, c.grid.npoints, sources, targets);
    std::vector<std::size_t> nbytes(c.grid.size(), 0);
    exchange.add_traffic(sizeof(float), nbytes);
    TransportOptions shuffled;
    shuffled.shuffle_seed = 17;
    auto transport = connect_mesh(bootstrap, memory, nbytes, shuffled);
    exchange.bind(*transport);
    const std::vector<float> from(sources[me].box.npoints(), static_cast<float>(me + 1));
    std::vector<float> to(targets[me].box.npoints(), 0.0F);
    const float *sent = from.data();
    float *received = to.data();
    exchange.add(1, 1, &sent, &received);
    for_points(targets[me], [&](int x, int y, int z, std::ptrdiff_t n) {
      EXPECT_EQ(to[n], expected[mesh_index(c.grid.npoints, x, y, z)]);
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Grids, MeshExchangeOn,
                         testing::Values(Case{{{5, 4, 3}, {1, 1, 1}, 2, 3}, {2, 0, 1}},
                                         Case{{{8, 6, 5}, {2, 1, 1}, 2, 2}, {0, 1, 2}},
                                         Case{{{7, 9, 8}, {2, 2, 1}, 3, 2}, {1, 2, 0}},
                                         Case{{{9, 6, 10}, {2, 2, 2}, 2, 3}, {2, 1, 0}},
                                         Case{{{3, 2, 5}, {4, 1, 3}, 1, 2}, {0, 1, 2}}));

TEST(MeshExchange, IsTheIdentityOnlyIfAllRanksHaveTheSameBoxesAndOrders)
{
  const MeshGeometry geometry = MeshGrid{{8, 8, 8}, {2, 1, 1}}.geometry(0);
  const auto xyz = layouts(geometry.bricks, {0, 1, 2});
  EXPECT_TRUE(MeshExchange(0, {8, 8, 8}, xyz, xyz).identity());
  EXPECT_FALSE(MeshExchange(0, {8, 8, 8}, xyz, layouts(geometry.bricks, {2, 1, 0})).identity());
  auto other = xyz;
  std::swap(other[0], other[1]);
  EXPECT_FALSE(MeshExchange(0, {8, 8, 8}, xyz, other).identity());
}

}    // namespace
