// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "box_corners.h"

#include "domain.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

bool TOFU_NS::box_moves(const Domain *domain)
{
  return domain->box_change &&
      (domain->xperiodic || domain->yperiodic || (domain->dimension == 3 && domain->zperiodic));
}

/* ---------------------------------------------------------------------- */

BoxCorners::BoxCorners(Domain *domain) : triclinic(domain->triclinic)
{
  if (triclinic) {
    domain->box_corners();
    for (int i = 0; i < 8; i++) std::copy_n(domain->corners[i], 3, at[i].begin());
  } else {
    std::copy_n(domain->boxlo, 3, at[0].begin());
    std::copy_n(domain->boxhi, 3, at[1].begin());
  }
}

/* ----------------------------------------------------------------------
   with the operations of Neighbor::check_distance(), for the same bits: also
   where it forgets the second largest
------------------------------------------------------------------------- */

double BoxCorners::moved_since(const BoxCorners &earlier) const
{
  const auto distance = [&](int i) {
    const double delx = at[i][0] - earlier.at[i][0], dely = at[i][1] - earlier.at[i][1],
                 delz = at[i][2] - earlier.at[i][2];
    return std::sqrt(delx * delx + dely * dely + delz * delz);
  };
  if (!triclinic) return distance(0) + distance(1);
  double largest = 0.0, second = 0.0;
  for (int i = 0; i < 8; i++) {
    const double delta = distance(i);
    if (delta > largest)
      largest = delta;
    else if (delta > second)
      second = delta;
  }
  return largest + second;
}
