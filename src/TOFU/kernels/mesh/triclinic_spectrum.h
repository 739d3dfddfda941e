// SPDX-License-Identifier: GPL-2.0-only
//
// Factors of PPPM for the spectrum of a mesh in a triclinic box: Green's function for which the
// error of the forces is smallest (Hockney and Eastwood, Computer Simulation Using Particles,
// 8-22), its products with wave vectors and its virial.
//
// The mesh is regular along the edges of the box, so that a wave vector is the sum of whole
// multiples of three reciprocal vectors.  Its square does not separate into dimensions as in
// orthogonal boxes (kernels/mesh/green_function.h): no factor but the weights of charges does, and rows
// of points are vectors.
//
// Where the number of points is even and an index half of it, that wave and its opposite are the
// same point of the mesh.  In a triclinic box both have other lengths, so that a point and its
// conjugate in the other half of a spectrum have other factors.  The factors are the averages over
// both; PPPM gets these averages from the whole spectrum by dropping imaginary parts.

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

/** What points of one dimension of a block have in common.  Their images are those in the period of
    the mesh that they are in, and in as many periods on each side. */
struct TriclinicTables {
  int n = 0, nimages = 0;
  int middle = -1;                    // the index at half the number of points, if it is here
  std::array<double, 3> unit{};       // reciprocal vector
  std::array<double, 3> period{};     // the same of a period of the mesh
  std::vector<double> denominator;    // [n] factor of the denominator
  std::vector<double> wave[2];        // [n] multiple of the reciprocal vector; in the second
                                      // array the one in the middle has the other sign
  std::vector<double> weight[2];      // [nimages][n] of images
};

class TriclinicSpectrum {
 public:
  TriclinicSpectrum(const TriclinicMesh &mesh, const SpectrumBlock &block);

  /** Rows of points along the first dimension of memory. */
  int nrows() const { return tables_[1].n * tables_[2].n; }

  /** \param first   row
      \param last    the one behind the last row
      \param to      of which the points of these rows are set */
  void rows(int first, int last, const TriclinicFactors &to) const;

 private:
  std::array<TriclinicTables, 3> tables_;    // in the order of memory
  double g_ewald_;
};

}    // namespace TOFU_NS

#endif
