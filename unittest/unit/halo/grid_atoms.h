// SPDX-License-Identifier: GPL-2.0-only
//
// Atoms of all ranks of a grid, and the ghosts of a rank by definition.

#ifndef TOFU_TEST_GRID_ATOMS_H
#define TOFU_TEST_GRID_ATOMS_H

#include "grid.h"
#include "planned_ghosts.h"

namespace TOFU_TEST {

inline std::vector<Atom> random_atoms(const Grid &grid, int natoms, int nkinds, unsigned seed)
{
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto g = grid.geometry(0);
  std::vector<Atom> atoms(natoms);
  for (Atom &atom : atoms) {
    int loc[3];
    for (int dim = 0; dim < 3; dim++) {
      atom.x[dim] = g.boxlo[dim] + uniform(random) * g.prd[dim];
      loc[dim] = g.locate(dim, atom.x[dim]);
    }
    atom.owner = grid.rank_of(loc[0], loc[1], loc[2]);
    atom.kind = static_cast<int>(random() % nkinds);
  }
  return atoms;
}

/** Ghosts of a rank by definition.  A ghost beyond a non-periodic boundary does not exist; in two
    dimensions there are no images in z. */
inline std::multiset<Ghost> ghosts_by_definition(const Grid &grid, int rank,
                                                 const std::vector<Atom> &atoms,
                                                 const std::vector<double> &cut)
{
  const auto g = grid.geometry(rank);
  std::multiset<Ghost> ghosts;
  int images[3];
  for (int dim = 0; dim < 3; dim++)
    images[dim] = g.periodicity[dim] && !(dim == 2 && g.dimension == 2) ? 4 : 0;
  for (std::size_t i = 0; i < atoms.size(); i++)
    for (int iz = -images[2]; iz <= images[2]; iz++)
      for (int iy = -images[1]; iy <= images[1]; iy++)
        for (int ix = -images[0]; ix <= images[0]; ix++) {
          const int image[3] = {ix, iy, iz};
          if (!ix && !iy && !iz && atoms[i].owner == rank) continue;
          bool near = true;
          for (int dim = 0; dim < 3; dim++) {
            if (dim == 2 && g.dimension == 2) continue;
            const double x = atoms[i].x[dim] + image[dim] * g.prd[dim];
            const double c = cut[3 * atoms[i].kind + dim];
            near = near && x >= g.sub_lo(dim, g.myloc[dim]) - c &&
                x <= g.sub_hi(dim, g.myloc[dim]) + c;
          }
          if (near) ghosts.insert({static_cast<int>(i), ix, iy, iz});
        }
  return ghosts;
}

}    // namespace TOFU_TEST

#endif
