// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Which of two patterns ghosts are exchanged by, direct or staged, and whether they come from half
// of the directions.  All ranks choose by what all of them have, so that they choose alike.

#ifndef TOFU_GHOST_PATTERN_H
#define TOFU_GHOST_PATTERN_H

#include "p2p/links/p2p_settings.h"
#include "pointers.h"

#include <string>

namespace TOFU_NS {

class SubBoxes;

class GhostPattern : protected LAMMPS_NS::Pointers {
 public:
  /** Both must outlive this object. */
  GhostPattern(LAMMPS_NS::LAMMPS *lmp, const P2PSettings &settings, SubBoxes &boxes);

  /** Choose for a run, and replace builds of neighbor lists where the half shell is chosen.  To be
      called when Neighbor has the lists of the run.

      \param of_a_group   only a group of atoms has ghosts */
  void choose(bool of_a_group);

  /** Choose the pattern again, in a run, when the box or the grid has changed; the shell stays. */
  void choose_again();

  Pattern pattern() const { return chosen; }    // not AUTO
  bool half() const { return is_half; }         // ghosts come from upper neighbors only

 private:
  const P2PSettings &settings;
  SubBoxes &boxes;
  Pattern chosen = Pattern::DIRECT;
  bool is_half = false;
  std::string logged;    // last choice of a shell in the log

  std::string objection_to_half_shell(bool of_a_group);
  void choose_pattern(bool direct_is_half, double advantage);
  void log_shell(const std::string &objection);
};

}    // namespace TOFU_NS

#endif
