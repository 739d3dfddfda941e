// SPDX-License-Identifier: GPL-2.0-only

#include "gates.h"

#ifdef TOFU_UTOFU
#include "utofu/utofu_gates.h"
#endif

namespace TOFU_NS {

#ifdef TOFU_UTOFU

bool has_gates()
{
  return true;
}

std::unique_ptr<GateChains> make_gate_chains(int nranks, int me, std::string &why)
{
  return make_utofu_gates(nranks, me, why);
}

#else

bool has_gates()
{
  return false;
}

std::unique_ptr<GateChains> make_gate_chains(int, int, std::string &why)
{
  why = "TOFU was built without uTofu";
  return nullptr;
}

#endif

}    // namespace TOFU_NS
