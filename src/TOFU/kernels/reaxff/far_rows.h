// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of the pairs of ReaxFF that this rank computes, made from a half list without Newton's third
// law between ranks: such a list has a pair of an owned atom and a ghost on both of two ranks.
//
// The pair belongs to the rank that owns the atom with the lower tag.  Where both have the same tag
// the ghost is an image of the owned atom, and the list has the image on the opposite side, too.
// The upper one (larger z; if equal y; if equal x) is taken.  Coordinates count as equal within
// 1e-4, as in LAMMPS.
//
// All of this is decided once for each list, and holds until the next one: tags do not change, and
// two images of an atom are apart by a sum of box vectors, of which neither motion nor a change of
// the box changes which one is upper.  Pairs of the list beyond the cut-off of the forces are kept:
// the kernel tests distances in each step.

#ifndef TOFU_KERNELS_FAR_ROWS_H
#define TOFU_KERNELS_FAR_ROWS_H

#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Whether an image of an owned atom is above it, by the differences of their coordinates. */
inline bool is_upper_image(double dx, double dy, double dz)
{
  constexpr double SMALL = 1e-4;
  if (std::fabs(dz) >= SMALL) return dz > 0.0;
  if (std::fabs(dy) >= SMALL) return dy > 0.0;
  return dx > SMALL;
}

/** Owned atoms first, then ghosts.

    \param Tag   LAMMPS' tagint */
template <class Tag> struct FarAtoms {
  int nlocal = 0, natoms = 0;      // owned; owned and ghosts
  const double *x = nullptr;       // [natoms][3]
  const Tag *tag = nullptr;        // [natoms]
  const int *type = nullptr;       // [natoms]
  const int *element = nullptr;    // [ntypes+1] of each type; negative: none, without pairs
};

/** Entries of one row that this rank computes, in their order, without the kinds of bonds.

    \param entries   [n] of the row of atom i; their upper bits are the kinds of bonds
    \param kept      [n] gets them
    \return          their number */
template <class Tag>
int select_far_pairs(const FarAtoms<Tag> &atoms, int i, const int *entries, int n, int *kept)
{
  if (atoms.element[atoms.type[i]] < 0) return 0;
  const Tag itag = atoms.tag[i];
  const double *const xi = atoms.x + 3 * static_cast<std::size_t>(i);
  int nkept = 0;
  for (int k = 0; k < n; k++) {
    const int j = static_cast<int>(static_cast<std::uint32_t>(entries[k]) & NEIGHBOR_MASK);
    const Tag jtag = atoms.tag[j];
    bool keep = (j < atoms.nlocal) | (itag < jtag);
    if (itag == jtag && j >= atoms.nlocal) {
      const double *const xj = atoms.x + 3 * static_cast<std::size_t>(j);
      keep = is_upper_image(xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]);
    }
    kept[nkept] = j;
    nkept += keep & (atoms.element[atoms.type[j]] >= 0);
  }
  return nkept;
}

/** The rows of a list.  With each new list: resize(), then fill() by each part. */
class FarRows {
 public:
  /** \param list   whose rows are selected from; its array of owners has to stay
      \param nlocal   owned atoms, the owners of rows
      \param nparts   that will fill rows */
  void resize(const PairRows &list, int nlocal, int nparts)
  {
    list_ = list;
    arenas_.resize(nparts);
    first_.resize(nlocal);
    nneighbors_.resize(nlocal);
    nspecial_.assign(nlocal, 0);
  }

  /** Select from rows [first, last), into memory of this part. */
  template <class Tag> void fill(int part, int first, int last, const FarAtoms<Tag> &atoms)
  {
    RowArena &arena = arenas_[part];
    arena.reset();
    for (int n = first; n < last; n++) {
      const int i = list_.atoms[n], nall = list_.nneighbors[i];
      int *const row = arena.row(nall, atoms.natoms);
      const int nkept = select_far_pairs(atoms, i, list_.first[i], nall, row);
      std::fill_n(row + nkept, ROW_PADDING, atoms.natoms);
      arena.shorten(row, nkept);
      first_[i] = row;
      nneighbors_[i] = nkept;
    }
  }

  PairRows rows() const
  {
    return {list_.nrows, list_.atoms, first_.data(), nneighbors_.data(), nspecial_.data()};
  }

  double nbytes() const
  {
    double sum = static_cast<double>(first_.size() * (sizeof(int *) + 2 * sizeof(int)));
    for (const RowArena &arena : arenas_) sum += arena.nbytes();
    return sum;
  }

 private:
  PairRows list_;
  std::vector<RowArena> arenas_;    // [nparts]
  std::vector<const int *> first_;
  std::vector<int> nneighbors_, nspecial_;
};

}    // namespace TOFU_NS

#endif
