// SPDX-License-Identifier: GPL-2.0-only
//
// Charges in a cube and what a mesh needs for them, for tests.

#ifndef TOFU_TEST_MESH_ATOMS_H
#define TOFU_TEST_MESH_ATOMS_H

#include "unit/testing.h"

#include "mesh/mesh_solver.h"

namespace TOFU_TEST {

using namespace TOFU_NS;

constexpr int ORDER = 5;
constexpr double LENGTH = 10.0;    // of the box
constexpr double TWO_PI = 6.28318530717958647692;

/** Positions and charges of a whole system. */
struct Atoms {
  std::vector<double> x, q;
};

inline Atoms random_atoms(int natoms)
{
  Atoms atoms;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(0.0, LENGTH), charge(-1.0, 1.0);
  for (int i = 0; i < natoms; i++) {
    for (int dim = 0; dim < 3; dim++) atoms.x.push_back(place(random));
    atoms.q.push_back(charge(random));
  }
  return atoms;
}

/** Set the weights of a stencil of order 5.  They are B-splines, computed by their recursion, as
    polynomials in the distance from the nearest point. */
inline void set_weights(MeshStencil<double> &stencil)
{
  // value of the B-spline of order 5 at t, by Cox and de Boor, fitted by a polynomial of degree 4

  const auto spline = [](double t) {
    std::vector<double> b(ORDER, 0.0);
    for (int i = 0; i < ORDER; i++) b[i] = i <= t && t < i + 1 ? 1.0 : 0.0;
    for (int degree = 1; degree < ORDER; degree++)
      for (int i = 0; i + degree < ORDER; i++)
        b[i] = ((t - i) * b[i] + (i + degree + 1 - t) * b[i + 1]) / degree;
    return b[0];
  };
  for (int k = 0; k < ORDER; k++) {
    double matrix[ORDER][ORDER + 1];
    for (int row = 0; row < ORDER; row++) {
      const double dx = -0.4 + 0.2 * row;
      double power = 1.0;
      for (int l = 0; l < ORDER; l++, power *= dx) matrix[row][l] = power;
      matrix[row][ORDER] = spline(k + dx + 0.5);
    }
    for (int pivot = 0; pivot < ORDER; pivot++)
      for (int row = 0; row < ORDER; row++) {
        if (row == pivot) continue;
        const double factor = matrix[row][pivot] / matrix[pivot][pivot];
        for (int l = 0; l <= ORDER; l++) matrix[row][l] -= factor * matrix[pivot][l];
      }
    for (int l = 0; l < ORDER; l++) stencil.rho_coeff[l][k] = matrix[l][ORDER] / matrix[l][l];
    for (int l = 1; l < ORDER; l++) stencil.drho_coeff[l - 1][k] = l * stencil.rho_coeff[l][k];
  }
}

/** Set the tables for a Gaussian in place of each charge, without correction for the mesh. */
inline void set_gaussian_tables(const SpectrumShape &shape, const Parts &parts,
                                SpectrumTables &tables)
{
  const MeshBox &box = shape.layout.box;
  std::array<std::vector<double>, 3> k;
  for (int dim = 0; dim < 3; dim++)
    for (int i = box.lo[dim]; i < box.hi[dim]; i++) {
      const int n = shape.npoints[dim];
      k[dim].push_back(TWO_PI / LENGTH * (i - n * (2 * i / n)));
    }
  std::vector<double> green, virial;
  for (double kz : k[2])
    for (double ky : k[1])
      for (double kx : k[0]) {
        const double ksq = kx * kx + ky * ky + kz * kz;
        const double both[6] = {kx * kx, ky * ky, kz * kz, kx * ky, kx * kz, ky * kz};
        green.push_back(ksq > 0.0 ? std::exp(-0.1 * ksq) / ksq : 0.0);
        for (int i = 0; i < 6; i++)
          virial.push_back(ksq > 0.0 ? (i < 3) - both[i] * (2.0 / ksq + 0.2) : 0.0);
      }
  tables.set(shape, {green.data(), virial.data(), {k[0].data(), k[1].data(), k[2].data()}}, parts);
}

}    // namespace TOFU_TEST

#endif
