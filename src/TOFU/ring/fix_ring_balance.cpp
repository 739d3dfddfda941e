/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#include "fix_ring_balance.h"

#include "balance/rank_ring.h"
#include "balance/sub_box.h"
#include "fix_ring_balance-impl.h"
#include "halo/tiles.h"
#include "lammps/io/keywords.h"
#include "lammps/io/number_option.h"
#include "lammps/io/run_summary.h"
#include "lammps/styles/pair_styles_in_use.h"
#include "lammps/styles/ring_styles.h"
#include "p2p/comm_p2p_rdma.h"
#include "p2p/links/p2p_settings.h"
#include "threadpool/lists/npair_threadpool.h"
#include "threadpool/pool/rank_pool.h"
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
#include "platform.h"
#include "text_file_reader.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <stdexcept>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

FixRingBalance::FixRingBalance(LAMMPS *lmp, int narg, char **arg) :
    Fix(lmp, narg, arg), impl(new Impl)
{
  scalar_flag = vector_flag = array_flag = peratom_flag = 1;
  size_vector = Impl::NCOUNTS;
  size_array_rows = comm->nprocs;
  size_array_cols = Impl::NCOUNTS;
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
  if (narg < 5) utils::missing_cmd_args(FLERR, "fix ring/balance", error);
  if (igroup != 0)
    error->all(FLERR, "Fix ring/balance must use group all: rows of all atoms are handed over");
  impl->settings.nevery =
      integer_option(lmp, "fix ring/balance Nevery value", arg[3], 0, MAXBIGINT);
  impl->settings.thresh = real_option(lmp, "fix ring/balance thresh value", arg[4], 1.0, INFINITY);

  using Mode = Impl::Mode;
  using Weight = Impl::Weight;
  Keywords keywords(lmp, "fix ring/balance");
  keywords.choice("mode", impl->settings.mode,
                  {{"auto", Mode::AUTO}, {"forward", Mode::FORWARD}, {"ghost", Mode::GHOST}});
  keywords.yes_or_no("rest", impl->settings.rest);
  keywords.choice("level", impl->settings.level_node, {{"node", true}, {"rank", false}});
  keywords.choice(
      "weight", impl->settings.weight,
      {{"atoms", Weight::ATOMS}, {"neighbors", Weight::NEIGHBORS}, {"time", Weight::TIME}});
  keywords.choice("direction", impl->settings.direction,
                  {{"both", RingDirection::BOTH}, {"downstream", RingDirection::DOWNSTREAM}});
  const auto read_ring = [&](int n, char **values) {
    const std::string value = values[0];
    impl->settings.ring_file.clear();
    if (value == "serpentine") return 1;
    if (value != "file") keywords.reject("ring", value, "serpentine, file NAME");
    if (n < 2) error->all(FLERR, "Missing file name after fix ring/balance keyword: ring file");
    impl->settings.ring_file = values[1];
    return 2;
  };
  keywords.other("ring", read_ring, [this]() {
    return impl->settings.ring_file.empty() ? "serpentine" : "file " + impl->settings.ring_file;
  });
  keywords.read(narg - 5, arg + 5);
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
  impl->transfers.clear();
  impl->begun = false;
  impl->ncalls = Impl::NO_LISTS;    // Neighbor counts anew
  impl->next_decision = -1;
  impl->natoms_handed = impl->nrows_handed = impl->ndecisions = 0;
  impl->counts = Impl::Counts();
  impl->gathered = false;
  impl->off.clear();
  const std::string reason = objection();
  if (!reason.empty()) {
    object(reason);
    return;
  }
  make_ring();

  std::vector<int> signature = impl->ring.order;
  signature.insert(signature.end(), impl->node_of_rank.begin(), impl->node_of_rank.end());
  signature.push_back(impl->settings.level_node);
  CommP2PRDMA::find(comm)->set_partners([this](int rank) { return impl->partners[rank]; },
                                        impl->settings.mode == Impl::Mode::GHOST, signature);

  impl->lists_are_read = others_read_lists(lmp);
  impl->work.seconds_before = impl->work.units_done = 0.0;
  impl->work.units = 0;
}

/* ---------------------------------------------------------------------- */

std::string FixRingBalance::objection() const
{
  for (const Fix *other : modify->get_fix_by_style(RING_BALANCE))
    if (other != this && strcmp(other->id, RING_OF_PACKAGE) != 0)
      return "there can be one fix ring/balance only";
  if (!CommP2PRDMA::find(comm))
    return fmt::format("it needs ghosts beyond the cut-off, which comm_style {} does not have; use "
                       "comm_style p2p/rdma",
                       comm->style == Comm::TILED ? "tiled" : "brick");
  const std::vector<PairInUse> pairs = pair_styles_in_use(force);
  if (pairs.empty()) return "it needs a pair style";
  for (const PairInUse &used : pairs) {
    const std::string reason = objection_to_rows_of_ghosts(used.style, used.pair);
    if (!reason.empty())
      return fmt::format("it cannot be used with pair style {}: {}", used.style, reason);
  }
  return objection_to_handing_over_rows(lmp);
}

/* ----------------------------------------------------------------------
   the ranks are not linked to partners, and nothing is handed over
------------------------------------------------------------------------- */

void FixRingBalance::object(const std::string &reason)
{
  if (!impl->settings.rest) error->all(FLERR, "Fix ring/balance is not possible: {}", reason);
  impl->off = reason;
  impl->transfers.clear();
  keep_all();
  restore_lists();
  if (CommP2PRDMA *p2p = CommP2PRDMA::find(comm)) p2p->set_partners(nullptr, false, {});
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
      lmp->error->one(FLERR, "Fix ring/balance cannot read its ring from file {}: {}", file,
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
    lmp->error->all(FLERR, "Fix ring/balance: file {} is no ring: {}", file, failure.what());
  }
  return {};
}

/* ----------------------------------------------------------------------
   partners are all ranks that may hand work to each other: neighbors on the
   ring, or all ranks of a node and of the nodes beside it
------------------------------------------------------------------------- */

void FixRingBalance::make_ring()
{
  const int nprocs = comm->nprocs;
  if (!impl->settings.ring_file.empty()) {
    impl->ring = read_ring(lmp, impl->settings.ring_file);
  } else if (const Tiles *tiles = CommP2PRDMA::find(comm)->tiles()) {
    std::vector<SubBox> boxes;
    for (int rank = 0; rank < nprocs; rank++)
      boxes.push_back({tiles->of(rank).lo, tiles->of(rank).hi});
    impl->ring = ring_of_boxes(boxes);
  } else {
    std::array<int, 3> procgrid, periodicity;
    std::copy_n(comm->procgrid, 3, procgrid.data());
    std::copy_n(domain->periodicity, 3, periodicity.data());
    impl->ring = serpentine_ring(procgrid, periodicity, [this](int ix, int iy, int iz) {
      return comm->grid2proc[ix][iy][iz];
    });
  }

  impl->node_of_rank.resize(nprocs);
  for (int rank = 0; rank < nprocs; rank++) impl->node_of_rank[rank] = rank;
  if (impl->settings.level_node) {
    const int node_size = CommP2PRDMA::find(comm)->settings().node_size;
    const int mine = make_mpi_bootstrap(&world, node_size)->node();
    MPI_Allgather(&mine, 1, MPI_INT, impl->node_of_rank.data(), 1, MPI_INT, world);
  }

  std::vector<int> nodes;    // in the order of the ring
  std::map<int, std::vector<int>> ranks_of;
  for (int rank : impl->ring.order) {
    std::vector<int> &ranks = ranks_of[impl->node_of_rank[rank]];
    if (ranks.empty()) nodes.push_back(impl->node_of_rank[rank]);
    ranks.push_back(rank);
  }
  impl->partners.assign(nprocs, {});
  const int nnodes = static_cast<int>(nodes.size());
  for (int n = 0; n < nnodes; n++) {
    std::set<int> near;
    for (int other : {n, (n + 1) % nnodes, (n + nnodes - 1) % nnodes})
      near.insert(ranks_of[nodes[other]].begin(), ranks_of[nodes[other]].end());
    for (int rank : ranks_of[nodes[n]]) {
      impl->partners[rank].assign(near.begin(), near.end());
      std::vector<int> &partners = impl->partners[rank];
      partners.erase(std::find(partners.begin(), partners.end(), rank));
    }
  }
  find_partners();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::find_partners()
{
  const std::vector<int> &partners = impl->partners[comm->me];
  impl->place_of.clear();
  for (int ix = 0; ix < comm->procgrid[0]; ix++)
    for (int iy = 0; iy < comm->procgrid[1]; iy++)
      for (int iz = 0; iz < comm->procgrid[2]; iz++) {
        const int rank = comm->grid2proc[ix][iy][iz];
        if (std::binary_search(partners.begin(), partners.end(), rank))
          impl->place_of[rank] = {ix, iy, iz};
      }
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::setup_pre_neighbor()
{
  if (impl->trial.running()) impl->trial.resume(update->ntimestep, platform::walltime());
  impl->next_decision = update->ntimestep;
  if (RankPool::find(lmp)) install_threadpool_lists(lmp);    // perhaps it comes after this fix
  pre_neighbor();
}

/* ----------------------------------------------------------------------
   ghosts are there, neighbor lists are about to be built
------------------------------------------------------------------------- */

void FixRingBalance::pre_neighbor()
{
  find_lists();
  if (!impl->off.empty()) return;
  go_on_with_trial();
  impl->begun = receivers_make_rows();
  if (impl->begun) begin_hand_over();
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
   no": then lists may be others than at the end of the run before.  The code that
   built them may have left post_neighbor out
------------------------------------------------------------------------- */

void FixRingBalance::setup_pre_force(int /*vflag*/)
{
  if (!impl->off.empty()) return;
  const bool others = neighbor->ncalls > 0 && impl->ncalls != neighbor->ncalls;
  if (impl->begun || others) hand_over_late();
  impl->ncalls = neighbor->ncalls;
}

/* ----------------------------------------------------------------------
   some fixes build neighbor lists by themselves, without a call of this fix.  With "pre no"
   after a command that has called init() the lists are those of the run before,
   and what has been handed over remains
------------------------------------------------------------------------- */

void FixRingBalance::pre_force(int /*vflag*/)
{
  if (!impl->off.empty()) return;
  if (impl->ncalls == Impl::NO_LISTS && neighbor->ncalls == 0) impl->ncalls = 0;
  if (impl->ncalls != neighbor->ncalls) hand_over_late();
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
  if (!summary_follows(lmp)) return;
  if (!impl->off.empty()) {
    if (comm->me == 0)
      utils::logmesg(lmp, "TOFU ring/balance: rests, since it is not possible: {}\n", impl->off);
    return;
  }
  const double before = compute_vector(0), after = compute_vector(1);
  const double given = compute_vector(2), extra = compute_vector(3);
  if (comm->me == 0)
    utils::logmesg(
        lmp,
        "TOFU ring/balance: rows max/average {:.3f} -> {:.3f}, {:.0f} atoms handed over, "
        "{:.0f} extra ghosts; {} decisions, handed over {} times as atoms, {} times as rows\n",
        before, after, given, extra, impl->ndecisions, impl->natoms_handed, impl->nrows_handed);
  const GainTrial &trial = impl->trial;
  if (comm->me == 0 && trial.rests() && !trial.running())
    utils::logmesg(lmp,
                   "TOFU ring/balance: rests, since it does not pay: a step takes {:.1f} us with "
                   "it, {:.1f} us without\n",
                   1e6 * trial.times().with, 1e6 * trial.times().without);
}

/* ---------------------------------------------------------------------- */

double FixRingBalance::compute_scalar()
{
  return compute_vector(1);
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::grow_arrays(int nmax)
{
  impl->computing_rank.resize(nmax, comm->me);
  vector_atom = impl->computing_rank.data();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::copy_arrays(int i, int j, int /*delflag*/)
{
  impl->computing_rank[j] = impl->computing_rank[i];
}

/* ----------------------------------------------------------------------
   an atom that comes between two runs
------------------------------------------------------------------------- */

void FixRingBalance::set_arrays(int i)
{
  impl->computing_rank[i] = comm->me;
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
  for (const Impl::Counts &counts : impl->all_counts) {
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
  const Impl::Counts &counts = impl->all_counts[i];
  const std::int64_t columns[] = {counts.owned, counts.computed, counts.given, counts.received,
                                  counts.extra_ghosts};
  return static_cast<double>(columns[j]);
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::gather_statistics()
{
  if (impl->gathered) return;
  impl->gathered = true;
  impl->all_counts.resize(comm->nprocs);
  MPI_Allgather(&impl->counts, Impl::NCOUNTS, MPI_INT64_T, impl->all_counts.data(), Impl::NCOUNTS,
                MPI_INT64_T, world);
}

/* ---------------------------------------------------------------------- */

double FixRingBalance::memory_usage()
{
  double bytes = static_cast<double>(impl->computing_rank.capacity() * sizeof(double));
  bytes += static_cast<double>(impl->work.of_row.capacity() * sizeof(std::int64_t));
  for (const Impl::Rows &rows : impl->lists) bytes += rows.own->bytes_of_rows();
  for (const ReceivedRegion &region : impl->taking.regions)
    bytes += static_cast<double>(region.natoms() * (sizeof(TableAtom) + 3 * sizeof(double)));
  for (const auto *messages : {&impl->giving.out, &impl->taking.in})
    for (const auto &message : *messages) bytes += static_cast<double>(message.second.capacity());
  return bytes;
}
