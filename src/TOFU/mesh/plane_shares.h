// SPDX-License-Identifier: GPL-2.0-only
//
// PlaneShares: planes of the mesh that parts of a pool spread charges to.  Each part goes through
// all atoms, and adds to its own planes only: no two parts write to the same points.

#ifndef TOFU_MESH_PLANE_SHARES_H
#define TOFU_MESH_PLANE_SHARES_H

#include <vector>

namespace TOFU_NS {

class PlaneShares {
 public:
  /** Assign planes to parts, which get about as many atoms each, counted from a sample.

      \param points   [natoms][3] nearest point of each atom
      \param natoms   # of atoms
      \param lo, hi   z of the first plane, and one behind the last
      \param nparts   # of parts */
  void assign(const int *points, int natoms, int lo, int hi, int nparts);

  /** Planes of a part: first() up to, not including, last(). */
  int first(int part) const { return first_[part]; }
  int last(int part) const { return first_[part + 1]; }

 private:
  std::vector<int> first_;       // [nparts+1]
  std::vector<int> in_plane_;    // # of atoms in the sample
};

}    // namespace TOFU_NS

#endif
