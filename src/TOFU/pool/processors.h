// SPDX-License-Identifier: GPL-2.0-only
//
// Processors that the threads of one process may use, beside other processes of the same job.

#ifndef TOFU_POOL_PROCESSORS_H
#define TOFU_POOL_PROCESSORS_H

#include <thread>
#include <vector>

namespace TOFU_NS {

/** Processors that the calling thread may use, ascending; empty where the system does not tell. */
std::vector<int> allowed_processors();

/** Restrict a thread to some processors.

    \return   whether the system did it; nothing depends on that but speed. */
bool bind_this_thread(const std::vector<int> &processors);
bool bind_thread(std::thread &, const std::vector<int> &processors);

/** The core that a processor belongs to: processors of one core share its units.

    \return   the lowest processor of that core; the processor itself where the system does not
              tell */
int core_of(int processor);

/** The share of one process in processors that several of them may use.  Processes with any
    processor in common share all of theirs evenly, in their order, so that processes which were not
    bound do not compete for processors.

    \param allowed   [nprocesses] processors of each process on this node, ascending
    \param me        which of them asks
    \param core      core of a processor
    \return   processors of this process, those on a core of their own first; empty if there are
              more processes than processors, or the system does not tell */
std::vector<int> processors_for(const std::vector<std::vector<int>> &allowed, int me,
                                int (*core)(int) = core_of);

}    // namespace TOFU_NS

#endif
