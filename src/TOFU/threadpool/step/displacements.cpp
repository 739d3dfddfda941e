// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "displacements.h"

#include "kernels/motion/atom_travel.h"
#include "lammps/ghost_exchange.h"
#include "threadpool/pool/fix_on_pool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "neighbor.h"

#include <algorithm>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// an atom that has come this part of the way to the edge of what its rank has links to is not far:
// atoms and sub-boxes move otherwise, too, when lists are built

static constexpr double NEAR = 0.5;

static constexpr int SHRINK_WRAPPED = 2;    // Domain::nonperiodic

/* ---------------------------------------------------------------------- */

void Displacements::hold()
{
  corners_held = BoxCorners(domain);
  held = LastBuild::of(neighbor);
}

/* ---------------------------------------------------------------------- */

int Displacements::natoms() const
{
  return neighbor->includegroup ? atom->nfirst : atom->nlocal;
}

/* ---------------------------------------------------------------------- */

double Displacements::limit() const
{
  const double moved = box_moves(domain) ? BoxCorners(domain).moved_since(corners_held) : 0.0;
  return std::max(0.0, 0.5 * (neighbor->skin - moved));
}

/* ---------------------------------------------------------------------- */

double Displacements::limit_sq() const
{
  return box_moves(domain) ? limit() * limit() : 0.25 * neighbor->skin * neighbor->skin;
}

/* ---------------------------------------------------------------------- */

double Displacements::largest_sq(RankPool *threadpool) const
{
  const int nparts = parts_for_atoms(threadpool, natoms());
  std::vector<double> largest(nparts, 0.0);
  for_parts_of_atoms(threadpool, nparts, natoms(), [&](int part, int first, int last) {
    largest[part] = largest_square(neighbor->get_xhold()[first], atom->x[first], last - first);
  });
  return *std::max_element(largest.begin(), largest.end());
}

/* ----------------------------------------------------------------------
   distances count from the sub-boxes of atoms if exchange() came before the build
------------------------------------------------------------------------- */

bool Displacements::is_far(double largest) const
{
  if (others_have_built()) return true;
  const GhostExchange *const ghosts = GhostExchange::find(comm);
  if (!ghosts || neighbor->includegroup) return true;
  if (domain->nonperiodic == SHRINK_WRAPPED || (domain->box_change && domain->triclinic))
    return true;
  const double edges = domain->box_change ? BoxCorners(domain).moved_since(corners_held) : 0.0;
  return !(largest + 2.0 * edges <= NEAR * ghosts->reach_of_links());
}

/* ---------------------------------------------------------------------- */

bool LAMMPS_NS::may_build_lists(const Neighbor *neighbor, int ago)
{
  return !neighbor->build_once && ago >= neighbor->delay && ago % neighbor->every == 0;
}

/* ---------------------------------------------------------------------- */

bool LAMMPS_NS::in_first_step_allowed(const Neighbor *neighbor)
{
  return neighbor->ago == std::max(neighbor->every, neighbor->delay);
}
