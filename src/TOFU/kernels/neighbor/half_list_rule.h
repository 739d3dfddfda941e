// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_KERNELS_HALF_LIST_RULE_H
#define TOFU_KERNELS_HALF_LIST_RULE_H

#include <cmath>

namespace TOFU_NS {

/** Two ranks have the pair of an owned atom and a ghost; one of them stores it in its half list.
    Coordinates decide, as in LAMMPS' lists.  In a triclinic box those of ghosts are not exact:
    there IDs decide, and coordinates tell an atom from its own image only, a box length away. */
struct HalfListRule {
  bool triclinic = false;
  double close = 0.0;    // [length] within which coordinates of a triclinic box are the same

  /** Whether the rank of atom i stores its pair with ghost j; without branches on what chance
      decides.

      \param xi, xj   [3] positions */
  static bool is_higher(const double *xi, const double *xj)
  {
    const bool in_plane = (xj[1] > xi[1]) | ((xj[1] == xi[1]) & (xj[0] >= xi[0]));
    return (xj[2] > xi[2]) | ((xj[2] == xi[2]) & in_plane);
  }

  template <class Tag>
  bool is_higher_triclinic(Tag itag, const double *xi, Tag jtag, const double *xj) const
  {
    if (itag > jtag) return (itag + jtag) % 2 != 0;
    if (itag < jtag) return (itag + jtag) % 2 == 0;
    if (std::fabs(xj[2] - xi[2]) > close) return xj[2] > xi[2];
    if (std::fabs(xj[1] - xi[1]) > close) return xj[1] > xi[1];
    return xj[0] >= xi[0];
  }

  /** The rule of the box. */
  template <class Tag> bool stores(Tag itag, const double *xi, Tag jtag, const double *xj) const
  {
    return triclinic ? is_higher_triclinic(itag, xi, jtag, xj) : is_higher(xi, xj);
  }
};

}    // namespace TOFU_NS

#endif
