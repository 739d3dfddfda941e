// SPDX-License-Identifier: GPL-2.0-only
//
// TileBorders: assigns owned atoms to swaps, where sub-boxes are no grid.
//
// Along each dimension the ends of the receivers' regions cut the line into intervals, and each
// interval has the set of receivers that need its atoms.  Every atom is read once: its receivers
// are the intersection of the sets of its three intervals.

#ifndef TOFU_HALO_TILE_BORDERS_H
#define TOFU_HALO_TILE_BORDERS_H

#include "border_candidates.h"
#include "halo_plan.h"
#include "send_lists.h"

#include <array>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

class TileBorders {
 public:
  /** Fill the lists for the one stage of a tiled plan.

      \param plan    of this rank
      \param mine    this rank's sub-box
      \param atoms   that this rank owns
      \param lists   one for each swap */
  void build(const HaloPlan &plan, const TileBox &mine, const BorderCandidates &atoms,
             SendLists &lists);

 private:
  using Set = std::uint64_t;    // of up to 64 swaps; more of them need several

  struct Line {                    // one dimension, for one kind of atom
    std::vector<double> ends;      // ascending; as many as a power of 2 less 1, the last infinite
    std::vector<Set> intervals;    // [ends + 1][nsets] swaps whose region has the interval
  };

  void set_lines(const HaloPlan &plan, const TileBox &mine, const BorderCandidates &atoms);
  void set_line(const HaloPlan &plan, const TileBox &mine, int dim, double cut, Line &line);
  void classify(const BorderCandidates &atoms);
  void fill(const HaloPlan &plan, SendLists &lists);
  void round_corners(const HaloPlan &plan, const TileBox &mine, const BorderCandidates &atoms,
                     SendLists &lists);
  template <class F> static void for_members(Set set, F &&f);

  int nsets_ = 0;
  std::vector<std::array<Line, 3>> lines_;    // [nkinds]
  std::vector<int> border_;                   // atoms that any swap sends, ascending
  std::vector<Set> wanted_;                   // [border_][nsets] by which
  std::vector<int> count_;                    // [nswaps]
  std::vector<int *> cursor_;                 // [nswaps] where the next atom goes
};

}    // namespace TOFU_NS

#endif
