// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_DISPLACEMENTS_H
#define LMP_DISPLACEMENTS_H

#include "pointers.h"

#include "lammps/box_corners.h"
#include "lammps/last_build.h"

namespace LAMMPS_NS {

/** How far owned atoms have moved since neighbor lists were built, and how far they may: half the
    skin, less what corners of the box have moved.  Positions of that time are those of Neighbor. */
class Displacements : protected Pointers {
 public:
  using Pointers::Pointers;

  /** Note the build and the corners of the box; to be called when Neighbor has just built its
      lists. */
  void hold();

  /** Whether lists were built since hold() was called. */
  bool others_have_built() const { return held.is_outdated(neighbor); }

  int natoms() const;    // that are checked

  /** [length] that atoms may move. */
  double limit() const;

  /** Its square, with the bits that Neighbor has. */
  double limit_sq() const;

  /** Square of the largest displacement of this rank.  Those that are NaN are ignored, as in
      Neighbor::check_distance(). */
  double largest_sq(class RankPool *) const;

  /** Whether an atom with the largest displacement may be in the sub-box of a rank that this rank
      has no link to.

      \param largest   [length] */
  bool is_far(double largest) const;

 private:
  TOFU_NS::BoxCorners corners_held;
  TOFU_NS::LastBuild held;
};

/** Whether neigh_modify allows a build so many steps after the last one. */
bool may_build_lists(const class Neighbor *, int ago);

/** Whether this is the first step after a build in which neigh_modify allows the next one, which
    Neighbor then counts as a dangerous build. */
bool in_first_step_allowed(const Neighbor *);

}    // namespace LAMMPS_NS

#endif
