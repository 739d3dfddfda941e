/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "fix_ring_balance.h"

#include "comm_p2p_rdma.h"
#include "fix_ring_balance_engine.h"
#include "fix_threadpool.h"
#include "npair_threadpool.h"
#include "number_option.h"
#include "p2p_settings.h"
#include "pair_styles_in_use.h"
#include "ring_styles.h"
#include "transport/bootstrap_mpi.h"

#include "atom.h"
#include "atom_vec.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "modify.h"
#include "neighbor.h"
#include "pair.h"
#include "text_file_reader.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

FixRingBalance::FixRingBalance(LAMMPS *lmp, int narg, char **arg) :
    Fix(lmp, narg, arg), engine(new Engine)
{
  scalar_flag = vector_flag = array_flag = peratom_flag = 1;
  size_vector = Engine::NCOUNTS;
  size_array_rows = comm->nprocs;
  size_array_cols = Engine::NCOUNTS;
  extscalar = extvector = extarray = 0;
  global_freq = peratom_freq = 1;
  size_peratom_cols = 0;

  parse(narg, arg);
  FixRingBalance::grow_arrays(std::max(atom->nmax, 1));
  atom->add_callback(Atom::GROW);
  create_attribute = 1;    // set_arrays() of new atoms
}

/* ---------------------------------------------------------------------- */

FixRingBalance::~FixRingBalance()
{
  atom->delete_callback(id, Atom::GROW);
  if (force && neighbor) restore_lists();
  if (CommP2PRDMA *p2p = CommP2PRDMA::find(comm)) p2p->set_partners(nullptr, false, {});
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::parse(int narg, char **arg)
{
  if (narg < 5) utils::missing_cmd_args(FLERR, "fix ring_balance", error);
  if (igroup != 0)
    error->all(FLERR, "Fix ring_balance must use group all: rows of all atoms are handed over");
  engine->nevery = integer_option(lmp, "fix ring_balance Nevery value", arg[3], 0, MAXBIGINT);
  engine->thresh = real_option(lmp, "fix ring_balance thresh value", arg[4], 1.0, INFINITY);

  for (int iarg = 5; iarg < narg; iarg += 2) {
    const std::string keyword = arg[iarg];
    if (iarg + 1 >= narg)
      error->all(FLERR, "Missing value after fix ring_balance keyword: {}", keyword);
    const std::string value = arg[iarg + 1];
    auto choose = [&](auto &choice, const auto &allowed) {
      for (const auto &[name, meaning] : allowed)
        if (value == name) {
          choice = meaning;
          return;
        }
      std::string names;
      for (const auto &one : allowed) names += (names.empty() ? "" : ", ") + one.first;
      error->all(FLERR, "Unknown fix ring_balance {} value: {} (allowed: {})", keyword, value,
                 names);
    };
    using Mode = Engine::Mode;
    using Weight = Engine::Weight;
    if (keyword == "mode") {
      choose(engine->mode,
             std::map<std::string, Mode>{
                 {"auto", Mode::AUTO}, {"forward", Mode::FORWARD}, {"ghost", Mode::GHOST}});
    } else if (keyword == "level") {
      choose(engine->level_node, std::map<std::string, bool>{{"node", true}, {"rank", false}});
    } else if (keyword == "weight") {
      choose(engine->weight,
             std::map<std::string, Weight>{{"atoms", Weight::ATOMS},
                                           {"neighbors", Weight::NEIGHBORS},
                                           {"time", Weight::TIME}});
    } else if (keyword == "direction") {
      choose(engine->direction,
             std::map<std::string, RingDirection>{{"both", RingDirection::BOTH},
                                                  {"downstream", RingDirection::DOWNSTREAM}});
    } else if (keyword == "ring") {
      engine->ring_file.clear();
      if (value == "serpentine") continue;
      if (value != "file")
        error->all(FLERR,
                   "Unknown fix ring_balance ring value: {} (allowed: serpentine, file NAME)",
                   value);
      if (iarg + 2 >= narg)
        error->all(FLERR, "Missing file name after fix ring_balance keyword: ring file");
      engine->ring_file = arg[iarg + 2];
      iarg++;
    } else {
      error->all(FLERR,
                 "Unknown fix ring_balance keyword: {} (allowed: direction, level, mode, ring, "
                 "weight)",
                 keyword);
    }
  }
}

/* ---------------------------------------------------------------------- */

int FixRingBalance::setmask()
{
  return PRE_NEIGHBOR | MIN_PRE_NEIGHBOR | POST_NEIGHBOR | MIN_POST_NEIGHBOR | PRE_FORCE |
      MIN_PRE_FORCE;
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::init()
{
  refuse_what_cannot_work();
  make_ring();

  std::vector<int> signature = engine->ring.order;
  signature.insert(signature.end(), engine->node_of_rank.begin(), engine->node_of_rank.end());
  signature.push_back(engine->level_node);
  CommP2PRDMA::find(comm)->set_partners([this](int rank) { return engine->partners[rank]; },
                                        engine->mode == Engine::Mode::GHOST, signature);

  engine->transfers.clear();
  engine->begun = false;
  engine->ncalls = Engine::NO_LISTS;    // Neighbor counts anew
  engine->next_decision = -1;
  engine->lists_are_read = others_read_lists(lmp);
  engine->seconds_before = engine->units_done = 0.0;
  engine->units = 0;
  engine->natoms_handed = engine->nrows_handed = engine->ndecisions = 0;
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::refuse_what_cannot_work() const
{
  if (modify->get_fix_by_style("^ring_balance").size() > 1)
    error->all(FLERR, "There can be one fix ring_balance only");
  if (!CommP2PRDMA::find(comm))
    error->all(FLERR,
               "Fix ring_balance needs ghosts beyond the cut-off, which comm_style {} does not "
               "have; use comm_style p2p_rdma",
               comm->style == Comm::TILED ? "tiled" : "brick");
  const std::vector<PairInUse> pairs = pair_styles_in_use(force);
  if (pairs.empty()) error->all(FLERR, "Fix ring_balance needs a pair style");
  for (const PairInUse &used : pairs) {
    const std::string reason = objection_to_rows_of_ghosts(used.style, used.pair);
    if (!reason.empty())
      error->all(FLERR, "Fix ring_balance cannot be used with pair style {}: {}", used.style,
                 reason);
  }
  const std::string reason = objection_to_handing_over_rows(lmp);
  if (!reason.empty()) error->all(FLERR, "Fix ring_balance is not possible: {}", reason);
}

/* ---------------------------------------------------------------------- */

static RankRing read_ring(LAMMPS *lmp, const std::string &file)
{
  int nranks = 0;
  std::vector<int> ranks;
  if (lmp->comm->me == 0) {
    try {
      TextFileReader reader(file, "ring of ranks");
      while (const char *line = reader.next_line()) {
        ValueTokenizer values(line);
        while (values.has_next()) ranks.push_back(values.next_int());
      }
    } catch (std::exception &failure) {
      lmp->error->one(FLERR, "Fix ring_balance cannot read its ring from file {}: {}", file,
                      failure.what());
    }
    nranks = static_cast<int>(ranks.size());
  }
  MPI_Bcast(&nranks, 1, MPI_INT, 0, lmp->world);
  ranks.resize(nranks);
  MPI_Bcast(ranks.data(), nranks, MPI_INT, 0, lmp->world);
  try {
    return ring_from_ranks(ranks, lmp->comm->nprocs);
  } catch (std::invalid_argument &failure) {
    lmp->error->all(FLERR, "Fix ring_balance: file {} is no ring: {}", file, failure.what());
  }
  return {};
}

/* ----------------------------------------------------------------------
   partners are all who may ever hand work to each other: neighbors on the
   ring, or all ranks of a node and of the nodes beside it
------------------------------------------------------------------------- */

void FixRingBalance::make_ring()
{
  const int nprocs = comm->nprocs;
  if (engine->ring_file.empty()) {
    std::array<int, 3> procgrid, periodicity;
    std::copy_n(comm->procgrid, 3, procgrid.data());
    std::copy_n(domain->periodicity, 3, periodicity.data());
    engine->ring = serpentine_ring(procgrid, periodicity, [this](int ix, int iy, int iz) {
      return comm->grid2proc[ix][iy][iz];
    });
  } else {
    engine->ring = read_ring(lmp, engine->ring_file);
  }

  engine->node_of_rank.resize(nprocs);
  for (int rank = 0; rank < nprocs; rank++) engine->node_of_rank[rank] = rank;
  if (engine->level_node) {
    const int node_size = CommP2PRDMA::find(comm)->settings().node_size;
    const int mine = make_mpi_bootstrap(&world, node_size)->node();
    MPI_Allgather(&mine, 1, MPI_INT, engine->node_of_rank.data(), 1, MPI_INT, world);
  }

  std::vector<int> nodes;    // in the order of the ring
  std::map<int, std::vector<int>> ranks_of;
  for (int rank : engine->ring.order) {
    std::vector<int> &ranks = ranks_of[engine->node_of_rank[rank]];
    if (ranks.empty()) nodes.push_back(engine->node_of_rank[rank]);
    ranks.push_back(rank);
  }
  engine->partners.assign(nprocs, {});
  const int nnodes = static_cast<int>(nodes.size());
  for (int n = 0; n < nnodes; n++) {
    std::set<int> near;
    for (int other : {n, (n + 1) % nnodes, (n + nnodes - 1) % nnodes})
      near.insert(ranks_of[nodes[other]].begin(), ranks_of[nodes[other]].end());
    for (int rank : ranks_of[nodes[n]]) {
      engine->partners[rank].assign(near.begin(), near.end());
      std::vector<int> &partners = engine->partners[rank];
      partners.erase(std::find(partners.begin(), partners.end(), rank));
    }
  }
  find_partners();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::find_partners()
{
  const std::vector<int> &partners = engine->partners[comm->me];
  engine->place_of.clear();
  for (int ix = 0; ix < comm->procgrid[0]; ix++)
    for (int iy = 0; iy < comm->procgrid[1]; iy++)
      for (int iz = 0; iz < comm->procgrid[2]; iz++) {
        const int rank = comm->grid2proc[ix][iy][iz];
        if (std::binary_search(partners.begin(), partners.end(), rank))
          engine->place_of[rank] = {ix, iy, iz};
      }
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::setup_pre_neighbor()
{
  engine->next_decision = update->ntimestep;
  if (FixThreadpool::find(lmp)) install_threadpool_lists(lmp);    // perhaps it comes after this fix
  pre_neighbor();
}

/* ----------------------------------------------------------------------
   ghosts are there, neighbor lists are about to be built
------------------------------------------------------------------------- */

void FixRingBalance::pre_neighbor()
{
  find_lists();
  engine->begun = receivers_make_rows();
  if (engine->begun) begin_hand_over();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::min_pre_neighbor()
{
  pre_neighbor();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::setup_post_neighbor()
{
  hand_over();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::post_neighbor()
{
  hand_over();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::min_post_neighbor()
{
  hand_over();
}

/* ----------------------------------------------------------------------
   after the first lists of a run their number begins anew, but not with "pre
   no": then lists may be others than at the end of the run before.  Whoever has
   built them may have left post_neighbor out
------------------------------------------------------------------------- */

void FixRingBalance::setup_pre_force(int /*vflag*/)
{
  const bool others = neighbor->ncalls > 0 && engine->ncalls != neighbor->ncalls;
  if (engine->begun || others) hand_over_late();
  engine->ncalls = neighbor->ncalls;
}

/* ----------------------------------------------------------------------
   some fixes build neighbor lists by themselves and tell nobody.  With "pre no"
   after a command that has called init() the lists are those of the run before,
   and what has been handed over remains
------------------------------------------------------------------------- */

void FixRingBalance::pre_force(int /*vflag*/)
{
  if (engine->ncalls == Engine::NO_LISTS && neighbor->ncalls == 0) engine->ncalls = 0;
  if (engine->ncalls != neighbor->ncalls) hand_over_late();
}

/* ----------------------------------------------------------------------
   forces have been cleared before there were the ghosts that come now
------------------------------------------------------------------------- */

void FixRingBalance::hand_over_late()
{
  hand_over();
  const int first = CommP2PRDMA::find(comm)->nghost_of_pattern() + atom->nlocal;
  const std::size_t n = 3 * static_cast<std::size_t>(atom->nlocal + atom->nghost - first);
  if (n == 0) return;
  std::fill_n(atom->f[first], n, 0.0);
  if (atom->torque_flag) std::fill_n(atom->torque[first], n, 0.0);
  if (atom->avec->forceclearflag) atom->avec->force_clear(first, n / 3 * sizeof(double));
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::min_pre_force(int vflag)
{
  pre_force(vflag);
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::post_run()
{
  const double before = compute_vector(0), after = compute_vector(1);
  const double given = compute_vector(2), extra = compute_vector(3);
  if (comm->me == 0)
    utils::logmesg(
        lmp,
        "TOFU ring_balance: rows max/average {:.3f} -> {:.3f}, {:.0f} atoms handed over, "
        "{:.0f} extra ghosts; {} decisions, handed over {} times as atoms, {} times as rows\n",
        before, after, given, extra, engine->ndecisions, engine->natoms_handed,
        engine->nrows_handed);
}

/* ---------------------------------------------------------------------- */

double FixRingBalance::compute_scalar()
{
  return compute_vector(1);
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::grow_arrays(int nmax)
{
  engine->computing_rank.resize(nmax, comm->me);
  vector_atom = engine->computing_rank.data();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::copy_arrays(int i, int j, int /*delflag*/)
{
  engine->computing_rank[j] = engine->computing_rank[i];
}

/* ----------------------------------------------------------------------
   an atom that comes between two runs
------------------------------------------------------------------------- */

void FixRingBalance::set_arrays(int i)
{
  engine->computing_rank[i] = comm->me;
}

/* ----------------------------------------------------------------------
   1 imbalance without the fix, 2 with it, 3 atoms handed over, 4 extra ghosts,
   5 bytes of their positions and forces
------------------------------------------------------------------------- */

double FixRingBalance::compute_vector(int n)
{
  gather_statistics();
  double owned = 0.0, most_owned = 0.0, computed = 0.0, most_computed = 0.0, given = 0.0,
         extra = 0.0;
  for (const Engine::Counts &counts : engine->all_counts) {
    owned += counts.owned;
    computed += counts.computed;
    most_owned = std::max<double>(most_owned, counts.owned);
    most_computed = std::max<double>(most_computed, counts.computed);
    given += counts.given;
    extra += counts.extra_ghosts;
  }
  const AtomVec *avec = atom->avec;
  const double per_ghost = (avec->size_forward + avec->size_reverse) * sizeof(double);
  switch (n) {
    case 0:
      return owned > 0.0 ? most_owned * comm->nprocs / owned : 1.0;
    case 1:
      return computed > 0.0 ? most_computed * comm->nprocs / computed : 1.0;
    case 2:
      return given;
    case 3:
      return extra;
    default:
      return extra * per_ghost;
  }
}

/* ----------------------------------------------------------------------
   by rank: atoms owned, computed, handed over, received, and extra ghosts
------------------------------------------------------------------------- */

double FixRingBalance::compute_array(int i, int j)
{
  gather_statistics();
  const Engine::Counts &counts = engine->all_counts[i];
  const std::int64_t columns[] = {counts.owned, counts.computed, counts.given, counts.received,
                                  counts.extra_ghosts};
  return static_cast<double>(columns[j]);
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::gather_statistics()
{
  if (engine->gathered) return;
  engine->gathered = true;
  engine->all_counts.resize(comm->nprocs);
  MPI_Allgather(&engine->counts, Engine::NCOUNTS, MPI_INT64_T, engine->all_counts.data(),
                Engine::NCOUNTS, MPI_INT64_T, world);
}

/* ---------------------------------------------------------------------- */

double FixRingBalance::memory_usage()
{
  double bytes = static_cast<double>(engine->computing_rank.capacity() * sizeof(double));
  bytes += static_cast<double>(engine->row_work.capacity() * sizeof(std::int64_t));
  for (const Engine::Rows &rows : engine->lists) bytes += rows.own->bytes_of_rows();
  for (const ReceivedRegion &region : engine->regions)
    bytes += static_cast<double>(region.natoms() * (sizeof(TableAtom) + 3 * sizeof(double)));
  for (const auto *messages : {&engine->out, &engine->in})
    for (const auto &message : *messages) bytes += static_cast<double>(message.second.capacity());
  return bytes;
}
