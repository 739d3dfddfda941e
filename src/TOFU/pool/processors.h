// SPDX-License-Identifier: GPL-2.0-only
//
// Processors that the threads of one process may use, beside other processes of the same job.

#ifndef TOFU_POOL_PROCESSORS_H
#define TOFU_POOL_PROCESSORS_H

#include "machine.h"

#include <functional>
#include <thread>
#include <vector>

namespace TOFU_NS {

/** Processors that the calling thread may use, ascending; empty if the system has no such list. */
std::vector<int> allowed_processors();

/** Restrict a thread to some processors.

    \return   whether the system did it; results do not depend on it. */
bool bind_this_thread(const std::vector<int> &processors);
bool bind_thread(std::thread &, const std::vector<int> &processors);

/** The share of one process in processors that several processes may use.  Processes with any
    processor in common share all of theirs evenly, in their order, so that processes which were not
    bound do not compete for processors.  Cores are dealt in the order of their places, so that
    those of one process share caches and memory.  Small cores are left out if each process gets a
    large one.

    \param allowed    [nprocesses] processors of each process on this node, ascending
    \param me         number of this process
    \param place_of   place of a processor
    \return   processors of this process, those on a core of their own first; empty if there are
              more processes than processors, or if `allowed` is empty */
std::vector<int> processors_for(const std::vector<std::vector<int>> &allowed, int me,
                                const std::function<ProcessorPlace(int)> &place_of);

}    // namespace TOFU_NS

#endif
