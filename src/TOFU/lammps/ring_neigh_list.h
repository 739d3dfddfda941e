// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_RING_NEIGH_LIST_H
#define LMP_RING_NEIGH_LIST_H

#include "neigh_list.h"

#include <vector>

namespace LAMMPS_NS {

/** List that a pair style gets in place of its neighbor list while ranks compute rows for each
    other.  Some owned atoms have no row here; behind the rows of owned atoms come rows of ghosts.
    Rows of owned atoms are those of the list that it stands for, of which nothing else is used.

    All ranks install such lists at the same time, also ranks without such rows: a style may send
    messages because of it.  The list needs newton on. */
class RingNeighList : public NeighList {
 public:
  RingNeighList(class LAMMPS *lmp) : NeighList(lmp) {}
  ~RingNeighList() override
  {
    ilist = numneigh = nullptr;    // not the base class' to free
    firstneigh = nullptr;
  }

  /** How often its rows have been replaced: code that keeps something made of them compares it. */
  bigint nbuilds = 0;

  /** [natoms()] entries of each row with a special bond, if rows are as kernels want them
      (npair_threadpool.h), else nullptr; not owned by it. */
  const int *nspecial = nullptr;

  /** Owned and ghost atoms that it was made for. */
  int natoms() const { return static_cast<int>(rows.size()); }

  /** Begin with the rows of another list.

      \param given   [..] by atom, whether another rank computes its row
      \param nall    # of owned atoms and ghosts */
  void take(const NeighList &stock, const std::vector<char> &given, int nall)
  {
    nbuilds++;
    nspecial = nullptr;
    owners.clear();
    lengths.resize(nall);
    rows.resize(nall);
    for (int n = 0; n < stock.inum; n++) {
      const int i = stock.ilist[n];
      if (given[i]) continue;
      add(i, stock.numneigh[i], stock.firstneigh[i]);
    }
    publish();
  }

  /** Append a row; publish() when all are there. */
  void add(int i, int n, int *row)
  {
    owners.push_back(i);
    lengths[i] = n;
    rows[i] = row;
  }

  double bytes_of_rows() const
  {
    return static_cast<double>((owners.capacity() + lengths.capacity()) * sizeof(int) +
                               rows.capacity() * sizeof(int *));
  }

  void publish()
  {
    inum = static_cast<int>(owners.size());
    ilist = owners.data();
    numneigh = lengths.data();
    firstneigh = rows.data();
  }

 private:
  std::vector<int> owners;     // [inum]
  std::vector<int> lengths;    // [nall]
  std::vector<int *> rows;     // [nall]
};

}    // namespace LAMMPS_NS

#endif
