/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Assignment of the mesh to ranks, links between ranks, and choice of the transform.

#include "pppm_offload.h"

#include "p2p/comm_p2p_rdma.h"
#include "p2p/links/p2p_settings.h"
#include "pppm_offload-impl.h"
#include "threadpool/pool/rank_pool.h"
#include "transport/bootstrap_mpi.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "grid3d.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double SINGLE_ENOUGH = 1e-6;    // relative accuracy of forces: errors are 1e-8

/* ----------------------------------------------------------------------
   Grid3d decides which points a rank owns, and which it needs around them;
   its messages are not used.  A Wannier center is beside its atom, which itself
   may have moved by half the skin
------------------------------------------------------------------------- */

void PPPMOffload::set_up_ghost_mesh()
{
  gc = new Grid3d(lmp, world, nx_pppm, ny_pppm, nz_pppm);
  gc->set_distance(0.5 * neighbor->skin + qdist + room_for_centers());
  gc->set_stencil_atom(-nlower, nupper);
  gc->set_shift_atom(shiftatom_lo, shiftatom_hi);
  gc->set_zfactor(slab_volfactor);
  gc->setup_grid(nxlo_in, nxhi_in, nylo_in, nyhi_in, nzlo_in, nzhi_in, nxlo_out, nxhi_out, nylo_out,
                 nyhi_out, nzlo_out, nzhi_out);
}

/* ---------------------------------------------------------------------- */

double PPPMOffload::room_for_centers() const
{
  return has_fix_dplr_threadpool() ? LONGEST_DIPOLE * force->angstrom : 0.0;
}

/* ----------------------------------------------------------------------
   Returns: whether anything is different on any rank from what the transform
   was made for
------------------------------------------------------------------------- */

bool PPPMOffload::collect_bricks()
{
  const int mine[12] = {nxlo_in,  nylo_in,  nzlo_in,  nxhi_in + 1,  nyhi_in + 1,  nzhi_in + 1,
                        nxlo_out, nylo_out, nzlo_out, nxhi_out + 1, nyhi_out + 1, nzhi_out + 1};
  std::vector<int> all(12 * nprocs);
  MPI_Allgather(mine, 12, MPI_INT, all.data(), 12, MPI_INT, world);

  MeshGeometry found{me, {nx_pppm, ny_pppm, nz_pppm}, {}, {}};
  for (int rank = 0; rank < nprocs; rank++) {
    const auto box = [](const int *lo) {
      return MeshBox{{lo[0], lo[1], lo[2]}, {lo[3], lo[4], lo[5]}};
    };
    found.bricks.push_back(box(&all[12 * rank]));
    found.boxes.push_back(box(&all[12 * rank + 6]));
  }
  const MeshGeometry &old = impl->bricks;
  const bool same = found.npoints == old.npoints && found.bricks == old.bricks &&
      found.boxes == old.boxes && impl->nfields == (differentiation_flag == 1 ? 1 : 3);
  impl->bricks = found;
  impl->nfields = differentiation_flag == 1 ? 1 : 3;
  return !same;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::drop_transform()
{
  impl->mesh.reset();
  impl->node_gather.reset();
  impl->transport.reset();    // closes the links to the old peers, which do the same now
  impl->node_transport.reset();
  impl->bootstrap.reset();
  impl->node_bootstrap.reset();
  if (impl->solvers != MPI_COMM_NULL) MPI_Comm_free(&impl->solvers);
}

/* ----------------------------------------------------------------------
   messages travel as those of comm_style p2p/rdma do, if that is in use
------------------------------------------------------------------------- */

static P2PSettings link_settings(LAMMPS *lmp)
{
  CommP2PRDMA *const p2p = CommP2PRDMA::find(lmp->comm);
  return p2p ? p2p->settings() : P2PSettings::parse(lmp, "kspace_style pppm/offload", 0, nullptr);
}

std::string PPPMOffload::way_of_links() const
{
  const P2PSettings settings = link_settings(lmp);
  return fmt::format("{} on nodes of {}", settings.text(lmp), settings.node_size);
}

/* ----------------------------------------------------------------------
   with mixed precision, where what the mesh is off by is more than rounding; in
   SI units charges and lengths are beyond the range of single precision
------------------------------------------------------------------------- */

bool PPPMOffload::wants_single() const
{
  if (std::is_same<FFT_SCALAR, float>::value) return true;
  const RankPool *const threadpool = RankPool::find(lmp);
  const std::string units = update->unit_style;
  return threadpool && threadpool->mixed_precision() && !impl->serves_dplr && units != "si" &&
      units != "cgs" && units != "micro" && accuracy >= SINGLE_ENOUGH * two_charge_force;
}

bool PPPMOffload::in_single_precision() const
{
  return impl->single && !std::is_same<FFT_SCALAR, float>::value;
}

/* ----------------------------------------------------------------------
   all ranks come here together, since they know the same boxes
------------------------------------------------------------------------- */

void PPPMOffload::make_transform()
{
  drop_transform();
  impl->settings_changed = false;
  impl->single = wants_single();
  const P2PSettings settings = link_settings(lmp);

  std::vector<int> leaders(nprocs);
  for (int rank = 0; rank < nprocs; rank++) leaders[rank] = rank;
  if (impl->gather) leaders = find_leaders(settings);
  gather_bricks(leaders);
  make_choice();

  int nmain = 0, any;
  try {
    if (impl->gather) nmain += connect_node(settings);
    if (impl->mesh) nmain += connect_solvers(settings);
  } catch (const std::exception &failure) {
    error->one(FLERR, "{}: {}", Impl::NAME, failure.what());
  }
  MPI_Allreduce(&nmain, &any, 1, MPI_INT, MPI_MAX, world);
  impl->mpi_links = any > 0;
  impl->linked_as = way_of_links();
  impl->settings_changed = false;
  tell_choice();
}

/* ---------------------------------------------------------------------- */

bool PPPMOffload::on_one_node()
{
  const int mine = make_mpi_bootstrap(&world, link_settings(lmp).node_size)->node();
  int first = mine, other = 0, any;
  MPI_Bcast(&first, 1, MPI_INT, 0, world);
  if (mine != first) other = 1;
  MPI_Allreduce(&other, &any, 1, MPI_INT, MPI_MAX, world);
  return !any;
}

/* ----------------------------------------------------------------------
   Returns: [nprocs] for each rank the lowest one of its node; sets members
------------------------------------------------------------------------- */

std::vector<int> PPPMOffload::find_leaders(const P2PSettings &settings)
{
  impl->node_bootstrap = make_mpi_bootstrap(&world, settings.node_size);
  const int mine = impl->node_bootstrap->node();
  std::vector<int> nodes(nprocs), leaders(nprocs);
  MPI_Allgather(&mine, 1, MPI_INT, nodes.data(), 1, MPI_INT, world);
  impl->members.clear();
  for (int rank = 0; rank < nprocs; rank++) {
    leaders[rank] =
        static_cast<int>(std::find(nodes.begin(), nodes.end(), nodes[rank]) - nodes.begin());
    if (nodes[rank] == mine) impl->members.push_back(rank);
  }
  return leaders;
}

/* ----------------------------------------------------------------------
   leaders are the ranks of the transform; each has the bricks of its members,
   which must make up one brick, and boxes around all of theirs
------------------------------------------------------------------------- */

void PPPMOffload::gather_bricks(const std::vector<int> &leaders)
{
  const MeshGeometry &all = impl->bricks;
  MeshGeometry &geometry = impl->geometry;
  geometry = {-1, all.npoints, {}, {}};
  const auto around = [](MeshBox &whole, const MeshBox &part) {
    if (part.empty()) return;
    if (whole.empty()) whole = part;
    for (int dim = 0; dim < 3; dim++) {
      whole.lo[dim] = std::min(whole.lo[dim], part.lo[dim]);
      whole.hi[dim] = std::max(whole.hi[dim], part.hi[dim]);
    }
  };
  for (int leader = 0; leader < nprocs; leader++) {
    if (leaders[leader] != leader) continue;
    if (leader == me) geometry.me = static_cast<int>(geometry.bricks.size());
    MeshBox brick, box;
    std::size_t npoints = 0;
    for (int rank = 0; rank < nprocs; rank++) {
      if (leaders[rank] != leader) continue;
      around(brick, all.bricks[rank]);
      around(box, all.boxes[rank]);
      npoints += all.bricks[rank].npoints();
    }
    if (npoints != brick.npoints())
      error->all(FLERR,
                 "{}: with gather node the sub-domains of a node's ranks must make up a box, those "
                 "of the node of rank {} do not; use 'processors * * * grid numa' or gather none",
                 Impl::NAME, leader);
    geometry.bricks.push_back(brick);
    geometry.boxes.push_back(box);
  }
  MPI_Comm_split(world, geometry.me < 0 ? MPI_UNDEFINED : 0, me, &impl->solvers);
}

/* ----------------------------------------------------------------------
   rank 0 always solves, and all ranks that solve come to the same decision
------------------------------------------------------------------------- */

void PPPMOffload::make_choice()
{
  std::string reason;
  if (impl->geometry.me >= 0) {
    try {
      impl->mesh = impl->single ? MeshPart::make<float>(impl->geometry, impl->fft_settings)
                                : MeshPart::make<double>(impl->geometry, impl->fft_settings);
    } catch (const std::invalid_argument &failure) {
      reason = failure.what();
    }
  }
  char text[512] = {};
  std::strncpy(text, reason.c_str(), sizeof(text) - 1);
  MPI_Bcast(text, sizeof(text), MPI_CHAR, 0, world);
  if (*text) error->all(FLERR, "{}: {}", Impl::NAME, text);
}

/* ----------------------------------------------------------------------
   Returns: # of peers whose links are for LAMMPS' thread
------------------------------------------------------------------------- */

int PPPMOffload::connect(const P2PSettings &settings, Bootstrap &bootstrap, const MPI_Comm &comm,
                         const std::vector<std::size_t> &nbytes,
                         std::unique_ptr<Transport> &transport)
{
  TransportOptions options = settings.transport;
  options.nlanes = options.nendpoints = 1;
  options.warn = [this](const std::string &text) {
    impl->warnings.push_back(text);    // the thread that waits may not be LAMMPS' own
  };
  transport = std::make_unique<Transport>(bootstrap, &comm, options);
  std::vector<int> peers;
  std::vector<std::size_t> capacities;
  for (int rank = 0; rank < static_cast<int>(nbytes.size()); rank++)
    if (rank != bootstrap.rank() && nbytes[rank]) {
      peers.push_back(rank);
      capacities.push_back(nbytes[rank]);
    }
  const ConnectReport report = transport->connect(peers, capacities);
  if (!report.error.empty()) throw TransportError(report.error);
  for (const BackendUse &use : report.uses)
    if (!use.reason.empty())
      error->warning(FLERR, "{}: rank {} uses {} instead of {}: {}", Impl::NAME, me,
                     report.last_resort, use.title, use.reason);
  return report.nmain_thread;
}

/* ---------------------------------------------------------------------- */

int PPPMOffload::connect_node(const P2PSettings &settings)
{
  impl->node_gather = std::make_unique<NodeGather>(me, impl->members);
  std::vector<std::size_t> nbytes(nprocs, 0);
  int natoms;
  MPI_Allreduce(&atom->nlocal, &natoms, 1, MPI_INT, MPI_MAX, world);
  impl->node_gather->add_traffic(natoms, nbytes);
  const int nmain = connect(settings, *impl->node_bootstrap, world, nbytes, impl->node_transport);
  impl->node_gather->bind(*impl->node_transport);
  return nmain;
}

/* ---------------------------------------------------------------------- */

int PPPMOffload::connect_solvers(const P2PSettings &settings)
{
  MeshPart &mesh = *impl->mesh;
  impl->bootstrap = make_mpi_bootstrap(&impl->solvers, settings.node_size);
  std::vector<std::size_t> nbytes(impl->geometry.bricks.size(), 0);
  mesh.add_traffic(impl->nfields, nbytes);
  const int nmain = connect(settings, *impl->bootstrap, impl->solvers, nbytes, impl->transport);
  mesh.bind(*impl->transport);
  if (mesh.open())
    mesh.decide(impl->nfields, [this](double seconds) {
      double longest;
      MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, impl->solvers);
      return longest;
    });
  return nmain;
}

/* ---------------------------------------------------------------------- */

void PPPMOffload::tell_choice()
{
  if (me) return;
  std::string text = fmt::format("  TOFU FFT = {}", impl->mesh->name());
  if (impl->gather) text += fmt::format(" on {} ranks", impl->geometry.bricks.size());
  if (in_single_precision()) text += " in single precision";
  if (impl->mesh->open()) {
    text += ", the fastest of";
    for (const auto &time : impl->mesh->times())
      text += fmt::format(" {} {:.1f} us,", time.name, 1e6 * time.seconds);
    text.back() = ' ';
    text += "a step";
  }
  utils::logmesg(lmp, text + "\n");
}
