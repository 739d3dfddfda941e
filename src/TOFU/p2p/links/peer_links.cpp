// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "peer_links.h"

#include "pool/processors.h"
#include "pool/thread_pool.h"
#include "threadpool/pool/rank_pool.h"
#include "transport/bootstrap_mpi.h"

#include "atom.h"
#include "comm.h"
#include "error.h"

#include <algorithm>
#include <cstring>
#include <sched.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// slots are made for so many times the atoms that the densest sub-box suggests; a later run goes on
// with them up to the second factor

static constexpr double CAPACITY_SAFETY = 1.5;
static constexpr double CAPACITY_ENOUGH = 1.2;

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

PeerLinks::PeerLinks(LAMMPS *lmp, const P2PSettings &settings) :
    Pointers(lmp), options_(settings.transport),
    bootstrap_(make_mpi_bootstrap(&world, settings.node_size))
{
  if (settings.nthreads > 1) {
    try {
      team_ = make_comm_team(lmp, settings.nthreads);
    } catch (const TransportError &failure) {
      error->one(FLERR, "comm_style p2p/rdma: {}", failure.what());
    }
  }
  options_.warn = [this](const std::string &text) {
    error->warning(FLERR, "comm_style p2p/rdma: {}", text);
  };
  watch_ = std::make_unique<NodeWatch>(&world, "comm_style p2p/rdma", options_.warn);
}

/* ---------------------------------------------------------------------- */

void PeerLinks::begin_run()
{
  sizes_are_checked_ = false;
  if (transport_) transport_->reset_counters();
}

/* ---------------------------------------------------------------------- */

std::vector<double> PeerLinks::basis_of_links(std::vector<double> neighbors) const
{
  const std::vector<int> signature = partners_.signature();
  neighbors.insert(neighbors.end(), signature.begin(), signature.end());
  return neighbors;
}

/* ---------------------------------------------------------------------- */

bool PeerLinks::are_for_tiles() const
{
  return transport_ && linked_ == of_tiles_.signature();
}

/* ----------------------------------------------------------------------
   fix balance has LAMMPS call setup() whenever atoms change owner
------------------------------------------------------------------------- */

bool PeerLinks::serve_tiles(const std::vector<double> &neighbors) const
{
  return sizes_are_checked_ && are_for_tiles() && of_tiles_.serve(basis_of_links(neighbors));
}

/* ----------------------------------------------------------------------
   the same signature on all ranks means the same links on all ranks, which then
   stay
------------------------------------------------------------------------- */

void PeerLinks::choose_in_grid(HaloPlan &plan, const PartnerLinks::RanksOf &neighbors_of)
{
  plan.signature.push_back(plan.forwards);    // slots are as large as the messages of the pattern
  const std::vector<int> signature = partners_.signature();
  plan.signature.insert(plan.signature.end(), signature.begin(), signature.end());
  if (plan.signature == linked_) return;

  peers_.clear();
  hops_.clear();
  for (const auto &[rank, nhops] : partners_.wanted(plan, comm->me, neighbors_of)) {
    peers_.push_back(rank);
    hops_.push_back(nhops);
  }
}

/* ----------------------------------------------------------------------
   a peer that is no neighbor is linked for a partner, or for layouts to come: it
   counts as two sub-boxes away
------------------------------------------------------------------------- */

void PeerLinks::choose_of_tiles(HaloPlan &plan, const std::vector<double> &neighbors,
                                const PartnerLinks::RanksOf &neighbors_of,
                                const std::function<std::vector<int>()> &nearby)
{
  const std::vector<double> basis = basis_of_links(neighbors);
  if (!are_for_tiles() || !of_tiles_.serve(basis)) {
    std::vector<int> wanted;
    for (const auto &link : partners_.wanted(plan, comm->me, neighbors_of))
      wanted.push_back(link.first);
    const auto largest = [this](int *numbers, int n) {
      MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_INT, MPI_MAX, world);
    };
    if (of_tiles_.choose({comm->nprocs, basis, wanted, nearby}, are_for_tiles(), peers_, largest)) {
      hops_.clear();
      for (const int peer : peers_)
        hops_.push_back(std::binary_search(plan.neighbors.begin(), plan.neighbors.end(), peer) ? 1
                                                                                               : 2);
    }
  }
  plan.signature = of_tiles_.signature();
  plan.complete = of_tiles_.complete();
}

/* ----------------------------------------------------------------------
   all ranks decide alike: signatures are made of what all ranks have, and whether
   slots are large enough is reduced once per run
------------------------------------------------------------------------- */

void PeerLinks::connect(const HaloPlan &plan, MessageSizes &sizes)
{
  const bool others = !transport_ || plan.signature != linked_;
  if (!others && sizes_are_checked_) return;
  const double density = sizes.own_fraction > 0.0 ? atom->nlocal / sizes.own_fraction : 0.0;
  MPI_Allreduce(&density, &sizes.densest, 1, MPI_DOUBLE, MPI_MAX, world);
  sizes_are_checked_ = true;
  if (!others && !slots_are_too_small(plan, sizes)) return;

  std::vector<std::size_t> capacities;
  for (const int peer : peers_)
    capacities.push_back(sizes.to(peer, plan, partners_, CAPACITY_SAFETY));
  transport_.reset();    // closes the links to the old peers, which do the same now
  transport_ = std::make_unique<Transport>(*bootstrap_, &world, options_);
  report_ = transport_->connect(peers_, capacities, hops_);
  linked_ = plan.signature;
  counts_.nconnects++;
  counts_.nregistered += static_cast<bigint>(report_.nregistered);
  report_problems();
  log_backends();
}

/* ----------------------------------------------------------------------
   Returns: whether some rank would often have to send messages in fragments
------------------------------------------------------------------------- */

bool PeerLinks::slots_are_too_small(const HaloPlan &plan, const MessageSizes &sizes) const
{
  int too_small = 0, any;
  for (std::size_t i = 0; i < peers_.size(); i++)
    if (sizes.to(peers_[i], plan, partners_, CAPACITY_ENOUGH) >
        transport_->capacity(static_cast<int>(i)))
      too_small = 1;
  MPI_Allreduce(&too_small, &any, 1, MPI_INT, MPI_MAX, world);
  return any != 0;
}

/* ----------------------------------------------------------------------
   Returns: the text of the lowest rank that has one, empty if none has
------------------------------------------------------------------------- */

std::string PeerLinks::text_of_lowest_rank(const std::string &text) const
{
  const int mine = text.empty() ? comm->nprocs : comm->me;
  int lowest;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, world);
  if (lowest == comm->nprocs) return "";
  char line[512] = {};
  std::strncpy(line, text.c_str(), sizeof(line) - 1);
  MPI_Bcast(line, sizeof(line), MPI_CHAR, lowest, world);
  return line;
}

/* ---------------------------------------------------------------------- */

void PeerLinks::report_problems()
{
  const std::string problem = text_of_lowest_rank(report_.error);
  if (!problem.empty()) error->all(FLERR, "comm_style p2p/rdma: {}", problem);
  for (const BackendUse &use : report_.uses) {
    const std::string reason = text_of_lowest_rank(use.reason);
    if (comm->me == 0 && !reason.empty())
      error->warning(FLERR, "comm_style p2p/rdma: using {} instead of {}: {}", report_.last_resort,
                     use.title, reason);
  }
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

void PeerLinks::log_backends()
{
  std::vector<int> npeers;
  for (const BackendUse &use : report_.uses) npeers.push_back(use.npeers);
  std::vector<int> most(npeers.size());
  MPI_Allreduce(npeers.data(), most.data(), static_cast<int>(npeers.size()), MPI_INT, MPI_MAX,
                world);
  std::string text;
  for (std::size_t i = 0; i < most.size(); i++)
    if (most[i])
      text += fmt::format("{} {} (up to {} peer{} of a rank{})", text.empty() ? "" : ",",
                          report_.uses[i].title, most[i], most[i] == 1 ? "" : "s",
                          queues_of(report_.uses[i]));
  if (text == logged_) return;
  logged_ = text;
  if (comm->me == 0 && !text.empty()) utils::logmesg(lmp, "TOFU p2p/rdma: messages by{}\n", text);
}
