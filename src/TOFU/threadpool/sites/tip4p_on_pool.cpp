// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "tip4p_on_pool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "neigh_list.h"
#include "neighbor.h"

#include "base/share.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

constexpr double FAR = 1.0e12;    // coordinate of the atom that rows end with

double distance_sq(const double *one, const double *other)
{
  double rsq = 0.0;
  for (int dim = 0; dim < 3; dim++) rsq += (one[dim] - other[dim]) * (one[dim] - other[dim]);
  return rsq;
}

/** Square of the distance within which neighbors are; lists may be made with rounded numbers. */
double reach_of_rows(const Neighbor *neighbor)
{
  return neighbor->cutneighmax * neighbor->cutneighmax * (1.0 + 1e-3);
}

/** The atoms that have rows are in this box. */
struct Box {
  double lo[3] = {FAR, FAR, FAR}, hi[3] = {-FAR, -FAR, -FAR};

  Box(const NeighList *list, const double *const *x)
  {
    for (int n = 0; n < list->inum; n++)
      for (int dim = 0; dim < 3; dim++) {
        lo[dim] = std::min(lo[dim], x[list->ilist[n]][dim]);
        hi[dim] = std::max(hi[dim], x[list->ilist[n]][dim]);
      }
  }

  double distance_sq(const double *x) const
  {
    double nearest[3];
    for (int dim = 0; dim < 3; dim++) nearest[dim] = std::max(lo[dim], std::min(hi[dim], x[dim]));
    return ::distance_sq(nearest, x);
  }
};

}    // namespace

/* ----------------------------------------------------------------------
   charges come first: what a site has got is shared by the atoms before the
   oxygen gets something that is its own
------------------------------------------------------------------------- */

void Tip4pOnPool::compute(Pair *pair, NeighList *list, PairOnPool &on_pool, const Tip4pModel &model,
                          const PairOnPool::Kernel &charges, const PairOnPool::Kernel &lj)
{
  const bool renewed = on_pool.list_rows().is_old(made_of, list);
  if (renewed) find_waters(list, on_pool, model);
  made_of = on_pool.list_rows().state_of(list);
  check_watched(model);
  place(on_pool, model);

  PairOnPool::Sites at;
  at.x = sites.data();
  at.reach_more = [this](int part, PartReach &reach) {
    reach_hydrogens(part, reach);
  };
  on_pool.gather_sites(list, atom->q, at);

  const int nall = atom->nlocal + atom->nghost;
  if (lj && renewed) {
    lj_rows.resize(on_pool.nparts(), nall);
    on_pool.for_rows([&](int part, const PairOnPool::PairJob &job, int first, int last) {
      lj_rows.fill(part, job.list, first, last, atom->type, model.typeH);
    });
  }
  on_pool.compute_parts(
      pair,
      [&](int part, PairOnPool::PairJob job, int first, int last, PairOnPool::PairTally &tally) {
        job.atoms.near_rows = positions.data();
        job.atoms.type = types.data();
        charges(job, first, last, tally);
        share(part, model, job, tally);
        if (!lj) return;
        job.atoms = {positions.data(), types.data(), nullptr, nullptr};
        job.list = lj_rows.rows(part);
        lj(job, 0, job.list.nrows, tally);
      });
}

/* ----------------------------------------------------------------------
   hydrogens have the IDs after that of their oxygen.  Those of a ghost may be
   beyond the ghosts of this rank: the nearest image that it has is then not the
   nearest of all.  Ghosts that are in no row are left out
------------------------------------------------------------------------- */

void Tip4pOnPool::find_waters(NeighList *list, PairOnPool &on_pool, const Tip4pModel &model)
{
  struct Found {
    std::vector<Water> waters;
    std::vector<Unusable> unusable;
  };
  const int nparts = on_pool.nparts(), nall = atom->nlocal + atom->nghost;
  std::vector<Found> found(nparts);
  double **const x = atom->x;
  const Box rows(list, x);
  const double reachsq = reach_of_rows(neighbor);
  const auto nearest_of_all = [&](int i, int j) {
    double image[3];
    domain->closest_image(x[i], x[j], image);
    return distance_sq(x[i], x[j]) <= distance_sq(x[i], image) * (1.0 + 1e-6);
  };
  on_pool.for_parts([&](int part) {
    Found &mine = found[part];
    const int last = begin_of_share(part + 1, nparts, nall);
    for (int i = begin_of_share(part, nparts, nall); i < last; i++) {
      if (atom->type[i] != model.typeO || rows.distance_sq(x[i]) > reachsq) continue;
      Water water{i, {atom->map(atom->tag[i] + 1), atom->map(atom->tag[i] + 2)}};
      const bool known = water.hydrogens[0] >= 0 && water.hydrogens[1] >= 0;
      bool right_type = true, near = true;
      for (int &hydrogen : water.hydrogens) {
        if (!known) break;
        right_type = right_type && atom->type[hydrogen] == model.typeH;
        hydrogen = domain->closest_image(i, hydrogen);
        near = near && nearest_of_all(i, hydrogen);
      }
      if (!known || !right_type || !near)
        mine.unusable.push_back({i, !known || right_type});
      else
        mine.waters.push_back(water);
    }
  });

  waters.clear();
  std::vector<Unusable> unusable;
  for (const Found &part : found) {
    waters.insert(waters.end(), part.waters.begin(), part.waters.end());
    unusable.insert(unusable.end(), part.unusable.begin(), part.unusable.end());
  }
  waters_of_part.assign(nparts, {});
  if (nparts == 1) waters_of_part[0] = waters;
  sort_out(list, unusable);
}

/* ----------------------------------------------------------------------
   an oxygen without hydrogens must not have a row, and if it is in one, it is
   farther away than the cut-off of charges as yet
------------------------------------------------------------------------- */

void Tip4pOnPool::sort_out(NeighList *list, const std::vector<Unusable> &unusable)
{
  watched.clear();
  if (unusable.empty()) return;
  const double reachsq = reach_of_rows(neighbor);
  double **const x = atom->x;
  for (int n = 0; n < list->inum; n++) {
    const int i = list->ilist[n];
    const int *const row = list->firstneigh[i], *const end = row + list->numneigh[i];
    for (const Unusable &one : unusable) {
      if (one.oxygen == i) refuse(one);
      if (distance_sq(x[i], x[one.oxygen]) > reachsq) continue;
      const auto is_it = [&](int entry) {
        return (entry & NEIGHMASK) == one.oxygen;
      };
      if (std::any_of(row, end, is_it)) watched.push_back({i, one});
    }
  }
}

/* ---------------------------------------------------------------------- */

void Tip4pOnPool::check_watched(const Tip4pModel &model) const
{
  double **const x = atom->x;
  for (const Watched &pair : watched) {
    const double rsq = distance_sq(x[pair.row], x[pair.neighbor.oxygen]);
    if (rsq < model.cut_coulsqplus) refuse(pair.neighbor);
  }
}

/* ---------------------------------------------------------------------- */

void Tip4pOnPool::refuse(const Unusable &one) const
{
  const tagint id = atom->tag[one.oxygen];
  if (!one.missing)
    error->one(FLERR,
               "TIP4P hydrogen has incorrect atom type: atoms {} and {} must be the hydrogens of "
               "oxygen {}",
               id + 1, id + 2, id);
  error->one(FLERR,
             "TIP4P hydrogen is missing: rank {} has oxygen {} and lacks atom {} or {} near it; if "
             "they exist, use a larger comm_modify cutoff",
             comm->me, id, id + 1, id + 2);
}

/* ----------------------------------------------------------------------
   sites of all charges, and rows of atoms, with which it is found out which
   charges to look at, and which Lennard-Jones forces act on
------------------------------------------------------------------------- */

void Tip4pOnPool::place(PairOnPool &on_pool, const Tip4pModel &model)
{
  const int nparts = on_pool.nparts(), nall = atom->nlocal + atom->nghost;
  double *const to = sites.room(std::size_t{3} * nall);
  double *const rows = positions.room(std::size_t{4} * (nall + 1));
  std::int32_t *const type = types.room(nall + 1);
  const double *const from = nall ? atom->x[0] : nullptr;
  on_pool.for_parts([&](int part) {
    const int first = begin_of_share(part, nparts, nall, GRAIN),
              last = begin_of_share(part + 1, nparts, nall, GRAIN);
    std::copy(from + std::size_t{3} * first, from + std::size_t{3} * last,
              to + std::size_t{3} * first);
    for (std::size_t i = first; i < static_cast<std::size_t>(last); i++) {
      std::copy_n(from + 3 * i, 3, rows + 4 * i);
      rows[4 * i + 3] = 0.0;
    }
    std::copy(atom->type + first, atom->type + last, type + first);
    const auto is_before = [](const Water &water, int i) {
      return water.oxygen < i;
    };
    const auto begin = std::lower_bound(waters.begin(), waters.end(), first, is_before),
               end = std::lower_bound(begin, waters.end(), last, is_before);
    place_sites(waters.data() + (begin - waters.begin()), end - begin, model.alpha, from, to);
  });
  double *const far = rows + std::size_t{4} * nall;
  std::fill_n(far, 3, FAR);
  far[3] = 0.0;
  type[nall] = 1;
}

/* ---------------------------------------------------------------------- */

void Tip4pOnPool::reach_hydrogens(int part, PartReach &reach)
{
  std::vector<Water> &mine = waters_of_part[part];
  mine.clear();
  for (const Water &water : waters)
    if (reach.has(part, water.oxygen / PartReach::BLOCK)) mine.push_back(water);
  for (const Water &water : mine)
    for (const int hydrogen : water.hydrogens) reach.add(part, hydrogen);
}

/* ---------------------------------------------------------------------- */

void Tip4pOnPool::share(int part, const Tip4pModel &model, const PairOnPool::PairJob &job,
                        const PairOnPool::PairTally &tally) const
{
  for (const Water &water : waters_of_part[part]) {
    share_site(water, model.alpha, job.forces.rows, 3, 4);
    if (tally.eatom) share_site(water, model.alpha, tally.eatom, 1, 1);
    if (tally.vatom) share_site(water, model.alpha, tally.vatom[0], 6, 6);
  }
}

/* ---------------------------------------------------------------------- */

double Tip4pOnPool::memory_usage() const
{
  double bytes =
      lj_rows.nbytes() + static_cast<double>(sites.nbytes() + positions.nbytes() + types.nbytes());
  for (const auto &mine : waters_of_part)
    bytes += static_cast<double>(mine.capacity() * sizeof(Water));
  return bytes + static_cast<double>(waters.capacity() * sizeof(Water));
}
