// SPDX-License-Identifier: GPL-2.0-only

#include "half_fft.h"

namespace TOFU_NS {

BoxAxes axes_of_box(const MeshLayout &from, const MeshLayout &to, const std::vector<int> &dims)
{
  const auto from_stride = from.strides(), to_stride = to.strides();
  const auto axis = [&](int dim) {
    return FftAxis{from.box.length(dim), from_stride[dim], to_stride[dim]};
  };
  BoxAxes axes;
  for (int dim : dims) axes.transformed.push_back(axis(dim));
  for (int dim : from.order)
    if (std::find(dims.begin(), dims.end(), dim) == dims.end()) axes.repeats.push_back(axis(dim));
  return axes;
}

/* ---------------------------------------------------------------------- */

template <class Real>
HalfFft<Real>::HalfFft(const MeshLayout &reals, const MeshLayout &halves,
                       const std::vector<int> &dims) :
    n_(reals.box.length(dims.back())),
    nside_(reals.strides()[dims.back()]), nblocks_(0),
    paired_(nside_ % 2 == 0 && !reals.box.empty())
{
  if (!paired_) {
    const BoxAxes there = axes_of_box(reals, halves, dims);
    BoxAxes back = axes_of_box(halves, reals, dims);
    back.transformed.back().length = n_;
    forward_.emplace_back(FftDirection::REAL_TO_COMPLEX, FftPlace::OTHER_ARRAY, there.transformed,
                          there.repeats);
    backward_.emplace_back(FftDirection::COMPLEX_TO_REAL, FftPlace::OTHER_ARRAY, back.transformed,
                           back.repeats);
    return;
  }

  const std::ptrdiff_t npairs = nside_ / 2;
  nblocks_ = static_cast<std::ptrdiff_t>(reals.box.npoints()) / (n_ * nside_);
  const FftAxis line{n_, npairs, npairs};
  const std::vector<FftAxis> lines{{static_cast<int>(npairs), 1, 1},
                                   {static_cast<int>(nblocks_), n_ * npairs, n_ * npairs}};
  forward_.emplace_back(FftDirection::FORWARD, FftPlace::OTHER_ARRAY, std::vector<FftAxis>{line},
                        lines);
  backward_.emplace_back(FftDirection::BACKWARD, FftPlace::OTHER_ARRAY, std::vector<FftAxis>{line},
                         lines);
  pairs_.room(reals.box.npoints());
  if (dims.size() == 1) return;
  const BoxAxes others = axes_of_box(halves, halves, {dims.begin(), dims.end() - 1});
  forward_.emplace_back(FftDirection::FORWARD, FftPlace::SAME_ARRAY, others.transformed,
                        others.repeats);
  backward_.emplace_back(FftDirection::BACKWARD, FftPlace::SAME_ARRAY, others.transformed,
                         others.repeats);
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::forward(const Real *from, Real *to)
{
  Real *const kept = const_cast<Real *>(from);    // FFTW writes to it in place only
  if (!paired_) {
    forward_[0].run(kept, to);
    return;
  }
  forward_[0].run(kept, pairs_.data());
  unpack(to);
  if (forward_.size() > 1) forward_[1].run(to, to);
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::backward(Real *from, Real *to)
{
  if (!paired_) {
    backward_[0].run(from, to);
    return;
  }
  if (backward_.size() > 1) backward_[1].run(from, from);
  pack(from);
  backward_[0].run(pairs_.data(), to);
}

/* ----------------------------------------------------------------------
   spectra of two real lines from that of the pair
------------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::unpack(Real *spectrum) const
{
  const Real half = 0.5;
  for (std::ptrdiff_t block = 0; block < nblocks_; block++) {
    const Real *const pairs = pairs_.data() + block * n_ * nside_;
    for (int k = 0; k <= n_ / 2; k++) {
      const Real *const z = pairs + k * nside_;
      const Real *const m = pairs + (k ? n_ - k : 0) * nside_;
      for (std::ptrdiff_t i = 0; i < nside_; i += 2) {
        spectrum[2 * i] = half * (z[i] + m[i]);
        spectrum[2 * i + 1] = half * (z[i + 1] - m[i + 1]);
        spectrum[2 * i + 2] = half * (z[i + 1] + m[i + 1]);
        spectrum[2 * i + 3] = half * (m[i] - z[i]);
      }
      spectrum += 2 * nside_;
    }
  }
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::pack(const Real *spectrum)
{
  for (std::ptrdiff_t block = 0; block < nblocks_; block++) {
    Real *const pairs = pairs_.data() + block * n_ * nside_;
    for (int k = 0; k <= n_ / 2; k++) {
      Real *const z = pairs + k * nside_;
      if (k == 0 || 2 * k == n_) {
        for (std::ptrdiff_t i = 0; i < nside_; i++) z[i] = spectrum[2 * i];
      } else {
        Real *const m = pairs + (n_ - k) * nside_;
        for (std::ptrdiff_t i = 0; i < nside_; i += 2) {
          const Real x = spectrum[2 * i], x_imag = spectrum[2 * i + 1];
          const Real y = spectrum[2 * i + 2], y_imag = spectrum[2 * i + 3];
          z[i] = x - y_imag;
          z[i + 1] = x_imag + y;
          m[i] = x + y_imag;
          m[i + 1] = y - x_imag;
        }
      }
      spectrum += 2 * nside_;
    }
  }
}

/* ---------------------------------------------------------------------- */

template class HalfFft<double>;
template class HalfFft<float>;

}    // namespace TOFU_NS
