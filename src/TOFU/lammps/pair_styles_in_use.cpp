/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "pair_styles_in_use.h"

#include "force.h"
#include "pair_hybrid.h"

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
