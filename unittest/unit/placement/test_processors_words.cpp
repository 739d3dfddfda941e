// SPDX-License-Identifier: GPL-2.0-only
//
// Placements in LAMMPS' words, read back as LAMMPS reads them (doc/src/processors.rst).

#include "unit/testing.h"

#include "placement/processors_words.h"

#include <sstream>

using namespace TOFU_NS;

namespace {

/** What the command processors makes of its words. */
Placement as_lammps(const std::string &words)
{
  std::istringstream stream(words);
  GridSize grid, block{1, 1, 1};
  std::string word, map = "zyx";    // map cart
  stream >> grid[0] >> grid[1] >> grid[2];
  while (stream >> word) {
    if (word == "map") stream >> map;
    if (word == "grid") {
      int n;
      stream >> word >> n >> block[0] >> block[1] >> block[2];
      EXPECT_EQ(word, "twolevel");
      EXPECT_EQ(n, ncells(block));
    }
  }
  Placement placement{grid, std::vector<int>(ncells(grid))};
  const GridSize size = blocks_of(grid, block);
  for (int z = 0; z < grid[2]; z++)
    for (int y = 0; y < grid[1]; y++)
      for (int x = 0; x < grid[0]; x++) {
        const Cell cell{x, y, z};
        int outer = 0, inner = 0;
        for (int i = 2; i >= 0; i--) {    // the first letter is the fastest
          const int dim = map[i] - 'x';
          outer = outer * size[dim] + cell[dim] / block[dim];
          inner = inner * block[dim] + cell[dim] % block[dim];
        }
        placement.rank_at[cell_index(grid, cell)] = outer * ncells(block) + inner;
      }
  return placement;
}

}    // namespace

TEST(ProcessorsWords, GiveThePlacementBack)
{
  for (const std::string grid : {"2 3 4", "4 2 6", "1 1 5", "6 4 2"})
    for (const std::string map :
         {"", " map xyz", " map xzy", " map yxz", " map yzx", " map zxy", " map zyx"})
      for (const std::string block : {"1 1 1", "1 3 2", "2 1 1", "2 2 2", "1 1 5"}) {
        std::istringstream numbers(grid + " " + block);
        GridSize size, cells;
        numbers >> size[0] >> size[1] >> size[2] >> cells[0] >> cells[1] >> cells[2];
        if (size[0] % cells[0] || size[1] % cells[1] || size[2] % cells[2]) continue;
        const std::string levels = ncells(cells) == 1
            ? ""
            : " grid twolevel " + std::to_string(ncells(cells)) + " " + block;
        if (map.empty() && !levels.empty())
          continue;    // twolevel map cart has an order of its own
        const Placement placement = as_lammps(grid + levels + map);
        const std::string words = processors_words(placement, cells);
        ASSERT_FALSE(words.empty()) << grid + levels + map;
        EXPECT_EQ(as_lammps(words).rank_at, placement.rank_at) << words;
        EXPECT_EQ(is_cart_map(placement), words.find("map") == std::string::npos) << words;
        EXPECT_EQ(as_lammps(words).procgrid, placement.procgrid) << words;
      }
}

TEST(ProcessorsWords, AreEmptyWhereAFileIsNeeded)
{
  Placement placement = as_lammps("2 2 2 map xyz");
  std::swap(placement.rank_at[1], placement.rank_at[6]);
  EXPECT_EQ(processors_words(placement, {2, 2, 1}), "");
  EXPECT_EQ(processors_words_with_file(placement, "a.map"), "2 2 2 grid custom a.map");
}

TEST(ProcessorsWords, AFileHasEachRankAndItsPlaceFromOneOn)
{
  const Placement placement{{2, 1, 2}, {3, 1, 0, 2}};
  EXPECT_EQ(processors_file(placement),
            "# rank and place of each, for LAMMPS' command processors\n\n2 1 2\n"
            "3 1 1 1\n1 2 1 1\n0 1 1 2\n2 2 1 2\n");
}
