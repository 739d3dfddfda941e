// SPDX-License-Identifier: GPL-2.0-only
//
// LineFft: complex transforms of a few lines at a time, in memory of their own.
//
// FFTW's estimates ignore caches: what it plans for lines that are far apart in memory,
// or for several dimensions in the same array, takes up to ten times as long as the same lines
// after a copy to memory that stays in the first cache.  Other plans would depend on what happens
// to be fast while planning (fftw.h).  A box that is in the first cache as a whole is left to FFTW.
//
// Which lines are transformed together does not depend on the number of parts that share them, so
// neither do results.

#ifndef TOFU_MESH_LINE_FFT_H
#define TOFU_MESH_LINE_FFT_H

#include "base/aligned_array.h"
#include "base/parts.h"
#include "fftw.h"
#include "mesh/exchange/mesh_layout.h"

#include <cstddef>
#include <cstring>
#include <deque>
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

  /** Room for so many parts, each of which may have a thread; the first has it from the start. */
  void make_room(int nparts);

  /** Lines of a part to transform: [n][nlines][2]. */
  Real *lines(int part) { return rooms_[part].lines.data(); }

  /** Transform all of them.

      \return   [n][nlines][2], until the part's next transform */
  Real *run(int part)
  {
    Room &room = rooms_[part];
    plan_.run(room.lines.data(), room.results.data());
    return room.results.data();
  }

 private:
  struct Room {
    AlignedArray<Real> lines, results;
  };
  int n_, nlines_;
  FftwPlan<Real> plan_;
  std::deque<Room> rooms_;    // [parts]
};

/** Lines of an array [nblocks][n][nside] that lie side by side. */
struct SomeLines {
  std::ptrdiff_t block, first, n;
};

/** work(part, lines) for all lines of such an array, by some parts, so many lines at a time. */
template <class Work>
void for_lines(const Parts &parts, std::ptrdiff_t nblocks, std::ptrdiff_t nside,
               std::ptrdiff_t most, Work &&work)
{
  const std::ptrdiff_t ntimes = (nside + most - 1) / most;    // in a block
  parts.share(static_cast<int>(nblocks * ntimes), [&](int part, int begin, int end) {
    for (std::ptrdiff_t i = begin; i < end; i++) {
      const std::ptrdiff_t first = i % ntimes * most;
      work(part, SomeLines{i / ntimes, first, nside - first < most ? nside - first : most});
    }
  });
}

/** As many of the parts as have work with so many points. */
inline Parts parts_for_points(const Parts &parts, std::size_t npoints)
{
  constexpr int TOO_FEW = 2000;    // points of a part that are not worth a fork
  return parts.for_work(static_cast<int>(npoints), TOO_FEW);
}

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

/** Complex transforms of lines that are contiguous, one after the other, in place. */
template <class Real> class RowFft {
 public:
  RowFft(FftDirection, int n, std::ptrdiff_t nrows);

  /** \param rows    [nrows][n][2]
      \param parts   share the lines */
  void run(Real *rows, const Parts &parts) const;

 private:
  int n_;
  std::ptrdiff_t nrows_;
  FftwPlan<Real> some_, rest_;    // of as many rows as are transformed together, and of the last
};

/** Complex transforms of the points of a box along some of its dimensions, in place. */
template <class Real> class BoxFft {
 public:
  BoxFft() = default;    // of none
  BoxFft(FftDirection, const MeshLayout &, const std::vector<int> &dims);

  /** \param points   [box.npoints()][2]
      \param parts    share the lines */
  void run(Real *points, const Parts &parts);

 private:
  struct Axis {
    std::ptrdiff_t nblocks, nside;    // points are [nblocks][n][nside]
    std::unique_ptr<LineFft<Real>> fft;
  };
  std::vector<FftwPlan<Real>> all_;    // of a small box
  std::vector<RowFft<Real>> rows_;     // the dimension that is fastest in memory
  std::vector<Axis> axes_;

  static void run(const Axis &, Real *points, const Parts &parts);
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
