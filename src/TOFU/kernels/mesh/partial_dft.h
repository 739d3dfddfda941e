// SPDX-License-Identifier: GPL-2.0-only
//
// Partial sums of a discrete Fourier transform along one dimension: contributions of the points of
// one rank to all points of the result (DPLR paper, sec. 3.1, equation 7 and Figure 3).
//
// It is the product of a small dense matrix with many lines, which are adjacent in memory, so that
// vectors run over lines.  Cosines and sines of k and n-k are equal up to the sign, so that both
// outputs come from the same sums, with half of the operations.

#ifndef TOFU_KERNELS_PARTIAL_DFT_H
#define TOFU_KERNELS_PARTIAL_DFT_H

#include <cstddef>
#include <vector>

namespace TOFU_NS {

/** Rows of the input, one for each point of this rank, and of the output, one for each point of the
    dimension; a half spectrum has points 0 to n/2. */
enum class PartialDftKind {
  REAL_TO_HALF,    // [lines] -> [2][lines]: real parts of all lines, imaginary parts; exp(-...)
  FORWARD,         // [lines][2] -> [lines][2], exp(-2 pi i j k / n)
  BACKWARD,        // [lines][2] -> [lines][2], exp(+2 pi i j k / n)
  HALF_TO_REAL     // [2][lines] -> [lines], exp(+...); the other half are conjugates
};

template <class Real> class PartialDft {
 public:
  /** \param n        points of the dimension
      \param first    of the points of this rank
      \param nmine    # of them; in a half spectrum if that is the input
      \param factor   of the result, 1/sqrt(n) for a unitary transform */
  PartialDft(PartialDftKind kind, int n, int first, int nmine, double factor = 1.0);

  int noutputs() const { return kind_ == PartialDftKind::REAL_TO_HALF ? nhalf() : n_; }

  /** Values of a row for so many lines. */
  std::size_t row_in(std::size_t nlines) const
  {
    return kind_ == PartialDftKind::REAL_TO_HALF ? nlines : 2 * nlines;
  }
  std::size_t row_out(std::size_t nlines) const
  {
    return kind_ == PartialDftKind::HALF_TO_REAL ? nlines : 2 * nlines;
  }

  /** \param in    [nmine][row_in(nlines)]
      \param out   [noutputs()][row_out(nlines)] */
  void run(std::size_t nlines, const Real *in, Real *out) const;

 private:
  int nhalf() const { return n_ / 2 + 1; }

  PartialDftKind kind_;
  int n_, nmine_;
  std::vector<Real> twiddles_;    // [nmine][n/2+1][2] cosine, sine
};

}    // namespace TOFU_NS

#endif
