// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "version_line.h"

#include "base/tofu_version.h"
#include "lone_ranks.h"

#include "comm.h"
#include "lammps.h"
#include "utils.h"

#include <mutex>
#include <set>
#include <utility>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   an address may be that of an earlier object, the time of its start is not
------------------------------------------------------------------------- */

void TOFU_NS::log_version(LAMMPS *lmp)
{
  static std::mutex mutex;
  static std::set<std::pair<const LAMMPS *, double>> told;
  if (lmp->comm->me != 0) return;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!told.emplace(lmp, lmp->initclock).second) return;
  utils::logmesg(lmp, "TOFU version {}\n", TOFU_VERSION);
#ifdef TOFU_LEFT_OUT    // by the build
  utils::logmesg(lmp,
                 "TOFU left out, since LAMMPS {} has changed what they repeat or need:\n  {}\n",
                 lmp->version, TOFU_LEFT_OUT);
#endif
  warn_of_lone_ranks(lmp);
}
