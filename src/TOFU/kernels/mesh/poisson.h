// SPDX-License-Identifier: GPL-2.0-only
//
// Operations of PPPM on spectra between the transforms: energy and virial of the charge density,
// its potential and the gradients of the potential (Hockney and Eastwood, Computer Simulation Using
// Particles).
//
// A spectrum has complex numbers, real part first: all of them, or the half of a transform of real
// numbers.  In the half, a point stands for two points of the whole, except on the first plane, and
// on the last if the number of points is even.  A wave vector at half the number of points of an
// even dimension has no sign: in the whole spectrum its odd powers cancel, in the half they do not.
// Therefore the caller sets the gradient's wave vectors to zero there, and in the virial their
// products with wave vectors that are not at half the number of points.

#ifndef TOFU_KERNELS_POISSON_H
#define TOFU_KERNELS_POISSON_H

#include <array>

namespace TOFU_NS {

/** Arrays over the points of a spectrum, owned by the caller. */
struct SpectrumFactors {
  const double *green = nullptr;     // [npoints] Green's function
  const double *weight = nullptr;    // [npoints] # of points of the whole spectrum for each
  const double *vg = nullptr;        // [npoints][6] virial per energy; nullptr if it is not wanted
};

/** Energy and virial, in that order, of the points [first, last).

    \param density   [npoints][2]
    \param sums      [7], added to; without the square of 1/points of the mesh that belongs to
                     them */
template <class Real>
void add_spectrum_sums(const SpectrumFactors &, const Real *density, int first, int last,
                       double *sums);

/** Multiply each number by a real factor, for example from density to potential, and from potential
    to virial of atoms.

    \param from     [npoints][2]
    \param factor   [npoints][stride], the first of each row counts
    \param to       [npoints][2] scale * factor * from; may be the same array */
template <class Real>
void multiply_spectrum(const Real *from, const double *factor, int stride, double scale, int first,
                       int last, Real *to);

/** The gradients of a potential in three dimensions: i k times the potential.

    \param npoints    points in each dimension of memory, the fastest first
    \param k          [npoints[dim]] wave vectors along each dimension of memory
    \param density    [npoints[2]][npoints[1]][npoints[0]][2]
    \param green      [npoints[2]][npoints[1]][npoints[0]]
    \param gradient   as density, three other arrays: i * k * scale * green * density */
template <class Real>
void gradient_spectra(const int npoints[3], const double *const k[3], const Real *density,
                      const double *green, double scale, Real *const gradient[3]);

/** The gradients of a potential where each point has its own wave vector, as in a triclinic box.

    \param density    [npoints][2]
    \param slope      [npoints] in each dimension: Green's function times k
    \param gradient   [npoints][2], three other arrays: i * scale * slope * density */
template <class Real>
void gradient_spectra(int npoints, const std::array<const double *, 3> &slope, const Real *density,
                      double scale, const std::array<Real *, 3> &gradient);

}    // namespace TOFU_NS

#endif
