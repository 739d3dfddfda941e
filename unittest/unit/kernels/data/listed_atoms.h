// SPDX-License-Identifier: GPL-2.0-only
//
// Atoms at random places and rows of neighbor lists, as kernels read them.

#ifndef TOFU_TEST_LISTED_ATOMS_H
#define TOFU_TEST_LISTED_ATOMS_H

#include "unit/testing.h"

#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"

namespace TOFU_TEST {

/** Atoms that are not too close to each other, and behind them one that is far away. */
struct AtomsAtRandom {
  std::vector<double> rows;    // [natoms+1][4] x, y, z and a value of the test

  AtomsAtRandom(int natoms, double far) : rows(4 * (natoms + 1), far) { rows.back() = 0.0; }

  /** Choose the place of an atom.

      \param least   distance to all atoms before it */
  void place(int i, double least, std::mt19937 &random,
             std::uniform_real_distribution<double> &coordinate)
  {
    do {
      for (int dim = 0; dim < 3; dim++) rows[4 * i + dim] = coordinate(random);
    } while (closest(i) < least);
    rows[4 * i + 3] = 0.0;
  }

  double distancesq(int i, int j) const
  {
    double sum = 0.0;
    for (int dim = 0; dim < 3; dim++)
      sum += (rows[4 * i + dim] - rows[4 * j + dim]) * (rows[4 * i + dim] - rows[4 * j + dim]);
    return sum;
  }
  double distance(int i, int j) const { return std::sqrt(distancesq(i, j)); }

 private:
  double closest(int i) const
  {
    double least = 1e18;
    for (int j = 0; j < i; j++) least = std::min(least, distancesq(i, j));
    return std::sqrt(least);
  }
};

/** Entry of a row.

    \param bond   kind of the special bond, 0: none */
inline int entry_of(int j, int bond)
{
  return static_cast<int>(static_cast<unsigned>(j) |
                          static_cast<unsigned>(bond) << TOFU_NS::SPECIAL_SHIFT);
}

/** Rows of a list, those of atoms 0, 1 and so on. */
struct ListRows {
  TOFU_NS::RowArena arena;
  std::vector<int> atoms, nneighbors, nspecial;
  std::vector<int *> first;

  /** Append the row of the next atom: neighbors with a special bond, then the others.

      \param far   atom that is far away from all others */
  void append(const std::vector<int> &special, const std::vector<int> &others, int far)
  {
    const std::size_t n = special.size() + others.size();
    int *const row = arena.row(n, far);
    std::copy(others.begin(), others.end(), std::copy(special.begin(), special.end(), row));
    atoms.push_back(static_cast<int>(atoms.size()));
    first.push_back(row);
    nneighbors.push_back(static_cast<int>(n));
    nspecial.push_back(static_cast<int>(special.size()));
  }

  TOFU_NS::PairRows rows() const
  {
    return {static_cast<int>(atoms.size()), atoms.data(), first.data(), nneighbors.data(),
            nspecial.data()};
  }
};

}    // namespace TOFU_TEST

#endif
