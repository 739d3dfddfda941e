// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Forces of chunks of work that change atoms of others.

   Each chunk adds to an array of its own, and the arrays are added to the forces of
   the atoms in the order of the chunks, some for each part at a time: so results do
   not depend on the number of parts, and memory grows with the parts alone.
------------------------------------------------------------------------- */

#ifndef LMP_CHUNK_FORCES_H
#define LMP_CHUNK_FORCES_H

#include "base/aligned_array.h"
#include "base/parts.h"
#include "pool/part_sums.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace LAMMPS_NS {

class ChunkForces {
 public:
  /** What chunks add to, by blocks of atoms.  To be set before run(); the parts of it are chunks.
      The atom behind the last one is that of the ends of rows. */
  TOFU_NS::PartReach reach;

  /** work(chunk, forces) for all chunks, with forces [natoms+1][4] that are added to.

      \param f   [natoms][3] */
  template <class Work> void run(const TOFU_NS::Parts &parts, double *f, const Work &work)
  {
    const int nchunks = reach.nparts();
    const int most = std::min(nchunks, parts.n() > 1 ? OF_A_PART * parts.n() : 1);
    while (static_cast<int>(arrays.size()) < most) arrays.push_back(std::make_unique<Array>());
    for (int first = 0; first < nchunks; first += most) {
      const int n = std::min(most, nchunks - first);
      parts.share(n, [&](int, int begin, int end) {
        for (int k = begin; k < end; k++) work(first + k, arrays[k]->take(reach, first + k));
      });
      parts.share(reach.nblocks(), [&](int, int begin, int end) {
        for (int k = 0; k < n; k++) arrays[k]->add(reach, first + k, begin, end, f);
      });
      for (int k = 0; k < n; k++) arrays[k]->is_taken = false;
    }
  }

  double nbytes() const
  {
    double sum = 0.0;
    for (const auto &array : arrays) sum += static_cast<double>(array->forces.nbytes());
    return sum;
  }

 private:
  static constexpr int BLOCK = TOFU_NS::PartReach::BLOCK;
  static constexpr int OF_A_PART = 2;    // chunks, where parts wait for each other

  /** Blocks that were used are 0 while it is not taken. */
  struct Array {
    TOFU_NS::AlignedArray<double> forces;    // [blocks][BLOCK][4]
    std::vector<char> is_zero;               // [blocks]
    bool is_taken = false;                   // an error has left it so, or a chunk has it

    double *take(const TOFU_NS::PartReach &reach, int chunk)
    {
      const std::size_t nblocks = reach.nblocks(), n = std::size_t{4} * BLOCK * nblocks;
      const double *const before = forces.data();
      double *const to = forces.room(n, n / 32);
      if (is_taken || to != before) is_zero.clear();
      is_zero.resize(std::max(nblocks, is_zero.size()), 0);
      is_taken = true;
      for (std::size_t block = 0; block < nblocks; block++) {
        if (is_zero[block] || !reach.has(chunk, static_cast<int>(block))) continue;
        std::fill_n(to + std::size_t{4} * BLOCK * block, 4 * BLOCK, 0.0);
        is_zero[block] = 1;
      }
      return to;
    }

    void add(const TOFU_NS::PartReach &reach, int chunk, int begin, int end, double *f)
    {
      for (int block = begin; block < end; block++) {
        if (!reach.has(chunk, block)) continue;
        double *const mine = forces.data() + std::size_t{4} * BLOCK * block;
        double *const to = f + std::size_t{3} * BLOCK * block;
        const int natoms = std::min(BLOCK, reach.natoms() - 1 - BLOCK * block);
        for (int i = 0; i < natoms; i++)
          for (int dim = 0; dim < 3; dim++) to[3 * i + dim] += mine[4 * i + dim];
        std::fill_n(mine, 4 * BLOCK, 0.0);
      }
    }
  };

  std::vector<std::unique_ptr<Array>> arrays;
};

}    // namespace LAMMPS_NS

#endif
