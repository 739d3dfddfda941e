// SPDX-License-Identifier: GPL-2.0-only

#include "pppm_links.h"

#include "mesh/node_bricks.h"
#include "p2p/comm_p2p_rdma.h"
#include "p2p/links/p2p_settings.h"
#include "transport/bootstrap_mpi.h"

#include "atom.h"
#include "comm.h"
#include "error.h"

#include <cstring>
#include <numeric>
#include <stdexcept>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   messages travel as those of comm_style p2p/rdma do, if that is in use
------------------------------------------------------------------------- */

static P2PSettings link_settings(LAMMPS *lmp)
{
  CommP2PRDMA *const p2p = CommP2PRDMA::find(lmp->comm);
  return p2p ? p2p->settings() : P2PSettings::parse(lmp, PPPM_OFFLOAD, 0, nullptr);
}

/* ---------------------------------------------------------------------- */

bool PPPMLinks::update(const Mesh &mesh)
{
  const MeshGeometry found = gather_bricks(mesh);
  const P2PSettings link = link_settings(lmp);
  const std::string text = fmt::format("{} on nodes of {}", link.text(lmp), link.node_size);
  if (linked && !outdated && found.npoints == bricks.npoints && found.bricks == bricks.bricks &&
      found.boxes == bricks.boxes && mesh.nfields == made_for.nfields &&
      mesh.single == made_for.single && text == linked_as)
    return false;
  drop();
  outdated = false;
  made_for = mesh;
  bricks = found;
  linked_as = text;
  make(link);
  return true;
}

/* ---------------------------------------------------------------------- */

MeshGeometry PPPMLinks::gather_bricks(const Mesh &mesh) const
{
  static_assert(sizeof(MeshBox) == 6 * sizeof(int), "gathered as numbers");
  const MeshBox mine[2] = {mesh.brick, mesh.box};
  std::vector<MeshBox> all(2 * static_cast<std::size_t>(comm->nprocs));
  MPI_Allgather(mine, 12, MPI_INT, all.data(), 12, MPI_INT, world);

  MeshGeometry found{comm->me, mesh.npoints, {}, {}};
  for (std::size_t n = 0; n < all.size(); n += 2) {
    found.bricks.push_back(all[n]);
    found.boxes.push_back(all[n + 1]);
  }
  return found;
}

/* ----------------------------------------------------------------------
   links to the old peers are closed, which do the same
------------------------------------------------------------------------- */

void PPPMLinks::drop()
{
  linked.reset();
  bootstrap.reset();
  node_bootstrap.reset();
  if (solvers != MPI_COMM_NULL) MPI_Comm_free(&solvers);
}

/* ---------------------------------------------------------------------- */

void PPPMLinks::make(const P2PSettings &link)
{
  const int me = comm->me, nprocs = comm->nprocs;
  std::vector<int> nodes(nprocs);
  std::iota(nodes.begin(), nodes.end(), 0);
  if (settings.gather) {
    node_bootstrap = make_mpi_bootstrap(&world, link.node_size);
    const int mine = node_bootstrap->node();
    MPI_Allgather(&mine, 1, MPI_INT, nodes.data(), 1, MPI_INT, world);
  }
  try {
    geometry = geometry_of_leaders(bricks, node_leaders(nodes));
  } catch (const std::invalid_argument &failure) {
    error->all(FLERR, "{}: {}", PPPM_OFFLOAD, failure.what());
  }
  MPI_Comm_split(world, geometry.me < 0 ? MPI_UNDEFINED : 0, me, &solvers);
  make_mesh();

  TransportOptions options = link.transport;
  options.nlanes = options.nendpoints = 1;
  options.warn = [this](const std::string &text) {
    warnings.push_back(text);    // the thread that waits may not be LAMMPS' own
  };
  int nmain = 0, any;
  try {
    if (settings.gather) {
      std::vector<int> members;
      for (int rank = 0; rank < nprocs; rank++)
        if (nodes[rank] == nodes[me]) members.push_back(rank);
      int natoms;
      MPI_Allreduce(&atom->nlocal, &natoms, 1, MPI_INT, MPI_MAX, world);
      nmain += report(linked->connect_node({*node_bootstrap, &world}, options, members, natoms));
    }
    if (linked->part()) {
      bootstrap = make_mpi_bootstrap(&solvers, link.node_size);
      const auto max_over_ranks = [this](double seconds) {
        double longest;
        MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, solvers);
        return longest;
      };
      nmain += report(linked->connect_solvers({*bootstrap, &solvers}, options, made_for.nfields,
                                              max_over_ranks));
    }
  } catch (const std::exception &failure) {
    error->one(FLERR, "{}: {}", PPPM_OFFLOAD, failure.what());
  }
  MPI_Allreduce(&nmain, &any, 1, MPI_INT, MPI_MAX, world);
  mpi_links = any > 0;
}

/* ----------------------------------------------------------------------
   rank 0 always holds the mesh, and all ranks that do come to the same decision
------------------------------------------------------------------------- */

void PPPMLinks::make_mesh()
{
  std::string reason;
  try {
    linked = std::make_unique<LinkedMesh>(geometry, settings.fft, made_for.single);
  } catch (const std::invalid_argument &failure) {
    reason = failure.what();
  }
  char text[512] = {};
  std::strncpy(text, reason.c_str(), sizeof(text) - 1);
  MPI_Bcast(text, sizeof(text), MPI_CHAR, 0, world);
  if (*text) error->all(FLERR, "{}: {}", PPPM_OFFLOAD, text);
}

/* ----------------------------------------------------------------------
   warn of backends that could not be used

   Returns: # of peers whose links are for the thread that initialized MPI
------------------------------------------------------------------------- */

int PPPMLinks::report(const ConnectReport &links) const
{
  for (const BackendUse &use : links.uses)
    if (!use.reason.empty())
      error->warning(FLERR, "{}: rank {} uses {} instead of {}: {}", PPPM_OFFLOAD, comm->me,
                     links.last_resort, use.title, use.reason);
  return links.nmain_thread;
}

/* ---------------------------------------------------------------------- */

void PPPMLinks::print_choice(bool in_single_precision) const
{
  if (comm->me) return;
  MeshPart &part = *linked->part();
  std::string text = fmt::format("  TOFU FFT = {}", part.name());
  if (settings.gather) text += fmt::format(" on {} ranks", geometry.bricks.size());
  if (in_single_precision) text += " in single precision";
  if (part.has_alternatives()) {
    text += ", the fastest of";
    for (const auto &time : part.times())
      text += fmt::format(" {} {:.1f} us,", time.name, 1e6 * time.seconds);
    text.back() = ' ';
    text += "a step";
  }
  utils::logmesg(lmp, text + "\n");
}

/* ---------------------------------------------------------------------- */

bool PPPMLinks::on_one_node() const
{
  const int mine = make_mpi_bootstrap(&world, link_settings(lmp).node_size)->node();
  int first = mine, other = 0, any;
  MPI_Bcast(&first, 1, MPI_INT, 0, world);
  if (mine != first) other = 1;
  MPI_Allreduce(&other, &any, 1, MPI_INT, MPI_MAX, world);
  return !any;
}

/* ---------------------------------------------------------------------- */

void PPPMLinks::write_warnings()
{
  for (const std::string &text : warnings) error->warning(FLERR, "{}: {}", PPPM_OFFLOAD, text);
  warnings.clear();
}
