// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "outer_pairs.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

OuterPairs::OuterPairs(LAMMPS *lmp, int natoms_in) : on_pool(lmp, 2), natoms(natoms_in) {}

/* ---------------------------------------------------------------------- */

void OuterPairs::init()
{
  on_pool.init();
  known_weights.clear();
}

/* ---------------------------------------------------------------------- */

void OuterPairs::collect(const BondedOnPool::List &list, const std::vector<double> &weights,
                         bool anew)
{
  if (!anew && weights == known_weights) return;
  known_weights = weights;
  pairs.clear();
  for (int n = 0; n < list.n; n++) {
    const int *const one = list.rows + static_cast<std::size_t>(n) * (natoms + 1);
    if (weights[one[natoms]] > 0.0)
      pairs.insert(pairs.end(), {one[0], one[natoms - 1], one[natoms]});
  }
  on_pool.forget();
}

/* ---------------------------------------------------------------------- */

BondedOnPool::PairTally OuterPairs::compute(const BondedOnPool::Wanted &wanted,
                                            const BondedOnPool::Kernel &kernel)
{
  on_pool.deal({pairs.data(), static_cast<int>(pairs.size() / 3)});
  return on_pool.compute(wanted, kernel);
}

/* ---------------------------------------------------------------------- */

double OuterPairs::memory_usage() const
{
  return on_pool.memory_usage() + static_cast<double>(pairs.capacity() * sizeof(int));
}
