// SPDX-License-Identifier: GPL-2.0-only
//
// Packing of positions and adding of returned forces, for atoms that send nothing else in a step.
// The general AtomVec routines cost up to a fifth of the exchange there
// (doc/internals/measures.md).

#ifndef TOFU_HALO_HALO_KERNELS_H
#define TOFU_HALO_HALO_KERNELS_H

#include "transport/link.h"

#include <algorithm>
#include <cstring>

namespace TOFU_NS {

/** Gather positions into a contiguous array, shifted into the receiver's frame.

    \param x       [natoms][3] distance
    \param list    [n] local indices
    \param n       # of atoms in the list
    \param shift   [3] distance, nullptr: none, so that positions arrive bitwise as they are
    \param dest    [n][3] */
inline void gather_positions(const double *x, const int *list, int n, const double *shift,
                             double *dest)
{
  if (shift) {
    const double dx = shift[0], dy = shift[1], dz = shift[2];
    for (int i = 0; i < n; i++) {
      const double *xj = x + 3 * static_cast<std::size_t>(list[i]);
      dest[3 * i] = xj[0] + dx;
      dest[3 * i + 1] = xj[1] + dy;
      dest[3 * i + 2] = xj[2] + dz;
    }
  } else {
    for (int i = 0; i < n; i++)
      std::memcpy(dest + 3 * i, x + 3 * static_cast<std::size_t>(list[i]), 3 * sizeof(double));
  }
}

/** Gather positions into a message. */
inline void put_positions(Link &link, const double *x, const int *list, int n, const double *shift)
{
  static constexpr int CHUNK = 128;    // atoms; 3 kB, fits a block of the link
  static_assert(CHUNK * 3 * sizeof(double) <= Link::BLOCK, "a chunk fits a block");
  for (int i = 0; i < n; i += CHUNK) {
    const int m = std::min(CHUNK, n - i);
    const std::size_t nbytes = m * 3 * sizeof(double);
    gather_positions(x, list + i, m, shift, reinterpret_cast<double *>(link.reserve(nbytes)));
    link.commit(nbytes);
  }
}

/** Add returned forces to their owners, in list order.

    \param f        [natoms][3] force
    \param list     [n] local indices
    \param n        # of atoms in the list
    \param forces   [n][3] */
inline void add_forces(double *f, const int *list, int n, const double *forces)
{
  for (int i = 0; i < n; i++) {
    double *fj = f + 3 * static_cast<std::size_t>(list[i]);
    fj[0] += forces[3 * i];
    fj[1] += forces[3 * i + 1];
    fj[2] += forces[3 * i + 2];
  }
}

}    // namespace TOFU_NS

#endif
