// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_BASE_STARTED_RANKS_H
#define TOFU_BASE_STARTED_RANKS_H

#include <cstdlib>
#include <string>

namespace TOFU_NS {

/** What a launcher says in the environment of the processes that it starts. */
struct StartedRanks {
  std::string launcher;    //!< empty: none was found
  std::string variable;    //!< where it says so
  int nranks = 0;          //!< processes that it has started together
};

/** Find processes that were started together and do not know of each other: their launcher belongs
    to another MPI library than they do, and each runs as a job of its own.

    The launchers of MPICH and Open MPI tell each process how many there are. They may have been
    started by srun, which then counts their helpers, so they are believed before it. Srun counts
    the tasks of a step; a program started by hand in a batch script belongs to no step.

    @param world_size  number of ranks that MPI knows
    @param variable    function that gives a variable of the environment, or nullptr

    @return the launcher and its number; no launcher if nothing is wrong, or nothing is known */
template <class Variable> StartedRanks started_apart(int world_size, Variable variable)
{
  static constexpr struct {
    const char *variable, *launcher;
    bool inner;    // believed before the others
  } KNOWN[] = {{"OMPI_COMM_WORLD_SIZE", "mpirun of Open MPI", true},
               {"PMI_SIZE", "mpirun of MPICH", true},
               {"SLURM_STEP_NUM_TASKS", "srun", false}};
  StartedRanks found;
  if (world_size != 1) return found;
  bool believed = false;
  for (const auto &known : KNOWN) {
    const char *text = variable(known.variable);
    const int nranks = text ? std::atoi(text) : 0;
    if (nranks < 1 || (believed && !known.inner)) continue;
    if (nranks == 1 && known.inner) return {};    // started alone
    if (nranks > 1 && found.launcher.empty()) found = {known.launcher, known.variable, nranks};
    believed = believed || known.inner;
  }
  return found;
}

/** The same for the environment of this process. */
inline StartedRanks started_apart(int world_size)
{
  return started_apart(world_size, [](const char *name) { return std::getenv(name); });
}

}    // namespace TOFU_NS

#endif
