// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "rank_pool.h"

#include "section_times.h"
#include "step_sums.h"

#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "modify.h"
#include "universe.h"

#include "kernels/data/pair_data.h"
#include "kernels/simd/instruction_set.h"
#include "lammps/io/version_line.h"
#include "lammps/scoped_state.h"
#include "pool/machine.h"
#include "pool/processors.h"
#include "pool/thread_pool.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <system_error>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// the pool of this process, as long as it is in use

std::mutex pool_mutex;
std::weak_ptr<ThreadPool> pool_of_process;

std::shared_ptr<ThreadPool> share_pool(const ThreadPool::Options &options, int nthreads)
{
  const std::lock_guard<std::mutex> lock(pool_mutex);
  std::shared_ptr<ThreadPool> pool = pool_of_process.lock();
  if (!pool) {
    pool = std::make_shared<ThreadPool>(options);
    pool_of_process = pool;
  }
  pool->grow(nthreads);
  return pool;
}

// processors that this process may use, also if a pool has bound this thread

std::vector<int> processors_of_process()
{
  const std::lock_guard<std::mutex> lock(pool_mutex);
  const std::shared_ptr<ThreadPool> pool = pool_of_process.lock();
  return pool && !pool->callers_processors().empty() ? pool->callers_processors()
                                                     : allowed_processors();
}

int count_cores(const std::vector<int> &processors)
{
  std::vector<int> cores;
  for (int processor : processors) cores.push_back(Machine::here().place_of(processor).core);
  std::sort(cores.begin(), cores.end());
  return static_cast<int>(std::unique(cores.begin(), cores.end()) - cores.begin());
}

template <class Numbers> std::string list_of(const Numbers &numbers)
{
  std::string text;
  for (int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

// whether a package that brings its own styles for OpenMP's threads is in use

bool openmp_is_wanted(LAMMPS *lmp)
{
  return (lmp->modify->get_fix_by_id("package_omp") ||
          lmp->modify->get_fix_by_id("package_intel")) &&
      lmp->comm->nthreads > 1;
}

}    // namespace

/* ---------------------------------------------------------------------- */

RankPool *RankPool::find(LAMMPS *lmp)
{
  Fix *const fix = lmp->modify ? lmp->modify->get_fix_by_id(ID) : nullptr;
  int dim;
  return fix ? static_cast<RankPool *>(fix->extract("threadpool", dim)) : nullptr;
}

/* ---------------------------------------------------------------------- */

RankPool *RankPool::of(LAMMPS *lmp)
{
  if (!find(lmp)) apply(lmp, Settings());
  return find(lmp);
}

/* ----------------------------------------------------------------------
   ranks of other partitions cannot be asked: each is taken to look like this one
------------------------------------------------------------------------- */

std::vector<int> RankPool::processors_of_this_rank(LAMMPS *lmp)
{
  MPI_Comm node;
  int me, nprocs;
  MPI_Comm_split_type(lmp->world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &me);
  MPI_Comm_size(node, &nprocs);

  const std::vector<int> mine = processors_of_process();
  const int n = static_cast<int>(mine.size());
  std::vector<int> counts(nprocs), begins(nprocs, 0);
  MPI_Allgather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, node);
  for (int rank = 1; rank < nprocs; rank++) begins[rank] = begins[rank - 1] + counts[rank - 1];
  std::vector<int> all(begins.back() + counts.back());
  MPI_Allgatherv(mine.data(), n, MPI_INT, all.data(), counts.data(), begins.data(), MPI_INT, node);
  MPI_Comm_free(&node);

  std::vector<std::vector<int>> allowed;
  for (int world = 0; world < lmp->universe->nworlds; world++)
    for (int rank = 0; rank < nprocs; rank++)
      allowed.emplace_back(all.begin() + begins[rank], all.begin() + begins[rank] + counts[rank]);
  return processors_for(allowed, lmp->universe->iworld * nprocs + me,
                        [](int processor) { return Machine::here().place_of(processor); });
}

/* ----------------------------------------------------------------------
   Modify refuses fixes before there is a box, but for those on a list of its
   own; this one has nothing to do with the box
------------------------------------------------------------------------- */

void RankPool::apply(LAMMPS *lmp, const Settings &wanted)
{
  if (!find(lmp)) {
    const ScopedBoxExists before_the_box(lmp->domain);
    lmp->modify->add_fix(std::string(ID) + " all THREADPOOL", 0);
  }
  find(lmp)->set_up(wanted);
}

/* ---------------------------------------------------------------------- */

RankPool::RankPool(LAMMPS *lmp) : Pointers(lmp), step_sums(std::make_unique<StepSums>(lmp)) {}

/* ---------------------------------------------------------------------- */

RankPool::~RankPool() = default;

/* ----------------------------------------------------------------------
   ranks have as many parts as the one with the fewest processors, so that the
   number can be told in one line
------------------------------------------------------------------------- */

void RankPool::set_up(const Settings &wanted)
{
  shared_pool.reset();    // the last user gets threads with the new settings
  ThreadPool::Options options;
  options.processors = processors_of_this_rank(lmp);
  options.pin = wanted.pin && !openmp_is_wanted(lmp);    // its threads inherit our processors
  if (!openmp_is_wanted(lmp)) {
    one_openmp_thread.emplace();
    comm->nthreads = 1;
  }
  options.spin = wanted.spin;

  settings = wanted;
  if (settings.nparts == 0) {
    const int ncores = std::max(1, count_cores(options.processors));
    MPI_Allreduce(&ncores, &settings.nparts, 1, MPI_INT, MPI_MIN, world);
  }
  section_times.reset();
  if (!settings.profile.empty()) {
    const bool to_file = comm->me == 0 && settings.profile != "yes";
    section_times = std::make_unique<SectionTimes>();
    if (to_file && !section_times->write_to(settings.profile))
      error->one(FLERR, "package threadpool: cannot write profile {}: {}", settings.profile,
                 utils::getsyserror());
    if (options.processors.size() > 1) options.processors.resize(1);
  }

  const int bytes = TOFU_NS::vector_bytes();
  MPI_Allreduce(&bytes, &shortest_vector, 1, MPI_INT, MPI_MIN, world);

  int failed = 0;
  std::string reason;
  try {
    shared_pool = share_pool(options, settings.nparts);
  } catch (const std::system_error &failure) {
    failed = 1;
    reason = failure.what();
  }
  int any_failed;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, world);
  if (failed)
    error->one(
        FLERR,
        "package threadpool: rank {} cannot start {} threads: {}; use fewer threads or raise "
        "the limit of processes",
        comm->me, settings.nparts, reason);
  find_nodes();
  announced = false;
}

/* ---------------------------------------------------------------------- */

void RankPool::find_nodes()
{
  MPI_Comm node;
  int nranks;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &nranks);
  MPI_Comm_free(&node);
  on_several_nodes = nranks < comm->nprocs;    // that of each rank
}

/* ---------------------------------------------------------------------- */

void RankPool::announce()
{
  if (announced) return;
  announced = true;
  if (!shared_pool->callers_processors().empty() && comm->nthreads > 1 && comm->me == 0)
    error->warning(
        FLERR,
        "OpenMP threads share one processor with the first thread of package threadpool: "
        "give package omp before it, or use package threadpool with pin no");
  int nthreads[2] = {-shared_pool->nthreads(), shared_pool->nthreads()}, all[2];
  MPI_Allreduce(nthreads, all, 2, MPI_INT, MPI_MAX, world);
  if (comm->me) return;
  log_version(lmp);
  const int fewest = -all[0], most = all[1];
  std::string text = fmt::format("TOFU threadpool: work is cut into {} part{}", settings.nparts,
                                 settings.nparts == 1 ? "" : "s");
  text += fewest == most ? fmt::format(", {} thread{} per rank", most, most == 1 ? "" : "s")
                         : fmt::format(", {} to {} threads per rank", fewest, most);
  if (fewest < settings.nparts) text += " (no more processors)";
  text += fmt::format(", {}", instruction_set());
  utils::logmesg(lmp, text + "\n" + places_of_threads());
}

/* ----------------------------------------------------------------------
   of this rank, one line
------------------------------------------------------------------------- */

std::string RankPool::places_of_threads() const
{
  if (shared_pool->nthreads() == 1) return "";
  const std::vector<int> processors = shared_pool->bound_processors();
  if (processors.empty()) return "TOFU threadpool: threads are not bound to processors\n";
  std::set<int> domains;
  for (int processor : processors) domains.insert(Machine::here().place_of(processor).domain);
  std::string text = fmt::format("TOFU threadpool: threads of rank {} are bound to processor{} {}",
                                 comm->me, processors.size() == 1 ? "" : "s", list_of(processors));
  if (*domains.begin() >= 0)
    text += fmt::format(" of NUMA domain{} {}", domains.size() == 1 ? "" : "s", list_of(domains));
  return text + "\n";
}

/* ---------------------------------------------------------------------- */

Parts RankPool::parts() const
{
  return {settings.nparts, [pool = shared_pool.get()](int n, const Parts::Work &work) {
            pool->run(n, work);
          }};
}

/* ---------------------------------------------------------------------- */

bool RankPool::parts_may_help() const
{
  return settings.nparts <= shared_pool->nthreads();
}

/* ---------------------------------------------------------------------- */

int RankPool::row_padding() const
{
  return settings.mixed ? SINGLE_ROW_PADDING : ROW_PADDING;
}

/* ---------------------------------------------------------------------- */

void RankPool::note_ghost_forces(const Pair *pair, bool any)
{
  if (any)
    without_ghost_forces.erase(pair);
  else
    without_ghost_forces.insert(pair);
}
