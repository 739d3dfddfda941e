/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Rows that are made only when they are needed.

#include "npair_threadpool-part.h"

#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "neigh_list.h"
#include "neighbor.h"

#include "kernels/cluster/cluster_search.h"
#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   rows have to be those of places alone, and no other list may be made of them
------------------------------------------------------------------------- */

bool NPairThreadpool::can_wait(const NeighList *list) const
{
  if (!owner_can_wait || !RankPool::of(lmp)->waiting_rows.allowed) return false;
  if (pairs == Pairs::FULL || sizes || exclude || left_out || other_images) return false;
  return std::none_of(neighbor->lists, neighbor->lists + neighbor->nlist, [=](NeighList *other) {
    return other->listcopy == list || other->listskip == list || other->listfull == list;
  });
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::leave_to_wait(NeighList *list)
{
  RankPool *const rank_pool = RankPool::of(lmp);
  rank_pool->waiting_rows.nleft++;
  saved_places.resize(3 * static_cast<std::size_t>(nall_built));
  for_atoms(rank_pool, nall_built, [&](int first, int last) {
    if (first < last)
      std::copy(atom->x[0] + 3 * static_cast<std::size_t>(first),
                atom->x[0] + 3 * static_cast<std::size_t>(last),
                saved_places.begin() + 3 * static_cast<std::ptrdiff_t>(first));
  });
  built_of = saved_places.data();
  for (int i = 0; i < nlocal_built; i++) list->ilist[i] = i;
  std::fill_n(list->numneigh, nlocal_built, 0);
  std::fill_n(special_counts.begin(), nlocal_built, 0);
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::make_rows(NeighList *list)
{
  if (!waiting) return;
  make_all_rows(list);
  RankPool::of(lmp)->waiting_rows.nmade++;
  waiting = false;
}

/* ---------------------------------------------------------------------- */

AtomsToSearch NPairThreadpool::atoms_to_search() const
{
  AtomsToSearch atoms;
  atoms.x = built_of;
  atoms.natoms = nall_built;
  atoms.last = nlocal_built;
  atoms.cutoff = reach();
  if (!some_ghosts) return atoms;
  atoms.first_ghost = nlocal_built;
  atoms.by_height = !tri;
  atoms.has_pair = [this](int i, int j) {
    return tri ? is_higher_triclinic(atom->tag[i], place(i), atom->tag[j], place(j))
               : is_higher(place(i), place(j));
  };
  return atoms;
}

/* ----------------------------------------------------------------------
   the ID of an atom that was deleted may have no place in a map that is an array
------------------------------------------------------------------------- */

void NPairThreadpool::for_special_pairs(int first, int last,
                                        const std::function<void(int, int, int)> &use) const
{
  if (molecular == Atom::ATOMIC || nlevels == 0) return;
  const int *const sametag = atom->sametag;
  const tagint highest = atom->map_style == Atom::MAP_ARRAY ? atom->map_tag_max : MAXTAGINT;
  for (int i = first; i < last; i++)
    for_special(i, [&](tagint id) {
      const int which = special_kind(i, id);
      if (which == 0) return;
      for (int j = id <= highest ? atom->map(id) : -1; j >= 0; j = sametag[j])
        if (j > i) use(i, j, std::max(which, 0));
    });
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::make_waiting_rows(LAMMPS *lmp)
{
  Neighbor *const neighbor = lmp->neighbor;
  for (int n = 0; n < neighbor->nlist; n++) {
    NeighList *const list = neighbor->lists[n];
    if (auto *const build = dynamic_cast<NPairThreadpool *>(list->np)) build->make_rows(list);
  }
}
