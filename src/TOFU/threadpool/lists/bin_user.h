/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_BIN_USER_H
#define LMP_BIN_USER_H

namespace LAMMPS_NS {

/** A neighbor list build that reads the bins of Neighbor only for some lists. */
class BinUser {
 public:
  /** Whether it makes this list without them. */
  virtual bool can_build(const class NeighList *) const = 0;

 protected:
  ~BinUser() = default;
};

}    // namespace LAMMPS_NS

#endif
