// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(NEIGH_HISTORY/threadpool,FixNeighHistoryThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_NEIGH_HISTORY_THREADPOOL_H
#define LMP_FIX_NEIGH_HISTORY_THREADPOOL_H

#include "fix_neigh_history.h"

#include <vector>

namespace LAMMPS_NS {

/** Histories of contacts between atoms and rows of a new list, by the parts of the pool.  Histories
    of a part's rows are in one piece.  Contacts with ghosts that other ranks share (newton on), and
    those of lines and triangles, go from the rows to the atoms as in the style without the suffix.
  */
class FixNeighHistoryThreadpool : public FixNeighHistory {
 public:
  using FixNeighHistory::FixNeighHistory;
  void post_constructor() override;
  void post_neighbor() override;
  double memory_usage() override;

 protected:
  void pre_exchange_no_newton() override;

 private:
  /** What one atom keeps of a contact. */
  struct Contact {
    int atom, other;
    const double *values;    // [dnum] as the row has them
    bool is_second;          // of the pair
  };

  struct Part {
    std::vector<Contact> own,
        others;                 // of its rows: to be kept by its atoms, and by those of others
    std::vector<tagint> ids;    // what its atoms keep
    std::vector<double> values;
    int most = 0;    // contacts of one atom

    std::vector<int> flags;    // what its rows have
    std::vector<double> histories;
  };

  // a pool that a script exchanges may have fewer parts; what is in the others is read once more

  std::vector<Part> parts;
  int nparts = 0;    // of the present pool

  class RankPool *find_pool();

  void find_contacts(int part);
  void keep_contacts(int part);
  void keep(const Contact &);
  void fill_rows(int part);
  void fill_row(int i, int *flags, double *values);
};

}    // namespace LAMMPS_NS

#endif
#endif
