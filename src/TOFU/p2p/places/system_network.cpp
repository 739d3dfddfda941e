// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "system_network.h"

#include "place_settings.h"
#include "placement/network_reader.h"
#include "transport/interconnect.h"

#include "comm.h"
#include "error.h"
#include "lammps.h"
#include "utils.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mpi.h>
#include <sstream>
#include <string>
#include <vector>

// Fujitsu's compilers are used with Fujitsu's MPI alone

#if defined(__FUJITSU) || defined(__CLANG_FUJITSU)
#include <mpi-ext.h>
#define TOFU_FUJITSU_MPI 1
#else
#define TOFU_FUJITSU_MPI 0
#endif

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

bool is_first_of_node(LAMMPS *lmp, const RankNodes &nodes)
{
  return nodes.ranks_of(nodes.node_of(lmp->comm->me))[0] == lmp->comm->me;
}

// a text of each node, given by its first rank: [nnodes] on rank 0, empty on others

std::vector<std::string> gather_texts(LAMMPS *lmp, const RankNodes &nodes, const std::string &text)
{
  const int n = is_first_of_node(lmp, nodes) ? static_cast<int>(text.size()) : 0;
  const int nprocs = lmp->comm->nprocs;
  std::vector<int> sizes(nprocs), begins(nprocs + 1, 0);
  MPI_Gather(&n, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, lmp->world);
  for (int rank = 0; rank < nprocs; rank++) begins[rank + 1] = begins[rank] + sizes[rank];
  std::string all(begins[nprocs], ' ');
  MPI_Gatherv(text.data(), n, MPI_CHAR, all.data(), sizes.data(), begins.data(), MPI_CHAR, 0,
              lmp->world);

  std::vector<std::string> texts;
  if (lmp->comm->me) return texts;
  for (int node = 0; node < nodes.nnodes(); node++) {
    const int rank = nodes.ranks_of(node)[0];
    texts.push_back(all.substr(begins[rank], sizes[rank]));
  }
  return texts;
}

std::string name_of_host()
{
  char name[MPI_MAX_PROCESSOR_NAME];
  int n;
  MPI_Get_processor_name(name, &n);
  return std::string(name, n);
}

std::string environment(const char *name)
{
  const char *const text = std::getenv(name);
  return text ? text : "";
}

std::string text_of_file(LAMMPS *lmp, const std::string &path)
{
  std::FILE *const file = std::fopen(path.c_str(), "r");
  if (!file)
    lmp->error->one(FLERR, "place {}: rank 0 cannot read this file any more: {}", path,
                    utils::getsyserror());
  constexpr int MAXLINE = 1024;
  char line[MAXLINE];
  std::string text;
  while (utils::fgets_trunc(line, MAXLINE, file)) text += line;
  std::fclose(file);
  return text;
}

std::unique_ptr<NodeNetwork> network_of_file(LAMMPS *lmp, const RankNodes &nodes,
                                             const std::string &path)
{
  const std::vector<std::string> hosts = gather_texts(lmp, nodes, name_of_host());
  if (lmp->comm->me) return nullptr;
  std::istringstream text(text_of_file(lmp, path));
  try {
    return read_network(text, nodes, hosts);
  } catch (const std::exception &failure) {
    lmp->error->one(FLERR, "place {}: {}", path, failure.what());
  }
  return nullptr;
}

// coordinates of each node, given by its first rank: [nnodes] on rank 0, empty on others, and if a
// rank has none

std::vector<std::vector<int>> gather_coords(LAMMPS *lmp, const RankNodes &nodes,
                                            const std::vector<int> &mine)
{
  int n = static_cast<int>(mine.size()), fewest;
  MPI_Allreduce(&n, &fewest, 1, MPI_INT, MPI_MIN, lmp->world);
  if (fewest == 0) return {};
  std::vector<int> all(static_cast<std::size_t>(n) * lmp->comm->nprocs);
  MPI_Gather(mine.data(), n, MPI_INT, all.data(), n, MPI_INT, 0, lmp->world);
  std::vector<std::vector<int>> coords;
  if (lmp->comm->me) return coords;
  for (int node = 0; node < nodes.nnodes(); node++) {
    const auto begin = all.begin() + static_cast<std::size_t>(n) * nodes.ranks_of(node)[0];
    coords.emplace_back(begin, begin + n);
  }
  return coords;
}

// Fujitsu's MPI has coordinates of nodes in the shape of the job, where neighbors are one link
// apart, also around the ends.  If the job has no shape of three dimensions, the places in the
// interconnect are taken: in a long ring of all nodes those that are near have far numbers

std::unique_ptr<NodeNetwork> network_of_fujitsu(LAMMPS *lmp, const RankNodes &nodes)
{
  std::vector<int> sizes = interconnect_rings(), mine;
#if TOFU_FUJITSU_MPI
  int ndims = 0, shape[3] = {0, 0, 0};
  const bool has_shape = FJMPI_Topology_get_dimension(&ndims) == FJMPI_SUCCESS && ndims == 3 &&
      FJMPI_Topology_get_shape(&shape[0], &shape[1], &shape[2]) == FJMPI_SUCCESS;
  if (has_shape) sizes.assign(shape, shape + 3);
  mine.resize(sizes.size());
  if (FJMPI_Topology_get_coords(lmp->world, lmp->comm->me,
                                has_shape ? FJMPI_LOGICAL : FJMPI_TOFU_REL,
                                static_cast<int>(mine.size()), mine.data()) != FJMPI_SUCCESS)
    mine.clear();
#endif
  return torus_of_system(sizes, gather_coords(lmp, nodes, mine));
}

// with other compilers the interconnect has the places of nodes, but not the shape of the job

std::unique_ptr<NodeNetwork> network_of_interconnect(LAMMPS *lmp, const RankNodes &nodes)
{
  return torus_of_system(interconnect_rings(), gather_coords(lmp, nodes, interconnect_coords()));
}

std::unique_ptr<NodeNetwork> network_of_slurm(LAMMPS *lmp, const RankNodes &nodes)
{
  const std::vector<std::string> addresses =
      gather_texts(lmp, nodes, environment("SLURM_TOPOLOGY_ADDR"));
  if (lmp->comm->me) return nullptr;
  return slurm_network(addresses, environment("SLURM_TOPOLOGY_ADDR_PATTERN"));
}

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<NodeNetwork> TOFU_NS::find_network(LAMMPS *lmp, const RankNodes &nodes,
                                                   const PlaceSettings &settings)
{
  if (settings.has_file()) return network_of_file(lmp, nodes, settings.source);
  std::unique_ptr<NodeNetwork> fujitsu = network_of_fujitsu(lmp, nodes);
  std::unique_ptr<NodeNetwork> interconnect = network_of_interconnect(lmp, nodes);
  std::unique_ptr<NodeNetwork> slurm = network_of_slurm(lmp, nodes);
  if (fujitsu) return fujitsu;
  return interconnect ? std::move(interconnect) : std::move(slurm);
}
