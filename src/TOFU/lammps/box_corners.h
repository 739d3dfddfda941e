// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Where the corners of the simulation box are, as Neighbor needs it for its check of distances.

#ifndef TOFU_BOX_CORNERS_H
#define TOFU_BOX_CORNERS_H

#include <array>

namespace LAMMPS_NS {
class Domain;
}

namespace TOFU_NS {

/** Whether the box may change between two builds of neighbor lists, in a way that matters for atoms
    and their images. */
bool box_moves(const LAMMPS_NS::Domain *domain);

class BoxCorners {
 public:
  BoxCorners() = default;

  /** \param domain   of which Domain::corners is overwritten if it is triclinic */
  explicit BoxCorners(LAMMPS_NS::Domain *domain);

  /** What two images of an atom, at most, have come closer to each other since.

      \return   [length] what the two corners of an orthogonal box have moved together; of the eight
                of a triclinic one, those that Neighbor takes for the two that have moved most */
  double moved_since(const BoxCorners &earlier) const;

 private:
  bool triclinic = false;
  std::array<std::array<double, 3>, 8> at{};    // lowest and highest of an orthogonal box
};

}    // namespace TOFU_NS

#endif
