// SPDX-License-Identifier: GPL-2.0-only
//
// Chains of barrier gates of uTofu: each rank has a start/end gate and a relay of each chain.

#ifndef TOFU_TRANSPORT_UTOFU_GATES_H
#define TOFU_TRANSPORT_UTOFU_GATES_H

#include "transport/gate_chains.h"

namespace TOFU_NS {

/** As make_gate_chains() in transport/gates.h. */
std::unique_ptr<GateChains> make_utofu_gates(int nranks, int me, std::string &why);

}    // namespace TOFU_NS

#endif
