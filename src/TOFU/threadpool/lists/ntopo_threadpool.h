// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_NTOPO_THREADPOOL_H
#define LMP_NTOPO_THREADPOOL_H

#include "ntopo.h"

#include "base/parts.h"

#include <vector>

namespace LAMMPS_NS {

/** Lists of bonds, angles, dihedrals or impropers as LAMMPS builds them, by the parts of the pool.
    Where a missing atom is an error, its rank stops the run: no reduction over ranks is needed. */
class NTopoThreadpool : public NTopo {
 public:
  enum class Kind { BOND, ANGLE, DIHEDRAL, IMPROPER };

  /** \param partial   leave out bonds, or angles etc., of types below 1 */
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
  struct alignas(64) Share {                 // of a part, not on a cache line with others
    int begin = 0, nrows = 0;                // in the list
    int nmissing = 0;                        // bonds etc. with an atom neither owned nor a ghost
    int atom_missing = -1, m_missing = 0;    // first of them: its atom, and its place there
  };

  const Kind kind;
  const bool partial;

  Table table() const;
  List list();
  template <int N> int fill(const Table &, List);
  template <int N> void fill_share(const Table &, int **rows, int first, int last, Share &) const;
  std::vector<Share> make_room(const Table &, const TOFU_NS::Parts &, List);
  void check_extents();
  void stop(const Table &, int i, int m) const;
  void warn(const Table &, int nmissing) const;
};

}    // namespace LAMMPS_NS

namespace TOFU_NS {

/** Replace LAMMPS' builds of these lists, except those of molecules by template.  To be called when
    Neighbor has chosen them, before lists are built. */
void install_topology_lists(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
