// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_ring_balance.h"

#include "lammps/io/run_summary.h"
#include "lammps/styles/pair_styles_in_use.h"
#include "lammps/styles/ring_styles.h"
#include "p2p/appended_ghosts.h"
#include "p2p/comm_p2p_rdma.h"
#include "ring_decision.h"
#include "ring_ranks.h"
#include "ring_settings.h"
#include "ring_statistics.h"
#include "row_cost.h"
#include "row_lists.h"
#include "threadpool/lists/npair_threadpool.h"
#include "threadpool/pool/rank_pool.h"
#include "transfer_receiver.h"
#include "transfer_sender.h"

#include "atom.h"
#include "atom_vec.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "modify.h"
#include "neighbor.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

struct FixRingBalance::Impl {
  static constexpr bigint NO_LISTS = -1;    // none built since init()

  const RingSettings settings;
  RingRanks ranks;
  RingDecision decision;
  RowLists lists;
  RowCost cost;
  TransferSender sender;
  TransferReceiver receiver;
  RingStatistics statistics;

  std::string disabled_because;    // with keyword rest; empty: it is possible
  bool receivers_build = false;    // the rows of atoms that are on their way, until lists are built
  bigint ncalls = NO_LISTS;        // of Neighbor, at the last hand_over()
  std::vector<double> computing_rank;    // [nmax] vector_atom

  Impl(LAMMPS *lmp, int narg, char **arg) :
      settings(lmp, narg, arg), ranks(lmp), decision(lmp, settings), lists(lmp), cost(lmp),
      sender(lmp), receiver(lmp), statistics(lmp)
  {
  }
};

/* ---------------------------------------------------------------------- */

FixRingBalance::FixRingBalance(LAMMPS *lmp, int narg, char **arg) :
    Fix(lmp, narg, arg), impl(new Impl(lmp, narg, arg))
{
  scalar_flag = vector_flag = array_flag = peratom_flag = 1;
  size_vector = RowCounts::N;
  size_array_rows = comm->nprocs;
  size_array_cols = RowCounts::N;
  extscalar = extvector = extarray = 0;
  global_freq = peratom_freq = 1;
  size_peratom_cols = 0;

  if (igroup != 0)
    error->all(FLERR, "Fix ring/balance must use group all: rows of all atoms are handed over");
  FixRingBalance::grow_arrays(std::max(atom->nmax, 1));
  atom->add_callback(Atom::GROW);
  create_attribute = 1;    // set_arrays() of new atoms
}

/* ---------------------------------------------------------------------- */

FixRingBalance::~FixRingBalance()
{
  atom->delete_callback(id, Atom::GROW);
  if (force && neighbor) impl->lists.restore();
  if (CommP2PRDMA *p2p = CommP2PRDMA::find(comm)) p2p->set_partners(nullptr, false, {});
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
  impl->decision.init();
  impl->statistics.init();
  impl->receivers_build = false;
  impl->ncalls = Impl::NO_LISTS;    // Neighbor counts anew
  impl->disabled_because.clear();
  const std::string obstacle = find_obstacle();
  if (!obstacle.empty()) {
    disable(obstacle);
    return;
  }
  impl->ranks.make(impl->settings);
  CommP2PRDMA::find(comm)->set_partners([this](int rank) { return impl->ranks.partners_of(rank); },
                                        impl->settings.mode == RingSettings::Mode::GHOST,
                                        impl->ranks.signature(impl->settings.plan.level_node));
  impl->lists.init();
  impl->cost.init();
}

/* ---------------------------------------------------------------------- */

std::string FixRingBalance::find_obstacle() const
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
   an error, or with keyword rest a run without transfers and links to partners
------------------------------------------------------------------------- */

void FixRingBalance::disable(const std::string &reason)
{
  if (!impl->settings.rest) error->all(FLERR, "Fix ring/balance is not possible: {}", reason);
  impl->disabled_because = reason;
  impl->decision.clear();
  send_transfers();
  impl->lists.restore();
  if (CommP2PRDMA *p2p = CommP2PRDMA::find(comm)) p2p->set_partners(nullptr, false, {});
}

/* ----------------------------------------------------------------------
   Returns: whether rows can be handed over
------------------------------------------------------------------------- */

bool FixRingBalance::find_lists()
{
  if (!impl->disabled_because.empty()) return false;
  const std::string obstacle = impl->lists.find();
  if (!obstacle.empty()) disable(obstacle);
  return obstacle.empty();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::setup_pre_neighbor()
{
  impl->decision.start_run();
  if (RankPool::find(lmp)) install_threadpool_lists(lmp);    // perhaps it comes after this fix
  pre_neighbor();
}

/* ----------------------------------------------------------------------
   ghosts are there, neighbor lists are about to be built.  If receivers build rows,
   messages travel meanwhile
------------------------------------------------------------------------- */

void FixRingBalance::pre_neighbor()
{
  if (!find_lists()) return;
  impl->decision.advance_trial();
  impl->receivers_build = impl->settings.mode != RingSettings::Mode::FORWARD &&
      impl->settings.weight == RingSettings::Weight::ATOMS && impl->lists.receivers_can_build();
  if (!impl->receivers_build) return;
  impl->cost.set_one_per_atom();
  impl->statistics.counts.owned = atom->nlocal;
  impl->decision.plan_if_due(impl->cost, impl->ranks);
  send_transfers();
  const DonorSelection &selection = impl->sender.selection();
  impl->lists.leave_out(impl->statistics.counts.given ? &selection.given() : nullptr,
                        &selection.seam());
}

void FixRingBalance::min_pre_neighbor()
{
  pre_neighbor();
}

/* ----------------------------------------------------------------------
   those of the plan, if there are some
------------------------------------------------------------------------- */

void FixRingBalance::send_transfers()
{
  RowCounts &counts = impl->statistics.counts;
  if (impl->decision.transfers().empty()) {
    impl->sender.clear();
    impl->receiver.clear();
    counts.set_no_transfers();
    return;
  }
  impl->statistics.add_hand_over(impl->receivers_build);
  AppendedGhosts::Offer offer = CommP2PRDMA::find(comm)->appended_ghosts().begin();
  impl->sender.select(impl->decision, impl->ranks,
                      impl->receivers_build ? nullptr : &impl->cost.of_row());
  counts.given = static_cast<std::int64_t>(impl->sender.selection().ngiven());
  impl->receiver.expect(impl->sender.send(offer, impl->decision, impl->lists,
                                          impl->settings.mode == RingSettings::Mode::FORWARD,
                                          impl->receiver.messages()));
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::setup_post_neighbor()
{
  hand_over();
}

void FixRingBalance::post_neighbor()
{
  hand_over();
}

void FixRingBalance::min_post_neighbor()
{
  hand_over();
}

/* ----------------------------------------------------------------------
   complete the transfers of pre_neighbor(), or send and receive rows.  Collective
------------------------------------------------------------------------- */

void FixRingBalance::hand_over()
{
  const bool as_atoms = impl->receivers_build;
  RowCounts &counts = impl->statistics.counts;
  if (!as_atoms) {
    if (!find_lists()) return;
    impl->lists.mark_rows();
    impl->cost.measure_rows(impl->lists, impl->settings.weight != RingSettings::Weight::ATOMS);
    counts.owned = impl->cost.nrows();
    impl->decision.plan_if_due(impl->cost, impl->ranks);
    send_transfers();
  }
  impl->ncalls = neighbor->ncalls;
  impl->statistics.outdate();
  if (impl->decision.transfers().empty()) {
    impl->lists.restore();
  } else {
    counts.extra_ghosts = impl->receiver.receive(impl->decision.transfers(), as_atoms);

    // fix rigid/small sends all of its bodies in pre_neighbor() only, and did so to fewer ghosts

    for (Fix *fix : modify->get_fix_by_style("^rigid.*/small")) fix->pre_neighbor();
    impl->lists.copy_kept_rows(impl->sender.selection().given());
    counts.received = as_atoms ? impl->receiver.build_rows(impl->lists, counts.given > 0)
                               : impl->receiver.add_rows(impl->lists);
    impl->lists.install();
    counts.computed = counts.owned - counts.given + counts.received;
  }
  impl->receivers_build = false;
  if (impl->settings.weight == RingSettings::Weight::TIME) impl->cost.count_computed(impl->lists);
  set_computing_ranks();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::set_computing_ranks()
{
  std::fill_n(impl->computing_rank.begin(), atom->nlocal, comm->me);
  const DonorSelection &selection = impl->sender.selection();
  for (const SelectedTransfer &transfer : selection.transfers()) {
    const int *const given = selection.atoms_of(transfer);
    for (int k = 0; k < transfer.natoms; k++)
      impl->computing_rank[given[k]] = selection.rank_of(transfer);
  }
}

/* ----------------------------------------------------------------------
   after the first lists of a run their number begins anew, but not with "pre
   no": then lists may be others than at the end of the run before.  The code that
   built them may have left post_neighbor out
------------------------------------------------------------------------- */

void FixRingBalance::setup_pre_force(int /*vflag*/)
{
  if (!impl->disabled_because.empty()) return;
  const bool others = neighbor->ncalls > 0 && impl->ncalls != neighbor->ncalls;
  if (impl->receivers_build || others) hand_over_late();
  impl->ncalls = neighbor->ncalls;
}

/* ----------------------------------------------------------------------
   some fixes build neighbor lists by themselves, without a call of this fix.  With
   "pre no" after a command that has called init() the lists are those of the run
   before, and what has been handed over remains
------------------------------------------------------------------------- */

void FixRingBalance::pre_force(int /*vflag*/)
{
  if (!impl->disabled_because.empty()) return;
  if (impl->ncalls == Impl::NO_LISTS && neighbor->ncalls == 0) impl->ncalls = 0;
  if (impl->ncalls != neighbor->ncalls) hand_over_late();
}

void FixRingBalance::min_pre_force(int vflag)
{
  pre_force(vflag);
}

/* ----------------------------------------------------------------------
   forces have been cleared before the appended ghosts were there
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

void FixRingBalance::post_run()
{
  if (!summary_follows(lmp)) return;
  std::string reason = impl->decision.reason_of_rest();
  if (!impl->disabled_because.empty())
    reason = "it is not possible: " + impl->disabled_because;
  else
    impl->statistics.print(impl->decision.nplans());
  if (comm->me == 0 && !reason.empty())
    utils::logmesg(lmp, "TOFU ring/balance: rests, since {}\n", reason);
}

/* ----------------------------------------------------------------------
   imbalance with the fix
------------------------------------------------------------------------- */

double FixRingBalance::compute_scalar()
{
  return compute_vector(1);
}

double FixRingBalance::compute_vector(int n)
{
  return impl->statistics.vector(n);
}

double FixRingBalance::compute_array(int i, int j)
{
  return impl->statistics.array(i, j);
}

/* ---------------------------------------------------------------------- */

double FixRingBalance::memory_usage()
{
  return static_cast<double>(impl->computing_rank.capacity() * sizeof(double) +
                             impl->cost.of_row().capacity() * sizeof(std::int64_t)) +
      impl->lists.memory_usage() + impl->sender.memory_usage() + impl->receiver.memory_usage();
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::grow_arrays(int nmax)
{
  impl->computing_rank.resize(nmax, comm->me);
  vector_atom = impl->computing_rank.data();
}

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
