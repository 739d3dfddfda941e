// SPDX-License-Identifier: GPL-2.0-only
//
// Map between ranks and their locations in the grid of sub-boxes.  It is made once for several
// plans, so that work proportional to the number of ranks is done once.

#ifndef TOFU_HALO_RANK_MAP_H
#define TOFU_HALO_RANK_MAP_H

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** 64-bit hash (FNV-1a) of a list of numbers. */
std::uint64_t fingerprint(const std::vector<int> &numbers);

/** Append a fingerprint to a list, as two numbers. */
void append_fingerprint(std::uint64_t bits, std::vector<int> &numbers);

/** Ranks of a grid, the same on all ranks.  A new grid needs a new map. */
class RankMap {
 public:
  using RankOf = std::function<int(int, int, int)>;    // location in the grid -> rank

  /** Calls rank_of once for each location.

      \param procgrid   # of ranks per dimension
      \param rank_of    each rank has one location */
  RankMap(const std::array<int, 3> &procgrid, const RankOf &rank_of);

  int at(int x, int y, int z) const { return ranks_[index(x, y, z)]; }

  /** Location of a rank, 0 to # of ranks - 1. */
  std::array<int, 3> place_of(int rank) const;

  /** Fingerprint of the grid and its ranks. */
  std::uint64_t bits() const { return bits_; }

 private:
  const std::array<int, 3> procgrid_;
  std::vector<int> ranks_, indices_;    // of a location; of a rank
  std::uint64_t bits_;

  std::size_t index(int x, int y, int z) const
  {
    return (static_cast<std::size_t>(z) * procgrid_[1] + y) * procgrid_[0] + x;
  }
};

}    // namespace TOFU_NS

#endif
