// SPDX-License-Identifier: GPL-2.0-only

#include "line_fft.h"

#include <algorithm>

namespace TOFU_NS {

namespace {

  constexpr int MOST_LINES = 8;    // 4 and 16 were slower for most lengths
  constexpr int MOST_ROWS = 32;    // some KB, so that parts have several times as many

  /** Lines of a transform, so that all have about as many. */
  int share_of(std::ptrdiff_t nbeside)
  {
    if (nbeside == 0) return 0;
    const std::ptrdiff_t nshares = (nbeside + MOST_LINES - 1) / MOST_LINES;
    return static_cast<int>((nbeside + nshares - 1) / nshares);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

std::vector<FftAxis> axes_of(const MeshLayout &from, const MeshLayout &to,
                             const std::vector<int> &dims)
{
  const auto from_strides = from.strides(), to_strides = to.strides();
  std::vector<FftAxis> axes;
  for (int dim : dims) axes.push_back({from.box.length(dim), from_strides[dim], to_strides[dim]});
  return axes;
}

/* ---------------------------------------------------------------------- */

std::vector<int> other_dims(const MeshLayout &layout, const std::vector<int> &dims)
{
  std::vector<int> others;
  for (int dim : layout.order)
    if (std::find(dims.begin(), dims.end(), dim) == dims.end()) others.push_back(dim);
  return others;
}

/* ---------------------------------------------------------------------- */

template <class Real>
LineFft<Real>::LineFft(FftDirection direction, int n, std::ptrdiff_t nbeside) :
    n_(n), nlines_(share_of(nbeside)),
    plan_(direction, FftPlace::OTHER_ARRAY, {{n, nlines_, nlines_}}, {{nlines_, 1, 1}})
{
  make_room(1);
}

/* ---------------------------------------------------------------------- */

template <class Real> void LineFft<Real>::make_room(int nparts)
{
  const std::size_t size = 2 * static_cast<std::size_t>(n_) * nlines_;
  while (static_cast<int>(rooms_.size()) < nparts) {
    Room &room = rooms_.emplace_back();
    std::fill_n(room.lines.room(size), size,
                Real(0));    // what a share has not is transformed, too
    room.results.room(size);
  }
}

/* ---------------------------------------------------------------------- */

template <class Real>
RowFft<Real>::RowFft(FftDirection direction, int n, std::ptrdiff_t nrows) :
    n_(n), nrows_(nrows), some_(direction, FftPlace::SAME_ARRAY, {{n, 1, 1}}, {{MOST_ROWS, n, n}}),
    rest_(direction, FftPlace::SAME_ARRAY, {{n, 1, 1}},
          {{static_cast<int>(nrows % MOST_ROWS), n, n}})
{
}

/* ---------------------------------------------------------------------- */

template <class Real> void RowFft<Real>::run(Real *rows, const Parts &parts) const
{
  for_lines(parts, 1, nrows_, MOST_ROWS, [&](int, const SomeLines &some) {
    Real *const first = rows + 2 * n_ * some.first;
    (some.n == MOST_ROWS ? some_ : rest_).run(first, first);
  });
}

/* ---------------------------------------------------------------------- */

template <class Real>
BoxFft<Real>::BoxFft(FftDirection direction, const MeshLayout &layout, const std::vector<int> &dims)
{
  const auto strides = layout.strides();
  if (layout.box.empty() || dims.empty()) return;
  if (few_points<Real>(layout.box.npoints())) {
    all_.emplace_back(direction, FftPlace::SAME_ARRAY, axes_of(layout, layout, dims),
                      axes_of(layout, layout, other_dims(layout, dims)));
    return;
  }
  for (int dim : dims) {
    const int n = layout.box.length(dim);
    const std::ptrdiff_t nside = strides[dim],
                         nblocks = static_cast<std::ptrdiff_t>(layout.box.npoints()) / (n * nside);
    if (nside > 1)
      axes_.push_back({nblocks, nside, std::make_unique<LineFft<Real>>(direction, n, nside)});
    else
      rows_.emplace_back(direction, n, nblocks);
  }
}

/* ---------------------------------------------------------------------- */

template <class Real> void BoxFft<Real>::run(Real *points, const Parts &parts)
{
  for (const FftwPlan<Real> &plan : all_) plan.run(points, points);
  for (const RowFft<Real> &rows : rows_) rows.run(points, parts);
  for (const Axis &axis : axes_) run(axis, points, parts);
}

/* ---------------------------------------------------------------------- */

template <class Real> void BoxFft<Real>::run(const Axis &axis, Real *points, const Parts &parts)
{
  LineFft<Real> &fft = *axis.fft;
  const int n = fft.n(), nlines = fft.nlines();
  const std::ptrdiff_t stride = 2 * axis.nside;
  fft.make_room(parts.n());
  for_lines(parts, axis.nblocks, axis.nside, nlines, [&](int part, const SomeLines &lines) {
    Real *const some = points + lines.block * n * stride + 2 * lines.first;
    copy_rows(n, 2 * lines.n, some, stride, fft.lines(part), 2 * nlines);
    copy_rows(n, 2 * lines.n, fft.run(part), 2 * nlines, some, stride);
  });
}

/* ---------------------------------------------------------------------- */

template class LineFft<double>;
template class LineFft<float>;
template class RowFft<double>;
template class RowFft<float>;
template class BoxFft<double>;
template class BoxFft<float>;

}    // namespace TOFU_NS
