// SPDX-License-Identifier: GPL-2.0-only
//
// MeshFields: arrays of one rank for a solution, in real space and as spectra.
//
// If the rank has own images (own_images.h), transforms have arrays without these points, and atoms
// have arrays with them; otherwise both are the same.

#ifndef TOFU_MESH_MESH_FIELDS_H
#define TOFU_MESH_MESH_FIELDS_H

#include "base/aligned_array.h"
#include "base/parts.h"
#include "kernels/mesh/mesh_charges.h"
#include "mesh/fft/line_fft.h"
#include "own_images.h"

#include <cstddef>
#include <vector>

namespace TOFU_NS {

template <class Real> class MeshFields {
 public:
  /** \param geometry    with own images
      \param nspectrum   # of points of the spectrum that this rank has */
  MeshFields(const MeshGeometry &geometry, std::size_t nspectrum) :
      images_(geometry.npoints, geometry.bricks[geometry.me], geometry.boxes[geometry.me]),
      stride_(geometry.boxes[geometry.me].npoints() + MESH_ARRAY_SLACK),
      inner_stride_(images_.inner().npoints()), spectrum_stride_(2 * nspectrum)
  {
  }

  /** Allocate arrays for one density and some fields. */
  void make_room(int nfields)
  {
    density_.room(stride_);
    transformed_.room(spectrum_stride_);
    fields_.room(nfields * stride_);
    spectra_.room(nfields * spectrum_stride_);
    if (!images_.any()) return;
    inner_density_.room(inner_stride_);
    inner_fields_.room(nfields * inner_stride_);
  }

  Real *density() { return density_.data(); }                    // of atoms
  Real *field(int n) { return fields_.data() + n * stride_; }    // for atoms
  Real *transformed() { return transformed_.data(); }            // spectrum of the density
  const Real *transformed() const { return transformed_.data(); }
  Real *spectrum(int n) { return spectra_.data() + n * spectrum_stride_; }    // of field n

  // numbers in the arrays of transforms

  std::size_t ninner() const { return inner_stride_; }
  std::size_t nspectrum() const { return spectrum_stride_; }

  /** The density for a transform, after fold(). */
  Real *inner_density() { return images_.any() ? inner_density_.data() : density_.data(); }

  /** Add own images of the density to the points that they are images of. */
  void fold()
  {
    if (images_.any()) images_.fold(density_.data(), inner_density_.data());
  }

  /** Input and output of an inverse transform, valid until the next call: spectra, and fields
      before unfold(). */
  Real *const *inverse_input(int nfields)
  {
    from_.clear();
    for (int n = 0; n < nfields; n++) from_.push_back(spectrum(n));
    return from_.data();
  }
  Real *const *inverse_output(int nfields)
  {
    to_.clear();
    for (int n = 0; n < nfields; n++) to_.push_back(inner_field(n));
    return to_.data();
  }

  /** Fill own images of fields. */
  void unfold(int nfields, const Parts &parts)
  {
    if (!images_.any()) return;
    parts_for_points(parts, nfields * inner_stride_).share(nfields, [&](int, int first, int last) {
      for (int n = first; n < last; n++) images_.unfold(inner_field(n), field(n));
    });
  }

  std::size_t nbytes() const
  {
    return density_.nbytes() + transformed_.nbytes() + fields_.nbytes() + spectra_.nbytes() +
        inner_density_.nbytes() + inner_fields_.nbytes();
  }

 private:
  Real *inner_field(int n)
  {
    return images_.any() ? inner_fields_.data() + n * inner_stride_ : field(n);
  }

  const OwnImages images_;
  const std::size_t stride_, inner_stride_, spectrum_stride_;    // numbers
  AlignedArray<Real> density_, transformed_, fields_, spectra_;
  AlignedArray<Real> inner_density_, inner_fields_;    // without own images, if there are any
  std::vector<Real *> from_, to_;                      // of an inverse transform
};

}    // namespace TOFU_NS

#endif
