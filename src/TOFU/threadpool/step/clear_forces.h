/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_CLEAR_FORCES_H
#define LMP_CLEAR_FORCES_H

namespace LAMMPS_NS {

/** Forces of the first nlocal owned atoms and the first nghost ghosts to 0, by the parts that
    integrate the owned ones; and their torques if the caller says so: atoms must have them then. */
void clear_forces_on_pool(class RankPool *, const class Atom *, bool torques, int nlocal,
                          int nghost);

}    // namespace LAMMPS_NS

#endif
