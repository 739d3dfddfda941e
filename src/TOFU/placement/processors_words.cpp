// SPDX-License-Identifier: GPL-2.0-only

#include "processors_words.h"

namespace TOFU_NS {

namespace {

  std::string words_of(const GridSize &size)
  {
    return std::to_string(size[0]) + " " + std::to_string(size[1]) + " " + std::to_string(size[2]);
  }

  std::string letters_of(const DimOrder &order)
  {
    std::string letters;
    for (int dim : order) letters += "xyz"[dim];
    return letters;
  }

  // whether blocks follow each other in an order, and ranks within a block; a block of one rank is
  // LAMMPS' "grid onelevel"

  bool is_in_order(const Placement &placement, const GridSize &block, const DimOrder &order)
  {
    const GridSize &procgrid = placement.procgrid, size = blocks_of(procgrid, block);
    for (int index = 0; index < ncells(procgrid); index++) {
      const Cell cell = cell_at(procgrid, index);
      const Cell outer{cell[0] / block[0], cell[1] / block[1], cell[2] / block[2]};
      const Cell inner{cell[0] % block[0], cell[1] % block[1], cell[2] % block[2]};
      const int rank =
          index_in_order(size, outer, order) * ncells(block) + index_in_order(block, inner, order);
      if (placement.rank_at[index] != rank) return false;
    }
    return true;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

bool is_cart_map(const Placement &placement)
{
  return is_in_order(placement, {1, 1, 1}, {2, 1, 0});
}

/* ---------------------------------------------------------------------- */

std::string processors_words(const Placement &placement, const GridSize &block)
{
  const GridSize one{1, 1, 1};
  const std::string procgrid = words_of(placement.procgrid);
  if (is_cart_map(placement)) return procgrid;
  for (const DimOrder &order : DIM_ORDERS)
    if (is_in_order(placement, one, order)) return procgrid + " map " + letters_of(order);
  for (const DimOrder &order : DIM_ORDERS)
    if (is_in_order(placement, block, order))
      return procgrid + " grid twolevel " + std::to_string(ncells(block)) + " " + words_of(block) +
          " map " + letters_of(order);
  return "";
}

/* ---------------------------------------------------------------------- */

std::string processors_words_with_file(const Placement &placement, const std::string &path)
{
  return words_of(placement.procgrid) + " grid custom " + path;
}

/* ---------------------------------------------------------------------- */

std::string processors_file(const Placement &placement)
{
  std::string text = "# rank and place of each, for LAMMPS' command processors\n\n" +
      words_of(placement.procgrid) + "\n";
  for (std::size_t index = 0; index < placement.rank_at.size(); index++) {
    const Cell cell = cell_at(placement.procgrid, static_cast<int>(index));
    text += std::to_string(placement.rank_at[index]) + " " +
        words_of({cell[0] + 1, cell[1] + 1, cell[2] + 1}) + "\n";
  }
  return text;
}

}    // namespace TOFU_NS
