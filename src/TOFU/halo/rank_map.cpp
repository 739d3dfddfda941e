// SPDX-License-Identifier: GPL-2.0-only

#include "rank_map.h"

namespace TOFU_NS {

namespace {

  constexpr std::uint64_t FNV_BASIS = 14695981039346656037u, FNV_PRIME = 1099511628211u;
  constexpr int HALF = 32;    // bits

}    // namespace

/* ---------------------------------------------------------------------- */

std::uint64_t fingerprint(const std::vector<int> &numbers)
{
  std::uint64_t bits = FNV_BASIS;
  for (const int number : numbers)
    for (int shift = 0; shift < HALF; shift += 8)
      bits = (bits ^ ((static_cast<std::uint32_t>(number) >> shift) & 0xff)) * FNV_PRIME;
  return bits;
}

/* ---------------------------------------------------------------------- */

void append_fingerprint(std::uint64_t bits, std::vector<int> &numbers)
{
  numbers.push_back(static_cast<int>(static_cast<std::uint32_t>(bits)));
  numbers.push_back(static_cast<int>(static_cast<std::uint32_t>(bits >> HALF)));
}

/* ---------------------------------------------------------------------- */

RankMap::RankMap(const std::array<int, 3> &procgrid, const RankOf &rank_of) : procgrid_(procgrid)
{
  for (int z = 0; z < procgrid[2]; z++)
    for (int y = 0; y < procgrid[1]; y++)
      for (int x = 0; x < procgrid[0]; x++) ranks_.push_back(rank_of(x, y, z));
  indices_.resize(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); i++) indices_[ranks_[i]] = static_cast<int>(i);

  std::vector<int> numbers(ranks_);
  numbers.insert(numbers.end(), procgrid.begin(), procgrid.end());
  bits_ = fingerprint(numbers);
}

/* ---------------------------------------------------------------------- */

std::array<int, 3> RankMap::place_of(int rank) const
{
  const int index = indices_[rank], row = index / procgrid_[0];
  return {index % procgrid_[0], row % procgrid_[1], row / procgrid_[1]};
}

}    // namespace TOFU_NS
