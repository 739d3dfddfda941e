// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Half shell: checks whether ghosts from the upper neighbors alone suffice for a run, and replaces
// the builds of neighbor lists for it.

#ifndef TOFU_HALF_SHELL_H
#define TOFU_HALF_SHELL_H

#include <string>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Result of check_half_shell(), which needs the lists that Neighbor::init() has made for a run;
    the same on all ranks. */
struct HalfShellCheck {
  std::string forbidden;    // not empty: the half shell would be wrong, and why
  std::string doubtful;     // not empty: a style may need the other half
};

HalfShellCheck check_half_shell(LAMMPS_NS::LAMMPS *lmp);

/** Whether no atom that is farther than the ghost cut-off from a sub-box is a bonded partner of an
    atom in it, by LAMMPS' estimate from lengths of bonds; the same on all ranks.

    \param cutghost   [length] */
bool corners_are_unneeded(LAMMPS_NS::LAMMPS *lmp, double cutghost);

/** Make Neighbor build its half lists for the half shell whenever the communication style has it.
    To be called when check_half_shell() forbids nothing; a second call changes nothing. */
void install_half_shell_lists(LAMMPS_NS::LAMMPS *lmp);

}    // namespace TOFU_NS

#endif
