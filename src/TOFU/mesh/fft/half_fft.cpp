// SPDX-License-Identifier: GPL-2.0-only

#include "half_fft.h"

namespace TOFU_NS {

template <class Real>
HalfFft<Real>::HalfFft(const MeshLayout &reals, const MeshLayout &halves,
                       const std::vector<int> &dims) :
    n_(reals.box.length(dims.back())),
    nside_(reals.strides()[dims.back()])
{
  if (reals.box.empty()) return;
  nblocks_ = static_cast<std::ptrdiff_t>(reals.box.npoints()) / (n_ * nside_);
  const bool small = few_points<Real>(reals.box.npoints() / 2);
  if (small && nside_ % 2) {
    plan_reals(reals, halves, dims);
    return;
  }
  const std::vector<int> others(dims.begin(), dims.end() - 1);
  others_forward_ = BoxFft<Real>(FftDirection::FORWARD, halves, others);
  others_backward_ = BoxFft<Real>(FftDirection::BACKWARD, halves, others);
  if (small)
    plan_all_pairs();
  else if (nside_ > 1)
    plan_pairs();
  else
    plan_reals(reals, halves, {dims.back()});
}

/* ---------------------------------------------------------------------- */

template <class Real>
void HalfFft<Real>::plan_reals(const MeshLayout &reals, const MeshLayout &halves,
                               const std::vector<int> &dims)
{
  std::vector<FftAxis> there = axes_of(reals, halves, dims), back = axes_of(halves, reals, dims);
  back.back().length = there.back().length;
  const std::vector<int> others = other_dims(reals, dims);
  reals_forward_ = std::make_unique<FftwPlan<Real>>(
      FftDirection::REAL_TO_COMPLEX, FftPlace::OTHER_ARRAY, there, axes_of(reals, halves, others));
  reals_backward_ = std::make_unique<FftwPlan<Real>>(
      FftDirection::COMPLEX_TO_REAL, FftPlace::OTHER_ARRAY, back, axes_of(halves, reals, others));
}

/* ----------------------------------------------------------------------
   pairs of lines side by side are complex numbers as they are
------------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::plan_all_pairs()
{
  const std::ptrdiff_t npairs = nside_ / 2;
  const std::vector<FftAxis> line{{static_cast<int>(n_), npairs, npairs}};
  const std::vector<FftAxis> lines{{static_cast<int>(npairs), 1, 1},
                                   {static_cast<int>(nblocks_), n_ * npairs, n_ * npairs}};
  all_forward_ =
      std::make_unique<FftwPlan<Real>>(FftDirection::FORWARD, FftPlace::OTHER_ARRAY, line, lines);
  all_backward_ =
      std::make_unique<FftwPlan<Real>>(FftDirection::BACKWARD, FftPlace::OTHER_ARRAY, line, lines);
  pairs_.room(nblocks_ * n_ * nside_);
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::plan_pairs()
{
  const int n = static_cast<int>(n_);
  const std::ptrdiff_t npairs = (nside_ + 1) / 2;
  pairs_forward_ = std::make_unique<LineFft<Real>>(FftDirection::FORWARD, n, npairs);
  pairs_backward_ = std::make_unique<LineFft<Real>>(FftDirection::BACKWARD, n, npairs);
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::forward(const Real *from, Real *to, const Parts &all)
{
  const Parts parts = parts_for_points(all, nblocks_ * n_ * nside_ / 2);
  if (reals_forward_)
    reals_forward_->run(const_cast<Real *>(from), to);    // FFTW writes to it in place only
  else if (all_forward_)
    all_forward(from, to);
  else if (pairs_forward_)
    pairs_forward(from, to, parts);
  others_forward_.run(to, parts);
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::backward(Real *from, Real *to, const Parts &all)
{
  const Parts parts = parts_for_points(all, nblocks_ * n_ * nside_ / 2);
  others_backward_.run(from, parts);
  if (reals_backward_)
    reals_backward_->run(from, to);
  else if (all_backward_)
    all_backward(from, to);
  else if (pairs_backward_)
    pairs_backward(from, to, parts);
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::all_forward(const Real *from, Real *to)
{
  all_forward_->run(const_cast<Real *>(from), pairs_.data());
  for_lines(Parts(), nblocks_, nside_, nside_, [&](int, const Lines &lines) {
    unpack(lines, pairs_.data() + place(lines, n_), nside_, to + 2 * place(lines, n_ / 2 + 1));
  });
}

/* ---------------------------------------------------------------------- */

template <class Real> void HalfFft<Real>::all_backward(const Real *from, Real *to)
{
  for_lines(Parts(), nblocks_, nside_, nside_, [&](int, const Lines &lines) {
    pack(lines, from + 2 * place(lines, n_ / 2 + 1), pairs_.data() + place(lines, n_), nside_);
  });
  all_backward_->run(pairs_.data(), to);
}

/* ---------------------------------------------------------------------- */

template <class Real>
void HalfFft<Real>::pairs_forward(const Real *from, Real *to, const Parts &parts)
{
  LineFft<Real> &fft = *pairs_forward_;
  const int n = fft.n(), width = 2 * fft.nlines();
  fft.make_room(parts.n());
  for_lines(parts, nblocks_, nside_, width, [&](int part, const Lines &lines) {
    Real *const some = fft.lines(part);
    copy_rows(n, lines.n, from + place(lines, n), nside_, some, width);
    if (lines.n % 2)
      for (int k = 0; k < n; k++) some[k * width + lines.n] = Real(0);
    unpack(lines, fft.run(part), width, to + 2 * place(lines, n / 2 + 1));
  });
}

/* ---------------------------------------------------------------------- */

template <class Real>
void HalfFft<Real>::pairs_backward(const Real *from, Real *to, const Parts &parts)
{
  LineFft<Real> &fft = *pairs_backward_;
  const int n = fft.n(), width = 2 * fft.nlines();
  fft.make_room(parts.n());
  for_lines(parts, nblocks_, nside_, width, [&](int part, const Lines &lines) {
    pack(lines, from + 2 * place(lines, n / 2 + 1), fft.lines(part), width);
    copy_rows(n, lines.n, fft.run(part), width, to + place(lines, n), nside_);
  });
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
void HalfFft<Real>::unpack(const Lines &lines, const Real *pairs, std::ptrdiff_t width,
                           Real *spectrum) const
{
  const Real half = 0.5;
  const std::ptrdiff_t npaired = lines.n / 2 * 2;
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
void HalfFft<Real>::pack(const Lines &lines, const Real *spectrum, Real *pairs,
                         std::ptrdiff_t width) const
{
  const std::ptrdiff_t npaired = lines.n / 2 * 2;
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
