// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef TOFU_FULL_LISTS_H
#define TOFU_FULL_LISTS_H

namespace LAMMPS_NS {
class Comm;
}

namespace TOFU_NS {

/** Whether LAMMPS stops where a style has a full neighbor list: with comm_modify reduce/multi
    ghosts of large atoms come from no farther than their own cut-off, so that a pair with a small
    atom is seen from one side alone. */
bool full_lists_are_refused(const LAMMPS_NS::Comm *);

}    // namespace TOFU_NS

#endif
