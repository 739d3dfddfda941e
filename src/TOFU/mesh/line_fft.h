// SPDX-License-Identifier: GPL-2.0-only
//
// LineFft: complex transforms of a few lines at a time, in memory of their own.
//
// FFTW's estimates know nothing about caches: what it plans for lines that are far apart in memory,
// or for several dimensions in the same array, takes up to ten times as long as the same lines
// after a copy to memory that stays in the first cache.  Other plans would depend on what happens
// to be fast while planning (fftw.h).  A box that is in the first cache as a whole is left to FFTW.

#ifndef TOFU_MESH_LINE_FFT_H
#define TOFU_MESH_LINE_FFT_H

#include "base/aligned_array.h"
#include "fftw.h"
#include "mesh_layout.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace TOFU_NS {

template <class Real> class LineFft {
 public:
  /** \param direction   of complex transforms
      \param n           points of a line
      \param nbeside     lines that there are side by side, of which each transform has some */
  LineFft(FftDirection direction, int n, std::ptrdiff_t nbeside);

  int n() const { return n_; }
  int nlines() const { return nlines_; }

  /** Lines to transform: [n][nlines][2]. */
  Real *lines() { return lines_.data(); }

  /** Transform all of them.

      \return   [n][nlines][2], until the next transform */
  Real *run()
  {
    plan_.run(lines_.data(), results_.data());
    return results_.data();
  }

 private:
  int n_, nlines_;
  FftwPlan<Real> plan_;
  AlignedArray<Real> lines_, results_;
};

/** Dimensions of a box in one layout and another, for FftwPlan. */
std::vector<FftAxis> axes_of(const MeshLayout &from, const MeshLayout &to,
                             const std::vector<int> &dims);

/** Those of a box that are not in dims, the fastest in memory first. */
std::vector<int> other_dims(const MeshLayout &, const std::vector<int> &dims);

/** Whether so many complex points are in the first cache, with others beside them. */
template <class Real> bool few_points(std::size_t n)
{
  constexpr std::size_t NBYTES = 16384;    // 1,024 points in double precision
  return n * 2 * sizeof(Real) <= NBYTES;
}

/** Complex transforms of the points of a box along some of its dimensions, in place. */
template <class Real> class BoxFft {
 public:
  BoxFft() = default;    // of none
  BoxFft(FftDirection, const MeshLayout &, const std::vector<int> &dims);

  /** \param points   [box.npoints()][2] */
  void run(Real *points);

 private:
  struct Axis {
    std::ptrdiff_t nblocks, nside;    // points are [nblocks][n][nside]
    std::unique_ptr<LineFft<Real>> fft;
  };
  std::vector<FftwPlan<Real>> rows_;    // in one call: the dimension that is fastest in memory, or
                                        // all of a small box
  std::vector<Axis> axes_;

  static void run(const Axis &, Real *points);
};

/** Copy rows of numbers to elsewhere.

    \param nrows         how many
    \param n             numbers of each
    \param from          first row
    \param from_stride   numbers from one row to the next
    \param to            where the first row goes
    \param to_stride     numbers from there to the next */
template <class Real>
void copy_rows(int nrows, std::ptrdiff_t n, const Real *from, std::ptrdiff_t from_stride, Real *to,
               std::ptrdiff_t to_stride)
{
  constexpr int USUAL = 16;    // eight complex numbers, copied without a call
  for (int row = 0; row < nrows; row++, from += from_stride, to += to_stride)
    if (n == USUAL)
      std::memcpy(to, from, USUAL * sizeof(Real));
    else
      std::memcpy(to, from, n * sizeof(Real));
}

}    // namespace TOFU_NS

#endif
