// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "atom_exchange.h"

#include "p2p/ghosts/clear_map.h"
#include "p2p/links/peer_links.h"
#include "p2p/shell/sub_boxes.h"

#include "atom.h"
#include "atom_vec.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "irregular.h"

#include <algorithm>
#include <utility>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

AtomExchange::AtomExchange(LAMMPS *lmp, const SubBoxes &boxes_in, PeerLinks &links_in,
                           PackingBuffer &buffer_in, std::function<Parts()> parts) :
    Pointers(lmp),
    boxes(boxes_in), links(links_in), buffer(buffer_in), parts_of_rank(std::move(parts))
{
}

/* ---------------------------------------------------------------------- */

void AtomExchange::begin()
{
  clear_map(atom, parts_of_rank());    // borders() will set it
  atom->nghost = 0;
  atom->avec->clear_bonus();
}

/* ---------------------------------------------------------------------- */

void AtomExchange::move(bool all_are_linked, int most)
{
  const bool none_is_far = std::exchange(all_are_near, false) || all_are_linked;
  find_destinations();
  const auto is_unlinked = [this]() {
    return migration.unlinked_destination(links.transport()) != AtomMigration::NO_RANK;
  };
  if (!none_is_far && any_rank_has(is_unlinked())) {
    move_irregularly();
    clear_map(atom, parts_of_rank());
    find_destinations();
  }
  check_links();

  AtomVec *const avec = atom->avec;
  atom->nlocal = migration.pack(
      comm->me, atom->nlocal, links.transport(),
      [&](int i, std::vector<double> &values) {
        double *const packed = buffer.room(most + PackingBuffer::EXTRA);
        values.insert(values.end(), packed, packed + avec->pack_exchange(i, packed));
      },
      [avec](int from, int to) { avec->copy(from, to, 1); });
  migration.swap(links.transport(),
                 [avec](double *values) { return avec->unpack_exchange(values); });
  if (atom->firstgroupname) atom->first_reorder();
}

/* ---------------------------------------------------------------------- */

void AtomExchange::find_destinations()
{
  const bool triclinic = domain->triclinic;
  const AtomMigration::Bounds mine = {triclinic ? domain->sublo_lamda : domain->sublo,
                                      triclinic ? domain->subhi_lamda : domain->subhi,
                                      domain->dimension};
  migration.find(
      comm->me, atom->nlocal, atom->x ? atom->x[0] : nullptr, mine,
      [this](const double *x) { return boxes.owner_of(x); }, parts_of_rank());
}

/* ---------------------------------------------------------------------- */

bool AtomExchange::any_rank_has(bool here)
{
  const int mine = here;
  int any;
  of_run.nreductions++;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, world);
  return any != 0;
}

/* ----------------------------------------------------------------------
   rare: an atom has moved beyond all ranks that this one has a link to.  All ranks
   hand over everything by irregular communication
------------------------------------------------------------------------- */

void AtomExchange::move_irregularly()
{
  of_run.nirregular++;
  std::vector<int> owners(migration.destinations());
  std::replace(owners.begin(), owners.end(), AtomMigration::NO_RANK, comm->me);    // lost later
  Irregular irregular(lmp);
  irregular.migrate_atoms(1, 1, owners.data());
}

/* ---------------------------------------------------------------------- */

void AtomExchange::check_links() const
{
  const int rank = migration.unlinked_destination(links.transport());
  if (rank != AtomMigration::NO_RANK)
    error->one(FLERR,
               "comm_style p2p/rdma: an atom of rank {} has moved to rank {}, which it has no link "
               "to, in spite of the neighbor check; use package threadpool check step",
               comm->me, rank);
}

/* ----------------------------------------------------------------------
   for comparisons with comm_style brick, where fixes draw random numbers in the
   order of atoms
------------------------------------------------------------------------- */

void AtomExchange::move_far_atoms()
{
  all_are_near = false;
  bool far = false;
  for (int i = 0; i < atom->nlocal && !far; i++) far = boxes.is_beyond_adjacent(atom->x[i]);
  if (!any_rank_has(far)) return;
  find_destinations();
  move_irregularly();
}
