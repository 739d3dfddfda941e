// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "charges_style.h"

#include "lammps/io/run_summary.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fmt/format.h"
#include "lammps.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::log_charges(LAMMPS *lmp, const char *style, const std::string &text)
{
  if (!summary_follows(lmp) || text.empty() || lmp->comm->me != 0) return;
  utils::logmesg(lmp, fmt::format("TOFU threadpool: fix {}: {}\n", style, text));
}

/* ---------------------------------------------------------------------- */

int LAMMPS_NS::room_for_atoms(LAMMPS *lmp)
{
  return lmp->atom->nmax;
}

/* ---------------------------------------------------------------------- */

bool LAMMPS_NS::computes_charges(LAMMPS *lmp, int nevery)
{
  return lmp->update->ntimestep % nevery == 0;
}

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::warn_indefinite(LAMMPS *lmp, const char *style)
{
  if (lmp->comm->me == 0)
    lmp->error->warning(
        FLERR,
        "The matrix of fix {} is not positive definite at step {}: atoms may be "
        "too close. LAMMPS' own algorithm computes charges until the end of the run",
        style, lmp->update->ntimestep);
}

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::warn_exhausted(LAMMPS *lmp, const char *style, int npasses)
{
  if (lmp->comm->me == 0)
    lmp->error->warning(FLERR, "Fix {} CG convergence failed after {} iterations at step {}", style,
                        npasses, lmp->update->ntimestep);
}
