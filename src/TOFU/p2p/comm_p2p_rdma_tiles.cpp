/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Tiled layouts, which balance rcb and fix balance rcb make: the sub-boxes of all ranks, and when
// links must be made anew.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma-impl.h"

#include "domain.h"
#include "error.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// ranks within so many cut-offs are linked, so that cuts and boxes that change a little need no new
// links

static constexpr double LINKED_CUTOFFS = 1.5;

// a rank keeps links that it needs no more until some rank has more than this

static constexpr int MOST_LINKS = 60;

// a sub-box that is narrower than this part of the box owns no atom

static constexpr double LEAST_WIDTH = 1e-10, ROUNDING = 1e-6;

static constexpr int TILES = -1;    // begin of a signature; that of a grid is a number of ranks

/* ----------------------------------------------------------------------
   learn the sub-boxes of all ranks if they are new.  The balance commands leave
   them as fractions, which are the same for all sizes of the box
------------------------------------------------------------------------- */

void CommP2PRDMA::learn_tiles()
{
  if (!rcbnew && impl->tiled.tiles) return;
  rcbnew = 0;
  std::vector<double> all(6 * static_cast<std::size_t>(nprocs));
  MPI_Allgather(&mysplit[0][0], 6, MPI_DOUBLE, all.data(), 6, MPI_DOUBLE, world);
  std::vector<TileBox> boxes(nprocs);
  for (int rank = 0; rank < nprocs; rank++)
    for (int dim = 0; dim < 3; dim++) {
      boxes[rank].lo[dim] = all[6 * static_cast<std::size_t>(rank) + 2 * dim];
      boxes[rank].hi[dim] = all[6 * static_cast<std::size_t>(rank) + 2 * dim + 1];
    }
  check_tiles(boxes);
  impl->tiled.tiles = std::make_unique<Tiles>(std::move(boxes));
  impl->tiled.nlayouts++;
}

/* ----------------------------------------------------------------------
   LAMMPS' bisection of a box without atoms cuts at numbers that it has never set
------------------------------------------------------------------------- */

void CommP2PRDMA::check_tiles(const std::vector<TileBox> &boxes) const
{
  bool have_width = true;
  double all = 0.0;
  for (const TileBox &box : boxes) {
    double part = 1.0;
    for (int dim = 0; dim < 3; dim++) {
      const double width = box.hi[dim] - box.lo[dim];
      have_width = have_width && width > LEAST_WIDTH;
      part *= width;
    }
    all += part;
  }
  if (have_width && std::fabs(all - 1.0) < ROUNDING) return;
  error->all(
      FLERR,
      "comm_style p2p_rdma: balance rcb has made sub-boxes that {}, as it does where there are "
      "no atoms yet: use it after atoms have been created",
      have_width ? fmt::format("are {} times the box together", all) : "have no width");
}

/* ---------------------------------------------------------------------- */

const Tiles *CommP2PRDMA::tiles()
{
  if (!is_tiled()) return nullptr;
  learn_tiles();
  return impl->tiled.tiles.get();
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::coord2proc_setup()
{
  triclinic = domain->triclinic;    // Irregular may call this before init()
  if (is_tiled()) set_geometry();
}

/* ---------------------------------------------------------------------- */

int CommP2PRDMA::coord2proc(double *x, int &igx, int &igy, int &igz)
{
  return is_tiled() ? impl->tiled.geometry.nearest(x) : CommBrick::coord2proc(x, igx, igy, igz);
}

/* ----------------------------------------------------------------------
   Returns: what the neighbors of a rank depend on; the same on all ranks
------------------------------------------------------------------------- */

std::vector<double> CommP2PRDMA::basis_of_tiled_plan() const
{
  const HaloGeometry &geometry = impl->geometry;
  std::vector<double> basis = {static_cast<double>(impl->tiled.nlayouts)};
  for (const auto &numbers : {geometry.boxlo, geometry.boxhi, geometry.cutghost})
    basis.insert(basis.end(), numbers.begin(), numbers.end());
  basis.insert(basis.end(), geometry.periodicity.begin(), geometry.periodicity.end());
  basis.push_back(impl->partners.of ? 1 + impl->partners.reach : 0);
  basis.insert(basis.end(), impl->partners.signature.begin(), impl->partners.signature.end());
  return basis;
}

/* ----------------------------------------------------------------------
   Returns: whether this is another setup() in a run where nothing has changed.
     Fix balance has LAMMPS call it whenever atoms change owner
------------------------------------------------------------------------- */

bool CommP2PRDMA::has_tiled_plan() const
{
  return is_tiled() && impl->transport && !impl->check_capacity &&
      impl->linked == impl->tiled.signature && impl->tiled.planned == basis_of_tiled_plan();
}

/* ----------------------------------------------------------------------
   ranks ask each other whether any of them lacks a link only where neighbors may
   have changed, since one rank cannot know the neighbors of all
------------------------------------------------------------------------- */

void CommP2PRDMA::find_links_of_tiles()
{
  Impl::TiledLayout &tiled = impl->tiled;
  HaloPlan &plan = impl->plan;
  std::vector<double> planned = basis_of_tiled_plan();
  const bool of_tiles = impl->transport && impl->linked == tiled.signature;
  if (!of_tiles || planned != tiled.planned) {
    const std::vector<int> &peers = impl->peers;
    const std::map<int, int> links = wanted_links();
    std::vector<int> wanted;
    for (const auto &link : links) wanted.push_back(link.first);
    int lacks = !of_tiles ||
        !std::includes(peers.begin(), peers.end(), wanted.begin(), wanted.end());
    int any;
    MPI_Allreduce(&lacks, &any, 1, MPI_INT, MPI_MAX, world);
    if (any) choose_peers_of_tiles(wanted, of_tiles ? peers : std::vector<int>());
    tiled.planned = std::move(planned);
  }
  plan.signature = tiled.signature;
  plan.complete = tiled.complete;
}

/* ----------------------------------------------------------------------
   cuts come back to where they were, in particular where two dimensions of a part
   are nearly as long, so that ranks keep the links they had as long as no rank
   has too many

   Args:
     wanted   ranks that this one has to be linked to, ascending
     before   ranks that this one was linked to, ascending; empty on all ranks if links were not
              for tiles
------------------------------------------------------------------------- */

void CommP2PRDMA::choose_peers_of_tiles(const std::vector<int> &wanted,
                                        const std::vector<int> &before)
{
  Impl::TiledLayout &tiled = impl->tiled;
  const std::vector<int> around = tiled_neighbors(tiled.geometry, me, LINKED_CUTOFFS);
  std::vector<int> near, all;
  std::set_union(around.begin(), around.end(), wanted.begin(), wanted.end(),
                 std::back_inserter(near));
  std::set_union(near.begin(), near.end(), before.begin(), before.end(), std::back_inserter(all));
  const int nlinks = static_cast<int>(all.size());
  const int mine[2] = {-nlinks, nlinks};
  int least_and_most[2];
  MPI_Allreduce(mine, least_and_most, 2, MPI_INT, MPI_MAX, world);

  tiled.complete = -least_and_most[0] == nprocs - 1;
  impl->peers = tiled.complete || least_and_most[1] <= MOST_LINKS ? all : near;
  impl->hops.clear();
  const std::vector<int> &next = impl->plan.neighbors;
  for (const int peer : impl->peers)
    impl->hops.push_back(std::binary_search(next.begin(), next.end(), peer) ? 1 : 2);
  tiled.signature = {TILES, ++tiled.nlinked};
}
