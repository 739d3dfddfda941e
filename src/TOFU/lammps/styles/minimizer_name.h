// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef TOFU_MINIMIZER_NAME_H
#define TOFU_MINIMIZER_NAME_H

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Let Update have the name of its minimizer, one with a suffix: without this suffix if there is a
    fix that takes the minimizer for another one otherwise.  To be called before fixes are
    initialized. */
void name_minimizer(LAMMPS_NS::LAMMPS *lmp, const char *suffix);

}    // namespace TOFU_NS

#endif
