// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_CLEAR_FORCES_H
#define LMP_CLEAR_FORCES_H

namespace LAMMPS_NS {

/** Forces of the first nlocal owned atoms and the first nghost ghosts to 0, by the parts that
    integrate the owned ones; and their torques if the caller says so: atoms must have them then. */
void clear_forces_on_pool(class RankPool *, const class Atom *, bool torques, int nlocal,
                          int nghost);

}    // namespace LAMMPS_NS

#endif
