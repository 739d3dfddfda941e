// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef TOFU_NEIGHBOR_BUILDS_H
#define TOFU_NEIGHBOR_BUILDS_H

#include <string>

namespace LAMMPS_NS {
class NBin;
class NPair;
class NTopo;
class Neighbor;
}    // namespace LAMMPS_NS

namespace TOFU_NS {

/** The object that builds a neighbor list; may be replaced by another one. */
LAMMPS_NS::NPair *&build_of_list(LAMMPS_NS::Neighbor *, int ilist);

/** The name of the build that Neighbor has chosen, such as "half/bin/newton". */
std::string build_name_of_list(LAMMPS_NS::Neighbor *, int ilist);

/** Neighbor::build(1), which copies positions of atoms with one thread if distances are checked.

    \param nmax   Atom::nmax
    \return       whether that is left to the caller: Neighbor::get_xhold() has room for nmax atoms,
                  and Neighbor needs no copy of the box */
bool build_leaving_copy(LAMMPS_NS::Neighbor *, int nmax);

/** Bins of atoms; may be replaced by others.

    \param ibin   below number_of_bins() */
LAMMPS_NS::NBin *&bins_of_neighbor(LAMMPS_NS::Neighbor *, int ibin);
int number_of_bins(LAMMPS_NS::Neighbor *);

/** The object that builds the list of bonds, angles, dihedrals or impropers, nullptr if there are
    none; may be replaced by another one. */
LAMMPS_NS::NTopo *&build_of_bonds(LAMMPS_NS::Neighbor *);
LAMMPS_NS::NTopo *&build_of_angles(LAMMPS_NS::Neighbor *);
LAMMPS_NS::NTopo *&build_of_dihedrals(LAMMPS_NS::Neighbor *);
LAMMPS_NS::NTopo *&build_of_impropers(LAMMPS_NS::Neighbor *);

}    // namespace TOFU_NS

#endif
