// SPDX-License-Identifier: GPL-2.0-only

#include "row_cost.h"

#include "row_lists.h"

#include "atom.h"
#include "neigh_list.h"
#include "pair.h"
#include "timer.h"
#include "update.h"

#include <algorithm>
#include <numeric>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void RowCost::init()
{
  seconds_before = units_done = 0.0;
  computed = 0;
}

/* ---------------------------------------------------------------------- */

void RowCost::set_one_per_atom()
{
  units_of_row.assign(atom->nlocal, 1);
}

/* ---------------------------------------------------------------------- */

void RowCost::measure_rows(const RowLists &rows, bool by_neighbors)
{
  units_of_row.assign(atom->nlocal, 0);
  for (const RowLists::List &list : rows.lists())
    for (int n = 0; n < list.stock->inum; n++) {
      const int i = list.stock->ilist[n];
      units_of_row[i] = by_neighbors ? units_of_row[i] + list.stock->numneigh[i] + 1 : 1;
    }
  units_done +=
      static_cast<double>(computed) * static_cast<double>(update->ntimestep - computed_since);
}

/* ---------------------------------------------------------------------- */

std::int64_t RowCost::nrows() const
{
  return std::count_if(units_of_row.begin(), units_of_row.end(),
                       [](std::int64_t units) { return units > 0; });
}

/* ---------------------------------------------------------------------- */

MeasuredWork RowCost::work(bool timed)
{
  const std::int64_t units =
      std::accumulate(units_of_row.begin(), units_of_row.end(), std::int64_t{0});
  MeasuredWork work{static_cast<double>(units), 0.0};
  if (!timed) return work;
  const double now = timer->get_wall(Timer::PAIR), seconds = now - seconds_before;
  if (seconds > 0.0 && units_done > 0.0) work.nanoseconds_per_unit = 1.0e9 * seconds / units_done;
  seconds_before = now;
  units_done = 0.0;
  return work;
}

/* ---------------------------------------------------------------------- */

void RowCost::count_computed(const RowLists &rows)
{
  computed_since = update->ntimestep;
  computed = 0;
  for (const RowLists::List &list : rows.lists()) {
    const NeighList &used = *list.pair->list;
    for (int n = 0; n < used.inum; n++) computed += used.numneigh[used.ilist[n]] + 1;
  }
}
