// SPDX-License-Identifier: GPL-2.0-only

#include "plane_shares.h"

#include "base/share.h"

#include <cstddef>

namespace TOFU_NS {

void PlaneShares::assign(const int *points, int natoms, int lo, int hi, int nparts)
{
  constexpr int SAMPLE = 1000;    // atoms, about
  const int nplanes = hi - lo, stride = natoms / SAMPLE + 1;
  first_.assign(nparts + 1, hi);
  first_[0] = lo;
  if (nparts == 1) return;
  in_plane_.assign(nplanes, 0);
  int ncounted = 0;
  for (int i = 0; i < natoms; i += stride, ncounted++)
    in_plane_[points[3 * static_cast<std::size_t>(i) + 2] - lo]++;
  for (int plane = 0, part = 1, nbelow = 0; plane < nplanes; plane++) {
    for (; part < nparts && nbelow >= begin_of_share(part, nparts, ncounted); part++)
      first_[part] = lo + plane;
    nbelow += in_plane_[plane];
  }
}

}    // namespace TOFU_NS
