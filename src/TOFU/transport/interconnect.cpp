// SPDX-License-Identifier: GPL-2.0-only

#include "interconnect.h"

#ifdef TOFU_UTOFU
#include <cstdint>
#include <utofu.h>
#endif

namespace TOFU_NS {

std::vector<int> interconnect_coords()
{
#ifdef TOFU_UTOFU
  std::uint8_t coords[6];
  if (utofu_query_my_coords(coords) == UTOFU_SUCCESS) return {coords, coords + 6};
#endif
  return {};
}

/* ---------------------------------------------------------------------- */

std::vector<int> interconnect_rings()
{
  return {0, 0, 0, 0, 3, 0};
}

}    // namespace TOFU_NS
