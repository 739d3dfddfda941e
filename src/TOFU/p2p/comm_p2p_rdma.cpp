/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Creation, init and setup of the style, and the links to the neighbors.  The messages of a step
// are in comm_p2p_rdma_ghosts.cpp, migration in comm_p2p_rdma_exchange.cpp, what tiled layouts need
// in comm_p2p_rdma_tiles.cpp.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma-impl.h"
#include "half_shell.h"
#include "halo/pattern_cost.h"
#include "lammps/io/command_line.h"
#include "lammps/styles/known_styles.h"
#include "lammps/lammps_version.h"
#include "lammps/io/version_line.h"
#include "pool/processors.h"
#include "pool/thread_pool.h"
#include "threadpool/pool/rank_pool.h"
#include "transport/bootstrap_mpi.h"

#include "atom.h"
#include "atom_vec.h"
#include "domain.h"
#include "error.h"
#include "memory.h"
#include "modify.h"
#include "neighbor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sched.h>
#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// beyond, lists with the half shell look through ghosts that are no neighbors

static constexpr double MUCH_LONGER = 3.0;

// so many times as fast as the direct pattern must the staged one seem, since costs are estimates;
// and within a run the other one as the present one, since a change makes new links

static constexpr double ADVANTAGE = 1.5;
static constexpr double ADVANTAGE_IN_A_RUN = 2.0;

// a slot holds this many times the atoms that the densest sub-box suggests, and so much more; a
// later run is content with less

static constexpr double CAPACITY_SAFETY = 1.5;
static constexpr double CAPACITY_ENOUGH = 1.2;
static constexpr int CAPACITY_EXTRA = 4096;    // bytes

// work of other ranks: bytes for an atom and for an extra ghost, and of a slot to each of the
// two partners in a row, or less to each of more, since slots are in shared memory

static constexpr double CAPACITY_WORK = 96.0;
static constexpr double CAPACITY_WORK_MOST = 1024.0 * 1024.0;

// cores that the threads of this process may run on

static int usable_cores()
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return CPU_COUNT(&set);
}

/* ----------------------------------------------------------------------
   threads of the /threadpool styles, or if these have too few, its own; those
   would inherit the one processor that the pool has bound this thread to
------------------------------------------------------------------------- */

static std::vector<int> processors_before_pool(LAMMPS *lmp)
{
  RankPool *const threadpool = RankPool::find(lmp);
  return threadpool ? threadpool->pool().callers_processors() : std::vector<int>();
}

static std::unique_ptr<CommTeam> make_comm_team(LAMMPS *lmp, int nthreads)
{
  const int nbefore = static_cast<int>(processors_before_pool(lmp).size());
  return std::make_unique<CommTeam>(
      nthreads, (nbefore ? nbefore : usable_cores()) < nthreads,
      [lmp](int nmembers, const std::function<void(int)> &part) {
        RankPool *const threadpool = RankPool::find(lmp);
        return threadpool && threadpool->pool().run_together(nmembers, part);
      },
      [lmp]() {
        const std::vector<int> processors = processors_before_pool(lmp);
        if (!processors.empty()) bind_this_thread(processors);
      });
}

/* ---------------------------------------------------------------------- */

CommP2PRDMA::CommP2PRDMA(LAMMPS *lmp, Comm *oldcomm, const P2PSettings &settings) :
    CommBrick(lmp, oldcomm), impl(new Impl(settings))
{
  if (settings.layout == Layout::TILED) style = Comm::TILED;

  // CommBrick leaves these to its other constructor

  localsendlist = nullptr;
  for (int dim = 0; dim < 3; dim++) maxneed[dim] = 0;
  smax = rmax = 0;

  copy_ghost_cutoffs<Comm>(*this, *oldcomm, atom->ntypes);

  impl->bootstrap = make_mpi_bootstrap(&world, settings.node_size);
  if (settings.nthreads > 1) {
    try {
      impl->team = make_comm_team(lmp, settings.nthreads);
    } catch (const TransportError &failure) {
      error->one(FLERR, "comm_style p2p_rdma: {}", failure.what());
    }
  }
  impl->settings.transport.warn = [this](const std::string &text) {
    error->warning(FLERR, "comm_style p2p_rdma: {}", text);
  };
  impl->appended_host = std::make_unique<AppendedHost>(*this);
  impl->appended = std::make_unique<AppendedGhosts>(lmp, *impl->appended_host);
  impl->watch =
      std::make_unique<NodeWatch>(&world, "comm_style p2p_rdma", impl->settings.transport.warn);
}

/* ---------------------------------------------------------------------- */

CommP2PRDMA::~CommP2PRDMA()
{
  tell_overridden();
  delete impl;
}

/* ----------------------------------------------------------------------
   the style that takes the place of this one is there already; at the end of
   LAMMPS there is none
------------------------------------------------------------------------- */

void CommP2PRDMA::tell_overridden() const
{
  if (me || comm == this || find(comm)) return;
  std::string wanted = comm_on_command_line(lmp);
  if (!wanted.empty())
    wanted = utils::strmatch(wanted, "^p2p[_/]rdma")
        ? fmt::format("'comm {}' of the command line", wanted)
        : "";
  else if (impl->settings.by_default)
    wanted = "p2p_rdma, which '-sf threadpool' begins with";
  if (wanted.empty()) return;
  const bool tiled = comm->style == Comm::TILED;
  tell_version(lmp);
  utils::logmesg(lmp, "TOFU p2p_rdma: 'comm_style {}' in the input overrides {}: {}\n",
                 tiled ? "tiled" : "brick", wanted,
                 tiled ? fmt::format("write '{} layout tiled' in its place to have both",
                                     words_for_comm_style())
                       : "take that line out of the input to have p2p_rdma");
}

/* ---------------------------------------------------------------------- */

CommP2PRDMA *CommP2PRDMA::find(Comm *comm)
{
  int dim;
  return static_cast<CommP2PRDMA *>(comm->extract("tofu/p2p_rdma", dim));
}

/* ---------------------------------------------------------------------- */

const P2PSettings &CommP2PRDMA::settings() const
{
  return impl->settings;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::init()
{
  CommBrick::init();
  impl->grid.check_styles(lmp);
  impl->check_capacity = true;
  impl->statistics.seconds.fill(0.0);
  impl->statistics.ncalls.fill(0);
  impl->statistics.nfar = impl->statistics.nasked = 0;
  if (impl->transport) impl->transport->reset_counters();
  add_statistics_fix();
  choose_shell();
  impl->ghosts_rest = reader_of_ghosts_after_forces(lmp).empty();
}

/* ----------------------------------------------------------------------
   by what all ranks know, so that they come to the same decision

   Args:
     half        whether the direct pattern would have half of the shell
     advantage   how many times as fast the other pattern must be to take the place of the present
                 one
------------------------------------------------------------------------- */

void CommP2PRDMA::choose_pattern(bool half, double advantage)
{
  Pattern &pattern = impl->pattern;
  if (is_tiled()) {
    if (impl->settings.pattern == Pattern::STAGED)
      error->all(FLERR,
                 "comm_style p2p_rdma pattern 3stage needs a grid of sub-boxes, which balance rcb "
                 "does not make; use pattern auto");
    pattern = Pattern::DIRECT;
    return;
  }
  if (impl->settings.pattern != Pattern::AUTO) {
    pattern = impl->settings.pattern;
    return;
  }
  const double staged = staged_advantage(impl->geometry, static_cast<double>(atom->natoms), half);
  if (pattern == Pattern::DIRECT && staged > advantage)
    pattern = Pattern::STAGED;
  else if (pattern == Pattern::STAGED && staged < 1.0 / advantage)
    pattern = Pattern::DIRECT;
}

/* ----------------------------------------------------------------------
   Neighbor has its lists now, and with them the cut-off of ghosts, which
   setup() will compute.  All ranks have the same styles and lists, so
   they come to the same decision
------------------------------------------------------------------------- */

void CommP2PRDMA::choose_shell()
{
  const Shell shell = impl->settings.shell;
  ShellVerdict verdict = judge_half_shell(lmp);
  if (bordergroup) verdict.forbidden = "only a group of atoms has ghosts";
  if (cutghostuser > MUCH_LONGER * neighbor->cutneighmax)
    verdict.doubtful = "ghosts come from much further away than neighbors";
  if (shell == Shell::HALF && !verdict.forbidden.empty())
    error->all(FLERR, "comm_style p2p_rdma shell half is not possible: {}; use shell auto",
               verdict.forbidden);

  std::string reason;
  if (shell == Shell::FULL) reason = "as requested";
  if (reason.empty()) reason = verdict.forbidden;
  if (reason.empty() && shell == Shell::AUTO) reason = verdict.doubtful;

  if (shell == Shell::HALF) {
    impl->pattern = Pattern::DIRECT;
  } else {
    set_geometry();
    expect_cutghost();
    impl->pattern = Pattern::DIRECT;
    choose_pattern(reason.empty(), ADVANTAGE);
    if (impl->pattern == Pattern::STAGED)
      reason = impl->settings.pattern == Pattern::STAGED ? "pattern 3stage"
                                                         : "three stages are faster";
  }

  impl->half = reason.empty();
  if (impl->half) install_half_shell_lists(lmp);
  const std::string text = impl->half ? "half" : "full: " + reason;
  if (text != impl->shell && me == 0) {
    tell_version(lmp);
    utils::logmesg(lmp, "TOFU p2p_rdma: ghosts from the {} shell{}\n", impl->half ? "half" : "full",
                   impl->half ? "" : " since " + reason);
  }
  impl->shell = text;
}

/* ----------------------------------------------------------------------
   as CommBrick::setup() has it, but for estimates from bonds: only the choice
   of the pattern depends on it
------------------------------------------------------------------------- */

void CommP2PRDMA::expect_cutghost()
{
  const double cut = std::max(cutghostuser, neighbor->cutneighmax);
  const double *const h = domain->h_inv;
  const double lengths[3] = {std::sqrt(h[0] * h[0] + h[5] * h[5] + h[4] * h[4]),
                             std::sqrt(h[1] * h[1] + h[3] * h[3]), h[2]};
  for (int dim = 0; dim < 3; dim++)
    impl->geometry.cutghost[dim] = triclinic ? cut * lengths[dim] : cut;
}

/* ---------------------------------------------------------------------- */

bool CommP2PRDMA::half_shell() const
{
  return impl->half;
}

/* ----------------------------------------------------------------------
   done here since no fix can be added before there is a box; post_run() is
   called for every fix, so that it does not matter that modify->init() is over
------------------------------------------------------------------------- */

void CommP2PRDMA::add_statistics_fix()
{
  if (!domain->box_exist || modify->get_fix_by_id(STATISTICS)) return;
  if (impl->statistics.nconnects > 0) return;    // the user has removed it
  modify->add_fix(std::string(STATISTICS) + " all p2p_rdma/stats");
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::set_proc_grid(int outflag)
{
  impl->grid.set(lmp, outflag, {gridflag || mapflag, outfile, [this](int flag) {
                                  CommBrick::set_proc_grid(flag);
                                }});
  impl->ranks.reset();
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::setup()
{
  receive_messages();    // the links may be made anew
  compute_cutghost();
  set_geometry();
  set_cutoffs();
  impl->ready = false;
  if (has_tiled_plan()) return;
  if (!impl->half) choose_pattern(false, ADVANTAGE_IN_A_RUN);
  make_plan();
  if (is_tiled())
    find_links_of_tiles();
  else
    find_links();
  connect_peers();
  if (impl->lands()) grow_arrays();
  impl->halo.bind(&impl->plan, impl->transport.get(), impl->team.get());
}

/* ----------------------------------------------------------------------
   CommBrick computes the cut-offs in all modes and, for pattern 3stage, the
   slabs; the swaps are this style's own.  A tiled layout has no grid whose swaps
   it could compute: those of even bricks cost least
------------------------------------------------------------------------- */

void CommP2PRDMA::compute_cutghost()
{
  const int present = layout;
  if (is_tiled()) layout = LAYOUT_UNIFORM;
  CommBrick::setup();
  layout = present;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::make_plan()
{
  if (is_tiled()) {
    impl->plan = tiled_plan(impl->tiled.geometry, me, impl->half);
  } else {
    if (!impl->ranks)
      impl->ranks =
          std::make_unique<RankMap>(impl->geometry.procgrid, [this](int ix, int iy, int iz) {
            return grid2proc[ix][iy][iz];
          });
    impl->plan = impl->pattern == Pattern::DIRECT
        ? HaloPlan::direct(impl->geometry, me, *impl->ranks, impl->half)
        : HaloPlan::staged(impl->geometry, me, *impl->ranks);
  }
  if (impl->half && !triclinic) impl->plan.reachsq = cutghost[0] * cutghost[0];
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::find_links()
{
  HaloPlan &plan = impl->plan;
  plan.signature.push_back(
      static_cast<int>(impl->pattern));    // slots are as large as its messages
  plan.signature.push_back(impl->partners.of ? 1 + impl->partners.reach : 0);
  plan.signature.insert(plan.signature.end(), impl->partners.signature.begin(),
                        impl->partners.signature.end());
  if (plan.signature == impl->linked) return;

  impl->peers.clear();
  impl->hops.clear();
  for (const auto &[rank, nhops] : wanted_links()) {
    impl->peers.push_back(rank);
    impl->hops.push_back(nhops);
  }
}

/* ----------------------------------------------------------------------
   neighbors of the plan; partners; and with reach all ranks that send ghosts to
   a partner, since an atom that a partner has as a ghost may be wanted here.
   Links are symmetric: neighbors and partners are, and the last two loops are
   the two sides of one relation

   Returns: how many sub-boxes away each of these ranks is
------------------------------------------------------------------------- */

std::map<int, int> CommP2PRDMA::wanted_links()
{
  const HaloPlan &plan = impl->plan;
  std::map<int, int> hops;
  for (std::size_t i = 0; i < plan.neighbors.size(); i++) hops[plan.neighbors[i]] = plan.hops[i];

  impl->partners.neighbors.clear();
  if (impl->partners.of) {
    const int far = hops.empty() ? 1 : *std::max_element(plan.hops.begin(), plan.hops.end()) + 1;
    for (int partner : impl->partners.of(me)) {
      hops.insert({partner, far});
      impl->partners.neighbors[partner] = neighbors_of(partner);
      if (!impl->partners.reach) continue;
      for (int other : impl->partners.neighbors[partner]) hops.insert({other, far});
    }
    if (impl->partners.reach)
      for (int neighbor : plan.neighbors)
        for (int other : impl->partners.of(neighbor)) hops.insert({other, far});
    hops.erase(me);
  }
  return hops;
}

/* ----------------------------------------------------------------------
   of another rank, as it has them itself
------------------------------------------------------------------------- */

std::vector<int> CommP2PRDMA::neighbors_of(int rank) const
{
  if (is_tiled()) return tiled_neighbors(impl->tiled.geometry, rank, 1.0);
  HaloGeometry geometry = impl->geometry;
  geometry.myloc = impl->ranks->place_of(rank);
  return HaloPlan::neighbors_of(geometry, rank, *impl->ranks);
}

/* ----------------------------------------------------------------------
   the bounds of all sub-boxes, in the units that atoms have in exchange()
   and borders(): box units, or fractions of a triclinic box
------------------------------------------------------------------------- */

void CommP2PRDMA::set_geometry()
{
  HaloGeometry &geometry = impl->geometry;
  const double *splits[3] = {xsplit, ysplit, zsplit};
  geometry.dimension = domain->dimension;
  geometry.uniform = layout == Comm::LAYOUT_UNIFORM;
  for (int dim = 0; dim < 3; dim++) {
    geometry.periodicity[dim] = domain->periodicity[dim];
    geometry.procgrid[dim] = procgrid[dim];
    geometry.myloc[dim] = myloc[dim];
    geometry.split[dim] = splits[dim];
    geometry.boxlo[dim] = triclinic ? domain->boxlo_lamda[dim] : domain->boxlo[dim];
    geometry.boxhi[dim] = triclinic ? domain->boxhi_lamda[dim] : domain->boxhi[dim];
    geometry.prd[dim] = triclinic ? domain->prd_lamda[dim] : domain->prd[dim];
    geometry.cutghost[dim] = cutghost[dim];
  }
  if (!is_tiled()) return;
  learn_tiles();
  impl->tiled.geometry = {geometry, impl->tiled.tiles.get()};
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::set_cutoffs()
{
  std::vector<double> &cut = impl->cut;
  cut.clear();
  auto add_rows = [&](double **rows, int nrows) {
    for (int row = 0; row < nrows; row++) cut.insert(cut.end(), rows[row], rows[row] + 3);
  };

  if (mode == Comm::MULTI) {
    add_rows(cutghostmulti, ncollections);
  } else if (is_multi_old(static_cast<Comm &>(*this))) {
    auto rows = [](auto *comm) -> double ** {
      if constexpr (has_multi_old<Comm>::value)
        return comm->cutghostmultiold;
      else
        return nullptr;
    };
    double unused[3] = {0.0, 0.0, 0.0};    // there is no type 0
    cut.insert(cut.end(), unused, unused + 3);
    add_rows(rows(this) + 1, atom->ntypes);
  } else {
    cut.insert(cut.end(), cutghost, cutghost + 3);
  }
}

/* ----------------------------------------------------------------------
   make the links of the plan unless they are there already.  All ranks come
   to the same decision: the signature is made of what all ranks know, and
   whether slots are large enough is asked once per run
------------------------------------------------------------------------- */

void CommP2PRDMA::connect_peers()
{
  const std::vector<int> &peers = impl->peers;
  bool connect = !impl->transport || impl->plan.signature != impl->linked;
  if (connect || impl->check_capacity) {
    measure_density();
    connect = slots_are_too_small(connect ? std::vector<int>() : peers) || connect;
    impl->check_capacity = false;
  }
  if (!connect) return;

  std::vector<std::size_t> capacities;
  for (int peer : peers) capacities.push_back(message_bytes(peer, CAPACITY_SAFETY));
  impl->transport.reset();    // closes the links to the old peers, which do the same now
  impl->transport = std::make_unique<Transport>(*impl->bootstrap, &world, impl->settings.transport);
  impl->report = impl->transport->connect(peers, capacities, impl->hops);
  impl->linked = impl->plan.signature;
  impl->statistics.nconnects++;
  impl->statistics.nregistered += static_cast<bigint>(impl->report.nregistered);
  tell_report();
}

/* ----------------------------------------------------------------------
   Args:
     peers   [nlinks] of the links that this rank has
   Returns: whether some rank would often have to send messages in fragments
------------------------------------------------------------------------- */

bool CommP2PRDMA::slots_are_too_small(const std::vector<int> &peers)
{
  int too_small = 0, any;
  for (int i = 0; i < static_cast<int>(peers.size()); i++)
    if (message_bytes(peers[i], CAPACITY_ENOUGH) > impl->transport->capacity(i)) too_small = 1;
  MPI_Allreduce(&too_small, &any, 1, MPI_INT, MPI_MAX, world);
  return any != 0;
}

/* ----------------------------------------------------------------------
   each text is that of the lowest rank that has one
------------------------------------------------------------------------- */

void CommP2PRDMA::tell_report()
{
  auto tell = [&](const std::string &text, auto &&speak) {
    int mine = text.empty() ? nprocs : me, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, world);
    if (first == nprocs) return;
    char line[512] = {};
    std::strncpy(line, text.c_str(), sizeof(line) - 1);
    MPI_Bcast(line, sizeof(line), MPI_CHAR, first, world);
    speak(std::string(line));
  };
  tell(impl->report.error,
       [&](const std::string &text) { error->all(FLERR, "comm_style p2p_rdma: {}", text); });
  for (const BackendUse &use : impl->report.uses)
    tell(use.reason, [&](const std::string &text) {
      if (me == 0)
        error->warning(FLERR, "comm_style p2p_rdma: using {} instead of {}: {}",
                       impl->report.last_resort, use.title, text);
    });
  tell_transport();
}

/* ----------------------------------------------------------------------
   of this rank; a provider of libfabric is known from its keyword
------------------------------------------------------------------------- */

static std::string queues_of(const BackendUse &use)
{
  return use.name == "utofu" && !use.detail.empty() ? "; " + use.detail : "";
}

/* ----------------------------------------------------------------------
   backends by the largest number of peers that they serve on a rank
------------------------------------------------------------------------- */

void CommP2PRDMA::tell_transport()
{
  std::vector<int> npeers;
  for (const BackendUse &use : impl->report.uses) npeers.push_back(use.npeers);
  std::vector<int> most(npeers.size());
  MPI_Allreduce(npeers.data(), most.data(), static_cast<int>(npeers.size()), MPI_INT, MPI_MAX,
                world);
  std::string text;
  for (std::size_t i = 0; i < most.size(); i++)
    if (most[i])
      text += fmt::format("{} {} (up to {} peer{} of a rank{})", text.empty() ? "" : ",",
                          impl->report.uses[i].title, most[i], most[i] == 1 ? "" : "s",
                          queues_of(impl->report.uses[i]));
  if (text == impl->told_transport) return;
  impl->told_transport = text;
  if (me == 0 && !text.empty()) utils::logmesg(lmp, "TOFU p2p_rdma: messages by{}\n", text);
}

/* ----------------------------------------------------------------------
   of the densest sub-box, in atoms per box
------------------------------------------------------------------------- */

void CommP2PRDMA::measure_density()
{
  const double fraction = own_fraction();
  const double density = fraction > 0.0 ? atom->nlocal / fraction : 0.0;
  MPI_Allreduce(&density, &impl->densest, 1, MPI_DOUBLE, MPI_MAX, world);
}

/* ---------------------------------------------------------------------- */

double CommP2PRDMA::own_fraction() const
{
  if (is_tiled()) return impl->tiled.geometry.fraction(me);
  const HaloGeometry &geometry = impl->geometry;
  double fraction = 1.0;
  for (int dim = 0; dim < 3; dim++)
    fraction *=
        (geometry.sub_hi(dim, myloc[dim]) - geometry.sub_lo(dim, myloc[dim])) / geometry.prd[dim];
  return fraction;
}

/* ----------------------------------------------------------------------
   to the size that this run is likely to need, so that x and f stay where
   they are and are registered once
------------------------------------------------------------------------- */

void CommP2PRDMA::grow_arrays()
{
  double fraction = own_fraction();
  for (const HaloSwap &swap : impl->plan.swaps) fraction += swap.received_fraction;
  const double wanted = CAPACITY_SAFETY * impl->densest * fraction;
  if (wanted > atom->nmax && wanted < MAXSMALLINT / 8) atom->avec->grow(static_cast<int>(wanted));
}

/* ----------------------------------------------------------------------
   an upper estimate of the largest usual message to a rank; a longer one is
   only slower
------------------------------------------------------------------------- */

std::size_t CommP2PRDMA::message_bytes(int rank, double safety) const
{
  const double per_sent_atom = std::max({size_border, size_forward, maxforward});
  const double per_ghost = std::max(size_reverse, maxreverse);

  const std::vector<int> &neighbors = impl->plan.neighbors;
  const bool in_plan = std::binary_search(neighbors.begin(), neighbors.end(), rank);
  std::size_t largest = CAPACITY_EXTRA;
  for (const HaloStage &stage : impl->plan.stages)
    for (const HaloPeer &peer : stage.peers) {
      if (in_plan && peer.rank != rank) continue;    // to others goes what work needs
      auto estimate = [&](const std::vector<int> &swaps, double HaloSwap::*fraction,
                          double doubles_per_atom) {
        double ndoubles = 0.0;
        for (int swap : swaps)
          ndoubles +=
              2 + safety * doubles_per_atom * impl->densest * (impl->plan.swaps[swap].*fraction);
        return CAPACITY_EXTRA + static_cast<std::size_t>(ndoubles * sizeof(double));
      };
      largest = std::max({largest, estimate(peer.sends, &HaloSwap::sent_fraction, per_sent_atom),
                          estimate(peer.recvs, &HaloSwap::received_fraction, per_ghost)});
    }
  return impl->partners.neighbors.count(rank) ? std::max(largest, work_bytes(safety)) : largest;
}

/* ----------------------------------------------------------------------
   the same for atoms whose rows a partner makes, all of this rank's at most.
   The partner reads them after it has built its neighbor lists: until then they
   are in slots, of which those of the borders may not be free yet
------------------------------------------------------------------------- */

std::size_t CommP2PRDMA::work_bytes(double safety) const
{
  const int nslots = std::max(impl->settings.transport.link.nslots / 2, 1);
  const double nbytes = safety * CAPACITY_WORK * impl->densest * own_fraction() / nslots;
  const auto npartners = static_cast<double>(impl->partners.neighbors.size());
  const double most = 2.0 * CAPACITY_WORK_MOST / std::max(npartners, 2.0);
  return CAPACITY_EXTRA + static_cast<std::size_t>(std::min(nbytes, most));
}

/* ---------------------------------------------------------------------- */

void *CommP2PRDMA::extract(const char *name, int &dim)
{
  if (strcmp(name, "tofu/p2p_rdma") == 0) {
    dim = 0;
    return this;
  }
  if (strcmp(name, PlacedGrid::NAME) == 0) {
    dim = 0;
    return &impl->grid;
  }
  if (strcmp(name, GhostExchange::NAME) == 0) {
    dim = 0;
    return static_cast<GhostExchange *>(this);
  }
  if (strcmp(name, "localsendlist") == 0) {
    dim = 1;
    memory->grow(localsendlist, std::max(atom->nlocal, 1), "comm:localsendlist");
    std::fill_n(localsendlist, atom->nlocal, 0);
    if (impl->ready)
      for (int i : impl->halo.lists().indices())
        if (i < atom->nlocal) localsendlist[i] = 1;
    return localsendlist;
  }
  return nullptr;
}

/* ---------------------------------------------------------------------- */

double CommP2PRDMA::memory_usage()
{
  double bytes = CommBrick::memory_usage();
  bytes += static_cast<double>(impl->report.nbytes_registered);
  bytes += impl->halo.lists().nbytes() + impl->halo.self_images().nbytes() + impl->bins.nbytes();
  std::size_t ndoubles = impl->buffer.capacity(), nints = impl->destination.capacity();
  for (const std::vector<double> &atoms : impl->outgoing) ndoubles += atoms.capacity();
  for (const std::vector<int> &atoms : impl->leaving) nints += atoms.capacity();
  return bytes + static_cast<double>(ndoubles * sizeof(double) + nints * sizeof(int));
}
