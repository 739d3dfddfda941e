// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of the angular dependent potential: embedded atoms with dipole and quadrupole terms, in
// two passes: sums over the neighbors of each atom, then forces.
//
// Lists are full, with each pair twice, so that an atom sums its own moments, and no moments, of
// ten numbers each, are added to neighbors.

#ifndef TOFU_KERNELS_ADP_H
#define TOFU_KERNELS_ADP_H

#include "kernels/data/inside_rows.h"
#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"

#include <cstddef>
#include <vector>

namespace TOFU_NS {

struct ADPTables {
  int ntypes = 0;
  int nr = 0;          // intervals of a spline: 1 to nr-1, and the end
  double rdr = 0.0;    // intervals per distance
  double cutsq = 0.0;

  /** [n][nr+1][4] as those of EAMTables; u2r and w2r: strength of dipoles and quadrupoles. */
  std::vector<double> rhor, z2r, u2r, w2r;

  /** First rows of the splines of a pair of types. */
  struct Pair {
    int rhor_ij;    // density that type i has at j
    int rhor_ji;    // density that type j has at i
    int z2r, u2r, w2r;
  };
  std::vector<Pair> pairs;    // [ntypes+1][ntypes+1]

  const Pair &of(int itype, int jtype) const
  {
    return pairs[static_cast<std::size_t>(itype) * (ntypes + 1) + jtype];
  }
  Pair &of(int itype, int jtype)
  {
    return pairs[static_cast<std::size_t>(itype) * (ntypes + 1) + jtype];
  }
};

/** Sums of one atom over its neighbors.  For the second pass the density is replaced by the
    derivative of the embedding energy. */
struct ADPMoments {
  static constexpr int N = 10, STRIDE = 12;
  enum Place : int { DENSITY, MU, LAMBDA = 4 };    // mu x, y, z; lambda xx, yy, zz, yz, xz, xy
};

/** First pass.

    \param first,last   rows [first, last)
    \param arena        memory for rows of inside, of one part only
    \param moments      [natoms+1][STRIDE] gets those of the owners of rows */
void adp_moments(const ADPTables &, const PairJob &, int first, int last, RowArena &arena,
                 EAMInside &inside, double *moments);

/** Second pass.

    \param moments   [natoms+1][STRIDE] of owned atoms and ghosts; those behind all are finite */
void adp_forces(const ADPTables &, const PairJob &, int first, int last, const EAMInside &inside,
                const double *moments, PairTally &);

}    // namespace TOFU_NS

#endif
