// SPDX-License-Identifier: GPL-2.0-only
//
// The sum over wave vectors of an Ewald sum: structure factors of charges, potentials and forces at
// charges.  Each part of the work has rows of modes (plane_waves.h) or groups of atoms, so that all
// results have the same bits for any number of parts.
//
//   set_vectors(), set_weights()   which waves, with which factors
//   set_atoms()                    where the charges are
//   sum_charges()                  sums of this rank; the caller adds those of others: pack()
//   structure_factors()            for energies
//   set_sums()                     of all ranks, and then
//   add_forces(), potentials()     at the atoms

#ifndef TOFU_KERNELS_EWALD_SUM_H
#define TOFU_KERNELS_EWALD_SUM_H

#include "plane_waves.h"

#include "base/aligned_array.h"
#include "base/parts.h"

#include <cstddef>
#include <vector>

namespace TOFU_NS {

class EwaldSum {
 public:
  /** Half of the wave vectors, without 0: each stands for its opposite, too.  Quick if they are
      those of the last call.

      \param k   [n] not below 0; l is not below 0 where k is 0, and m where both are */
  void set_vectors(int n, const int *k, const int *l, const int *m);

  int nvectors() const { return static_cast<int>(place_.size()); }

  /** Factors of the vectors in potentials: 4 pi / volume / k^2 times a Gaussian.

      \param weight   [n] */
  void set_weights(const double *weight);

  /** Cosines and sines of atoms.

      \param x      [natoms][3] distance
      \param unit   [3][3] 1/distance; wave vectors k, l, m = 1 */
  void set_atoms(int natoms, const double *x, const double (&unit)[3][3], const Parts &);

  /** Sums that structure factors are made of: [nsums()]. */
  std::size_t nsums() const { return nmodes_ * MODE_PRODUCTS; }

  /** Sum over the atoms of set_atoms().

      \param charge   [natoms]
      \param sums     [nsums()] */
  void sum_charges(const double *charge, const Parts &, double *sums);

  /** Those of the sums that are not always zero, as one message. */
  int nvalues() const { return static_cast<int>(nonzero_.size()); }
  void pack(const double *sums, double *message) const;
  void unpack(const double *message, double *sums) const;

  /** Sum of charge times exp(i k r) for each wave vector.

      \param factors   [nvectors()][2] */
  void structure_factors(const double *sums, double *factors) const;

  /** Sums over all atoms of all ranks, for what follows, with the weights of this time. */
  void set_sums(const double *sums);

  /** At each atom the sum over wave vectors of weight times the real part of conjugate structure
      factor times exp(i k r).

      \param potential   [natoms] set */
  void potentials(const Parts &, double *potential) const;

  /** Forces on the charges of set_atoms(): those of the energy that is the sum over vectors of
      weight * |structure factor|^2, times factor.

      \param charge   [natoms]
      \param unit     [3][3] as in set_atoms(), for directions of forces
      \param factor   [3] of each component
      \param f        [natoms][3] added to */
  void add_forces(const double *charge, const double (&unit)[3][3], const double (&factor)[3],
                  const Parts &, double *f) const;

  double nbytes() const;

 private:
  std::vector<int> k_, l_, m_;    // [nvectors()]
  std::vector<WaveRow> rows_;
  std::vector<double> row_cost_ = {0.0};    // [rows+1] of all rows before each
  std::size_t nmodes_ = 0;
  std::vector<int> place_;      // [nvectors()] 4 * mode + 1 if l < 0 + 2 if m < 0
  std::vector<int> nonzero_;    // places in sums
  bool whole_ = true;           // each mode has its waves of all signs, or none

  std::vector<double> weight_;         // [4*nmodes_] at place_
  std::vector<double> mode_weight_;    // [nmodes_] sum of its weights, if even_
  bool even_ = false;                  // modes are whole, and weights do not depend on signs

  int natoms_ = 0;
  WavePhases phases_ = {};
  AlignedArray<double> tables_, charge_;
  std::vector<double> coeff_;    // [nsums()]

  int ngroups() const { return (natoms_ + WAVE_GROUP - 1) / WAVE_GROUP; }
  int nrows() const { return static_cast<int>(rows_.size()); }
  void make_rows();
  void mark_nonzero();
  int begin_of_rows(int part, int nparts) const;
};

}    // namespace TOFU_NS

#endif
