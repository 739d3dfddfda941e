// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_TOFU_LONE_RANKS_H
#define LMP_TOFU_LONE_RANKS_H

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Warn if a launcher has started several processes and MPI knows of one only: N jobs of one rank
    each overwrite each other's files, and none is faster. To be called on rank 0. */
void warn_of_lone_ranks(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
