// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// The sub-boxes of all ranks, of a grid or of a tiled layout, as LAMMPS' Comm and Domain have them
// now.

#ifndef TOFU_SUB_BOXES_H
#define TOFU_SUB_BOXES_H

#include "pointers.h"

#include "halo/halo_plan.h"
#include "halo/rank_map.h"
#include "halo/tiled_plan.h"
#include "halo/tiles.h"

#include <memory>
#include <vector>

namespace TOFU_NS {

enum class Pattern;

class SubBoxes : protected LAMMPS_NS::Pointers {
 public:
  explicit SubBoxes(LAMMPS_NS::LAMMPS *lmp) : Pointers(lmp) {}

  bool tiled() const;

  /** Read bounds and ghost cut-offs, in the units that atoms have in exchange() and borders(): box
      units, or fractions of a triclinic box.  Collective if a tiled layout is new. */
  void update();

  /** To be called when the grid of ranks is made anew. */
  void forget_grid() { ranks.reset(); }

  /** Replace the ghost cut-offs of update() by what setup() is expected to compute, without the
      cut-off that Comm::get_comm_cutoff() estimates from lengths of bonds. */
  void expect_cutghost();

  /** As of the last update(); members about the grid are unused for a tiled layout. */
  const HaloGeometry &geometry() const { return box_geometry; }

  /** Of a tiled layout; valid until the next update(). */
  const TiledGeometry &tiling() const { return tiled_geometry; }

  /** Sub-boxes as fractions of the box if they are no grid, else nullptr; valid until the next
      update().  Collective if they have changed. */
  const Tiles *tiles();

  HaloPlan make_plan(Pattern pattern, bool half);

  /** Ranks that another rank has as neighbors in its plan. */
  std::vector<int> neighbors_of(int rank) const;

  /** Volume of this rank's sub-box, as a fraction of the box. */
  double own_fraction() const;

  /** Rank whose sub-box has a place, -1 if none.

      \param x   [3] in the units of update(), less than a box length outside of the box */
  int owner_of(const double *x) const;

  /** Whether a place is beyond the sub-boxes of a grid that are adjacent to this rank's. */
  bool is_beyond_adjacent(const double *x) const;

  /** Distance from this rank's sub-box [length] up to which all places are in adjacent sub-boxes,
      or in those within the ghost cut-off of a tiled layout; infinite if there are no others. */
  double distance_covered_by_adjacent() const;

  /** Numbers that are equal as long as no rank of a tiled layout gets other neighbors; the same on
      all ranks. */
  std::vector<double> neighbor_signature() const;

 private:
  HaloGeometry box_geometry;           // also of a tiled layout
  std::unique_ptr<RankMap> ranks;      // nullptr: the grid is new
  std::unique_ptr<Tiles> all_tiles;    // nullptr: not read yet
  TiledGeometry tiled_geometry;
  LAMMPS_NS::bigint nlayouts = 0;    // # of tiled layouts up to now

  void gather_tiles();
  void check_tiles(const std::vector<TileBox> &boxes) const;
  std::array<int, 3> place_in_grid(const double *x) const;
};

}    // namespace TOFU_NS

#endif
