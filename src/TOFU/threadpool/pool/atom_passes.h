/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_ATOM_PASSES_H
#define LMP_ATOM_PASSES_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace TOFU_NS {
class ThreadPool;
}

namespace LAMMPS_NS {

/** Parts, at most nparts, that a loop over this many atoms is worth. */
inline int parts_for_atoms(int nparts, int natoms)
{
  constexpr int TOO_FEW = 100;    // atoms per part that are not worth a fork
  return natoms < TOO_FEW * nparts ? 1 : nparts;
}

/** Fixes that leave their work to AtomPasses, or let it do first what waits. */
class FixByAtom {
 public:
  /** Stages of a step for which this is so, as in a mask of FixConst. */
  virtual int stages_that_wait() const = 0;

 protected:
  ~FixByAtom() = default;
};

/** Work of fixes on the values of each atom by itself, in one pass over the atoms of the rank:
    values that the work of one fix brings into the first cache are there for that of the next.

    Atoms are gone through in blocks, and of each block all work is done in the order in which it
    was added, so that results are those of one pass after the other. */
class AtomPasses {
 public:
  static constexpr int BLOCK = 64;    // atoms

  /** Parts of this pool go through the atoms. */
  void use(TOFU_NS::ThreadPool &, int nparts);

  /** Atoms from first up to, not including, last, of the share of one part. */
  struct Block {
    int first, last;
    int begin, end;    // of the share; both multiples of GRAIN, but for the last end
    int part;          // that has the share
  };

  /** Does something to the atoms of a block.  Must not refer to what ends before the pass, nor to
      settings that may change until then. */
  using Work = std::function<void(const Block &)>;

  /** Work on atoms 0 to natoms-1: now, or later together with other work. */
  void add(int natoms, Work);

  /** The same for work(first, last) that returns N sums over these atoms.

      \param finish   called with the sums over all atoms, the same bits for any number of parts */
  template <int N, class SumWork, class Finish>
  void add_sums(int natoms, SumWork work, Finish finish);

  /** Whether what is added from now on may wait for more; if not, what waits is done.  The caller
      sees to it that nothing looks at atoms before run(). */
  void wait_for_more(bool);

  /** Do what waits. */
  void run();

  /** Nothing waits when this ends: of a run that was left by an exception it is forgotten. */
  class Scope {
   public:
    explicit Scope(AtomPasses *all) : passes(all) { end(); }
    ~Scope() { end(); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

   private:
    AtomPasses *const passes;
    void end()
    {
      if (!passes) return;
      passes->may_wait = false;
      passes->forget();
    }
  };

 private:
  TOFU_NS::ThreadPool *pool = nullptr;
  int nparts = 1;
  bool may_wait = false;
  int natoms = 0;    // of what waits
  std::vector<Work> waiting;
  std::vector<std::function<void()>> at_end;    // what is to be done with sums
  std::vector<std::vector<double>> rooms;       // sums of blocks, kept from step to step
  std::size_t nrooms = 0;                       // that are in use

  double *room_for(std::size_t n);
  void forget();
};

/* ---------------------------------------------------------------------- */

template <int N, class SumWork, class Finish>
void AtomPasses::add_sums(int n, SumWork work, Finish finish)
{
  const int nblocks = (n + BLOCK - 1) / BLOCK;
  if (n != natoms) run();    // which frees the rooms
  double *const of_block = room_for(static_cast<std::size_t>(N) * nblocks);
  at_end.push_back([of_block, nblocks, finish] {
    std::array<double, N> sums{};
    for (int block = 0; block < nblocks; block++)
      for (int k = 0; k < N; k++) sums[k] += of_block[N * static_cast<std::size_t>(block) + k];
    finish(sums);
  });
  add(n, [of_block, work](const Block &block) {
    const std::array<double, N> sums = work(block.first, block.last);
    std::copy_n(sums.data(), N, of_block + N * static_cast<std::size_t>(block.first / BLOCK));
  });
}

}    // namespace LAMMPS_NS

#endif
