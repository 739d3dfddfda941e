// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_RANK_POOL_H
#define LMP_RANK_POOL_H

#include "pointers.h"

#include "base/parts.h"
#include "lammps/scoped_state.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace TOFU_NS {
class ThreadPool;
}

namespace LAMMPS_NS {

/** The threads of the /threadpool styles of one LAMMPS object, and the settings of package
    threadpool.

    It belongs to fix THREADPOOL, which package threadpool adds; a style that finds none adds it
    with default settings.  All LAMMPS objects of a process share one pool, which ends with the last
    of them. */
class RankPool : protected Pointers {
 public:
  static constexpr const char *ID = "THREADPOOL";    // of the fix

  /** Choices for kspace_style pppm under the suffix. */
  struct LongRange {
    enum Overlap { NO, YES, ALWAYS } overlap = YES;    // with pair forces, see pppm_overlap.h
    std::string fft;    // as in kspace_modify; empty: by the number of ranks
  };

  /** When the reduction is read that decides whether neighbor lists must be built, see
      NeighborCheck. */
  enum class Check {
    AUTO,      // OVERLAP on several nodes, else STEP
    STEP,      // at once
    OVERLAP    // after the forces of pairs
  };

  struct Settings {
    int nparts = 0;        // 0: as many as this rank has processors on cores of their own
    bool pin = true;       // bind threads to processors
    double spin = 2e-3;    // seconds that an idle thread looks for work before it sleeps
    bool mixed = false;    // pairs in single precision, sums in double
    Check check = Check::AUTO;
    LongRange long_range;
    std::string balance;    // style and arguments of a fix that shares work; empty: none
    std::string profile;    // "yes": times of parts, all of them on one thread; else: a file that
                            // gets them, too; empty: no
  };

  /** The pool of a LAMMPS object; adds it if there is none.  Collective.  To be called again in
      each init(), since a script may unfix it. */
  static RankPool *of(class LAMMPS *);

  /** The pool of a LAMMPS object, nullptr if there is none. */
  static RankPool *find(class LAMMPS *);

  /** Processors that this rank may use beside the others of its node, those on a core of their own
      first; empty if there are more ranks than processors.  Collective. */
  static std::vector<int> processors_of_this_rank(class LAMMPS *);

  /** Add it, or change its settings.  Collective; allowed before there is a box. */
  static void apply(class LAMMPS *, const Settings &);

  explicit RankPool(class LAMMPS *);
  ~RankPool() override;

  /** Write the settings to the log once, and warn of conflicts.  Collective. */
  void announce();

  /** Parts that work is cut into; results depend on it in their last bits. */
  int nparts() const { return settings.nparts; }
  TOFU_NS::ThreadPool &pool() { return *shared_pool; }
  TOFU_NS::Parts parts() const;    // as run by the pool

  /** Whether each part has a thread: one that has finished can take work of others then. */
  bool parts_may_help() const;
  const LongRange &long_range() const { return settings.long_range; }
  const std::string &balance() const { return settings.balance; }
  bool checks_beside_pairs() const
  {
    return settings.check == Check::OVERLAP || (settings.check == Check::AUTO && on_several_nodes);
  }
  bool mixed_precision() const { return settings.mixed; }
  int row_padding() const;    // of neighbor lists for kernels

  /** Size of the vectors of kernels, of the rank with the shortest: those that choose by it choose
      the same on all ranks. */
  int vector_bytes() const { return shortest_vector; }

  /** Sums over ranks that styles request at the same time. */
  class StepSums &sums() { return *step_sums; }

  /** Times of sections, nullptr if there is no pool or they are not wanted. */
  static class SectionTimes *profile(const RankPool *threadpool)
  {
    return threadpool ? threadpool->section_times.get() : nullptr;
  }

  /** Set by pair styles in init_style() whether they have forces on ghosts, and to true in their
      destructors; other styles have them. */
  void note_ghost_forces(const class Pair *, bool any);
  bool has_ghost_forces(const Pair *pair) const { return without_ghost_forces.count(pair) == 0; }

  /** Called by the calling thread between pieces of its rows, while forces are computed: MPI
      continues a reduction in its own calls only.  Empty: nothing. */
  std::function<void()> between_rows;

  /** Called by computes that find no energies or virials of this step; empty: there will be none.
      See UnreadTallies. */
  std::function<void()> tally_late;

  /** Rows of neighbor lists that are made only when they are needed; see npair_threadpool.h. */
  struct DeferredRows {
    bool allowed = false;            // as long as lists_may_be_read() is false
    int ndeferred = 0, nmade = 0;    // lists built without rows; those that got them later
  } deferred_rows;

 private:
  Settings settings;
  std::shared_ptr<TOFU_NS::ThreadPool> shared_pool;
  bool announced = false;
  bool on_several_nodes = false;    // the ranks
  int shortest_vector = 0;
  std::set<const Pair *> without_ghost_forces;
  const std::unique_ptr<StepSums> step_sums;
  std::unique_ptr<SectionTimes> section_times;

  std::optional<ScopedOpenMPThreads> one_openmp_thread;    // unless another package has threads

  void set_up(const Settings &);
  void find_nodes();
  std::string places_of_threads() const;
};

}    // namespace LAMMPS_NS

#endif
