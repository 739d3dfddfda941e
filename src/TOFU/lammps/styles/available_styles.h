// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Which styles there are in this LAMMPS, plug-ins included.  Class Info has this answer in all
// releases; the tables behind it are maps up to 4Jul2026 and registries from 2Sep2026 on.

#ifndef TOFU_AVAILABLE_STYLES_H
#define TOFU_AVAILABLE_STYLES_H

#include <string>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Whether there is a style of exactly this name.

    \param category   as of the command info: pair, bond, angle, dihedral, improper, kspace, fix,
                      compute, integrate, minimize, command */
bool has_style(LAMMPS_NS::LAMMPS *, const std::string &category, const std::string &name);

}    // namespace TOFU_NS

#endif
