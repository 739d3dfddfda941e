// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "wannier_pairs.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "neighbor.h"

#include "threadpool/pair/forces_of_charges.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

WannierPairs::WannierPairs(LAMMPS *lmp, std::vector<std::pair<int, int>> associated,
                           std::vector<int> bond_types) :
    Pointers(lmp),
    associated(std::move(associated)), is_bond(atom->nbondtypes + 1, 0)
{
  for (int type : bond_types) is_bond[type] = 1;
}

/* ---------------------------------------------------------------------- */

void WannierPairs::set_types(const std::vector<int> &numbers)
{
  const int ntypes = atom->ntypes;
  centers_of.assign(ntypes + 1, {});
  is_center_type.assign(ntypes + 1, 0);
  for (const auto &[host, center] : associated) {
    is_center_type[center] = 1;
    for (int type = 1; type <= ntypes; type++) {
      if (type != host && (numbers[host] < 0 || numbers[type] != numbers[host])) continue;
      centers_of[type].resize(ntypes + 1, 0);
      centers_of[type][center] = 1;
    }
  }
}

/* ---------------------------------------------------------------------- */

std::pair<int, int> WannierPairs::host_and_center(int i, int j) const
{
  const int *const type = atom->type;
  const auto fits = [&](int host, int center) {
    const std::vector<char> &centers = centers_of[type[host]];
    return !centers.empty() && centers[type[center]];
  };
  if (fits(i, j)) return {i, j};
  if (!fits(j, i))
    error->one(FLERR,
               "Fix dplr: atoms {} and {} have a bond of its bond_type, but their types {} and {} "
               "are not those of an atom and its Wannier center in its type_associate",
               atom->tag[i], atom->tag[j], type[i], type[j]);
  return {j, i};
}

/* ----------------------------------------------------------------------
   an atom that this rank has may be in the list of bonds as one of its images
------------------------------------------------------------------------- */

int WannierPairs::find()
{
  const int nlocal = atom->nlocal;
  const tagint *const tag = atom->tag;
  int nseparate = 0;
  nlocal_found = nlocal;
  found.clear();
  bonds.clear();
  for (int n = 0; n < neighbor->nbondlist; n++) {
    const int *const bond = neighbor->bondlist[n];
    if (!is_bond[bond[2]]) continue;
    const auto [host, center] = host_and_center(bond[0], bond[1]);
    bonds.emplace_back(host, center);
    const int own_host = atom->map(tag[host]), own_center = atom->map(tag[center]);
    if (own_host < nlocal && own_center < nlocal)
      found.push_back({own_host, own_center, tag[host], tag[center]});
    else
      nseparate++;
  }
  all_hosts.clear();
  for (const Pair &pair : found) all_hosts.push_back(pair.host);
  std::sort(all_hosts.begin(), all_hosts.end());
  all_hosts.erase(std::unique(all_hosts.begin(), all_hosts.end()), all_hosts.end());
  return nseparate;
}

/* ---------------------------------------------------------------------- */

void WannierPairs::check() const
{
  std::vector<int> counts(atom->nlocal, 0);
  for (const Pair &pair : found) {
    counts[pair.host]++;
    counts[pair.center]++;
  }
  for (int i = 0; i < atom->nlocal; i++) {
    const int type = atom->type[i];
    if (is_center_type[type] && counts[i] != 1)
      error->one(FLERR,
                 "Fix dplr: Wannier center {} (type {}) has {} bonds to an atom, it must have one",
                 atom->tag[i], type, counts[i]);
    if (has_centers(type) && counts[i] == 0)
      error->one(FLERR, "Fix dplr: atom {} (type {}) has no bond to a Wannier center", atom->tag[i],
                 type);
  }
}

/* ----------------------------------------------------------------------
   places are those that owners have, not those of images, so that both atoms are
   in the same sub-box to the last bit.  The rank with the bond may have neither
   the host nor the center
------------------------------------------------------------------------- */

void WannierPairs::put_on_hosts(Fix *fix)
{
  const int nlocal = atom->nlocal;
  const std::size_t nall = nlocal + atom->nghost;
  places.assign(FORWARD * nall, 0.0);
  targets.assign(REVERSE * nall, 0.0);
  for (int i = 0; i < nlocal; i++) std::copy_n(atom->x[i], 3, &places[FORWARD * i]);
  comm->forward_comm(fix, FORWARD);
  for (const auto &[host, center] : bonds) {
    double *const target = &targets[REVERSE * atom->map(atom->tag[center])];
    target[0] += 1.0;
    for (int dim = 0; dim < 3; dim++) target[1 + dim] += places[FORWARD * host + dim];
  }
  comm->reverse_comm(fix, REVERSE);
  for (int i = 0; i < nlocal; i++) {
    const double *const target = &targets[REVERSE * i];
    if (target[0] == 0.0) continue;
    for (int dim = 0; dim < 3; dim++) atom->x[i][dim] = target[1 + dim] / target[0];
  }
}

/* ---------------------------------------------------------------------- */

int WannierPairs::pack_forward_comm(int n, const int *list, double *buf) const
{
  for (int k = 0; k < n; k++) buf = std::copy_n(&places[FORWARD * list[k]], FORWARD, buf);
  return FORWARD * n;
}

void WannierPairs::unpack_forward_comm(int n, int first, const double *buf)
{
  std::copy_n(buf, FORWARD * n, places.begin() + FORWARD * first);
}

int WannierPairs::pack_reverse_comm(int n, int first, double *buf) const
{
  std::copy_n(targets.begin() + REVERSE * first, REVERSE * n, buf);
  return REVERSE * n;
}

void WannierPairs::unpack_reverse_comm(int n, const int *list, const double *buf)
{
  for (int k = 0; k < n; k++)
    for (int c = 0; c < REVERSE; c++) targets[REVERSE * list[k] + c] += *buf++;
}

/* ---------------------------------------------------------------------- */

bool WannierPairs::are_where_found() const
{
  return std::all_of(found.begin(), found.end(), [&](const Pair &pair) {
    return std::max(pair.host, pair.center) < atom->nlocal &&
        atom->tag[pair.host] == pair.host_tag && atom->tag[pair.center] == pair.center_tag;
  });
}

/* ----------------------------------------------------------------------
   fix gcmc and similar fixes exchange atoms, build lists and compute energies by
   themselves
------------------------------------------------------------------------- */

void WannierPairs::require_same_atoms() const
{
  if (atom->nlocal != nlocal_found || !are_where_found())
    error->one(FLERR,
               "Fix dplr: atoms of rank {} were exchanged without a word to this fix, so that it "
               "does not know where its Wannier centers are; leave out fixes that compute energies "
               "on their own, such as gcmc, widom, atom/swap and mol/swap",
               comm->me);
}

/* ---------------------------------------------------------------------- */

void WannierPairs::follow_hosts() const
{
  if (!are_where_found())
    error->one(FLERR,
               "Fix dplr: atoms of rank {} were exchanged before their Wannier centers could "
               "follow; put fix dplr before fixes that exchange atoms, such as fix balance",
               comm->me);
  for (const Pair &pair : found) {
    std::copy_n(atom->x[pair.host], 3, atom->x[pair.center]);
    std::copy_n(atom->v[pair.host], 3, atom->v[pair.center]);
    atom->image[pair.center] = atom->image[pair.host];
  }
}

/* ---------------------------------------------------------------------- */

void WannierPairs::place(const double (*dipoles)[3]) const
{
  const double longest = ForcesOfCharges::LONGEST_DIPOLE * force->angstrom;
  for (const Pair &pair : found) {
    const double *const d = dipoles[pair.host];
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (!(square <= longest * longest)) refuse_distance(pair, std::sqrt(square));    // also NaN
    atom->image[pair.center] = atom->image[pair.host];
    for (int dim = 0; dim < 3; dim++) atom->x[pair.center][dim] = atom->x[pair.host][dim] + d[dim];
  }
}

/* ---------------------------------------------------------------------- */

void WannierPairs::refuse_distance(const Pair &pair, double distance) const
{
  error->one(FLERR,
             "Fix dplr: the model puts Wannier center {} of rank {} at a distance of {:.4g} from "
             "atom {}, the limit is {:.4g} (1 Angstrom); atoms may be at places that the model was "
             "not trained for: minimize first, use a smaller time step, or another model",
             pair.center_tag, comm->me, distance, pair.host_tag,
             ForcesOfCharges::LONGEST_DIPOLE * force->angstrom);
}

/* ---------------------------------------------------------------------- */

double WannierPairs::memory_usage() const
{
  return static_cast<double>(found.capacity() * sizeof(Pair) + all_hosts.capacity() * sizeof(int) +
                             bonds.capacity() * sizeof(bonds[0]) +
                             (places.capacity() + targets.capacity()) * sizeof(double));
}
