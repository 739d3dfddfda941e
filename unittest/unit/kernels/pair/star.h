// SPDX-License-Identifier: GPL-2.0-only
//
// One atom with all others as neighbors, so that the force on each of these is that of a pair.

#ifndef TOFU_TEST_STAR_H
#define TOFU_TEST_STAR_H

#include "unit/kernels/data/listed_atoms.h"

namespace TOFU_TEST {

/** Atom 0, its neighbors at distances between two limits, and an atom that is far away. */
struct StarOfAtoms {
  static constexpr int NTYPES = 3;

  int nneighbors, nspecial;    // the first ones have a special bond
  std::vector<double> rows;    // [nneighbors+2][4]
  std::vector<int> types, entries;

  /** \param value   random numbers -> fourth value of the row of a neighbor */
  template <class Value>
  StarOfAtoms(int neighbors, int special, double shortest, double longest, std::mt19937 &random,
              const Value &value) :
      nneighbors(neighbors),
      nspecial(special), rows(4 * (neighbors + 2), 0.0), types(neighbors + 2, 1)
  {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int j = 1; j <= nneighbors; j++) {
      const double r = shortest + (longest - shortest) * (j * 389 % nneighbors) / nneighbors;
      double direction[3], sum = 0.0;
      for (double &d : direction) {
        d = uniform(random);
        sum += d * d;
      }
      for (int dim = 0; dim < 3; dim++) rows[4 * j + dim] = r * direction[dim] / std::sqrt(sum);
      rows[4 * j + 3] = value(j);
      types[j] = 1 + j % NTYPES;
      entries.push_back(entry_of(j, bond(j)));
    }
    for (int dim = 0; dim < 3; dim++) rows[4 * (nneighbors + 1) + dim] = 1e12;
    entries.resize(nneighbors + TOFU_NS::SINGLE_ROW_PADDING, nneighbors + 1);
  }

  int bond(int j) const { return j <= nspecial ? 1 + j % 3 : 0; }

  double squared_distance(int j) const
  {
    double rsq = 0.0;
    for (int dim = 0; dim < 3; dim++) rsq += rows[4 * j + dim] * rows[4 * j + dim];
    return rsq;
  }

  /** Forces on the atoms, [nneighbors+2][4], and their energies.

      \param kernel   (job, tally) -> void */
  template <class Kernel>
  TOFU_NS::PairTally compute(TOFU_NS::ListKind kind, bool energies, const double *special_lj,
                             const double *special_coul, const Kernel &kernel,
                             std::vector<double> &f, std::vector<double> &eatom) const
  {
    const int atom = 0;
    const int *const row = entries.data();
    f.assign(4 * (nneighbors + 2), 0.0);
    eatom.assign(nneighbors + 2, 0.0);
    TOFU_NS::PairJob job;
    job.kind = kind;
    job.nlocal = nneighbors + 1;
    job.list = {1, &atom, &row, &nneighbors, &nspecial};
    job.atoms = {rows.data(), types.data()};
    job.forces = {nullptr, f.data()};
    job.special_lj = special_lj;
    job.special_coul = special_coul;
    job.tallies = energies ? TOFU_NS::Tallies::ALL : TOFU_NS::Tallies::NONE;
    TOFU_NS::PairTally tally;
    tally.eatom = eatom.data();
    kernel(job, tally);
    return tally;
  }

  /** Component of a force along the distance, times the distance. */
  double along(const std::vector<double> &f, int j) const
  {
    double sum = 0.0;
    for (int dim = 0; dim < 3; dim++) sum += f[4 * j + dim] * rows[4 * j + dim];
    return sum;
  }
};

}    // namespace TOFU_TEST

#endif
