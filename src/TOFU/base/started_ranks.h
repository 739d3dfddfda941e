// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_BASE_STARTED_RANKS_H
#define TOFU_BASE_STARTED_RANKS_H

#include <cstdlib>
#include <string>

namespace TOFU_NS {

/** The number of processes that a launcher has put into their environment. */
struct StartedRanks {
  std::string launcher;    //!< empty: none was found
  std::string variable;    //!< of the environment, that has the number
  int nranks = 0;          //!< processes that it has started together
};

/** Detect processes that were started together, but each of which runs as an MPI job of its own,
    because the launcher belongs to another MPI library than the program.

    The launchers of MPICH and Open MPI set a variable to the number of processes. Srun sets one to
    the tasks of a step; a program started by hand in a batch script belongs to no step. If srun has
    started one of the other launchers, it has counted the helpers of that, so the variables of the
    other launchers come first.

    @param world_size  number of ranks that MPI knows
    @param variable    function that gives a variable of the environment, or nullptr

    @return the launcher and its number; no launcher if nothing is wrong, or nothing is known */
template <class Variable> StartedRanks started_apart(int world_size, Variable variable)
{
  static constexpr struct {
    const char *variable, *launcher;
    bool inner;    // takes precedence over srun, which may have started it
  } KNOWN[] = {{"OMPI_COMM_WORLD_SIZE", "mpirun of Open MPI", true},
               {"PMI_SIZE", "mpirun of MPICH", true},
               {"SLURM_STEP_NUM_TASKS", "srun", false}};
  StartedRanks found;
  if (world_size != 1) return found;
  bool found_inner = false;
  for (const auto &known : KNOWN) {
    const char *text = variable(known.variable);
    const int nranks = text ? std::atoi(text) : 0;
    if (nranks < 1 || (found_inner && !known.inner)) continue;
    if (nranks == 1 && known.inner) return {};    // started alone
    if (nranks > 1 && found.launcher.empty()) found = {known.launcher, known.variable, nranks};
    found_inner = found_inner || known.inner;
  }
  return found;
}

/** started_apart() for the environment of this process. */
inline StartedRanks started_apart(int world_size)
{
  return started_apart(world_size, [](const char *name) { return std::getenv(name); });
}

}    // namespace TOFU_NS

#endif
