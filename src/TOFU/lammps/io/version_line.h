/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_TOFU_VERSION_LINE_H
#define LMP_TOFU_VERSION_LINE_H

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Write the version of TOFU to screen and log, before the first line of TOFU; once for each
    LAMMPS object, on its rank 0. */
void tell_version(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
