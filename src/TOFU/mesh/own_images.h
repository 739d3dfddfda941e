// SPDX-License-Identifier: GPL-2.0-only
//
// OwnImages: ghost points that are images of the rank's own points, in dimensions that it has
// whole.  They take no messages.  They are copied one dimension after the other, as whole rows and
// planes, which takes less time than point by point: of a small mesh most points are ghosts.

#ifndef TOFU_MESH_OWN_IMAGES_H
#define TOFU_MESH_OWN_IMAGES_H

#include "mesh/fft/distributed_fft.h"

namespace TOFU_NS {

class OwnImages {
 public:
  /** \param npoints   of the mesh
      \param brick     of this rank
      \param box       with its ghost points */
  OwnImages(const std::array<int, 3> &npoints, const MeshBox &brick, const MeshBox &box);

  /** The box without ghost points that are own images. */
  const MeshBox &inner() const { return inner_; }

  /** True if there are such ghost points. */
  bool any() const { return !(inner_ == outer_); }

  /** Add own images to the points that they are images of.

      \param outer   [points of the box] x fastest; its own points are changed
      \param inner   [points of inner()] result, x fastest */
  template <class Real> void fold(Real *outer, Real *inner) const;

  /** Copy points to their own images.

      \param inner   [points of inner()] x fastest
      \param outer   [points of the box] x fastest */
  template <class Real> void unfold(const Real *inner, Real *outer) const;

 private:
  int image(int dim, int index) const;    // the point that a ghost point is an image of

  template <class Real, class Row> void for_inner_rows(Real *outer, Row &&row) const;

  std::array<int, 3> npoints_;
  MeshBox outer_, inner_;
  std::array<std::ptrdiff_t, 3> stride_;         // of the outer array
  std::vector<std::pair<int, int>> x_images_;    // places in a row: ghost points, their originals
};

/** The geometry with boxes that lack the own images of each rank. */
MeshGeometry without_own_images(MeshGeometry geometry);

}    // namespace TOFU_NS

#endif
