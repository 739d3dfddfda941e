/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_NTOPO_THREADPOOL_H
#define LMP_NTOPO_THREADPOOL_H

#include "ntopo.h"

#include <string>

namespace LAMMPS_NS {

/** Lists of bonds, angles, dihedrals or impropers as LAMMPS builds them, without asking all ranks
    whether an atom is missing where a missing atom is an error: that is an error of its rank. */
class NTopoThreadpool : public NTopo {
 public:
  enum class Kind { BOND, ANGLE, DIHEDRAL, IMPROPER };

  /** \param partial   leave out those of types below 1 */
  NTopoThreadpool(class LAMMPS *, Kind, bool partial);
  void build() override;

 private:
  static constexpr int MOST = 4;    // atoms

  struct Table {           // of the atoms that store bonds etc.
    int natoms;            // of one of them
    const int *counts;     // [nlocal]
    tagint **ids[MOST];    // [nlocal][counts]; nullptr: of the atom that stores it
    int **types;           // [nlocal][counts]
    const char *name;      // for messages
  };
  struct List {
    int &n, &nmax, **&rows;    // [n][natoms + 1] atoms and type
  };

  const Kind kind;
  const bool partial;

  Table table() const;
  List list();
  template <int N> int fill(const Table &, List);
  void check_extents();
  void stop(const Table &, int i, int m) const;
  void warn(const Table &, int nmissing) const;
};

}    // namespace LAMMPS_NS

namespace TOFU_NS {

/** Replace LAMMPS' builds of these lists, but those of molecules by template.  To be called when
    Neighbor has chosen them, before lists are built. */
void install_topology_lists(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
