// SPDX-License-Identifier: GPL-2.0-only

#include "half_fft.h"

#include <algorithm>

namespace TOFU_NS {

template <class Real>
HalfFft<Real>::HalfFft(const MeshLayout &reals, const MeshLayout &halves,
                       const std::vector<int> &dims) :
    n_(reals.box.length(dims.back())),
    nside_(reals.strides()[dims.back()]),
    others_forward_(FftDirection::FORWARD, halves, {dims.begin(), dims.end() - 1}),
    others_backward_(FftDirection::BACKWARD, halves, {dims.begin(), dims.end() - 1})
{
  if (reals.box.empty()) return;
  nblocks_ = static_cast<std::ptrdiff_t>(reals.box.npoints()) / (n_ * nside_);
  const int n = static_cast<int>(n_), nhalf = n / 2 + 1;
  if (nside_ > 1) {
    const std::ptrdiff_t npairs = (nside_ + 1) / 2;
    pairs_forward_ = std::make_unique<LineFft<Real>>(FftDirection::FORWARD, n, npairs);
    pairs_backward_ = std::make_unique<LineFft<Real>>(FftDirection::BACKWARD, n, npairs);
    return;
  }
  const std::vector<FftAxis> line{{n, 1, 1}};
  const int nlines = static_cast<int>(nblocks_);
  alone_forward_ =
      std::make_unique<FftwPlan<Real>>(FftDirection::REAL_TO_COMPLEX, FftPlace::OTHER_ARRAY, line,
                                       std::vector<FftAxis>{{nlines, n, nhalf}});
  alone_backward_ =
      std::make_unique<FftwPlan<Real>>(FftDirection::COMPLEX_TO_REAL, FftPlace::OTHER_ARRAY, line,
                                       std::vector<FftAxis>{{nlines, nhalf, n}});
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::forward(const Real *from, Real *to)
{
  if (alone_forward_)
    alone_forward_->run(const_cast<Real *>(from), to);    // FFTW writes to it in place only
  else if (pairs_forward_)
    pairs_forward(from, to);
  others_forward_.run(to);
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::backward(Real *from, Real *to)
{
  others_backward_.run(from);
  if (alone_backward_)
    alone_backward_->run(from, to);
  else if (pairs_backward_)
    pairs_backward(from, to);
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::pairs_forward(const Real *from, Real *to)
{
  LineFft<Real> &fft = *pairs_forward_;
  const int n = fft.n(), width = 2 * fft.nlines();
  for_lines([&](const Lines &lines) {
    copy_rows(n, lines.n, from + place(lines, n), nside_, fft.lines(), width);
    if (lines.n % 2)
      for (int k = 0; k < n; k++) fft.lines()[k * width + lines.n] = Real(0);
    unpack(lines, fft.run(), to + 2 * place(lines, n / 2 + 1));
  });
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::pairs_backward(const Real *from, Real *to)
{
  LineFft<Real> &fft = *pairs_backward_;
  const int n = fft.n(), width = 2 * fft.nlines();
  for_lines([&](const Lines &lines) {
    pack(lines, from + 2 * place(lines, n / 2 + 1), fft.lines());
    copy_rows(n, lines.n, fft.run(), width, to + place(lines, n), nside_);
  });
}

/* ---------------------------------------------------------------------- */

template <class Real> template <class Work> void HalfFft<Real>::for_lines(Work &&work) const
{
  const std::ptrdiff_t most = 2 * pairs_forward_->nlines();
  for (std::ptrdiff_t block = 0; block < nblocks_; block++)
    for (std::ptrdiff_t first = 0; first < nside_; first += most)
      work(Lines{block, first, std::min(most, nside_ - first)});
}

/* ----------------------------------------------------------------------
   of the first point of the lines, if they have n points
------------------------------------------------------------------------- */

template <class Real>
std::ptrdiff_t HalfFft<Real>::place(const Lines &lines, std::ptrdiff_t n) const
{
  return lines.block * n * nside_ + lines.first;
}

/* ----------------------------------------------------------------------
   spectra of two real lines from that of the pair
------------------------------------------------------------------------- */

template <class Real>
void HalfFft<Real>::unpack(const Lines &lines, const Real *pairs, Real *spectrum) const
{
  const Real half = 0.5;
  const std::ptrdiff_t width = 2 * pairs_forward_->nlines(), npaired = lines.n / 2 * 2;
  for (std::ptrdiff_t k = 0; k <= n_ / 2; k++, spectrum += 2 * nside_) {
    const Real *const z = pairs + k * width;
    const Real *const m = pairs + (k ? n_ - k : 0) * width;
    for (std::ptrdiff_t i = 0; i < npaired; i += 2) {
      spectrum[2 * i] = half * (z[i] + m[i]);
      spectrum[2 * i + 1] = half * (z[i + 1] - m[i + 1]);
      spectrum[2 * i + 2] = half * (z[i + 1] + m[i + 1]);
      spectrum[2 * i + 3] = half * (m[i] - z[i]);
    }
    if (npaired == lines.n) continue;
    spectrum[2 * npaired] = half * (z[npaired] + m[npaired]);
    spectrum[2 * npaired + 1] = half * (z[npaired + 1] - m[npaired + 1]);
  }
}

/* ----------------------------------------------------------------------
   at 0 and n/2 the two lines of a pair have the same place
------------------------------------------------------------------------- */

template <class Real>
void HalfFft<Real>::pack(const Lines &lines, const Real *spectrum, Real *pairs) const
{
  const std::ptrdiff_t width = 2 * pairs_backward_->nlines(), npaired = lines.n / 2 * 2;
  for (std::ptrdiff_t k = 0; k <= n_ / 2; k++, spectrum += 2 * nside_) {
    Real *const z = pairs + k * width;
    if (k == 0 || 2 * k == n_) {
      for (std::ptrdiff_t i = 0; i < lines.n; i++) z[i] = spectrum[2 * i];
      if (npaired < lines.n) z[lines.n] = Real(0);
      continue;
    }
    Real *const m = pairs + (n_ - k) * width;
    for (std::ptrdiff_t i = 0; i < npaired; i += 2) {
      const Real x = spectrum[2 * i], x_imag = spectrum[2 * i + 1];
      const Real y = spectrum[2 * i + 2], y_imag = spectrum[2 * i + 3];
      z[i] = x - y_imag;
      z[i + 1] = x_imag + y;
      m[i] = x + y_imag;
      m[i + 1] = y - x_imag;
    }
    if (npaired == lines.n) continue;
    z[npaired] = m[npaired] = spectrum[2 * npaired];
    z[npaired + 1] = spectrum[2 * npaired + 1];
    m[npaired + 1] = -spectrum[2 * npaired + 1];
  }
}

/* ---------------------------------------------------------------------- */

template class HalfFft<double>;
template class HalfFft<float>;

}    // namespace TOFU_NS
