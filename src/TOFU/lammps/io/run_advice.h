// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// What would make the run that has just ended faster, in words that can be typed.

#ifndef TOFU_RUN_ADVICE_H
#define TOFU_RUN_ADVICE_H

#include "lmptype.h"

#include <string>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** Times of a run with fewer steps say little. */
constexpr LAMMPS_NS::bigint FEWEST_STEPS_TO_TIME = 100;

/** Lines for the log, four at most; empty after a short run, and if there is nothing to say.  To be
    called after the timers of a run have stopped.  Collective; the text is that of rank 0.

    \param has_p2p_rdma   whether comm_style p2p/rdma is in use */
std::string run_advice(LAMMPS_NS::LAMMPS *lmp, bool has_p2p_rdma);

}    // namespace TOFU_NS

#endif
