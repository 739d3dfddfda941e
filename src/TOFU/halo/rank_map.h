// SPDX-License-Identifier: GPL-2.0-only
//
// Which rank lives where in the grid of sub-boxes, for plans that are made again and again: what
// depends on all ranks is computed once.

#ifndef TOFU_HALO_RANK_MAP_H
#define TOFU_HALO_RANK_MAP_H

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** 64 bits (FNV-1a) that differ between two lists of numbers but for one chance in 10^19. */
std::uint64_t fingerprint(const std::vector<int> &numbers);

/** Append a fingerprint to a list of numbers, as two of them. */
void append_fingerprint(std::uint64_t bits, std::vector<int> &numbers);

/** The ranks of a grid; the same on all of them.  It is made anew when the grid is. */
class RankMap {
 public:
  using RankOf = std::function<int(int, int, int)>;    // location in the grid -> rank

  /** Asks for each location once.

      \param procgrid   # of ranks per dimension
      \param rank_of    each rank has one location */
  RankMap(const std::array<int, 3> &procgrid, const RankOf &rank_of);

  int at(int x, int y, int z) const { return ranks_[index(x, y, z)]; }

  /** Location of a rank, 0 to # of ranks - 1. */
  std::array<int, 3> place_of(int rank) const;

  /** Of the grid and its ranks. */
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
