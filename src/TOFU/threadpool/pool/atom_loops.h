// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Loops over the atoms of a rank on the parts of the pool: a map changes each atom
   on its own; a sum has the same bits for any number of parts.  Both call work for
   ranges of atoms, which is inlined.
------------------------------------------------------------------------- */

#ifndef LMP_ATOM_LOOPS_H
#define LMP_ATOM_LOOPS_H

#include "rank_pool.h"

#include "pool/thread_pool.h"

#include <algorithm>
#include <array>
#include <vector>

namespace LAMMPS_NS {

/** Parts that a loop over this many atoms is worth. */
inline int parts_for_atoms(const RankPool *threadpool, int natoms)
{
  constexpr int TOO_FEW = 100;    // atoms per part that are not worth a fork
  return natoms < TOO_FEW * threadpool->nparts() ? 1 : threadpool->nparts();
}

/** work(part, first, last) for shares of atoms, from first up to, not including, last.  They are
    those of pair styles, whose forces stay in the cache of the core that integrates them; arrays
    have 4 or more bytes for each atom. */
template <class Work>
void for_parts_of_atoms(RankPool *threadpool, int nparts, int natoms, const Work &work)
{
  if (natoms == 0) return;
  threadpool->pool().run(nparts, [&](int part) {
    work(part, TOFU_NS::begin_of_share(part, nparts, natoms, TOFU_NS::GRAIN),
         TOFU_NS::begin_of_share(part + 1, nparts, natoms, TOFU_NS::GRAIN));
  });
}

/** work(first, last) for shares of atoms. */
template <class Work> void for_atoms(RankPool *threadpool, int natoms, const Work &work)
{
  for_parts_of_atoms(threadpool, parts_for_atoms(threadpool, natoms), natoms,
                     [&](int, int first, int last) { work(first, last); });
}

/** work(block) for blocks of atoms, natoms in all, that do not depend on the number of parts. */
template <class Work>
void for_blocks_of_atoms(RankPool *threadpool, int natoms, int nblocks, const Work &work)
{
  if (nblocks == 0) return;
  const int nparts = parts_for_atoms(threadpool, natoms);
  threadpool->pool().run(nparts, [&](int part) {
    const int last = TOFU_NS::begin_of_share(part + 1, nparts, nblocks);
    for (int block = TOFU_NS::begin_of_share(part, nparts, nblocks); block < last; block++)
      work(block);
  });
}

constexpr int ATOMS_OF_A_SUM = 64;

/** Numbers of all atoms from work(first, last), which returns N numbers for at most ATOMS_OF_A_SUM
    atoms.

    \param add   add(all, some) adds the numbers of some atoms to those of all before them, which
                 are 0 at first
    \return      those of all atoms, the same bits for any number of parts. */
template <int N, class Work, class Add>
std::array<double, N> collect_over_atoms(RankPool *threadpool, int natoms, const Work &work,
                                         const Add &add)
{
  constexpr int BLOCK = ATOMS_OF_A_SUM;
  static thread_local std::vector<std::array<double, N>> some;
  const int nblocks = (natoms + BLOCK - 1) / BLOCK;
  some.resize(nblocks);
  auto *const of_block = some.data();
  for_blocks_of_atoms(threadpool, natoms, nblocks, [&](int block) {
    of_block[block] = work(block * BLOCK, std::min((block + 1) * BLOCK, natoms));
  });
  std::array<double, N> all{};
  for (const auto &numbers : some) add(all, numbers);
  return all;
}

/** Sums over all atoms of what work(first, last) returns for some. */
template <int N, class Work>
std::array<double, N> sum_over_atoms(RankPool *threadpool, int natoms, const Work &work)
{
  return collect_over_atoms<N>(threadpool, natoms, work, [](auto &sums, const auto &some) {
    for (int k = 0; k < N; k++) sums[k] += some[k];
  });
}

/** The largest number that work(first, last) returns for some atoms; 0 if none is larger. */
template <class Work> double largest_over_atoms(RankPool *threadpool, int natoms, const Work &work)
{
  const auto largest = collect_over_atoms<1>(
      threadpool, natoms,
      [&](int first, int last) { return std::array<double, 1>{work(first, last)}; },
      [](auto &all, const auto &some) { all[0] = std::max(all[0], some[0]); });
  return largest[0];
}

/** Of the two numbers that work(first, last) returns for some atoms a sum and the largest. */
template <class Work>
std::array<double, 2> sum_and_largest_over_atoms(RankPool *threadpool, int natoms, const Work &work)
{
  return collect_over_atoms<2>(threadpool, natoms, work, [](auto &all, const auto &some) {
    all = {all[0] + some[0], std::max(all[1], some[1])};
  });
}

}    // namespace LAMMPS_NS

#endif
