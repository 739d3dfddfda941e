/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Insides of NPairThreadpool; for its source files only.

#ifndef LMP_NPAIR_THREADPOOL_PART_H
#define LMP_NPAIR_THREADPOOL_PART_H

#include "npair_threadpool.h"

#include "atom.h"

#include "kernels/data/row_arena.h"

#include <cstddef>
#include <vector>

namespace LAMMPS_NS {

inline double distance_sq(const double *a, const double *b)
{
  const double delx = a[0] - b[0], dely = a[1] - b[1], delz = a[2] - b[2];
  return delx * delx + dely * dely + delz * delz;
}

/* ----------------------------------------------------------------------
   of two ranks that have the pair of an owned and a ghost atom one stores it:
   without branches on what chance decides
------------------------------------------------------------------------- */

inline bool is_higher(const double *from, const double *x)
{
  const bool in_plane = (x[1] > from[1]) | ((x[1] == from[1]) & (x[0] >= from[0]));
  return (x[2] > from[2]) | ((x[2] == from[2]) & in_plane);
}

/* ----------------------------------------------------------------------
   data of one part of the work
------------------------------------------------------------------------- */

struct NPairThreadpool::Part {
  static constexpr int WITHOUT_EFFECT = 1;       // in special_flag: both factors are 1
  static constexpr std::size_t NMARKS = 4096;    // a power of two, many more than special bonds

  TOFU_NS::RowArena arena;       // rows of owned atoms
  TOFU_NS::RowArena received;    // rows that this rank makes for others
  std::vector<int> found;        // neighbors of one atom
  std::vector<int> special;      // those of them with a special bond
  std::vector<unsigned> marks = std::vector<unsigned>(NMARKS, 0);    // by atom ID: maybe special
  unsigned mark = 0;

  struct Suspect {
    int j, place;    // place in the row without suspects
  };
  std::vector<Suspect> suspects;
  std::vector<int> near_special;    // atoms that may be special
  std::vector<int> places;          // of those in a row

  static std::size_t place_of_mark(tagint tag)
  {
    return static_cast<std::size_t>(tag) & (NMARKS - 1);
  }
  unsigned &mark_of(tagint tag) { return marks[place_of_mark(tag)]; }

  double nbytes() const
  {
    std::size_t n = marks.capacity() * sizeof(unsigned) + suspects.capacity() * sizeof(Suspect);
    for (const auto *numbers : {&found, &special, &near_special, &places})
      n += numbers->capacity() * sizeof(int);
    return arena.nbytes() + received.nbytes() + static_cast<double>(n);
  }
};

/* ---------------------------------------------------------------------- */

template <class Wanted>
int NPairThreadpool::keep_if(std::vector<int> &found, int n, Wanted wanted) const
{
  int nkept = 0;
  for (int k = 0; k < n; k++) {
    const int j = found[k];
    found[nkept] = j;
    nkept += wanted(j);
  }
  return nkept;
}

/* ----------------------------------------------------------------------
   of pairs with a ghost, which two ranks have, those that this one stores.
   Indices may be others than those of Atom
------------------------------------------------------------------------- */

template <class IsGhost, class TagOf, class XOf>
int NPairThreadpool::keep_own_ghosts(tagint tag, const double *x, std::vector<int> &found, int n,
                                     IsGhost is_ghost, TagOf tag_of, XOf x_of) const
{
  if (!tri) return keep_if(found, n, [&](int j) { return !is_ghost(j) || is_higher(x, x_of(j)); });
  return keep_if(found, n, [&](int j) {
    return !is_ghost(j) || is_higher_triclinic(tag, x, tag_of(j), x_of(j));
  });
}

/* ----------------------------------------------------------------------
   pairs of atom i, which is at x, within their cut-offs and not excluded

     atom_of(index) -> index of Atom
------------------------------------------------------------------------- */

template <class AtomOf, class XOf>
int NPairThreadpool::keep_allowed(int i, const double *x, bool doubtful, std::vector<int> &found,
                                  int n, AtomOf atom_of, XOf x_of) const
{
  const int *const type = atom->type;
  if (doubtful || !one_cutoff)
    n = keep_if(found, n, [&](int j) {
      return distance_sq(x, x_of(j)) <= cutneighsq[type[i]][type[atom_of(j)]];
    });
  if (exclude)
    n = keep_if(found, n, [&](int j) {
      const int other = atom_of(j);
      return !exclusion(i, other, type[i], type[other], atom->mask, atom->molecule);
    });
  return n;
}

/* ----------------------------------------------------------------------
   call use(ID) for the atoms whose special bond to i makes a difference
------------------------------------------------------------------------- */

template <class Use> void NPairThreadpool::for_special(int i, const Use &use) const
{
  const tagint *const special = atom->special[i];
  for (int level = 1, k = 0; level <= nlevels; level++) {
    const int end = atom->nspecial[i][level - 1];
    if (special_flag[level] == Part::WITHOUT_EFFECT)
      k = end;
    else
      for (; k < end; k++) use(special[k]);
  }
}

}    // namespace LAMMPS_NS

#endif
