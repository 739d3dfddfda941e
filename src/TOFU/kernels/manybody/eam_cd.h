// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of the concentration-dependent embedded-atom method for two species A and B, in two
// passes (densities, forces) or three.  The concentration x of an atom is the share of B's atoms in
// its density.  The pair energy of an A and a B is multiplied by a polynomial h, either by the mean
// of h at both atoms (one-site formulation), or by h of their mean concentration (two-site).
//
// Lists are full, with each pair twice, so that an atom sums its own values, and none are returned
// from ghosts.

#ifndef TOFU_KERNELS_EAM_CD_H
#define TOFU_KERNELS_EAM_CD_H

#include "kernels/data/inside_rows.h"
#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"

#include <cstddef>
#include <vector>

namespace TOFU_NS {

struct EAMCDTables {
  int ntypes = 0;
  int nr = 0;          // intervals of a spline: 1 to nr-1, and the end
  double rdr = 0.0;    // intervals per distance
  double cutsq = 0.0;
  std::vector<double> rhor, z2r;    // [n][nr+1][4] as those of EAMTables

  bool two_site = false;
  std::vector<double> h;    // coefficients of the polynomial, from that of x^0

  struct Pair {
    int rhor_ij;      // row that the density begins with that type i has at j
    int rhor_ji;      // that type j has at i
    int z2r;          // row that the pair energy times distance begins with
    double from_b;    // 1: type j is B, else 0
    double cross;     // 1: of i and j one is A and one is B, else 0
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

/** Sums of the first passes, for the owners of rows. */
struct EAMCDSums {
  double *rho;      // [natoms] density
  double *rho_b;    // [natoms] the part of it that comes from B
  double *cross;    // [natoms] energy of the pairs of an A and a B; two-site: times h'
};

/** Values of an atom for the passes behind the first. */
struct EAMCDAtom {
  static constexpr int STRIDE = 4;
  enum Place : int {
    BY_OTHERS,    // derivative of energies with respect to the density of neighbors other than B
    BY_B,         // derivative with respect to the density of neighbors that are B
    SITE,         // h in the one-site formulation, concentration in two-site
    DEPENDS       // 1: there is a concentration, else 0
  };
};

/** First pass: sum up densities; one-site: also cross energies.

    \param first,last   rows [first, last)
    \param arena        memory for rows of inside, of one part only */
void eam_cd_densities(const EAMCDTables &, const PairJob &, int first, int last, RowArena &arena,
                      EAMInside &inside, const EAMCDSums &);

/** Two-site, once concentrations are known: sum up cross energies times h'.

    \param atoms   [natoms+1][EAMCDAtom::STRIDE] SITE and DEPENDS of owned atoms and ghosts; those
                   behind all are finite
    \param cross   [natoms] gets those of the owners of rows */
void eam_cd_slopes(const EAMCDTables &, const PairJob &, int first, int last,
                   const EAMInside &inside, const double *atoms, double *cross);

/** Last pass.

    \param atoms   [natoms+1][EAMCDAtom::STRIDE] all values of owned atoms and ghosts */
void eam_cd_forces(const EAMCDTables &, const PairJob &, int first, int last,
                   const EAMInside &inside, const double *atoms, PairTally &);

/** The polynomial and its derivative. */
double eam_cd_h(const EAMCDTables &, double x);
double eam_cd_h_slope(const EAMCDTables &, double x);

}    // namespace TOFU_NS

#endif
