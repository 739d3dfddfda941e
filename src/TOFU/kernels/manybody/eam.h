// SPDX-License-Identifier: GPL-2.0-only
//
// Embedded-atom forces between the atoms of some rows, in two passes: densities, then forces.
//
// Tables are cubic splines.  An interval is one row of four coefficients c of
//   value = ((c[0] p + c[1]) p + c[2]) p + c[3]
// with p from 0 to 1; the derivative comes from the same row.

#ifndef TOFU_KERNELS_EAM_H
#define TOFU_KERNELS_EAM_H

#include "kernels/data/inside_rows.h"
#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"

#include <cstddef>
#include <vector>

namespace TOFU_NS {

struct EAMTables {
  int ntypes = 0;
  int nr = 0;          // intervals of a spline: 1 to nr-1, and the end
  double rdr = 0.0;    // intervals per distance
  double cutsq = 0.0;
  std::vector<double> rhor;    // [nrhor][nr+1][4] density of one atom at the place of another
  std::vector<double> z2r;     // [nz2r][nr+1][4] pair energy times distance

  struct Pair {
    int rhor_ij;    // density that type i has at j
    int rhor_ji;    // density that type j has at i
    int z2r;
    double scale;    // of energy and force
  };
  std::vector<Pair> pairs;    // [ntypes+1][ntypes+1]

  const Pair &of(int itype, int jtype) const
  {
    return pairs[static_cast<std::size_t>(itype) * (ntypes + 1) + jtype];
  }
};

/** First pass: add densities.

    \param first,last   rows [first, last)
    \param arena        memory for rows of inside, of one part only
    \param rho          [natoms+1] density of owners of rows, with half lists also of neighbors;
                        added to */
void eam_densities(const EAMTables &, const PairJob &, int first, int last, RowArena &arena,
                   EAMInside &inside, double *rho);

/** Second pass.  The fourth value of the rows of atoms is the derivative of the embedding energy.
    */
void eam_forces(const EAMTables &, const PairJob &, int first, int last, const EAMInside &inside,
                PairTally &);

}    // namespace TOFU_NS

#endif
