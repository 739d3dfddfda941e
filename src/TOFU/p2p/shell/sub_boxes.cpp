// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "sub_boxes.h"

#include "half_shell.h"
#include "p2p/links/p2p_settings.h"

#include "comm.h"
#include "domain.h"
#include "error.h"
#include "neighbor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// a sub-box that is narrower than this part of the box owns no atom

static constexpr double LEAST_WIDTH = 1e-10, ROUNDING = 1e-6;

static constexpr int NO_RANK = -1;

/* ---------------------------------------------------------------------- */

bool SubBoxes::tiled() const
{
  return comm->layout == Comm::LAYOUT_TILED;
}

/* ---------------------------------------------------------------------- */

void SubBoxes::update()
{
  const bool triclinic = domain->triclinic;
  const double *splits[3] = {comm->xsplit, comm->ysplit, comm->zsplit};
  box_geometry.dimension = domain->dimension;
  box_geometry.uniform = comm->layout == Comm::LAYOUT_UNIFORM;
  for (int dim = 0; dim < 3; dim++) {
    box_geometry.periodicity[dim] = domain->periodicity[dim];
    box_geometry.procgrid[dim] = comm->procgrid[dim];
    box_geometry.myloc[dim] = comm->myloc[dim];
    box_geometry.split[dim] = splits[dim];
    box_geometry.boxlo[dim] = triclinic ? domain->boxlo_lamda[dim] : domain->boxlo[dim];
    box_geometry.boxhi[dim] = triclinic ? domain->boxhi_lamda[dim] : domain->boxhi[dim];
    box_geometry.prd[dim] = triclinic ? domain->prd_lamda[dim] : domain->prd[dim];
    box_geometry.cutghost[dim] = comm->cutghost[dim];
  }
  if (!tiled()) return;
  gather_tiles();
  tiled_geometry = {box_geometry, all_tiles.get()};
}

/* ---------------------------------------------------------------------- */

void SubBoxes::expect_cutghost()
{
  const double cut = std::max(comm->cutghostuser, neighbor->cutneighmax);
  const double *const h = domain->h_inv;
  const double lengths[3] = {std::sqrt(h[0] * h[0] + h[5] * h[5] + h[4] * h[4]),
                             std::sqrt(h[1] * h[1] + h[3] * h[3]), h[2]};
  for (int dim = 0; dim < 3; dim++)
    box_geometry.cutghost[dim] = domain->triclinic ? cut * lengths[dim] : cut;
}

/* ----------------------------------------------------------------------
   the balance commands leave the sub-boxes as fractions, which are the same for
   all sizes of the box
------------------------------------------------------------------------- */

void SubBoxes::gather_tiles()
{
  if (!comm->rcbnew && all_tiles) return;
  comm->rcbnew = 0;
  const int nprocs = comm->nprocs;
  std::vector<double> all(6 * static_cast<std::size_t>(nprocs));
  MPI_Allgather(&comm->mysplit[0][0], 6, MPI_DOUBLE, all.data(), 6, MPI_DOUBLE, world);
  std::vector<TileBox> boxes(nprocs);
  for (int rank = 0; rank < nprocs; rank++)
    for (int dim = 0; dim < 3; dim++) {
      boxes[rank].lo[dim] = all[6 * static_cast<std::size_t>(rank) + 2 * dim];
      boxes[rank].hi[dim] = all[6 * static_cast<std::size_t>(rank) + 2 * dim + 1];
    }
  check_tiles(boxes);
  all_tiles = std::make_unique<Tiles>(std::move(boxes));
  nlayouts++;
}

/* ----------------------------------------------------------------------
   LAMMPS' bisection of a box without atoms cuts at numbers that it has never set
------------------------------------------------------------------------- */

void SubBoxes::check_tiles(const std::vector<TileBox> &boxes) const
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
      "comm_style p2p/rdma: balance rcb has made sub-boxes that {}, as it does where there are "
      "no atoms yet: use it after atoms have been created",
      have_width ? fmt::format("are {} times the box together", all) : "have no width");
}

/* ---------------------------------------------------------------------- */

const Tiles *SubBoxes::tiles()
{
  if (!tiled()) return nullptr;
  gather_tiles();
  return all_tiles.get();
}

/* ---------------------------------------------------------------------- */

HaloPlan SubBoxes::make_plan(Pattern pattern, bool half)
{
  HaloPlan plan;
  if (tiled()) {
    plan = tiled_plan(tiled_geometry, comm->me, half);
  } else {
    if (!ranks)
      ranks = std::make_unique<RankMap>(box_geometry.procgrid, [this](int ix, int iy, int iz) {
        return comm->grid2proc[ix][iy][iz];
      });
    plan = pattern == Pattern::DIRECT ? HaloPlan::direct(box_geometry, comm->me, *ranks, half)
                                      : HaloPlan::staged(box_geometry, comm->me, *ranks);
  }
  if (half && !domain->triclinic && corners_are_unneeded(lmp, box_geometry.cutghost[0]))
    plan.corner_cutsq = box_geometry.cutghost[0] * box_geometry.cutghost[0];
  return plan;
}

/* ---------------------------------------------------------------------- */

std::vector<int> SubBoxes::neighbors_of(int rank) const
{
  if (tiled()) return tiled_neighbors(tiled_geometry, rank, 1.0);
  HaloGeometry geometry = box_geometry;
  geometry.myloc = ranks->place_of(rank);
  return HaloPlan::neighbors_of(geometry, rank, *ranks);
}

/* ---------------------------------------------------------------------- */

double SubBoxes::own_fraction() const
{
  if (tiled()) return tiled_geometry.fraction(comm->me);
  double fraction = 1.0;
  for (int dim = 0; dim < 3; dim++)
    fraction *= (box_geometry.sub_hi(dim, box_geometry.myloc[dim]) -
                 box_geometry.sub_lo(dim, box_geometry.myloc[dim])) /
        box_geometry.prd[dim];
  return fraction;
}

/* ---------------------------------------------------------------------- */

std::array<int, 3> SubBoxes::place_in_grid(const double *x) const
{
  const double *const lo = domain->triclinic ? domain->sublo_lamda : domain->sublo;
  const double *const hi = domain->triclinic ? domain->subhi_lamda : domain->subhi;
  std::array<int, 3> place = {comm->myloc[0], comm->myloc[1], comm->myloc[2]};
  for (int dim = 0; dim < domain->dimension; dim++)
    if (x[dim] < lo[dim] || x[dim] >= hi[dim]) place[dim] = box_geometry.locate(dim, x[dim]);
  return place;
}

/* ---------------------------------------------------------------------- */

int SubBoxes::owner_of(const double *x) const
{
  if (tiled()) return tiled_geometry.locate(x);
  const std::array<int, 3> place = place_in_grid(x);
  const bool found = place[0] >= 0 && place[1] >= 0 && place[2] >= 0;
  return found ? comm->grid2proc[place[0]][place[1]][place[2]] : NO_RANK;
}

/* ---------------------------------------------------------------------- */

bool SubBoxes::is_beyond_adjacent(const double *x) const
{
  const std::array<int, 3> place = place_in_grid(x);
  for (int dim = 0; dim < domain->dimension; dim++) {
    const int apart = std::abs(place[dim] - comm->myloc[dim]);
    if (place[dim] >= 0 && std::min(apart, comm->procgrid[dim] - apart) > 1) return true;
  }
  return false;
}

/* ----------------------------------------------------------------------
   fractions of a triclinic box are wider than they are apart
------------------------------------------------------------------------- */

double SubBoxes::distance_covered_by_adjacent() const
{
  std::array<double, 3> distance = tiled() ? box_geometry.cutghost
                                           : box_geometry.distance_covered_by_adjacent();
  if (domain->triclinic) {
    const double *const h_inv = domain->h_inv;
    distance[0] /= std::hypot(h_inv[0], h_inv[5], h_inv[4]);
    distance[1] /= std::hypot(h_inv[1], h_inv[3]);
    distance[2] /= h_inv[2];
  }
  return std::min({distance[0], distance[1], distance[2]});
}

/* ---------------------------------------------------------------------- */

std::vector<double> SubBoxes::neighbor_signature() const
{
  std::vector<double> signature = {static_cast<double>(nlayouts)};
  for (const auto &numbers : {box_geometry.boxlo, box_geometry.boxhi, box_geometry.cutghost})
    signature.insert(signature.end(), numbers.begin(), numbers.end());
  signature.insert(signature.end(), box_geometry.periodicity.begin(),
                   box_geometry.periodicity.end());
  return signature;
}
