/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   What the fixes and computes with the suffix /threadpool share: they are
   those without it, and let the parts of the pool loop over atoms.
------------------------------------------------------------------------- */

#ifndef LMP_THREADPOOL_FIX_H
#define LMP_THREADPOOL_FIX_H

#include "fix_threadpool.h"

#include "pool/thread_pool.h"

#include <array>
#include <vector>

namespace LAMMPS_NS {

/** Stock: the fix without the suffix.  The one that has the pool is not added in the constructor, which
    Modify calls with the place for this fix already chosen. */
template <class Stock> class ThreadpoolFix : public Stock {
 public:
  ThreadpoolFix(class LAMMPS *lmp, int narg, char **arg) :
      Stock(lmp, narg, arg), threadpool(FixThreadpool::find(lmp))
  {
  }

  void post_constructor() override
  {
    Stock::post_constructor();
    threadpool = FixThreadpool::of(this->lmp);
  }

  void init() override
  {
    Stock::init();
    threadpool = FixThreadpool::of(this->lmp);
  }

 protected:
  FixThreadpool *threadpool;
};

/** Atoms that are not divided among parts: whole cache lines of each array. */
constexpr int ATOMS_TOGETHER = 64;

/** Parts that a loop over this many atoms is worth. */
inline int parts_for_atoms(const FixThreadpool *threadpool, int natoms)
{
  constexpr int TOO_FEW = 1000;    // atoms per part that are not worth a fork
  return natoms < TOO_FEW * threadpool->nparts() ? 1 : threadpool->nparts();
}

/** work(part, first, last) for shares of atoms, from first up to, not including, last. */
template <class Work>
void for_parts_of_atoms(FixThreadpool *threadpool, int nparts, int natoms, const Work &work)
{
  if (natoms == 0) return;
  threadpool->pool().run(nparts, [&](int part) {
    work(part, TOFU_NS::begin_of_share(part, nparts, natoms, ATOMS_TOGETHER),
         TOFU_NS::begin_of_share(part + 1, nparts, natoms, ATOMS_TOGETHER));
  });
}

/** work(first, last) for shares of atoms. */
template <class Work> void for_atoms(FixThreadpool *threadpool, int natoms, const Work &work)
{
  for_parts_of_atoms(threadpool, parts_for_atoms(threadpool, natoms), natoms,
                     [&](int, int first, int last) { work(first, last); });
}

/** The same for work that returns N sums over its atoms, which are few at a time.

    Returns: the sums over all atoms, the same bits for any number of parts. */
template <int N, class Work>
std::array<double, N> sum_over_atoms(FixThreadpool *threadpool, int natoms, const Work &work)
{
  static thread_local std::vector<std::array<double, N>> some;
  some.resize((natoms + ATOMS_TOGETHER - 1) / ATOMS_TOGETHER);
  auto *const of_block = some.data();
  for_atoms(threadpool, natoms, [&](int first, int last) {
    for (int i = first; i < last; i += ATOMS_TOGETHER)
      of_block[i / ATOMS_TOGETHER] = work(i, i + ATOMS_TOGETHER < last ? i + ATOMS_TOGETHER : last);
  });
  std::array<double, N> sums{};
  for (const auto &sum : some)
    for (int k = 0; k < N; k++) sums[k] += sum[k];
  return sums;
}

}    // namespace LAMMPS_NS

#endif
