// SPDX-License-Identifier: GPL-2.0-only

#include "receiver_image.h"

#include <algorithm>

namespace TOFU_NS {

/* ----------------------------------------------------------------------
   a sub-box has right angles in fractions: each dimension has its own minimum
------------------------------------------------------------------------- */

ReceiverImage nearest_image(const std::array<double, 3> &place, const SubBox &receiver,
                            const std::array<int, 3> &periodicity)
{
  ReceiverImage nearest{{0, 0, 0}, receiver};
  for (int dim = 0; dim < 3; dim++) {
    const double lo = receiver.lo[dim], hi = receiver.hi[dim];
    const auto gap_to = [&](int box_shift) {
      return std::max({lo - box_shift - place[dim], place[dim] - (hi - box_shift), 0.0});
    };
    int &box_shift = nearest.box_shift[dim];
    if (periodicity[dim])
      for (int other : {-1, 1})
        if (gap_to(other) < gap_to(box_shift)) box_shift = other;
    nearest.box.lo[dim] = lo - box_shift;
    nearest.box.hi[dim] = hi - box_shift;
  }
  return nearest;
}

}    // namespace TOFU_NS
