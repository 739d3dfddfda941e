/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef FIX_CLASS
// clang-format off
FixStyle(THREADPOOL,FixThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_THREADPOOL_H
#define LMP_FIX_THREADPOOL_H

#include "fix.h"

#include <memory>
#include <set>
#include <vector>

namespace TOFU_NS {
class ThreadPool;
}

namespace LAMMPS_NS {

/** The threads of the /threadpool styles of one LAMMPS object, and its neighbor list builds.

    package threadpool adds it; a style that finds none adds it with default settings.  All LAMMPS
    objects of a process share one pool, which ends with the last of them. */
class FixThreadpool : public Fix {
 public:
  static constexpr const char *ID = "THREADPOOL";

  struct Settings {
    int nparts = 0;        // 0: as many as this rank has processors on cores of their own
    bool pin = true;       // bind threads to processors
    double spin = 2e-3;    // seconds that an idle thread looks for work before it sleeps
    bool mixed = false;    // pairs in single precision, sums in double
  };

  /** That of a LAMMPS object; adds it if there is none.  Collective.  To be asked again in each
      init(), since a script may unfix it. */
  static FixThreadpool *of(class LAMMPS *);

  /** The same, nullptr if there is none. */
  static FixThreadpool *find(class LAMMPS *);

  /** Processors that this rank may use beside the others of its node, those on a core of their own first;
      empty if there are more ranks than processors.  Collective. */
  static std::vector<int> processors_of_this_rank(class LAMMPS *);

  /** Add it, or change its settings.  Collective; allowed before there is a box. */
  static void apply(class LAMMPS *, const Settings &);

  FixThreadpool(class LAMMPS *, int, char **);
  ~FixThreadpool() override;
  int setmask() override;
  void init() override;
  void setup_pre_neighbor() override;
  void pre_neighbor() override {}
  void min_pre_neighbor() override {}
  double memory_usage() override { return 0.0; }

  /** Parts that work is cut into; results depend on it in their last bits. */
  int nparts() const { return settings.nparts; }
  TOFU_NS::ThreadPool &pool() { return *shared_pool; }
  bool mixed_precision() const { return settings.mixed; }
  int row_padding() const;    // of neighbor lists for kernels

  /** Pair styles tell whether they have forces on ghosts, each time they are initialized. */
  void note_ghost_forces(const class Pair *, bool some);
  bool no_ghost_forces(const Pair *pair) const { return without_ghost_forces.count(pair) > 0; }

 private:
  Settings settings;
  std::shared_ptr<TOFU_NS::ThreadPool> shared_pool;
  bool announced = false;
  std::set<const Pair *> without_ghost_forces;

  int openmp_threads = 0;    // before they were lowered to one; to be given back at the end

  void set_up(const Settings &);
  void lower_openmp_threads();
};

}    // namespace LAMMPS_NS

#endif
#endif
