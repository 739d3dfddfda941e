/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

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
