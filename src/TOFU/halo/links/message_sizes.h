// SPDX-License-Identifier: GPL-2.0-only
//
// Upper estimates of the usual messages of a plan, for the sizes of slots.  Longer messages go in
// fragments, which only take more time.

#ifndef TOFU_HALO_MESSAGE_SIZES_H
#define TOFU_HALO_MESSAGE_SIZES_H

#include "halo/halo_plan.h"
#include "partner_links.h"

#include <cstddef>

namespace TOFU_NS {

struct MessageSizes {
  double values_per_atom = 0.0;     // sent, the most
  double values_per_ghost = 0.0;    // returned, the most
  double densest = 0.0;             // # of atoms per box in the densest sub-box
  double own_fraction = 0.0;        // volume of this rank's sub-box, of the box
  int nslots = 1;                   // of a link

  /** Bytes of the largest usual message to a rank.

      \param rank       that gets the message
      \param plan       its swaps with this rank
      \param partners   rows of other ranks, which need messages as well
      \param safety     factor by which there may be more atoms */
  std::size_t to(int rank, const HaloPlan &plan, const PartnerLinks &partners, double safety) const;

 private:
  std::size_t of_rows(int npartners, double safety) const;
};

}    // namespace TOFU_NS

#endif
