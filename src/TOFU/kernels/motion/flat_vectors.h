// SPDX-License-Identifier: GPL-2.0-only
//
// Vector operations of minimizers, on the coordinates of all atoms as one vector.

#ifndef TOFU_KERNELS_FLAT_VECTORS_H
#define TOFU_KERNELS_FLAT_VECTORS_H

namespace TOFU_NS {

/** Sum of a[k] b[k], in as many sums as a few vectors have lanes.

    \param a, b   [n] */
double dot_product(const double *a, const double *b, int n);

/** Largest absolute value of a number of a; 0 if there is none.

    \param a   [n]; NaN is ignored */
double largest_magnitude(const double *a, int n);

/** to = p a + q b.

    \param a, b   [n]
    \param to     [n]; may be a or b */
void combine_vectors(double p, const double *a, double q, const double *b, double *to, int n);

}    // namespace TOFU_NS

#endif
