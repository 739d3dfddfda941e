// SPDX-License-Identifier: GPL-2.0-only

#include "row_lists.h"

#include "lammps/styles/pair_styles_in_use.h"
#include "lammps/styles/ring_styles.h"
#include "threadpool/lists/npair_threadpool.h"

#include "atom.h"
#include "force.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void RowLists::init()
{
  read_by_others = others_read_lists(lmp);
}

/* ---------------------------------------------------------------------- */

std::string RowLists::find()
{
  for (int i = 0; i < neighbor->nlist; i++)
    if (neighbor->lists[i]->ghost) return "a neighbor list has rows for ghost atoms";

  std::size_t n = 0;
  for (const PairInUse &used : pair_styles_in_use(force)) {
    NeighList *const stock = neighbor->find_list(used.pair, 0);
    if (!stock) continue;
    if (n == all.size()) all.emplace_back();
    List &list = all[n++];
    list.pair = used.pair;
    list.stock = stock;
    if (!list.own) list.own = std::make_unique<RingNeighList>(lmp);
  }
  if (n < all.size()) restore();
  all.resize(n);
  return "";
}

/* ---------------------------------------------------------------------- */

bool RowLists::receivers_can_build()
{
  if (read_by_others || all.empty()) return false;
  for (List &list : all) {
    list.builder = dynamic_cast<NPairThreadpool *>(list.stock->np);
    if (!list.builder || list.stock->copy || !list.builder->can_make_received(list.stock))
      return false;
    for (int i = 0; i < neighbor->nlist; i++) {
      const NeighList *const other = neighbor->lists[i];
      if (other->listcopy == list.stock || other->listfull == list.stock ||
          other->listskip == list.stock)
        return false;
    }
  }
  return true;
}

/* ---------------------------------------------------------------------- */

bool RowLists::all_need_positions() const
{
  return std::all_of(all.begin(), all.end(),
                     [](const List &list) { return list.builder->needs_donor_positions(); });
}

bool RowLists::any_needs_positions() const
{
  return std::any_of(all.begin(), all.end(),
                     [](const List &list) { return list.builder->needs_donor_positions(); });
}

/* ---------------------------------------------------------------------- */

void RowLists::leave_out(const std::vector<char> *given, const std::vector<char> *seam) const
{
  for (const List &list : all) list.builder->leave_out(given, seam);
}

/* ---------------------------------------------------------------------- */

void RowLists::mark_rows()
{
  for (List &list : all) {
    list.has_row.assign(atom->nlocal, 0);
    for (int n = 0; n < list.stock->inum; n++) list.has_row[list.stock->ilist[n]] = 1;
  }
}

/* ---------------------------------------------------------------------- */

void RowLists::copy_kept_rows(const std::vector<char> &given)
{
  for (List &list : all) list.own->take(*list.stock, given, atom->nlocal + atom->nghost);
}

/* ---------------------------------------------------------------------- */

void RowLists::install()
{
  for (List &list : all) {
    list.own->publish();
    list.pair->init_list(0, list.own.get());
  }
}

/* ----------------------------------------------------------------------
   pair styles may have been replaced, and Neighbor's lists too
------------------------------------------------------------------------- */

void RowLists::restore() const
{
  for (const PairInUse &used : pair_styles_in_use(force))
    for (const List &list : all)
      if (used.pair->list && used.pair->list == list.own.get())
        used.pair->init_list(0, neighbor->find_list(used.pair, 0));
}

/* ---------------------------------------------------------------------- */

double RowLists::memory_usage() const
{
  double bytes = 0.0;
  for (const List &list : all) bytes += list.own->bytes_of_rows();
  return bytes;
}
