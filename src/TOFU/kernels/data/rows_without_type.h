// SPDX-License-Identifier: GPL-2.0-only
//
// The rows of a list without the atoms of one type, which do not interact by the potential.

#ifndef TOFU_KERNELS_ROWS_WITHOUT_TYPE_H
#define TOFU_KERNELS_ROWS_WITHOUT_TYPE_H

#include "pair_data.h"
#include "row_arena.h"

#include <vector>

namespace TOFU_NS {

class RowsWithoutType {
 public:
  /** To be called before fill(). */
  void resize(int nparts, int natoms)
  {
    parts_.resize(nparts);
    first_.resize(natoms);
    nneighbors_.resize(natoms);
    nspecial_.resize(natoms);
    natoms_ = natoms;
  }

  /** Set the rows [first, last) of a part, without those of a type; other parts may fill theirs at
      the same time.

      \param type   [natoms] */
  void fill(int part, const PairRows &list, int first, int last, const int *type, int without)
  {
    Part &mine = parts_[part];
    mine.arena.reset();
    mine.atoms.clear();
    for (int n = first; n < last; n++) {
      const int i = list.atoms[n];
      if (type[i] == without) continue;
      const int *const from = list.first[i];
      int *const to = mine.arena.row(list.nneighbors[i], natoms_);
      const int nspecial = append_others(from, list.nspecial[i], type, without, to);
      const int length = nspecial +
          append_others(from + list.nspecial[i], list.nneighbors[i] - list.nspecial[i], type,
                        without, to + nspecial);
      std::fill_n(to + length, ROW_PADDING, natoms_);
      mine.arena.shorten(to, length);
      if (length == 0) continue;
      mine.atoms.push_back(i);
      first_[i] = to;
      nneighbors_[i] = length;
      nspecial_[i] = nspecial;
    }
  }

  PairRows rows(int part) const
  {
    const std::vector<int> &atoms = parts_[part].atoms;
    return {static_cast<int>(atoms.size()), atoms.data(), first_.data(), nneighbors_.data(),
            nspecial_.data()};
  }

  double nbytes() const
  {
    double bytes = static_cast<double>(first_.capacity() * (sizeof(int *) + 2 * sizeof(int)));
    for (const Part &part : parts_)
      bytes += part.arena.nbytes() + static_cast<double>(part.atoms.capacity() * sizeof(int));
    return bytes;
  }

 private:
  struct Part {
    RowArena arena;
    std::vector<int> atoms;    // with a row
  };
  std::vector<Part> parts_;     // [nparts]
  std::vector<int *> first_;    // [natoms]
  std::vector<int> nneighbors_, nspecial_;
  int natoms_ = 0;

  // returns how many; each entry is written, since a branch for it would be foreseen wrongly

  static int append_others(const int *entries, int n, const int *type, int without, int *to)
  {
    int length = 0;
    for (int k = 0; k < n; k++) {
      to[length] = entries[k];
      length += type[static_cast<std::uint32_t>(entries[k]) & NEIGHBOR_MASK] != without;
    }
    return length;
  }
};

}    // namespace TOFU_NS

#endif
