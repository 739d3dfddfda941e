/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_PBC_ON_POOL_H
#define LMP_PBC_ON_POOL_H

namespace LAMMPS_NS {

/** Domain::pbc() by the parts of a pool: owned atoms that have left the periodic box are put back
    at its other side, and their image flags change. */
void pbc_on_pool(class LAMMPS *, class RankPool *);

}    // namespace LAMMPS_NS

#endif
