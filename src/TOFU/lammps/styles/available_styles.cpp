// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "available_styles.h"

#include "info.h"

#include <algorithm>
#include <vector>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   Info::has_style() would also be content with the name and the suffix in force
------------------------------------------------------------------------- */

bool TOFU_NS::has_style(LAMMPS *lmp, const std::string &category, const std::string &name)
{
  const std::vector<std::string> names = Info(lmp).get_available_styles(category);
  return std::find(names.begin(), names.end(), name) != names.end();
}
