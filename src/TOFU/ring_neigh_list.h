/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_RING_NEIGH_LIST_H
#define LMP_RING_NEIGH_LIST_H

#include "neigh_list.h"

namespace LAMMPS_NS {

/** What fix ring_balance gives a pair style in place of the list that Neighbor has built: it lacks rows
    of owned atoms, which other ranks compute, and ends with rows of ghosts.

    All ranks give theirs to a pair style at the same time, those without such rows, too: a style may send
    messages because of it.  Needs newton on. */
class RingNeighList : public NeighList {
 public:
  using NeighList::NeighList;

  bigint nbuilds = 0;    // of its rows: who keeps something made of them compares it
};

}    // namespace LAMMPS_NS

#endif
