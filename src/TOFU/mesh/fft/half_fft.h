// SPDX-License-Identifier: GPL-2.0-only
//
// HalfFft: real numbers of a box to half a spectrum along some of its dimensions, and back.
//
// FFTW's transforms of real numbers do not use vectors, those of complex numbers do.  So two lines
// that lie side by side in memory are transformed as the real and imaginary part of one: if z = x +
// i y, then X(k) = (Z(k) + conj Z(n-k)) / 2 and Y(k) = (Z(k) - conj Z(n-k)) / 2i.  Where no lines
// lie side by side, or an odd number in a small box, FFTW's own transform of real numbers is used.

#ifndef TOFU_MESH_HALF_FFT_H
#define TOFU_MESH_HALF_FFT_H

#include "base/aligned_array.h"
#include "fftw.h"
#include "line_fft.h"
#include "mesh/exchange/mesh_layout.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace TOFU_NS {

template <class Real> class HalfFft {
 public:
  /** \param reals    box of real numbers, whole in dims
      \param halves   the same with the points 0 to n/2 of the last of dims, in the same order
      \param dims     what to transform */
  HalfFft(const MeshLayout &reals, const MeshLayout &halves, const std::vector<int> &dims);

  /** \param from   [reals.box.npoints()]
      \param to     [halves.box.npoints()][2]
      \param parts  share the lines; results do not depend on them */
  void forward(const Real *from, Real *to, const Parts &parts);

  /** Imaginary parts that real numbers cannot have at 0 and n/2 are taken to be 0.

      \param from   [halves.box.npoints()][2]; lost
      \param to     [reals.box.npoints()]
      \param parts  as for forward() */
  void backward(Real *from, Real *to, const Parts &parts);

 private:
  /** The first two are a pair, and so on.  A last one without a partner has zeros for it. */
  using Lines = SomeLines;

  std::ptrdiff_t n_, nside_, nblocks_ = 0;    // reals are [nblocks][n][nside]
  std::unique_ptr<LineFft<Real>> pairs_forward_, pairs_backward_;
  std::unique_ptr<FftwPlan<Real>> all_forward_, all_backward_;        // all pairs of a small box
  std::unique_ptr<FftwPlan<Real>> reals_forward_, reals_backward_;    // without pairs
  AlignedArray<Real> pairs_;                                          // [nblocks][n][nside/2][2]
  BoxFft<Real> others_forward_, others_backward_;    // of halves, along the other dimensions

  void plan_reals(const MeshLayout &reals, const MeshLayout &halves, const std::vector<int> &dims);
  void plan_all_pairs();
  void plan_pairs();
  void all_forward(const Real *from, Real *to);
  void all_backward(const Real *from, Real *to);
  void pairs_forward(const Real *from, Real *to, const Parts &parts);
  void pairs_backward(const Real *from, Real *to, const Parts &parts);
  std::ptrdiff_t place(const Lines &, std::ptrdiff_t n) const;
  void unpack(const Lines &, const Real *pairs, std::ptrdiff_t width, Real *spectrum) const;
  void pack(const Lines &, const Real *spectrum, Real *pairs, std::ptrdiff_t width) const;
};

}    // namespace TOFU_NS

#endif
