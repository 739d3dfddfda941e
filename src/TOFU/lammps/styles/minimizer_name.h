// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef TOFU_MINIMIZER_NAME_H
#define TOFU_MINIMIZER_NAME_H

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Set Update::minimize_style, the name of a minimizer with a suffix: without it if there is a fix
    that knows minimizers by their whole names, else with it.  To be called before fixes are
    initialized. */
void name_minimizer(LAMMPS_NS::LAMMPS *lmp, const char *suffix);

}    // namespace TOFU_NS

#endif
