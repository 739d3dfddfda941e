// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "known_styles.h"

#include "pair_styles_in_use.h"
#include "ring_styles.h"
#include "style_table.h"

#include "compute.h"
#include "dump.h"
#include "fix.h"
#include "fmt/format.h"
#include "info.h"
#include "lammps.h"
#include "modify.h"
#include "output.h"
#include "update.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

bool TOFU_NS::is_known_fix(const std::string &style)
{
  return fix_traits(style) & HALF_GHOSTS;
}

bool TOFU_NS::is_known_compute(const std::string &style)
{
  return compute_traits(style) & HALF_GHOSTS;
}

bool TOFU_NS::is_known_pair(const std::string &style)
{
  return pair_traits(style) & HALF_GHOSTS;
}

bool TOFU_NS::is_half_shell_fix(const std::string &style)
{
  return fix_traits(style) & (HALF_GHOSTS | BONDED_GHOSTS);
}

bool TOFU_NS::looks_up_bonded_atoms(const std::string &fix)
{
  const std::string style = without_suffix(fix);
  return utils::strmatch(style, "^bond/") || utils::strmatch(style, "^rigid/.*small$") ||
      utils::strmatch(style, RING_BALANCE) || style == "cmap" || style == "drude" ||
      style == "ehex" || style == "restrain";
}

std::string TOFU_NS::unknown_fix(LAMMPS *lmp)
{
  for (const Fix *fix : lmp->modify->get_fix_list())
    if (!fix_traits(fix->style)) return fix->style;
  return "";
}

bool TOFU_NS::lists_may_be_read(LAMMPS *lmp)
{
  for (const Fix *fix : lmp->modify->get_fix_list())
    if (!(fix_traits(fix->style) & (HALF_GHOSTS | REQUESTS_LISTS)) ||
        utils::strmatch(fix->style, RING_BALANCE))
      return true;
  return has_python_variables(lmp);
}

/* ---------------------------------------------------------------------- */

bool TOFU_NS::has_python_variables(LAMMPS *lmp)
{
  Info info(lmp);
  int nvariables;
  (void) info.get_variable_names(nvariables);
  for (int i = 0; i < nvariables; i++)
    if (utils::strmatch(info.get_variable_info(i), "style = python,")) return true;
  return false;
}

/* ----------------------------------------------------------------------
   computes that tally pairs, of which none is in the table, would have them twice
------------------------------------------------------------------------- */

bool TOFU_NS::pairs_may_be_computed_again(const LAMMPS *lmp)
{
  for (const Compute *compute : lmp->modify->get_compute_list())
    if (!compute_traits(compute->style)) return false;
  const std::vector<PairInUse> styles = pair_styles_in_use(lmp->force);
  return !styles.empty() && std::all_of(styles.begin(), styles.end(), [](const PairInUse &used) {
    const unsigned traits = pair_traits(used.style);
    const bool is_variant = utils::strmatch(name_with_suffix(used), "/threadpool$");
    return traits && !(traits & HAS_HISTORY) &&
        (is_variant || !(traits & HAS_HISTORY_WITHOUT_SUFFIX));
  });
}

/* ----------------------------------------------------------------------
   rRESPA computes outer forces after the inner ones have been returned, the
   minimizers have loops of their own
------------------------------------------------------------------------- */

std::string TOFU_NS::reader_of_ghosts_after_forces(LAMMPS *lmp)
{
  if (lmp->update->whichflag != 1) return "a minimization";
  if (!utils::strmatch(lmp->update->integrate_style, "^verlet") ||
      utils::strmatch(lmp->update->integrate_style, "^verlet/split"))
    return fmt::format("run_style {}", lmp->update->integrate_style);
  for (const Fix *fix : lmp->modify->get_fix_list())
    if (!is_known_fix(fix->style)) return fmt::format("fix {}", fix->style);
  for (const Compute *compute : lmp->modify->get_compute_list())
    if (!is_known_compute(compute->style) || (compute_traits(compute->style) & READS_GHOSTS))
      return fmt::format("compute {}", compute->style);
  for (int i = 0; i < lmp->output->ndump; i++)
    if (!(dump_traits(lmp->output->dump[i]->style) & HALF_GHOSTS))
      return fmt::format("dump {}", lmp->output->dump[i]->style);
  return "";
}
