/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Rows that one rank makes for another (fix ring_balance).
//
// A pair of a given atom and another one is found by two ranks, which have to agree in whose row a half list
// has it.  region_parcel.h says so of two atoms of the donor.  For an atom of the donor and a ghost the rule
// of the lists without the fix holds, which the other owner goes by as well: it looks at coordinates, and
// these are the donor's here, to the last bit.  If ghosts come from upper neighbors only, each of them is
// the donor's business.

#include "npair_threadpool_part.h"

#include "fix_threadpool.h"
#include "ring_neigh_list.h"

#include "atom.h"
#include "domain.h"
#include "neigh_list.h"
#include "neighbor.h"

#include "balance/region_parcel.h"
#include "kernels/cell_grid.h"
#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   of given atoms all have been found, of other owned ones those behind i
------------------------------------------------------------------------- */

int NPairThreadpool::keep_own_pairs(int i, std::vector<int> &found, int n) const
{
  const tagint *const tag = atom->tag;
  const int nlocal = atom->nlocal;
  const char *const given = left_out->data();    // no ghost is
  double **x = atom->x;
  if ((*on_seam)[i]) n = keep_if(found, n, [&](int j) { return !given[j]; });
  if (!some_ghosts) return n;
  if (!domain->triclinic)
    return keep_if(found, n, [&, xi = x[i]](int j) { return j < nlocal || is_higher(xi, x[j]); });
  return keep_if(found, n, [&](int j) {
    return j < nlocal || is_higher_triclinic(tag[i], x[i], tag[j], x[j]);
  });
}

/* ---------------------------------------------------------------------- */

bool NPairThreadpool::can_make_received(const NeighList *list) const
{
  return can_build(list) && !sizes && !list->history && pairs != Pairs::HALF_ALL_GHOSTS &&
      molecular == Atom::ATOMIC;
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::reset_received()
{
  const int padding = FixThreadpool::of(lmp)->row_padding();
  for (const auto &part : parts) part->received.reset(padding);
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::add_received(const ReceivedRegion &region, const std::vector<int> &local,
                                   RingNeighList &to)
{
  FixThreadpool *const fix = FixThreadpool::of(lmp);
  const int nparts = static_cast<int>(parts.size()), ngiven = region.ngiven();
  std::vector<char> high(region.natoms(), 1);
  std::fill_n(high.begin(), ngiven, 0);
  region_x = region.nnamed() > 0 ? positions_here(local) : region.x();
  region_grid->sort(region_x, region.natoms(), neighbor->cutneighmax, high.data());
  received.resize(ngiven);
  fix->pool().run(nparts, [&](int part) {
    make_received_rows(region, local, *parts[part], begin_of_share(part, nparts, ngiven),
                       begin_of_share(part + 1, nparts, ngiven));
  });
  for (int k = 0; k < ngiven; k++) to.add(local[k], received[k].n, received[k].entries);
}

/* ---------------------------------------------------------------------- */

const double *NPairThreadpool::positions_here(const std::vector<int> &local)
{
  local_x.resize(3 * local.size());
  double *to = local_x.data();
  for (int i : local) to = std::copy_n(atom->x[i], 3, to);
  return local_x.data();
}

/* ----------------------------------------------------------------------
   indices are those of the region until the row is complete
------------------------------------------------------------------------- */

void NPairThreadpool::make_received_rows(const ReceivedRegion &region,
                                         const std::vector<int> &local, Part &part, int first,
                                         int last)
{
  const int *const type = atom->type, far = atom->nlocal + atom->nghost;
  const double *const x = region_x;
  for (int k = first; k < last; k++) {
    std::vector<int> &found = part.found;
    const int i = local[k];
    bool doubtful;
    int n = region_grid->neighbors(k, widest[type[i]], pairs != Pairs::FULL, found, doubtful);
    if (pairs != Pairs::FULL) n = keep_received_pairs(region, k, found, n);
    if (doubtful || !one_cutoff)
      n = keep_if(found, n, [&](int m) {
        const double *const xk = x + 3 * static_cast<std::size_t>(k);
        return distance_sq(xk, x + 3 * static_cast<std::size_t>(m)) <=
            cutneighsq[type[i]][type[local[m]]];
      });
    if (exclude)
      n = keep_if(found, n, [&](int m) {
        const int j = local[m];
        return !exclusion(i, j, type[i], type[j], atom->mask, atom->molecule);
      });
    int *const row = part.received.row(n, far);
    for (int m = 0; m < n; m++) row[m] = local[found[m]];
    received[k] = {row, n};
  }
}

/* ----------------------------------------------------------------------
   atoms of the region are given ones, those on the seam, those given elsewhere,
   and ghosts of the donor
------------------------------------------------------------------------- */

int NPairThreadpool::keep_received_pairs(const ReceivedRegion &region, int k,
                                         std::vector<int> &found, int n) const
{
  const int nseam = region.nseam(), nowned = region.nowned();
  const TableAtom *const table = region.table().data();
  const auto ktag = static_cast<tagint>(table[k].id);
  const auto x = [&](int m) {
    return region.x() + 3 * static_cast<std::size_t>(m);
  };
  const auto tag = [&](int m) {
    return static_cast<tagint>(table[m].id);
  };
  const auto is_here = [&](int m) {
    return m < nseam || pair_belongs_to(ktag, tag(m));
  };
  if (!some_ghosts) {
    if (nseam == nowned) return n;
    return keep_if(found, n, [&](int m) { return m >= nowned || is_here(m); });
  }
  if (!domain->triclinic)
    return keep_if(found, n,
                   [&, xk = x(k)](int m) { return m < nowned ? is_here(m) : is_higher(xk, x(m)); });
  return keep_if(found, n, [&](int m) {
    return m < nowned ? is_here(m) : is_higher_triclinic(ktag, x(k), tag(m), x(m));
  });
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::extend_rows(NeighList *list)
{
  const int nlocal = atom->nlocal, nall = nlocal + atom->nghost;
  if (static_cast<int>(special_counts.size()) < atom->nmax) special_counts.resize(atom->nmax);
  std::fill(special_counts.begin() + nlocal, special_counts.begin() + nall, 0);
  if (nall == nall_built) return;
  nall_built = nall;
  const int padding = FixThreadpool::of(lmp)->row_padding();
  for (int i = 0; i < nlocal; i++)
    std::fill_n(list->firstneigh[i] + list->numneigh[i], padding, nall);
}
