/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "fix_threadpool.h"

#include "npair_threadpool.h"

#include "error.h"
#include "update.h"

#include <cstring>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

FixThreadpool::FixThreadpool(LAMMPS *lmp, int narg, char **arg) :
    Fix(lmp, narg, arg), rank_pool(lmp)
{
  if (narg != 3 || strcmp(id, RankPool::ID) != 0)
    error->all(FLERR, "Fix THREADPOOL is added by the package threadpool command only");
}

/* ----------------------------------------------------------------------
   styles have a pointer to the pool: "run pre no" must initialize them
------------------------------------------------------------------------- */

FixThreadpool::~FixThreadpool()
{
  if (update) update->first_update = 0;
}

/* ---------------------------------------------------------------------- */

int FixThreadpool::setmask()
{
  return PRE_NEIGHBOR | MIN_PRE_NEIGHBOR;
}

/* ----------------------------------------------------------------------
   Neighbor may have made its lists anew
------------------------------------------------------------------------- */

void FixThreadpool::setup_pre_neighbor()
{
  install_threadpool_lists(lmp);
}

/* ---------------------------------------------------------------------- */

void *FixThreadpool::extract(const char *name, int &dim)
{
  dim = 0;
  return strcmp(name, "threadpool") == 0 ? &rank_pool : nullptr;
}
