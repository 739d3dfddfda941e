// SPDX-License-Identifier: GPL-2.0-only
//
// Meshes for tests: bricks of a grid of ranks, and ranks as threads with the links that an exchange
// needs.

#ifndef TOFU_TEST_MESH_RANKS_H
#define TOFU_TEST_MESH_RANKS_H

#include "mesh/fft/distributed_fft.h"
#include "unit/transport/world.h"

namespace TOFU_TEST {

/** A grid of bricks as even as possible, each with the given numbers of ghost points below and
    above. */
struct MeshGrid {
  std::array<int, 3> npoints, nranks;
  int below = 0, above = 0;

  int size() const { return nranks[0] * nranks[1] * nranks[2]; }

  MeshGeometry geometry(int me) const
  {
    MeshGeometry geometry{me, npoints, {}, {}};
    for (int rank = 0; rank < size(); rank++) {
      const std::array<int, 3> at{rank % nranks[0], rank / nranks[0] % nranks[1],
                                  rank / (nranks[0] * nranks[1])};
      MeshBox brick;
      for (int dim = 0; dim < 3; dim++) {
        brick.lo[dim] = at[dim] * npoints[dim] / nranks[dim];
        brick.hi[dim] = (at[dim] + 1) * npoints[dim] / nranks[dim];
      }
      MeshBox box = brick;
      for (int dim = 0; dim < 3 && !brick.empty(); dim++) {
        box.lo[dim] -= below;
        box.hi[dim] += above;
      }
      geometry.bricks.push_back(brick);
      geometry.boxes.push_back(box);
    }
    return geometry;
  }
};

/** The point of the mesh that a point is an image of, as an index with x fastest. */
inline std::size_t mesh_index(const std::array<int, 3> &npoints, int x, int y, int z)
{
  const auto inside = [&](int i, int dim) {
    return (i % npoints[dim] + npoints[dim]) % npoints[dim];
  };
  return inside(x, 0) +
      static_cast<std::size_t>(npoints[0]) * (inside(y, 1) + npoints[1] * inside(z, 2));
}

/** Call work(x, y, z, n) for all points of an array; n is the place of the point in memory. */
template <class Work> void for_points(const MeshLayout &layout, Work &&work)
{
  const MeshBox &box = layout.box;
  for (int z = box.lo[2]; z < box.hi[2]; z++)
    for (int y = box.lo[1]; y < box.hi[1]; y++)
      for (int x = box.lo[0]; x < box.hi[0]; x++) work(x, y, z, layout.offset({x, y, z}));
}

/** A transport with links to the ranks to which this rank has something to send. */
inline std::unique_ptr<Transport> connect_mesh(Bootstrap &bootstrap, SharedMemory &memory,
                                               const std::vector<std::size_t> &nbytes,
                                               TransportOptions options = {})
{
  options.backend = "shm";
  options.shared_memory = &memory;
  auto transport = std::make_unique<Transport>(bootstrap, nullptr, options);
  std::vector<int> peers;
  std::vector<std::size_t> capacities;
  for (int rank = 0; rank < static_cast<int>(nbytes.size()); rank++)
    if (rank != bootstrap.rank() && nbytes[rank]) {
      peers.push_back(rank);
      capacities.push_back(nbytes[rank]);
    }
  EXPECT_EQ(transport->connect(peers, capacities).error, "");
  return transport;
}

/** Call body(bootstrap, shared memory) on nranks ranks, each of which is a thread. */
inline void on_threads(int nranks, const std::function<void(Bootstrap &, SharedMemory &)> &body)
{
  ThreadPost post;
  HeapSharedMemory memory;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < nranks; rank++)
    threads.emplace_back([&, rank]() {
      ThreadBootstrap bootstrap(post, rank, nranks);
      body(bootstrap, memory);
    });
  for (auto &thread : threads) thread.join();
}

}    // namespace TOFU_TEST

#endif
