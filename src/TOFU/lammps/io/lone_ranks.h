/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

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
