// SPDX-License-Identifier: GPL-2.0-only

#include "proc_grid.h"

namespace TOFU_NS {

std::vector<GridSize> grids_of(int n, int dimension)
{
  std::vector<GridSize> grids;
  for (int x = 1; x <= n; x++) {
    if (n % x) continue;
    for (int y = 1; y <= n / x; y++)
      if (n / x % y == 0 && (dimension == 3 || x * y == n)) grids.push_back({x, y, n / x / y});
  }
  return grids;
}

}    // namespace TOFU_NS
