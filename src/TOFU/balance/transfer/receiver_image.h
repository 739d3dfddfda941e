// SPDX-License-Identifier: GPL-2.0-only
//
// ReceiverImage: the image of a receiver's sub-box to which a donor gives atoms, the sub-box itself
// or one beyond periodic boundaries.

#ifndef TOFU_BALANCE_RECEIVER_IMAGE_H
#define TOFU_BALANCE_RECEIVER_IMAGE_H

#include "balance/sub_box.h"

#include <array>

namespace TOFU_NS {

/** The sub-box of a receiver, or an image of it beyond periodic boundaries. */
struct ReceiverImage {
  std::array<int, 3> box_shift;    // box lengths from the donor's coordinates to the receiver's
  SubBox box;                      // fractions; below 0 or above 1 beyond a boundary
};

/** The image that is the nearest one to a place in the box.  Of images as near as each other it is
    the receiver itself, or the one beyond the upper boundary.

    \param place         fractions of the box
    \param receiver      sub-box
    \param periodicity   [3] 1 where the box is periodic */
ReceiverImage nearest_image(const std::array<double, 3> &place, const SubBox &receiver,
                            const std::array<int, 3> &periodicity);

}    // namespace TOFU_NS

#endif
