// SPDX-License-Identifier: GPL-2.0-only

#include "own_images.h"

#include <algorithm>

namespace TOFU_NS {

OwnImages::OwnImages(const std::array<int, 3> &npoints, const MeshBox &brick, const MeshBox &box) :
    npoints_(npoints), outer_(box), inner_(box), stride_(MeshLayout{box}.strides())
{
  for (int dim = 0; dim < 3; dim++)
    if (brick.length(dim) == npoints[dim]) {
      inner_.lo[dim] = brick.lo[dim];
      inner_.hi[dim] = brick.hi[dim];
    }
  for (int x = outer_.lo[0]; x < outer_.hi[0]; x++)
    if (x < inner_.lo[0] || x >= inner_.hi[0])
      x_images_.emplace_back(x - outer_.lo[0], image(0, x) - outer_.lo[0]);
}

/* ---------------------------------------------------------------------- */

int OwnImages::image(int dim, int index) const
{
  const int n = npoints_[dim], from = index - inner_.lo[dim];
  return inner_.lo[dim] + (from % n + n) % n;
}

/* ----------------------------------------------------------------------
   row(start of a row of the outer array) for all that have inner points
------------------------------------------------------------------------- */

template <class Real, class Row> void OwnImages::for_inner_rows(Real *outer, Row &&row) const
{
  for (int z = inner_.lo[2]; z < inner_.hi[2]; z++)
    for (int y = inner_.lo[1]; y < inner_.hi[1]; y++)
      row(outer + (z - outer_.lo[2]) * stride_[2] + (y - outer_.lo[1]) * stride_[1]);
}

/* ----------------------------------------------------------------------
   planes first, so that rows and points of ghost planes are skipped
------------------------------------------------------------------------- */

template <class Real> void OwnImages::fold(Real *outer, Real *inner) const
{
  const auto add = [&](Real *from, Real *to, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; i++) to[i] += from[i];
  };
  const auto plane = [&](int z) {
    return outer + (z - outer_.lo[2]) * stride_[2];
  };
  for (int z = outer_.lo[2]; z < outer_.hi[2]; z++)
    if (z < inner_.lo[2] || z >= inner_.hi[2]) add(plane(z), plane(image(2, z)), stride_[2]);

  for (int z = inner_.lo[2]; z < inner_.hi[2]; z++) {
    const auto row = [&](int y) {
      return plane(z) + (y - outer_.lo[1]) * stride_[1];
    };
    for (int y = outer_.lo[1]; y < outer_.hi[1]; y++)
      if (y < inner_.lo[1] || y >= inner_.hi[1]) add(row(y), row(image(1, y)), stride_[1]);
  }

  const int length = inner_.length(0), before = inner_.lo[0] - outer_.lo[0];
  for_inner_rows(outer, [&](Real *row) {
    for (const auto &[ghost, original] : x_images_) row[original] += row[ghost];
    std::copy_n(row + before, length, inner);
    inner += length;
  });
}

/* ---------------------------------------------------------------------- */

template <class Real> void OwnImages::unfold(const Real *inner, Real *outer) const
{
  const int length = inner_.length(0), before = inner_.lo[0] - outer_.lo[0];
  for_inner_rows(outer, [&](Real *row) {
    std::copy_n(inner, length, row + before);
    inner += length;
    for (const auto &[ghost, original] : x_images_) row[ghost] = row[original];
  });

  const auto plane = [&](int z) {
    return outer + (z - outer_.lo[2]) * stride_[2];
  };
  for (int z = inner_.lo[2]; z < inner_.hi[2]; z++) {
    const auto row = [&](int y) {
      return plane(z) + (y - outer_.lo[1]) * stride_[1];
    };
    for (int y = outer_.lo[1]; y < outer_.hi[1]; y++)
      if (y < inner_.lo[1] || y >= inner_.hi[1]) std::copy_n(row(image(1, y)), stride_[1], row(y));
  }
  for (int z = outer_.lo[2]; z < outer_.hi[2]; z++)
    if (z < inner_.lo[2] || z >= inner_.hi[2])
      std::copy_n(plane(image(2, z)), stride_[2], plane(z));
}

/* ---------------------------------------------------------------------- */

MeshGeometry without_own_images(MeshGeometry geometry)
{
  for (std::size_t rank = 0; rank < geometry.boxes.size(); rank++)
    geometry.boxes[rank] =
        OwnImages(geometry.npoints, geometry.bricks[rank], geometry.boxes[rank]).inner();
  return geometry;
}

template void OwnImages::fold(double *, double *) const;
template void OwnImages::fold(float *, float *) const;
template void OwnImages::unfold(const double *, double *) const;
template void OwnImages::unfold(const float *, float *) const;

}    // namespace TOFU_NS
