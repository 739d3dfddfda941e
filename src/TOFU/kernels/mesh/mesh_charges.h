// SPDX-License-Identifier: GPL-2.0-only
//
// Interpolation between atoms and mesh: charges of atoms to the mesh, fields of the mesh to atoms.
//
// The points of an atom are a cube, its stencil, and the weight of a point is the product of one
// polynomial per dimension (Hockney and Eastwood, Computer Simulation Using Particles; LAMMPS'
// class PPPM has the same).  Each order is compiled for itself, a row of a stencil in x is one
// vector or two, and weights are computed at each use, since storing them is no faster.
//
// Communication, transforms, energies and units are the caller's.

#ifndef TOFU_KERNELS_MESH_CHARGES_H
#define TOFU_KERNELS_MESH_CHARGES_H

namespace TOFU_NS {

static constexpr int MESH_ARRAY_SLACK = 16;    // numbers behind the last point of every mesh array

/** Weights of mesh points, and the layout of arrays on the mesh.

  All arrays on the mesh hold the points [lo, hi), x fastest, without gaps, and
  behind them MESH_ARRAY_SLACK more numbers of any value.  Vectors run past the end of a row: values
  read there have no effect, and are written back unchanged.  Therefore two threads must not spread
  charges to one array at the same time, except with spread_charges_in_planes(). */
template <class Real> struct MeshStencil {
  static constexpr int MIN_ORDER = 2, MAX_ORDER = 7;
  static constexpr int WIDTH = 8;
  static constexpr int OFFSET = 16384;    // makes numbers positive before truncation, as in LAMMPS

  int order = 0;            // points per dimension, MIN_ORDER to MAX_ORDER
  int lo[3] = {0, 0, 0};    // of the arrays, with ghosts
  int hi[3] = {0, 0, 0};
  double boxlo[3] = {0.0, 0.0, 0.0};     // distance; place of point 0
  double delinv[3] = {0.0, 0.0, 0.0};    // 1/distance; points per length

  // point k of a stencil is nlower() + k from the point of the atom; its weight is the sum over l
  // of rho_coeff[l][k] dx^l, that of its slope the same with drho_coeff; dx is the distance, in
  // units of the mesh, from the atom to its point for odd orders, to the middle between that and
  // the next for even ones (PPPM::compute_rho_coeff()); what is not used is zero

  alignas(64) Real rho_coeff[MAX_ORDER][WIDTH] = {};
  alignas(64) Real drho_coeff[MAX_ORDER][WIDTH] = {};

  static constexpr int nlower(int order) { return -(order - 1) / 2; }
};

/** Arrays of atoms, owned by the caller. */
struct MeshAtoms {
  const double *x = nullptr;     // [..][3] distance
  const int *point = nullptr;    // [..][3] from map_atoms()
  const double *q = nullptr;     // [..] charge; only to spread charges
};

/** Atoms whose stencil is not within the arrays, or whose position is not a number. */
struct LostAtoms {
  int count = 0;
  int first = -1;
};

/** A triclinic box: its origin and the inverse of the matrix of its edges. */
struct TriclinicBox {
  double lo[3] = {0.0, 0.0, 0.0};                        // distance
  double inverse[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};    // xx, yy, zz, yz, xz, xy; 1/distance
};

/** Fractional positions in a triclinic box, with the arithmetic of LAMMPS' Domain::x2lamda().  The
    stencil for them has boxlo zero, and points per edge as delinv.

    \param x          [..][3] positions of atoms
    \param fraction   [..][3] 0 to 1 within the box */
void find_fractions(const TriclinicBox &, const double *x, int first, int last, double *fraction);

/** Find the point of each atom, with the arithmetic of LAMMPS' PPPM::particle_map().

    Of the functions below each takes the atoms [first, last), and none of them
    may be called if any atom is lost.

    \param x       [..][3] positions of atoms
    \param point   [..][3] the points: the nearest for odd orders, that below for even ones;
                   -OFFSET if the position is no number or too large for an integer */
template <class Real>
LostAtoms map_atoms(const MeshStencil<Real> &, const double *x, int first, int last, int *point);

/** Add factor times the charges of atoms to an array, atom after atom, in LAMMPS' order of sums. */
template <class Real>
void spread_charges(const MeshStencil<Real> &, const MeshAtoms &, int first, int last,
                    double factor, Real *density);

/** As spread_charges(), for the points of some planes only, with the same sums.  Several threads
    may spread charges to different planes of one array at the same time.

    \param begin, end   the planes, in z, within lo and hi of the stencil */
template <class Real>
void spread_charges_in_planes(const MeshStencil<Real> &, const MeshAtoms &, int first, int last,
                              double factor, int begin, int end, Real *density);

/** The electric field at atoms from gradients of the potential.

    \param gradient   the arrays of its three components
    \param e          [..][3] minus the gradient */
template <class Real>
void interpolate_ik(const MeshStencil<Real> &, const MeshAtoms &, int first, int last,
                    const Real *const gradient[3], double *e);

/** The electric field at atoms from the potential, by derivatives of the weights.

    \param potential   one array
    \param e           [..][3] per distance of points: to be multiplied by delinv, and without
                       correction for the force of an atom on itself */
template <class Real>
void interpolate_ad(const MeshStencil<Real> &, const MeshAtoms &, int first, int last,
                    const Real *potential, double *e);

/** Interpolate fields at atoms, such as energy and virial.

    \param fields   [nfields] arrays
    \param values   [..][nfields] */
template <class Real>
void interpolate_scalars(const MeshStencil<Real> &, const MeshAtoms &, int first, int last,
                         int nfields, const Real *const *fields, double *values);

}    // namespace TOFU_NS

#endif
