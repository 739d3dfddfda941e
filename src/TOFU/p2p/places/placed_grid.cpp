// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "placed_grid.h"

#include "lammps/io/number_option.h"
#include "lammps/io/version_line.h"
#include "placement/placement.h"
#include "placement/processors_words.h"
#include "system_network.h"
#include "transport/bootstrap_mpi.h"

#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "kspace.h"
#include "lammps.h"
#include "neighbor.h"
#include "procmap.h"
#include "universe.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mpi.h>
#include <string>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// as the communication styles see them

RankNodes nodes_of_ranks(LAMMPS *lmp)
{
  const int node_size =
      static_cast<int>(environment_option(lmp, "TOFU_NODE_SIZE", std::numeric_limits<int>::max()));
  const int mine = make_mpi_bootstrap(&lmp->world, node_size)->node();
  std::vector<int> ids(lmp->comm->nprocs);
  MPI_Allgather(&mine, 1, MPI_INT, ids.data(), 1, MPI_INT, lmp->world);
  return RankNodes(ids);
}

// the same grid as that of another partition is a matter of this command, too

bool has_processors_words(const Comm *comm)
{
  const int *const wanted = comm->user_procgrid;
  return wanted[0] || wanted[1] || wanted[2] || comm->send_to_partition >= 0 ||
      comm->recv_from_partition >= 0;
}

// why nothing can be placed, empty if something can

std::string reason_against(const RankNodes &nodes)
{
  if (nodes.nnodes() == 1) return "all ranks are on one node: LAMMPS' grid of ranks stays";
  if (nodes.fewest() != nodes.most())
    return fmt::format("nodes have {} to {} ranks, and blocks would not be equal: LAMMPS' grid of "
                       "ranks stays; start as many ranks on each node",
                       nodes.fewest(), nodes.most());
  return "";
}

// a triclinic box has ghosts up to the cutoff behind its faces, too

std::array<double, 3> face_distances(const Domain *domain)
{
  if (!domain->triclinic) return {domain->prd[0], domain->prd[1], domain->prd[2]};
  const double *const h = domain->h_inv;
  return {1.0 / std::sqrt(h[0] * h[0] + h[5] * h[5] + h[4] * h[4]),
          1.0 / std::sqrt(h[1] * h[1] + h[3] * h[3]), 1.0 / h[2]};
}

// before the first run the cutoff is that of comm_modify, or not known

double known_cutoff(LAMMPS *lmp)
{
  return std::max(lmp->comm->cutghostuser, lmp->neighbor->cutneighmax);
}

GhostBox box_of(LAMMPS *lmp)
{
  GhostBox box{};
  box.length = face_distances(lmp->domain);
  for (int dim = 0; dim < 3; dim++) box.periodic[dim] = lmp->domain->periodicity[dim] != 0;
  box.dimension = lmp->domain->dimension;
  box.cutghost = known_cutoff(lmp);
  if (box.cutghost > 0.0) return box;
  const double cells = lmp->comm->nprocs;
  box.cutghost = box.dimension == 2
      ? std::sqrt(box.length[0] * box.length[1] / cells)
      : std::cbrt(box.length[0] * box.length[1] * box.length[2] / cells);
  return box;
}

Placement present_placement(const Comm *comm)
{
  const int *const grid = comm->procgrid;
  Placement placement{{grid[0], grid[1], grid[2]}, std::vector<int>(comm->nprocs)};
  for (int index = 0; index < comm->nprocs; index++) {
    const Cell cell = cell_at(placement.procgrid, index);
    placement.rank_at[index] = comm->grid2proc[cell[0]][cell[1]][cell[2]];
  }
  return placement;
}

// rank 0 has chosen; sums of other processors might have other last digits

void share_choice(LAMMPS *lmp, PlacementChoice &choice)
{
  Placement &placement = choice.placement;
  placement.rank_at.resize(lmp->comm->nprocs);
  int is_default = choice.is_default;
  MPI_Bcast(&is_default, 1, MPI_INT, 0, lmp->world);
  MPI_Bcast(placement.procgrid.data(), 3, MPI_INT, 0, lmp->world);
  MPI_Bcast(placement.rank_at.data(), lmp->comm->nprocs, MPI_INT, 0, lmp->world);
  choice.is_default = is_default != 0;
}

// ranks change places in the grid that LAMMPS has made

void place_ranks(Comm *comm, const Placement &placement)
{
  const GridSize &size = placement.procgrid;
  for (int index = 0; index < comm->nprocs; index++) {
    const Cell cell = cell_at(size, index);
    comm->grid2proc[cell[0]][cell[1]][cell[2]] = placement.rank_at[index];
    if (placement.rank_at[index] == comm->me) std::copy_n(cell.begin(), 3, comm->myloc);
  }
  for (int dim = 0; dim < 3; dim++)
    for (int side : {0, 1}) {
      Cell cell{comm->myloc[0], comm->myloc[1], comm->myloc[2]};
      cell[dim] = (cell[dim] + (side ? 1 : size[dim] - 1)) % size[dim];
      comm->procneigh[dim][side] = comm->grid2proc[cell[0]][cell[1]][cell[2]];
    }
}

// each partition has a file of its own

std::string path_of_map(LAMMPS *lmp, const PlaceSettings &settings)
{
  const Universe *const universe = lmp->universe;
  if (settings.map.empty() || universe->nworlds == 1) return settings.map;
  return fmt::format("{}.{}", settings.map, universe->iworld + 1);
}

void write_map(LAMMPS *lmp, const std::string &path, const Placement &placement)
{
  std::FILE *const file = std::fopen(path.c_str(), "w");
  const bool written = file && std::fputs(processors_file(placement).c_str(), file) >= 0;
  if ((file && std::fclose(file) != 0) || !written)
    lmp->error->one(FLERR, "map {}: rank 0 cannot write this file: {}; use another name or folder",
                    path, utils::getsyserror());
}

std::string by(const GridSize &size)
{
  return fmt::format("{} by {} by {}", size[0], size[1], size[2]);
}

// for the log, on rank 0

std::string lines_about(LAMMPS *lmp, const PlacementChoice &choice, const RankNodes &nodes,
                        const NodeNetwork *network, const GridSize &default_grid,
                        const GhostBox &box, const std::string &path)
{
  const auto ghosts = [](const GhostTraffic &traffic) {
    return fmt::format("{:.4g} from other nodes, {:.4g} in all", traffic.off_node, traffic.all);
  };
  const std::string whose = fmt::format("{} nodes of {} rank{}", nodes.nnodes(), nodes.most(),
                                        nodes.most() == 1 ? "" : "s");
  std::string text = choice.is_default
      ? fmt::format(
            "TOFU place: LAMMPS' grid of ranks stays, for {} no better one has been found\n", whose)
      : fmt::format("TOFU place: each of {} has a block of {} sub-boxes\n", whose,
                    by(choice.block));
  text += fmt::format("TOFU place: ghosts for each atom: {} (with a cutoff of {:.4g}, {})\n",
                      ghosts(choice.after), box.cutghost,
                      known_cutoff(lmp) > 0.0 ? "the present one" : "the mean edge of a sub-box");
  if (!choice.is_default)
    text += fmt::format("TOFU place: with LAMMPS' grid of {}: {}\n", by(default_grid),
                        ghosts(choice.before));
  if (network)
    text += fmt::format(
        "TOFU place: links that ghosts pass in {}, for each atom: {:.4g}{}\n", network->text(),
        choice.after.links,
        choice.is_default ? "" : fmt::format("; with LAMMPS' grid: {:.4g}", choice.before.links));
  if (choice.is_default) return text;
  const std::string words = processors_words(choice.placement, choice.block);
  if (!words.empty())
    text += fmt::format("TOFU place: the same by LAMMPS' command: processors {}\n", words);
  else
    text += fmt::format("TOFU place: the same by LAMMPS' command: processors {}{}\n",
                        processors_words_with_file(choice.placement, path.empty() ? "FILE" : path),
                        path.empty() ? ", and the keyword map FILE writes the file" : "");
  return text;
}

}    // namespace

/* ---------------------------------------------------------------------- */

void PlacedGrid::set(LAMMPS *lmp, int outflag, const Style &style)
{
  Comm *const comm = lmp->comm;
  if (!settings.on()) return style.set_default(outflag);

  if (style.has_words || has_processors_words(comm)) {
    if (comm->me == 0 && !logged)
      lmp->error->warning(FLERR,
                          "place {} does nothing since the command processors has chosen the grid "
                          "of ranks; leave out one of the two",
                          settings.source);
    logged = true;
    return style.set_default(outflag);
  }

  const RankNodes nodes = nodes_of_ranks(lmp);
  const std::string reason = reason_against(nodes);
  if (!reason.empty()) {
    log_version(lmp);
    if (comm->me == 0 && !logged) utils::logmesg(lmp, "TOFU place: {}\n", reason);
    logged = true;
    return style.set_default(outflag);
  }

  // what LAMMPS would do; the file for its map waits for the final one

  char *const outfile = style.outfile;
  style.outfile = nullptr;
  style.set_default(0);
  const Placement default_place = present_placement(comm);

  const GhostBox box = box_of(lmp);
  const std::unique_ptr<NodeNetwork> network = find_network(lmp, nodes, settings);
  PlacementChoice choice{};
  if (comm->me == 0) choice = choose_placement(box, nodes, network.get(), default_place);
  share_choice(lmp, choice);

  int *const wanted = comm->user_procgrid;    // LAMMPS makes this grid, and logs it
  std::copy_n(choice.placement.procgrid.begin(), 3, wanted);
  style.set_default(outflag);
  std::fill_n(wanted, 3, 0);
  style.outfile = outfile;
  place_ranks(comm, choice.placement);
  if (outfile) ProcMap(lmp).output(outfile, comm->procgrid, comm->grid2proc);

  if (comm->me) return;
  const std::string path = path_of_map(lmp, settings);
  if (!path.empty()) write_map(lmp, path, choice.placement);
  if (!outflag) return;
  log_version(lmp);
  utils::logmesg(lmp,
                 lines_about(lmp, choice, nodes, network.get(), default_place.procgrid, box, path));
}

/* ----------------------------------------------------------------------
   MSM makes a grid of its own with MPI_Cart_create(), and takes it for that of
   the communication style; with "processors map xyz" it is as wrong
------------------------------------------------------------------------- */

void PlacedGrid::check_styles(LAMMPS *lmp) const
{
  if (!settings.on() || !lmp->force->kspace || !lmp->force->kspace->msmflag) return;
  if (is_cart_map(present_placement(lmp->comm))) return;
  lmp->error->all(
      FLERR,
      "Cannot use kspace_style {} with place {}, since it has wrong forces unless ranks "
      "are in the order of LAMMPS' own grid; use place no, or pppm",
      lmp->force->kspace_style, settings.source);
}

/* ---------------------------------------------------------------------- */

PlacedGrid *TOFU_NS::placed_grid_of(LAMMPS *lmp)
{
  int dim;
  return static_cast<PlacedGrid *>(lmp->comm->extract(PlacedGrid::NAME, dim));
}
