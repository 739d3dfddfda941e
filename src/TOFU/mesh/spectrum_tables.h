// SPDX-License-Identifier: GPL-2.0-only
//
// SpectrumTables: factors by which MeshSolver multiplies a spectrum, in the order of its memory.
//
// Half of a spectrum stands for all of it: a point k and its conjugate -k.  Where n is even and an
// index n/2, a point's own wave vector there does not change its sign in -k, since both are the
// same point of the mesh.  Factors that are odd in that component then cancel between the two:
// otherwise the gradient would be no real field.  So factors there are the averages over k and -k;
// stock pppm gets the same averages by dropping imaginary parts.
//
// In a triclinic box wave vectors do not separate into dimensions, and Green's function differs
// between k and -k there, too: each point has factors of its own
// (kernels/mesh/triclinic_spectrum.h).

#ifndef TOFU_MESH_SPECTRUM_TABLES_H
#define TOFU_MESH_SPECTRUM_TABLES_H

#include "base/parts.h"
#include "kernels/mesh/triclinic_spectrum.h"
#include "mesh/exchange/mesh_layout.h"

#include <array>
#include <utility>
#include <vector>

namespace TOFU_NS {

/** Properties of the spectrum of a transform (DistributedFft). */
struct SpectrumShape {
  std::array<int, 3> npoints;                     // of the mesh
  MeshLayout layout;                              // of this rank's part
  int half_dim;                                   // of which only the points 0 to n/2 are there
  std::pair<std::size_t, std::size_t> counted;    // points that this rank counts in sums
};

/** Factors of a spectrum in the form that kspace styles have: dimension 0 fastest, for the points
    of this rank. */
struct KspaceFactors {
  const double *green;                // [n] Green's function
  const double *virial;               // [n][6] xx, yy, zz, xy, xz, yz
  std::array<const double *, 3> k;    // [points of this rank in that dimension] wave vector
};

struct SpectrumTables {
  std::vector<double> green;     // [n]
  std::vector<double> weight;    // [n] how many points of the whole spectrum this one
                                 // stands for in sums; 0 if another rank counts it
  std::vector<std::array<double, 6>> virial;    // [n] factor of the energy
  std::array<std::vector<double>, 3> k;         // [points in that dimension] of the gradient, or
  std::array<std::vector<double>, 3> slope;     // [n] of the gradient, times green: triclinic box

  bool triclinic() const { return !slope[0].empty(); }

  // parts share the rows of points
  void set(const SpectrumShape &shape, const KspaceFactors &factors, const Parts &parts);
  void set(const SpectrumShape &shape, const TriclinicMesh &mesh, const Parts &parts);

 private:
  void set_weight(const SpectrumShape &shape, const std::array<int, 3> &point, std::size_t to);
  void set_row(const SpectrumShape &shape, const KspaceFactors &factors, int y, int z);
};

}    // namespace TOFU_NS

#endif
