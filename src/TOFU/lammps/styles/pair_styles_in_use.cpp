// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_styles_in_use.h"

#include "force.h"
#include "pair.h"
#include "pair_hybrid.h"

#include <cstring>
#include <typeinfo>

using namespace LAMMPS_NS;

namespace {

// the sub-styles of pair_style hybrid are protected

class Hybrid : public PairHybrid {
 public:
  static std::vector<TOFU_NS::PairInUse> styles_of(const PairHybrid *hybrid)
  {
    std::vector<TOFU_NS::PairInUse> found;
    for (int i = 0; i < hybrid->*(&Hybrid::nstyles); i++)
      found.push_back({(hybrid->*(&Hybrid::keywords))[i], (hybrid->*(&Hybrid::styles))[i]});
    return found;
  }
};

}    // namespace

/* ---------------------------------------------------------------------- */

std::vector<TOFU_NS::PairInUse> TOFU_NS::pair_styles_in_use(const Force *force)
{
  if (!force->pair) return {};
  if (const auto hybrid = dynamic_cast<const PairHybrid *>(force->pair))
    return Hybrid::styles_of(hybrid);
  return {{force->pair_style, force->pair}};
}

/* ----------------------------------------------------------------------
   classes of all styles with the suffix are named after it
------------------------------------------------------------------------- */

std::string TOFU_NS::name_with_suffix(const PairInUse &used)
{
  const std::string suffix = "/threadpool";
  const Pair &pair = *used.pair;
  const bool is_variant = strstr(typeid(pair).name(), "Threadpool") != nullptr;
  if (!is_variant || used.style.find(suffix) != std::string::npos) return used.style;
  return used.style + suffix;
}
