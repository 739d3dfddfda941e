// SPDX-License-Identifier: GPL-2.0-only
//
// Makes chains of gates for the networks that have them.

#ifndef TOFU_TRANSPORT_GATES_H
#define TOFU_TRANSPORT_GATES_H

#include "gate_chains.h"

#include <string>

namespace TOFU_NS {

/** True if this program is built with a network that may have gates; the same on all ranks. */
bool has_gates();

/** Gates for the chains of a row.

    \param nranks   of the row
    \param me       place of this rank in it
    \param why      gets the reason of a failure
    \return         nullptr if there are none: TOFU was built without the network's library, or
                    others have taken them */
std::unique_ptr<GateChains> make_gate_chains(int nranks, int me, std::string &why);

}    // namespace TOFU_NS

#endif
