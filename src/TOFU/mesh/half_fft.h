// SPDX-License-Identifier: GPL-2.0-only
//
// HalfFft: real numbers of a box to half a spectrum along some of its dimensions, and back.
//
// FFTW's transforms of real numbers do not use vectors, those of complex numbers do.  So two lines
// that lie side by side in memory are transformed as the real and imaginary part of one: if z = x +
// i y, then X(k) = (Z(k) + conj Z(n-k)) / 2 and Y(k) = (Z(k) - conj Z(n-k)) / 2i.  Where the number
// of lines side by side is odd, FFTW's own transform of real numbers is used.

#ifndef TOFU_MESH_HALF_FFT_H
#define TOFU_MESH_HALF_FFT_H

#include "base/aligned_array.h"
#include "fftw.h"
#include "mesh_layout.h"

namespace TOFU_NS {

/** Axes of a box for plans of FFTW: those to transform, in the order given, and the others. */
struct BoxAxes {
  std::vector<FftAxis> transformed, repeats;
};

BoxAxes axes_of_box(const MeshLayout &from, const MeshLayout &to, const std::vector<int> &dims);

template <class Real> class HalfFft {
 public:
  /** \param reals    box of real numbers, whole in dims
      \param halves   the same with the points 0 to n/2 of the last of dims, in the same order
      \param dims     what to transform */
  HalfFft(const MeshLayout &reals, const MeshLayout &halves, const std::vector<int> &dims);

  /** \param from   [reals.box.npoints()]
      \param to     [halves.box.npoints()][2] */
  void forward(const Real *from, Real *to);

  /** Imaginary parts that real numbers cannot have at 0 and n/2 are taken to be 0.

      \param from   [halves.box.npoints()][2]; lost
      \param to     [reals.box.npoints()] */
  void backward(Real *from, Real *to);

 private:
  void unpack(Real *spectrum) const;
  void pack(const Real *spectrum);

  int n_;                             // points of the halved dimension
  std::ptrdiff_t nside_, nblocks_;    // lines side by side, and how often
  bool paired_;
  std::vector<FftwPlan<Real>> forward_, backward_;
  AlignedArray<Real> pairs_;    // [nblocks][n][nside/2][2] spectra of pairs of lines
};

}    // namespace TOFU_NS

#endif
