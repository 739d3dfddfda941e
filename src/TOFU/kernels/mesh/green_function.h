// SPDX-License-Identifier: GPL-2.0-only
//
// Green's function of PPPM for forces by differentiation in k space: the one for which the error of
// the forces is smallest (Hockney and Eastwood, Computer Simulation Using Particles, 8-22).
//
// It is computed again for each new box.  Therefore factors of one dimension are computed once per
// dimension, and points are products of them, in vectors.

#ifndef TOFU_KERNELS_GREEN_FUNCTION_H
#define TOFU_KERNELS_GREEN_FUNCTION_H

#include <array>
#include <vector>

namespace TOFU_NS {

/** One dimension of the spectrum. */
struct GreenDimension {
  int npoints = 0;         // of the mesh
  double length = 0.0;     // of the box
  int first = 0, n = 0;    // of this rank: indices from 0 to npoints - 1
};

/** Factors of the points of one dimension of this rank, for each image of their wave vectors in
    other periods of the mesh. */
struct GreenTables {
  int n = 0, nimages = 0;
  std::vector<double> k;              // [n] wave vector
  std::vector<double> denominator;    // [n] factor of the denominator
  std::vector<double> kq;             // [nimages][n] wave vector times that of the image
  std::vector<double> qq;             // [nimages][n] square of the image's
  std::vector<double> weight;         // [nimages][n] of the image
};

class GreenFunction {
 public:
  /** \param dimensions    the first is the fastest in memory
      \param order         of the assignment of charges to the mesh
      \param g_ewald       1/length
      \param denominator   [order] coefficients of the denominator by powers of sin^2 */
  GreenFunction(const std::array<GreenDimension, 3> &dimensions, int order, double g_ewald,
                const double *denominator);

  /** Rows of points along the first dimension. */
  int nrows() const { return tables_[1].n * tables_[2].n; }

  /** \param first   row
      \param last    the one behind the last row
      \param green   [nrows()][n of the first dimension] of which these rows are set */
  void rows(int first, int last, double *green) const;

 private:
  std::array<GreenTables, 3> tables_;
};

}    // namespace TOFU_NS

#endif
