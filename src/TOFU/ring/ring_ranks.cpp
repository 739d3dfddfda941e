// SPDX-License-Identifier: GPL-2.0-only

#include "ring_ranks.h"

#include "ring_settings.h"

#include "halo/tiles.h"
#include "p2p/comm_p2p_rdma.h"
#include "p2p/links/p2p_settings.h"
#include "transport/bootstrap_mpi.h"

#include "comm.h"
#include "domain.h"
#include "error.h"
#include "text_file_reader.h"

#include <algorithm>
#include <stdexcept>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void RingRanks::make(const RingSettings &settings)
{
  const int nprocs = comm->nprocs;
  if (!settings.ring_file.empty()) {
    order = read_order(settings.ring_file);
  } else if (const Tiles *tiles = CommP2PRDMA::find(comm)->tiles()) {
    std::vector<SubBox> boxes;
    for (int rank = 0; rank < nprocs; rank++)
      boxes.push_back({tiles->of(rank).lo, tiles->of(rank).hi});
    order = ring_of_boxes(boxes);
  } else {
    std::array<int, 3> procgrid, periodicity;
    std::copy_n(comm->procgrid, 3, procgrid.data());
    std::copy_n(domain->periodicity, 3, periodicity.data());
    order = serpentine_ring(procgrid, periodicity,
                            [this](int ix, int iy, int iz) { return comm->grid2proc[ix][iy][iz]; });
  }

  nodes.resize(nprocs);
  for (int rank = 0; rank < nprocs; rank++) nodes[rank] = rank;
  if (settings.plan.level_node) {
    const int node_size = CommP2PRDMA::find(comm)->settings().node_size;
    const int mine = make_mpi_bootstrap(&world, node_size)->node();
    MPI_Allgather(&mine, 1, MPI_INT, nodes.data(), 1, MPI_INT, world);
  }
  partners = ring_partners(order, nodes);
  find_places();
}

/* ---------------------------------------------------------------------- */

RankRing RingRanks::read_order(const std::string &file) const
{
  int nranks = 0;
  std::vector<int> ranks;
  if (comm->me == 0) {
    try {
      TextFileReader reader(file, "ring of ranks");
      while (const char *line = reader.next_line()) {
        ValueTokenizer values(line);
        while (values.has_next()) ranks.push_back(values.next_int());
      }
    } catch (std::exception &failure) {
      error->one(FLERR, "Fix ring/balance cannot read its ring from file {}: {}", file,
                 failure.what());
    }
    nranks = static_cast<int>(ranks.size());
  }
  MPI_Bcast(&nranks, 1, MPI_INT, 0, world);
  ranks.resize(nranks);
  MPI_Bcast(ranks.data(), nranks, MPI_INT, 0, world);
  try {
    return ring_from_ranks(ranks, comm->nprocs);
  } catch (std::invalid_argument &failure) {
    error->all(FLERR, "Fix ring/balance: file {} is no ring: {}", file, failure.what());
  }
  return {};
}

/* ---------------------------------------------------------------------- */

void RingRanks::find_places()
{
  const std::vector<int> &mine = partners[comm->me];
  place_in_grid.clear();
  for (int ix = 0; ix < comm->procgrid[0]; ix++)
    for (int iy = 0; iy < comm->procgrid[1]; iy++)
      for (int iz = 0; iz < comm->procgrid[2]; iz++) {
        const int rank = comm->grid2proc[ix][iy][iz];
        if (std::binary_search(mine.begin(), mine.end(), rank)) place_in_grid[rank] = {ix, iy, iz};
      }
}

/* ---------------------------------------------------------------------- */

std::vector<int> RingRanks::signature(bool level_node) const
{
  std::vector<int> numbers = order.order;
  numbers.insert(numbers.end(), nodes.begin(), nodes.end());
  numbers.push_back(level_node);
  return numbers;
}

/* ---------------------------------------------------------------------- */

SubBox RingRanks::sub_box_of(int rank) const
{
  if (const Tiles *tiles = CommP2PRDMA::find(comm)->tiles())
    return {tiles->of(rank).lo, tiles->of(rank).hi};
  const double *const splits[3] = {comm->xsplit, comm->ysplit, comm->zsplit};
  const std::array<int, 3> &loc = place_in_grid.at(rank);
  SubBox box;
  for (int dim = 0; dim < 3; dim++) {
    box.lo[dim] = splits[dim][loc[dim]];
    box.hi[dim] = splits[dim][loc[dim] + 1];
  }
  return box;
}
