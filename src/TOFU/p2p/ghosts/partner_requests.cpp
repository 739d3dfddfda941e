// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "partner_requests.h"

#include "clear_map.h"
#include "halo/halo_exchange.h"
#include "lammps/styles/style_table.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "fix.h"
#include "modify.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int FEW_ATOMS = 500;    // of a part that are not worth a fork

/* ----------------------------------------------------------------------
   distances of less than half the shortest way from an atom to an image of itself,
   which is no shorter than the distance of two opposite faces

   Returns: square of that distance, infinite without periodic boundaries
------------------------------------------------------------------------- */

static double certainly_nearest_distsq(const Domain *domain)
{
  constexpr double LESS_THAN_HALF = 0.499;
  const double *const h = domain->h_inv;
  const double heights[3] = {1.0 / std::hypot(h[0], h[5], h[4]), 1.0 / std::hypot(h[1], h[3]),
                             1.0 / h[2]};
  double shortest = INFINITY;
  for (int dim = 0; dim < domain->dimension; dim++)
    if (domain->periodicity[dim])
      shortest = std::min(shortest, domain->triclinic ? heights[dim] : domain->prd[dim]);
  return LESS_THAN_HALF * shortest * LESS_THAN_HALF * shortest;
}

/* ----------------------------------------------------------------------
   the map has no atoms now: Comm::exchange() has cleared it
------------------------------------------------------------------------- */

void PartnerRequests::begin(const Parts &all_parts)
{
  atom->map_set();
  near_distsq = certainly_nearest_distsq(domain);
  find_constraints();
  const Parts parts = all_parts.for_work(atom->nlocal, FEW_ATOMS);
  std::vector<Found> found(parts.n());
  parts.share(atom->nlocal,
              [&](int part, int first, int last) { found[part] = find(first, last); });
  borders.clear();
  wanted.clear();
  std::vector<int> imaged;
  for (const Found &of_part : found) {
    wanted.insert(wanted.end(), of_part.wanted.begin(), of_part.wanted.end());
    imaged.insert(imaged.end(), of_part.imaged.begin(), of_part.imaged.end());
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  borders.add(comm->me, std::move(imaged));
}

/* ----------------------------------------------------------------------
   Modify makes its list of fixes anew in each call, which parts must not do at once
------------------------------------------------------------------------- */

void PartnerRequests::find_constraints()
{
  constraints.clear();
  for (Fix *const fix : modify->get_fix_list()) {
    const std::string style = without_suffix(fix->style);
    if (style == "shake" || style == "rattle") constraints.push_back(fix);
  }
}

/* ----------------------------------------------------------------------
   Args:
     first,last   owned atoms [first, last)
------------------------------------------------------------------------- */

PartnerRequests::Found PartnerRequests::find(int first, int last) const
{
  Found found;
  const auto want_all = [&](const int *counts, std::initializer_list<tagint *const *> lists) {
    for (tagint *const *const ids : lists)
      for (int i = counts && ids ? first : last; i < last; i++)
        for (int m = 0; m < counts[i]; m++) want(i, ids[i][m], found);
  };
  want_all(atom->num_bond, {atom->bond_atom});
  want_all(atom->num_angle, {atom->angle_atom1, atom->angle_atom2, atom->angle_atom3});
  want_all(
      atom->num_dihedral,
      {atom->dihedral_atom1, atom->dihedral_atom2, atom->dihedral_atom3, atom->dihedral_atom4});
  want_all(
      atom->num_improper,
      {atom->improper_atom1, atom->improper_atom2, atom->improper_atom3, atom->improper_atom4});
  want_clusters(first, last, found);
  return found;
}

/* ----------------------------------------------------------------------
   each rank that owns an atom of a cluster constrains it.  What fix shake packs for an
   atom that changes its owner begins with the kind of the cluster, 0: none, 1: an angle of
   three atoms, else the number of atoms, and the IDs of these
------------------------------------------------------------------------- */

void PartnerRequests::want_clusters(int first, int last, Found &found) const
{
  constexpr int MOST_VALUES = 64;    // of an atom; there are 8
  double values[MOST_VALUES];
  for (Fix *const fix : constraints)
    for (int i = first; i < last; i++) {
      fix->pack_exchange(i, values);
      const int kind = static_cast<int>(values[0]), natoms = kind == 1 ? 3 : kind;
      for (int k = 0; k < natoms; k++) want(i, static_cast<tagint>(values[1 + k]), found);
    }
}

/* ----------------------------------------------------------------------
   an interaction that was turned off counts as well; atoms that it names may have
   been deleted
------------------------------------------------------------------------- */

void PartnerRequests::want(int i, tagint id, Found &found) const
{
  if (id == atom->tag[i] || !has_place_in_map(id)) return;
  const int j = atom->map(id);
  if (j < 0)
    found.wanted.push_back(id);
  else if (!(distance_sq(i, j) < near_distsq))
    found.imaged.push_back(j);
}

/* ---------------------------------------------------------------------- */

bool PartnerRequests::has_place_in_map(tagint id) const
{
  return id > 0 && (atom->map_style != Atom::MAP_ARRAY || id <= atom->map_tag_max);
}

/* ---------------------------------------------------------------------- */

double PartnerRequests::distance_sq(int i, int j) const
{
  const double *const xi = atom->x[i], *const xj = atom->x[j];
  double d[3] = {xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]};
  if (domain->triclinic) {
    const double *const h = domain->h;
    d[0] = h[0] * d[0] + h[5] * d[1] + h[4] * d[2];
    d[1] = h[1] * d[1] + h[3] * d[2];
    d[2] = h[2] * d[2];
  }
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* ---------------------------------------------------------------------- */

void PartnerRequests::put(Link &link) const
{
  const auto n = static_cast<std::int64_t>(wanted.size());
  link.append(&n, sizeof(n));
  link.append(wanted.data(), wanted.size() * sizeof(std::int64_t));
}

/* ---------------------------------------------------------------------- */

void PartnerRequests::get(int rank, const std::byte *&cursor)
{
  std::int64_t n;
  std::memcpy(&n, cursor, sizeof(n));
  cursor += sizeof(n);
  std::vector<int> atoms;
  for (std::int64_t k = 0; k < n; k++, cursor += sizeof(std::int64_t)) {
    std::int64_t id;
    std::memcpy(&id, cursor, sizeof(id));
    const int i = has_place_in_map(static_cast<tagint>(id)) ? atom->map(static_cast<tagint>(id))
                                                            : -1;
    if (i >= 0) atoms.push_back(i);
  }
  borders.add(rank, std::move(atoms));
}

/* ---------------------------------------------------------------------- */

void PartnerRequests::end(const Parts &parts)
{
  clear_map(atom, parts);
}

/* ---------------------------------------------------------------------- */

void PartnerRequests::build(const HaloPlan &plan, const double *cut, SendLists &lists) const
{
  borders.build(plan, atom->x ? atom->x[0] : nullptr, cut, lists);
}
