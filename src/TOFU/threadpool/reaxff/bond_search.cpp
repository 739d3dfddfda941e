// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "bond_search.h"

#include "neigh_list.h"

#include "base/parts.h"
#include "base/tight_vector.h"

#include <algorithm>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// Distance by which candidates may be beyond the reach of bonds

static constexpr double SKIN = 0.5;

/* ---------------------------------------------------------------------- */

static double distance_sq(const double *x, int i, int j)
{
  const double *const xi = x + 3 * static_cast<std::size_t>(i),
                      *const xj = x + 3 * static_cast<std::size_t>(j);
  const double d[3] = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* ---------------------------------------------------------------------- */

static bool may_be_bonded(const ReaxSystem &system, int i, int j, double rsq)
{
  const double reach = system.tables->pair(system.element[i], system.element[j]).reach + SKIN;
  return rsq <= reach * reach;
}

/* ----------------------------------------------------------------------
   1: hydrogen, 2: donor or acceptor, else none
------------------------------------------------------------------------- */

static int hydrogen_kind(const ReaxSystem &system, int i)
{
  return system.element[i] < 0 ? 0 : system.tables->elements[system.element[i]].p_hbond;
}

/* ---------------------------------------------------------------------- */

static bool any_hydrogen(const ReaxSystem &system, int nlocal)
{
  if (!(system.tables->hbond_cut > 0.0)) return false;
  for (int i = 0; i < nlocal; i++)
    if (hydrogen_kind(system, i) == 1) return true;
  return false;
}

/* ----------------------------------------------------------------------
   use(i, j, distance squared) for the pairs of a half list with rows of ghosts
------------------------------------------------------------------------- */

template <class Use>
static void for_listed_pairs(const ReaxSystem &system, const NeighList *list, const Use &use)
{
  for (int n = 0; n < list->inum + list->gnum; n++) {
    const int i = list->ilist[n];
    for (int k = 0; k < list->numneigh[i]; k++) {
      const int j = list->firstneigh[i][k] & NEIGHMASK;
      if (system.element[i] < 0 || system.element[j] < 0) continue;
      use(i, j, distance_sq(system.x, i, j));
    }
  }
}

/* ---------------------------------------------------------------------- */

bool BondSearch::has_moved(const ReaxSystem &system, const Parts &parts) const
{
  std::vector<char> moved(parts.n(), 0);
  parts.share(system.natoms, [&](int part, int first, int last) {
    double most = 0.0;
    for (int i = first; i < last; i++) {
      double rsq = 0.0;
      for (int dim = 0; dim < 3; dim++) {
        const std::size_t k = 3 * static_cast<std::size_t>(i) + dim;
        rsq += (system.x[k] - x[k]) * (system.x[k] - x[k]);
      }
      most = std::max(most, rsq);
    }
    moved[part] = most > 0.25 * SKIN * SKIN;
  });
  return std::find(moved.begin(), moved.end(), 1) != moved.end();
}

/* ----------------------------------------------------------------------
   ghosts are looked for when a bond needs them
------------------------------------------------------------------------- */

void BondSearch::find(const ReaxSystem &system, int nlocal, const NeighList *list,
                      HydrogenRows &hydrogens, const Parts &parts)
{
  x.assign(system.x, system.x + 3 * static_cast<std::size_t>(system.natoms));
  places.assign(system.natoms, Place());
  memory.resize(parts.n());
  for (std::vector<int> &mine : memory) clear_tightly(mine);
  hydrogens.first.assign(nlocal + 1, 0);
  clear_tightly(hydrogens.acceptors);
  const bool has_hydrogen = any_hydrogen(system, nlocal);
  if (list) {
    take_candidates(system, list);
    if (has_hydrogen) take_acceptors(system, list, hydrogens);
  } else {
    CellGrid::Atoms atoms;
    atoms.x = x.data();
    atoms.natoms = system.natoms;
    grid.sort(atoms, system.tables->largest_reach() + SKIN, parts);
    parts.share(nlocal, [&](int part, int first, int last) {
      std::vector<int> near;
      for (int i = first; i < last; i++) find_candidates(system, i, part, near);
    });
    if (has_hydrogen) find_acceptors(system, hydrogens, parts);
  }
}

/* ---------------------------------------------------------------------- */

void BondSearch::add_ghost(const ReaxSystem &system, int atom, int part)
{
  if (places[atom].part >= 0) return;
  std::vector<int> near;
  find_candidates(system, atom, part, near);
}

/* ----------------------------------------------------------------------
   ascending, so that bonds are the same ones in the same order whenever the search
   was made
------------------------------------------------------------------------- */

void BondSearch::find_candidates(const ReaxSystem &system, int i, int part, std::vector<int> &near)
{
  std::vector<int> &to = memory[part];
  Place &place = places[i];
  place = {part, static_cast<int>(to.size()), 0};
  if (system.element[i] < 0) return;
  CellGrid::Doubts doubts;
  const int n = grid.neighbors(i, system.tables->largest_reach() + SKIN, false, near, doubts);
  for (int k = 0; k < n; k++) {
    const int j = near[k];
    if (system.element[j] >= 0 && may_be_bonded(system, i, j, distance_sq(x.data(), i, j)))
      to.push_back(j);
  }
  place.n = static_cast<int>(to.size()) - place.first;
  std::sort(to.begin() + place.first, to.end());
}

/* ----------------------------------------------------------------------
   of all atoms, also of ghosts
------------------------------------------------------------------------- */

void BondSearch::take_candidates(const ReaxSystem &system, const NeighList *list)
{
  std::vector<int> &to = memory[0];
  for_listed_pairs(system, list, [&](int i, int j, double rsq) {
    if (!may_be_bonded(system, i, j, rsq)) return;
    places[i].n++;
    places[j].n++;
  });
  std::vector<int> next(system.natoms);
  int first = 0;
  for (int i = 0; i < system.natoms; i++) {
    places[i].part = 0;
    places[i].first = next[i] = first;
    first += places[i].n;
  }
  to.resize(first);
  for_listed_pairs(system, list, [&](int i, int j, double rsq) {
    if (!may_be_bonded(system, i, j, rsq)) return;
    to[next[i]++] = j;
    to[next[j]++] = i;
  });
  for (const Place &place : places) {
    const auto begin = to.begin() + place.first;
    std::sort(begin, begin + place.n);
  }
}

/* ---------------------------------------------------------------------- */

void BondSearch::find_acceptors(const ReaxSystem &system, HydrogenRows &rows, const Parts &parts)
{
  const int nlocal = static_cast<int>(rows.first.size()) - 1;
  const double reach = system.tables->hbond_cut + SKIN;
  CellGrid wide;
  CellGrid::Atoms atoms;
  atoms.x = x.data();
  atoms.natoms = system.natoms;
  wide.sort(atoms, reach, parts);
  std::vector<std::vector<int>> found(parts.n());
  parts.share(nlocal, [&](int part, int first, int last) {
    std::vector<int> near, &to = found[part];
    for (int i = first; i < last; i++) {
      if (hydrogen_kind(system, i) != 1) continue;
      CellGrid::Doubts doubts;
      const int n = wide.neighbors(i, reach, false, near, doubts);
      const std::size_t before = to.size();
      for (int k = 0; k < n; k++)
        if (hydrogen_kind(system, near[k]) == 2) to.push_back(near[k]);
      std::sort(to.begin() + static_cast<std::ptrdiff_t>(before), to.end());
      rows.first[i + 1] = static_cast<int>(to.size() - before);
    }
  });
  for (int i = 0; i < nlocal; i++) rows.first[i + 1] += rows.first[i];
  if (rows.acceptors.capacity() < static_cast<std::size_t>(rows.first[nlocal]))
    rows.acceptors.reserve(rows.first[nlocal]);
  for (const std::vector<int> &mine : found)
    rows.acceptors.insert(rows.acceptors.end(), mine.begin(), mine.end());
}

/* ---------------------------------------------------------------------- */

void BondSearch::take_acceptors(const ReaxSystem &system, const NeighList *list, HydrogenRows &rows)
{
  const int nlocal = static_cast<int>(rows.first.size()) - 1;
  const double reach = system.tables->hbond_cut + SKIN;
  std::vector<std::pair<int, int>> found;    // hydrogen, acceptor
  const auto add = [&](int i, int j) {
    if (i < nlocal && hydrogen_kind(system, i) == 1 && hydrogen_kind(system, j) == 2)
      found.emplace_back(i, j);
  };
  for_listed_pairs(system, list, [&](int i, int j, double rsq) {
    if (!(rsq <= reach * reach)) return;
    add(i, j);
    add(j, i);
  });
  std::sort(found.begin(), found.end());
  for (const auto &[i, j] : found) {
    rows.first[i + 1]++;
    rows.acceptors.push_back(j);
  }
  for (int i = 0; i < nlocal; i++) rows.first[i + 1] += rows.first[i];
}

/* ---------------------------------------------------------------------- */

double BondSearch::nbytes() const
{
  std::size_t n = x.capacity() * sizeof(double) + places.capacity() * sizeof(Place);
  for (const std::vector<int> &mine : memory) n += mine.capacity() * sizeof(int);
  return static_cast<double>(n) + grid.nbytes();
}
