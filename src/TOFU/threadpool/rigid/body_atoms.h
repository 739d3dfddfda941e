// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_BODY_ATOMS_H
#define LMP_BODY_ATOMS_H

#include <vector>

namespace LAMMPS_NS {

/** The owned atoms of each rigid body that has some on this rank.  Bodies come in the order of
    their first atoms, atoms of a body in ascending order. */
class BodyAtoms {
 public:
  /** Read them anew.

      \param body_of_atom   [nlocal] index of a body; negative: of none
      \param nbodies        indices are below */
  void sort(int nlocal, const int *body_of_atom, int nbodies);

  int natoms() const { return static_cast<int>(atoms.size()); }

  /** Blocks of bodies with about as many atoms each, unless bodies are larger.  They do not depend
      on the number of parts. */
  int nblocks() const { return static_cast<int>(block_begin.size()) - 1; }

  /** work(body, atoms, n) for the bodies of a block; atoms: [n] indices, until the next sort(). */
  template <class Work> void of_block(int block, const Work &work) const
  {
    for (int k = block_begin[block]; k < block_begin[block + 1]; k++)
      work(bodies[k], atoms.data() + first_atom[k], first_atom[k + 1] - first_atom[k]);
  }

  double memory_usage() const;

 private:
  std::vector<int> bodies, first_atom;    // [n] and [n+1]: of a body in atoms
  std::vector<int> atoms;
  std::vector<int> block_begin{0};    // first of its bodies, and the end of all
  std::vector<int> place;             // of a body in bodies
};

}    // namespace LAMMPS_NS

#endif
