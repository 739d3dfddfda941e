// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "contacts_on_pool.h"

#include "atom.h"
#include "fix_neigh_history.h"
#include "force.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"

#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

struct ContactsOnPool::Part {
  // pairs whose history lies in one piece

  struct Piece {
    std::size_t first;    // of i and j
    ContactPairs pairs;
  };

  OwnAtoms own;
  std::vector<Piece> pieces;
  std::vector<int> i, j;    // each piece with its padding
  double virial[6];
  std::vector<ContactReaction> others;    // to be added by other parts to their atoms
};

/* ---------------------------------------------------------------------- */

ContactsOnPool::ContactsOnPool(LAMMPS *lmp) : Pointers(lmp), on_pool(lmp) {}

/* ---------------------------------------------------------------------- */

ContactsOnPool::~ContactsOnPool() = default;

/* ---------------------------------------------------------------------- */

void ContactsOnPool::init(Pair *pair)
{
  on_pool.keep_request(pair);
  list_of_parts = nullptr;
}

/* ---------------------------------------------------------------------- */

std::string ContactsOnPool::left_to_lammps(const Fix *fix_rigid) const
{
  if (fix_rigid) return "rigid bodies";
  return atom->molecular == Atom::ATOMIC ? "" : "atoms with bonds";
}

/* ---------------------------------------------------------------------- */

bool ContactsOnPool::is_setup() const
{
  return update->setupflag != 0;
}

/* ---------------------------------------------------------------------- */

void ContactsOnPool::compute(NeighList *list_in, FixNeighHistory *history_in, int nhistory_in,
                             int freeze_bit, double *virial, const Kernel &kernel)
{
  list = list_in;
  history = history_in;
  nhistory = nhistory_in;
  freeze_group_bit = freeze_bit;
  if (atom->nlocal == 0) return;
  if (parts_are_old()) make_parts();
  compute_contacts(kernel, virial != nullptr);
  if (parts.size() > 1) add_reactions();
  if (!virial) return;
  for (const auto &part : parts)
    for (int i = 0; i < 6; i++) virial[i] += part->virial[i];
}

/* ---------------------------------------------------------------------- */

bool ContactsOnPool::parts_are_old() const
{
  return list_of_parts != list || made_at.is_outdated(neighbor);
}

/* ---------------------------------------------------------------------- */

void ContactsOnPool::make_parts()
{
  deal_rows();
  share_atoms();
  const int nparts = on_pool.nparts(), nrows = list->inum;
  on_pool.for_parts([&](int p) {
    share_pairs(*parts[p], shares.begin(p, nparts, nrows), shares.begin(p + 1, nparts, nrows));
  });
  list_of_parts = list;
  made_at = LastBuild::of(neighbor);
}

/* ----------------------------------------------------------------------
   by pairs and by those that are in contact as far as the history knows; counted,
   so that shares are the same every time
------------------------------------------------------------------------- */

void ContactsOnPool::deal_rows()
{
  const int nparts = on_pool.nparts(), nrows = list->inum, ngrains = (nrows + GRAIN - 1) / GRAIN;
  shares.forget();
  if (nparts == 1) return;
  std::vector<int> work(ngrains, 0);
  on_pool.for_parts([&](int p) {
    for (int grain = begin_of_share(p, nparts, ngrains);
         grain < begin_of_share(p + 1, nparts, ngrains); grain++)
      for (int row = grain * GRAIN; row < std::min((grain + 1) * GRAIN, nrows); row++)
        work[grain] += work_of(row);
  });
  shares.deal(work, nparts);
}

int ContactsOnPool::work_of(int row) const
{
  constexpr int CONTACT = 8;    // time of a contact, in times of a distance
  const int i = list->ilist[row], n = list->numneigh[i];
  const int *const touch = history ? history->firstflag[i] : nullptr;
  return n + (touch ? CONTACT * static_cast<int>(std::count(touch, touch + n, 1)) : 0);
}

/* ----------------------------------------------------------------------
   owned atoms go with the rows, which are in ascending order; ghosts are
   assigned to parts if they get forces at all
------------------------------------------------------------------------- */

void ContactsOnPool::share_atoms()
{
  const int nparts = on_pool.nparts(), nlocal = atom->nlocal,
            nghost = force->newton_pair ? atom->nghost : 0;
  while (static_cast<int>(parts.size()) < nparts) parts.push_back(std::make_unique<Part>());
  parts.resize(nparts);
  for (int part = 0; part < nparts; part++) {
    const int row = shares.begin(part, nparts, list->inum);
    OwnAtoms &own = parts[part]->own;
    own.first = part == 0 ? 0 : row < list->inum ? list->ilist[row] : nlocal;
    own.first_ghost = nlocal + begin_of_share(part, nparts, nghost, GRAIN);
    own.last_ghost = nlocal + begin_of_share(part + 1, nparts, nghost, GRAIN);
    own.last = nlocal;
    if (part > 0) parts[part - 1]->own.last = own.first;
  }
}

/* ----------------------------------------------------------------------
   FixNeighHistory keeps the history of rows in pages, one row after the other.
   Without a history all rows are one piece
------------------------------------------------------------------------- */

void ContactsOnPool::share_pairs(Part &part, int first, int last) const
{
  part.pieces.clear();
  part.i.clear();
  part.j.clear();
  const auto pad = [&]() {
    part.i.insert(part.i.end(), ROW_PADDING, 0);
    part.j.insert(part.j.end(), ROW_PADDING, 0);
  };
  for (int row = first; row < last; row++) {
    const int i = list->ilist[row], n = list->numneigh[i];
    int *const touch = history ? history->firstflag[i] : nullptr;
    double *const values = history ? history->firstvalue[i] : nullptr;
    const ContactPairs *before = part.pieces.empty() ? nullptr : &part.pieces.back().pairs;
    const bool goes_on = before &&
        (!history ||
         (touch == before->touch + before->n &&
          values == before->history + static_cast<std::size_t>(nhistory) * before->n));
    if (!goes_on) {
      if (before) pad();
      part.pieces.push_back({part.i.size(), {0, nullptr, nullptr, touch, values, nhistory}});
    }
    part.pieces.back().pairs.n += n;
    part.i.insert(part.i.end(), n, i);
    for (int k = 0; k < n; k++) part.j.push_back(list->firstneigh[i][k] & NEIGHMASK);
  }
  pad();
  for (Part::Piece &piece : part.pieces) {
    piece.pairs.i = part.i.data() + piece.first;
    piece.pairs.j = part.j.data() + piece.first;
  }
}

/* ---------------------------------------------------------------------- */

void ContactsOnPool::compute_contacts(const Kernel &kernel, bool virial)
{
  const Spheres spheres{atom->x[0],  atom->v[0], atom->omega[0],  atom->radius,
                        atom->rmass, atom->mask, freeze_group_bit};

  on_pool.for_parts([&](int p) {
    Part &part = *parts[p];
    part.others.clear();
    std::fill_n(part.virial, 6, 0.0);
    const ContactForces forces{atom->f[0], atom->torque[0],         heat_flow(),
                               part.own,   force->newton_pair != 0, &part.others};
    for (const Part::Piece &piece : part.pieces)
      kernel(spheres, piece.pairs, forces, virial ? part.virial : nullptr);
  });
}

/* ---------------------------------------------------------------------- */

double *ContactsOnPool::heat_flow() const
{
  return conducts ? atom->heatflow : nullptr;
}

/* ----------------------------------------------------------------------
   in the order of parts, so that results do not depend on timing
------------------------------------------------------------------------- */

void ContactsOnPool::add_reactions()
{
  double **f = atom->f, **torque = atom->torque, *const heat = heat_flow();
  on_pool.for_parts([&](int p) {
    const OwnAtoms own = parts[p]->own;
    for (const auto &from : parts)
      for (const ContactReaction &reaction : from->others) {
        const int j = reaction.j;
        if (!own.has(j)) continue;
        for (int dim = 0; dim < 3; dim++) {
          f[j][dim] -= reaction.force[dim];
          torque[j][dim] -= reaction.torque[dim];
        }
        if (heat) heat[j] -= reaction.heat;
      }
  });
}

/* ---------------------------------------------------------------------- */

double ContactsOnPool::memory_usage() const
{
  return on_pool.memory_usage();
}
