// SPDX-License-Identifier: GPL-2.0-only
//
// Tables of permutations that move the selected elements of a vector of four or eight to its begin.

#ifndef TOFU_KERNELS_COMPRESS_TABLES_H
#define TOFU_KERNELS_COMPRESS_TABLES_H

#include <cstdint>

namespace TOFU_NS {

/** A set is a number whose k-th bit says that element k is wanted.  Behind the wanted elements are
    others, which ones is not specified. */
struct CompressTables {
  alignas(64) std::uint8_t lanes_of_8[256 * 8] = {};    // [sets][8] elements
  alignas(64) std::uint8_t bytes_of_4[16 * 16] = {};    // [sets][16] bytes of elements of 32 bits

  constexpr CompressTables()
  {
    for (int set = 0; set < 256; set++) {
      int n = 0;
      for (int lane = 0; lane < 8; lane++)
        if (set >> lane & 1) lanes_of_8[8 * set + n++] = static_cast<std::uint8_t>(lane);
    }
    for (int set = 0; set < 16; set++) {
      int n = 0;
      for (int wanted = 1; wanted >= 0; wanted--)
        for (int lane = 0; lane < 4; lane++) {
          if ((set >> lane & 1) != wanted) continue;
          for (int byte = 0; byte < 4; byte++)
            bytes_of_4[16 * set + n++] = static_cast<std::uint8_t>(4 * lane + byte);
        }
    }
  }
};

inline constexpr CompressTables COMPRESS_TABLES;

}    // namespace TOFU_NS

#endif
