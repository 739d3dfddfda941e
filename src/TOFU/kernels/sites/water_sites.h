// SPDX-License-Identifier: GPL-2.0-only
//
// The charge of the oxygen of TIP4P water is at a site M between it and its hydrogens:
//
//     M = (1 - alpha) O + alpha/2 H + alpha/2 H'
//
// Forces on M are distributed over the three atoms with the same weights (Feenstra, Hess and
// Berendsen, J. Comp. Chem. 20, 786 (1999)).  The virial of M is therefore that of its atoms.

#ifndef TOFU_KERNELS_WATER_SITES_H
#define TOFU_KERNELS_WATER_SITES_H

#include <cstddef>
#include <vector>

namespace TOFU_NS {

struct Water {
  int oxygen, hydrogens[2];    // indices of atoms, images that are near to each other
};

/** Sites of waters.

    \param waters   [nwaters]
    \param x        [natoms][3] positions of atoms
    \param sites    [natoms][3] those of oxygens are set */
inline void place_sites(const Water *waters, std::size_t nwaters, double alpha, const double *x,
                        double *sites)
{
  for (const Water *water = waters; water < waters + nwaters; water++) {
    const double *const oxygen = x + std::size_t{3} * water->oxygen;
    const double *const first = x + std::size_t{3} * water->hydrogens[0];
    const double *const second = x + std::size_t{3} * water->hydrogens[1];
    double *const site = sites + std::size_t{3} * water->oxygen;
    for (int dim = 0; dim < 3; dim++)
      site[dim] =
          oxygen[dim] + alpha * 0.5 * (first[dim] - oxygen[dim] + (second[dim] - oxygen[dim]));
  }
}

/** Distribute values of the site of a water over its atoms.

    \param values   [natoms][stride] before the call, that of the oxygen has the site's values
    \param n        values of each atom, at most the stride */
inline void share_site(const Water &water, double alpha, double *values, int n, int stride)
{
  const auto of = [=](int atom) {
    return values + static_cast<std::size_t>(stride) * atom;
  };
  double *const oxygen = of(water.oxygen);
  for (int k = 0; k < n; k++) {
    const double all = oxygen[k], part = 0.5 * alpha * all;
    oxygen[k] = all * (1.0 - alpha);
    of(water.hydrogens[0])[k] += part;
    of(water.hydrogens[1])[k] += part;
  }
}

}    // namespace TOFU_NS

#endif
