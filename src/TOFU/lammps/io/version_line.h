// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_TOFU_VERSION_LINE_H
#define LMP_TOFU_VERSION_LINE_H

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Write the version of TOFU to screen and log, before the first line of TOFU; once for each
    LAMMPS object, on its rank 0. */
void log_version(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
