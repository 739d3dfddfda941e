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

/** [nkinds][3] cut-offs, the largest for the first kind of atoms. */
inline std::vector<double> cutoffs(const Grid &grid, int nkinds = 1)
{
  std::vector<double> cut;
  for (int kind = 0; kind < nkinds; kind++)
    for (double c : grid.geometry(0).cutghost) cut.push_back(c / (kind + 1));
  return cut;
}

/** Ghosts of a rank by definition.  A ghost beyond a non-periodic boundary does not exist; in two
    dimensions there are no images in z. */
inline std::multiset<Ghost> ghosts_by_definition(const Grid &grid, int rank,
                                                 const std::vector<Atom> &atoms,
                                                 const std::vector<double> &cut)
{
  const auto g = grid.geometry(rank);
  std::multiset<Ghost> ghosts;
  std::array<int, 3> images{};
  for (int dim = 0; dim < g.dimension; dim++) images[dim] = g.periodicity[dim] ? 4 : 0;
  for_images(g, images, atoms, rank, [&](const Ghost &ghost, const std::array<double, 3> &x) {
    bool near = true;
    for (int dim = 0; dim < g.dimension; dim++) {
      const double c = cut[3 * atoms[std::get<0>(ghost)].kind + dim];
      near = near && x[dim] >= g.sub_lo(dim, g.myloc[dim]) - c &&
          x[dim] <= g.sub_hi(dim, g.myloc[dim]) + c;
    }
    if (near) ghosts.insert(ghost);
  });
  return ghosts;
}

}    // namespace TOFU_TEST

#endif
