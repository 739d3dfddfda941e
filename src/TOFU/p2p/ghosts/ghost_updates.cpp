// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "ghost_updates.h"

#include "lammps/ghost_velocities.h"
#include "lammps/styles/known_styles.h"
#include "p2p/links/peer_links.h"

#include "atom.h"
#include "atom_vec.h"
#include "comm.h"
#include "domain.h"
#include "update.h"

#include <algorithm>
#include <cstddef>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// first element of a LAMMPS 2d array, which is contiguous; nullptr if there is none

static double *contiguous(double **array)
{
  return array ? array[0] : nullptr;
}

/* ---------------------------------------------------------------------- */

GhostUpdates::GhostUpdates(LAMMPS *lmp, PeerLinks &links_in, const CommSizes &sizes_in,
                           PackedExchange &packed_in, HaloExchange &halo,
                           PositionExchange::PartsOfRank parts, bool landing) :
    Pointers(lmp),
    links(links_in), sizes(sizes_in), packed(packed_in), positions(halo, std::move(parts), landing),
    landing_wanted(landing)
{
}

/* ---------------------------------------------------------------------- */

void GhostUpdates::begin_run()
{
  ghosts_are_unread = reader_of_ghosts_after_forces(lmp).empty();
}

/* ---------------------------------------------------------------------- */

double *GhostUpdates::atom_forces() const
{
  return contiguous(atom->f);
}

/* ---------------------------------------------------------------------- */

void GhostUpdates::forward()
{
  vectors.clear();
  if (!sizes.x_only && !(comm->ghost_velocity && velocities_of_ghosts(lmp, vectors)))
    return forward_all_values();
  positions.forward(contiguous(atom->x), vectors, atom->nlocal, box(),
                    vectors.empty() ? landing() : GhostLanding());
}

/* ----------------------------------------------------------------------
   positions and all other values that the atom style sends with them
------------------------------------------------------------------------- */

void GhostUpdates::forward_all_values()
{
  AtomVec *const avec = atom->avec;
  const bool velocities = comm->ghost_velocity;
  packed.forward(
      std::max(sizes.forward, sizes.most_forward),
      [&](int n, int *list, double *values, int pbc_flag, int *pbc) {
        return velocities ? avec->pack_comm_vel(n, list, values, pbc_flag, pbc)
                          : avec->pack_comm(n, list, values, pbc_flag, pbc);
      },
      [&](int n, int first, double *values) {
        if (velocities)
          avec->unpack_comm_vel(n, first, values);
        else
          avec->unpack_comm(n, first, values);
      });
}

/* ---------------------------------------------------------------------- */

void GhostUpdates::reverse()
{
  if (sizes.f_only) return positions.reverse(atom_forces(), atom->nlocal, landing());
  AtomVec *const avec = atom->avec;
  packed.reverse(
      std::max(sizes.reverse, sizes.most_reverse),
      [&](int n, int first, double *values) { return avec->pack_reverse(n, first, values); },
      [&](int n, int *list, double *values) { avec->unpack_reverse(n, list, values); });
}

/* ---------------------------------------------------------------------- */

bool GhostUpdates::use_arrays() const
{
  return landing_wanted && links.exist() && links.transport().takes_arrays();
}

/* ----------------------------------------------------------------------
   AtomVec::grow() may have moved x and f since the last time
------------------------------------------------------------------------- */

void GhostUpdates::register_arrays()
{
  if (!use_arrays()) return;
  const std::size_t nbytes = atom->nmax * 3 * sizeof(double);
  registered_x = contiguous(atom->x);
  nregistrations += links.transport().set_arrays({registered_x, nbytes}, {atom_forces(), nbytes});
}

/* ----------------------------------------------------------------------
   offers only where ghosts are not needed until they are moved: not on the last
   step, since any command may read them after a run
------------------------------------------------------------------------- */

GhostLanding GhostUpdates::landing() const
{
  const double *const x = contiguous(atom->x);
  const bool offers =
      ghosts_are_unread && x == registered_x && update->ntimestep < update->laststep;
  return {landing_wanted && sizes.x_only && sizes.f_only, offers ? x : nullptr};
}

/* ---------------------------------------------------------------------- */

SelfImages::Box GhostUpdates::box() const
{
  const bool triclinic = domain->triclinic;
  return {{{domain->xprd, 0.0, 0.0},
           {triclinic ? domain->xy : 0.0, domain->yprd, 0.0},
           {triclinic ? domain->xz : 0.0, triclinic ? domain->yz : 0.0, domain->zprd}}};
}
