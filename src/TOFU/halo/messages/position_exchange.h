// SPDX-License-Identifier: GPL-2.0-only
//
// PositionExchange: the two exchanges of every step, positions from owners to ghosts and forces
// back, over a HaloExchange.
//
// Ghosts that are images of this rank's own atoms take no messages; parts of the work share them.

#ifndef TOFU_HALO_POSITION_EXCHANGE_H
#define TOFU_HALO_POSITION_EXCHANGE_H

#include "base/parts.h"
#include "halo/halo_exchange.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace TOFU_NS {

class PositionExchange {
 public:
  using PartsOfRank = std::function<Parts()>;

  /** \param halo             must outlive this object
      \param parts            threads that may share images, as they are at the time of the call
      \param forces_in_place  messages leave from the array of forces, where the link can do so */
  PositionExchange(HaloExchange &halo, PartsOfRank parts, bool forces_in_place);

  /** Positions of ghosts, displaced by box lengths; vectors as they are.

      \param x         [nall][3] distance
      \param vectors   arrays of [nall][3] that ghosts get unchanged, after x in the message
      \param nlocal    # of owned atoms
      \param box       lengths and tilts
      \param landing   of positions; not with vectors */
  void forward(double *x, const std::vector<double *> &vectors, int nlocal,
               const SelfImages::Box &box, const GhostLanding &landing);

  /** Forces of ghosts, added to those of their owners in the plan's order.

      \param f         [nall][3] force
      \param nlocal    # of owned atoms
      \param landing   offers for the next forward() */
  void reverse(double *f, int nlocal, const GhostLanding &landing);

  /** Forces of ghosts whose rows this rank computes for their owners (HaloExchange::set_rows()). */
  void reverse_rows(double *f);

 private:
  void make_images(int swap, const SelfImages::Box &box, double *x,
                   const std::vector<double *> &vectors, int nlocal);
  void return_images(int swap, double *f, int nlocal) const;

  /** Share the images of a swap among parts: each has those of the atoms that it integrates.

      \param nimages   of the swap, not 0 */
  template <class Images> void share_images(int nimages, int nlocal, Images &&images) const;
  void put_forces(Link &link, const double *f, int swap, int n) const;
  void get_forces(double *f, int swap, int n, const std::byte *&cursor) const;

  HaloExchange &halo_;
  const PartsOfRank parts_;
  const bool forces_in_place_;
};

}    // namespace TOFU_NS

#endif
