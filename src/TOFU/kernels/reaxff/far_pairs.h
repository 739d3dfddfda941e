// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of ReaxFF between all pairs of atoms within the non-bonded cut-off: van der Waals forces
// and Coulomb forces of shielded charges, both tapered to 0 at the cut-off.
//
// A pair style needs three things:
//
//   FarPairs      parameters of all pairs of atom types, once they are known
//   FarRows       (far_rows.h) rows of the pairs that this rank computes, with each new list
//   far_pairs()   forces, energies and virial of some of these rows, in each step
//
// far_pairs() takes the job of PairOnPool with the list of FarRows:
//
//   on_pool.gather(list, atom->q, true);    // x, y, z, charge and type of each atom
//   on_pool.compute(this, [&](const PairJob &job, int first, int last, PairTally &tally) {
//     PairJob mine = job;
//     mine.list = far_rows.rows();
//     far_pairs(pairs, mine, first, last, tally);
//   });
//
// Energies: tally.evdwl has the van der Waals energy, with inner wall and dispersion; tally.ecoul
// the Coulomb energy, without polarization.  With tally.eatom each atom of a pair gets half of
// both, with tally.vatom half of its virial.

#ifndef TOFU_KERNELS_FAR_PAIRS_H
#define TOFU_KERNELS_FAR_PAIRS_H

#include "kernels/data/pair_data.h"

#include <vector>

namespace TOFU_NS {

/** Parameters of a pair of elements; names and values of LAMMPS' ReaxFF::two_body_parameters. */
struct FarPairParameters {
  double D = 0.0, alpha = 0.0, r_vdW = 0.0;
  double gamma_w = 0.0;                            // with FarPairTerms::shielded
  double ecore = 0.0, acore = 0.0, rcore = 0.0;    // with FarPairTerms::wall
  double lgcij = 0.0, lgre = 0.0;                  // with FarPairTerms::dispersion
  double gamma = 0.0;                              // (gamma_i gamma_j)^(-3/2)
};

/** What all pairs have in common.  With T the taper and q the charges, the energies of a pair are

      vdW       T D (exp(alpha (1 - g/r_vdW)) - 2 exp(alpha (1 - g/r_vdW) / 2)),
                g = (r^p + gamma_w^-p)^(1/p) if shielded, else r
                + T ecore exp(acore (1 - r/rcore)) with wall
                - T lgcij / (r^6 + lgre^6) with dispersion
      Coulomb   332.06371 q_i q_j T / (r^3 + gamma)^(1/3)

    LAMMPS has 0.33333333333333 in place of 1/3, a difference of 2e-14. */
struct FarPairTerms {
  bool shielded = false, wall = false;    // vdw_type 1: shielded, 2: wall, 3: both
  bool dispersion = false;                // lgvdw; LAMMPS has it with a wall only
  double p = 1.0;          // general parameter 28 of the force field, > 0 if shielded
  double cut = 0.0;        // [length] control.nonb_cut, general parameter 12
  double taper[8] = {};    // workspace.Tap: T = sum of taper[k] r^k
};

/** Parameters of all pairs of atom types as the kernel reads them.  A type without an element (NULL
    in pair_coeff) has no pairs. */
class FarPairs {
 public:
  /** No pairs have forces until set() has been called for them.

      \param ntypes   of atoms, which count from 1 */
  FarPairs(int ntypes, const FarPairTerms &);

  /** Parameters of a pair of types, in both orders.  Van der Waals parameters that LAMMPS would
      divide by zero with (r_vdW or gamma_w 0 in a file where other elements have them) mean no van
      der Waals force; rcore 0 means no wall. */
  void set(int itype, int jtype, const FarPairParameters &);

  // what the kernel reads

  static constexpr int NCOEFFICIENTS = 8, NDISPERSION = 4;
  int ntypes() const { return ntypes_; }
  const FarPairTerms &terms() const { return terms_; }

  /** [ntypes+1][ntypes+1][NCOEFFICIENTS] cut-off squared, D, alpha/2, slope of the exponent by the
      reduced shielded distance (without shielding by r), gamma_w, gamma, ecore exp(acore),
      acore/rcore. */
  const double *coefficients() const { return coefficients_.data(); }

  /** [ntypes+1][ntypes+1][NDISPERSION] cut-off squared, lgcij, lgre^6, unused. */
  const double *dispersion() const { return dispersion_.data(); }

  const double *shielded() const { return shielded_.data(); }    // ShieldedDistance::table()
  const double *taper_slope() const
  {
    return taper_slope_;
  }    // [6] of sum k taper[k] r^(k-2), k > 1

 private:
  int ntypes_;
  FarPairTerms terms_;
  std::vector<double> shielded_, coefficients_, dispersion_;
  double taper_slope_[6];
};

/** Rows [first, last) of a half list in which each pair is once over all ranks.  The forces of both
    atoms are added to job.forces.rows.  Atoms have their charges in the fourth column.

    \param job   of kind HALF; rows without special bonds */
void far_pairs(const FarPairs &, const PairJob &job, int first, int last, PairTally &);

}    // namespace TOFU_NS

#endif
