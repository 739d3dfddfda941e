// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "minimizer_name.h"

#include "style_table.h"

#include "fix.h"
#include "lammps.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   manifoldforce of LAMMPS wants quickmin or hftn, artn of pARTn wants fire; both
   compare the whole name
------------------------------------------------------------------------- */

static bool looks_for_name(const Fix *fix)
{
  return utils::strmatch(fix->style, "^manifoldforce$") || utils::strmatch(fix->style, "^artn$");
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::name_minimizer(LAMMPS *lmp, const char *suffix)
{
  const std::vector<Fix *> &fixes = lmp->modify->get_fix_list();
  std::string name = without_suffix(lmp->update->minimize_style);
  if (std::none_of(fixes.begin(), fixes.end(), looks_for_name)) name += suffix;
  delete[] lmp->update->minimize_style;
  lmp->update->minimize_style = utils::strdup(name);
}
