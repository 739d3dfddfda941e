// SPDX-License-Identifier: GPL-2.0-only
//
// Factors of PPPM for the spectrum of a mesh in a triclinic box: Green's function for which the
// error of the forces is smallest (Hockney and Eastwood, Computer Simulation Using Particles,
// 8-22), its products with wave vectors and its virial.
//
// The mesh is regular along the edges of the box, so that a wave vector is the sum of whole
// multiples of three reciprocal vectors.  Unlike in orthogonal boxes
// (kernels/mesh/green_function.h), its square does not separate into dimensions; only the weights
// of charges do.
//
// Where an index is half of an even number of points, the wave vector and its opposite are the same
// point of the mesh.  In a triclinic box these two have different lengths, so that a point and its
// conjugate in the other half of a spectrum have different factors.  The factors here are averages
// over both; PPPM gets the same averages from the whole spectrum by dropping imaginary parts.

#ifndef TOFU_KERNELS_TRICLINIC_SPECTRUM_H
#define TOFU_KERNELS_TRICLINIC_SPECTRUM_H

#include <array>
#include <vector>

namespace TOFU_NS {

/** A mesh in a triclinic box. */
struct TriclinicMesh {
  std::array<int, 3> npoints{};           // along the edges
  std::array<double, 6> edges{};          // xx, yy, zz, yz, xz, xy: components of the three edges
  int order = 0;                          // of the assignment of charges to the mesh
  double g_ewald = 0.0;                   // 1/length
  const double *denominator = nullptr;    // [order] coefficients by powers of sin^2
};

/** A block of the spectrum in the order of memory: the first dimension runs fastest. */
struct SpectrumBlock {
  std::array<int, 3> order;       // dimensions of the mesh
  std::array<int, 3> first, n;    // by dimension of the mesh: indices from 0 to npoints - 1
};

/** Arrays over the points of a block, owned by the caller. */
struct TriclinicFactors {
  double *green = nullptr;            // [points]
  std::array<double *, 3> slope{};    // [points] green times a component of the wave vector
  double *virial = nullptr;           // [points][6] xx, yy, zz, xy, xz, yz: factor of the energy
};

/** Factors of the points of one dimension of a block.  Images are in the period of the mesh that a
    point is in, and in the same number of periods on each side. */
struct TriclinicTables {
  int n = 0, nimages = 0;
  int middle = -1;                    // index at half the number of points, if it is in the block
  std::array<double, 3> unit{};       // reciprocal vector
  std::array<double, 3> period{};     // reciprocal vector times points of the mesh
  std::vector<double> denominator;    // [n] factor of the denominator
  std::vector<double> wave[2];        // [n] multiple of the reciprocal vector; in the second
                                      // array with the opposite sign in the middle
  std::vector<double> weight[2];      // [nimages][n] of images
};

class TriclinicSpectrum {
 public:
  TriclinicSpectrum(const TriclinicMesh &mesh, const SpectrumBlock &block);

  /** Rows of points along the first dimension of memory. */
  int nrows() const { return tables_[1].n * tables_[2].n; }

  /** Compute rows [first, last).

      \param to   gets the factors of the points of these rows */
  void rows(int first, int last, const TriclinicFactors &to) const;

 private:
  std::array<TriclinicTables, 3> tables_;    // in the order of memory
  double g_ewald_;
};

}    // namespace TOFU_NS

#endif
