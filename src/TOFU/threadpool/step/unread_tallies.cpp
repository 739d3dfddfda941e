// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "unread_tallies.h"

#include "lammps/styles/known_styles.h"
#include "lammps/styles/ring_styles.h"
#include "lammps/styles/style_table.h"

#include "compute.h"
#include "fix.h"
#include "fmt/format.h"
#include "modify.h"
#include "timer.h"
#include "update.h"

#include <algorithm>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr const char *PLUMED = "plumed";

/* ----------------------------------------------------------------------
   computes without the suffix cannot have energies computed late; fix_modify may have
   given the fix others, which someone else reads
------------------------------------------------------------------------- */

void UnreadTallies::begin_run()
{
  computes.clear();
  withdrawn_step = -1;
  nwithout = nlate = 0;
  if (modify->get_fix_by_style("^plumed$").size() != 1 || !all_readers_request()) return;
  for (const char *id : {"plmd_pe", "plmd_press"}) {
    Compute *const compute = modify->get_compute_by_id(id);
    const bool on_pool = compute && utils::strmatch(compute->style, "/threadpool$");
    const bool has_been_read =
        compute && std::max(compute->invoked_scalar, compute->invoked_vector) == update->ntimestep;
    if (!on_pool || has_been_read) {
      computes.clear();
      return;
    }
    computes.push_back({compute, {}});
  }
}

/* ----------------------------------------------------------------------
   scripts may read energies after a run that fix halt or a time limit has ended; rows
   that fix ring/balance has handed over are computed with its messages alone
------------------------------------------------------------------------- */

bool UnreadTallies::all_readers_request() const
{
  const auto &fixes = modify->get_fix_list();
  return std::all_of(fixes.begin(), fixes.end(),
                     [](const Fix *fix) {
                       const std::string style = fix->style;
                       return style == PLUMED ||
                           (fix_traits(style) && style != "halt" &&
                            !utils::strmatch(style, RING_BALANCE));
                     }) &&
      !timer->has_timeout() && !has_python_variables(lmp) && pairs_may_be_computed_again(lmp);
}

/* ---------------------------------------------------------------------- */

void UnreadTallies::before_requests()
{
  for (Requests &one : computes)
    one.before.assign(one.compute->tlist, one.compute->tlist + one.compute->ntime);
}

/* ----------------------------------------------------------------------
   commands after the last step may read anything
------------------------------------------------------------------------- */

void UnreadTallies::after_requests()
{
  const bigint now = update->ntimestep;
  if (!any() || now + 1 == update->laststep) return;
  const bool read = std::any_of(computes.begin(), computes.end(), [now](const Requests &one) {
    return one.compute->invoked_scalar == now || one.compute->invoked_vector == now;
  });
  if (read) {
    computes.clear();
    return;
  }
  for (const Requests &one : computes) {
    one.compute->clearstep();
    for (const bigint step : one.before) one.compute->addstep(step);
  }
  withdrawn_step = now + 1;
}

/* ---------------------------------------------------------------------- */

void UnreadTallies::begin_step(bool has_energies)
{
  if (withdrawn() && !has_energies) nwithout++;
}

/* ---------------------------------------------------------------------- */

bool UnreadTallies::withdrawn() const
{
  return withdrawn_step == update->ntimestep;
}

/* ---------------------------------------------------------------------- */

std::string UnreadTallies::end_run()
{
  const bigint without = std::exchange(nwithout, 0), late = std::exchange(nlate, 0);
  computes.clear();
  if (without == 0) return "";
  return fmt::format("TOFU threadpool: {} steps without energies, which fix plumed requests and "
                     "does not read; {} with energies after the forces\n",
                     without - late, late);
}
