// SPDX-License-Identifier: GPL-2.0-only
//
// Prints the plan of fix ring_balance, for the comparison with the model of tools/tofu predict.
//
//   print_ring LEVEL NX NY NZ PX PY PZ RANKS_OF_A_NODE WORK ...
//
// LEVEL is rank or node; PX PY PZ are 1 where the box is periodic; there is a WORK for each rank,
// numbered along z first.  Lines: "ring CLOSED RANK ...", "transfer FROM TO AMOUNT".

#include "balance/ring_plan.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace TOFU_NS;

int main(int argc, char **argv)
{
  if (argc < 10) return 1;
  const auto number = [&](int i) {
    return std::atoi(argv[i]);
  };
  const std::array<int, 3> grid{number(2), number(3), number(4)};
  const RankRing ring =
      serpentine_ring(grid, {number(5), number(6), number(7)},
                      [&](int x, int y, int z) { return (x * grid[1] + y) * grid[2] + z; });
  std::vector<std::int64_t> work;
  std::vector<int> nodes;
  for (int i = 9; i < argc; i++) {
    nodes.push_back(static_cast<int>(work.size()) / number(8));
    work.push_back(number(i));
  }
  const std::vector<Transfer> transfers = std::strcmp(argv[1], "node") == 0
      ? plan_nodes(ring, nodes, work, RingDirection::BOTH)
      : plan_ring(ring, work, RingDirection::BOTH);

  std::printf("ring %d", ring.closed);
  for (const int rank : ring.order) std::printf(" %d", rank);
  std::printf("\n");
  for (const Transfer &one : transfers)
    std::printf("transfer %d %d %lld\n", one.from, one.to, static_cast<long long>(one.amount));
  return 0;
}
