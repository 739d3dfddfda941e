// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Queries of the known properties of LAMMPS' own styles: whether a style needs all ghosts at all
// times.  A style that is not known here still gives right results: it only gets the
// ghosts that comm_style brick would give it.

#ifndef TOFU_KNOWN_STYLES_H
#define TOFU_KNOWN_STYLES_H

#include <string>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Fixes and computes that read owned atoms alone, or ghosts through half lists alone; pair styles
    whose forces come from their half lists and from nothing else.

    \param style   with or without the suffix of an accelerator */
bool is_known_fix(const std::string &style);
bool is_known_compute(const std::string &style);
bool is_known_pair(const std::string &style);

/** Known fixes, and those that read ghosts in SHAKE clusters as well. */
bool is_half_shell_fix(const std::string &style);

/** Fixes that look up atoms of molecules by their IDs, beyond the interactions that owned atoms
    store. */
bool looks_up_bonded_atoms(const std::string &fix);

/** The style of the first fix that is not in the table, which may do anything to atoms, or ""; the
    same on all ranks. */
std::string unknown_fix(LAMMPS_NS::LAMMPS *lmp);

/** Whether the neighbor list of the pair style may be read in the coming run by what has not
    requested a list: fixes that are not in the table, as a program behind fix external, functions
    of Python behind a variable, fix ring/balance; the same on all ranks. */
bool lists_may_be_read(LAMMPS_NS::LAMMPS *lmp);

/** Whether variables of the script call functions of Python, which may read anything. */
bool has_python_variables(LAMMPS_NS::LAMMPS *lmp);

/** Whether the pair styles in use may compute the forces of a step twice, and the second time give
    what they would have given the first time; the same on all ranks. */
bool pairs_may_be_computed_again(const LAMMPS_NS::LAMMPS *lmp);

/** The first thing in the coming run that may read positions of ghosts after the forces of ghosts
    have been returned and before the next step moves the ghosts, or ""; the same on all ranks. */
std::string reader_of_ghosts_after_forces(LAMMPS_NS::LAMMPS *lmp);

}    // namespace TOFU_NS

#endif
