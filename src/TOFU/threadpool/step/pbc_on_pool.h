// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_PBC_ON_POOL_H
#define LMP_PBC_ON_POOL_H

namespace LAMMPS_NS {

/** Domain::pbc() by the parts of a pool: owned atoms that have left the periodic box are put back
    at its other side, and their image flags change. */
void pbc_on_pool(class LAMMPS *, class RankPool *);

}    // namespace LAMMPS_NS

#endif
