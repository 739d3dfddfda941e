/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "fix_nve_threadpool.h"

#include "fix_threadpool.h"

#include "atom.h"

#include "pool/thread_pool.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int GRAIN = 64;        // atoms; whole cache lines for each part
static constexpr int TOO_FEW = 1000;    // atoms per part that are not worth a fork

/* ---------------------------------------------------------------------- */

FixNVEThreadpool::FixNVEThreadpool(LAMMPS *lmp, int narg, char **arg) :
    FixNVE(lmp, narg, arg), threadpool(FixThreadpool::of(lmp))
{
}

/* ---------------------------------------------------------------------- */

void FixNVEThreadpool::init()
{
  FixNVE::init();
  threadpool = FixThreadpool::of(lmp);
}

/* ---------------------------------------------------------------------- */

void FixNVEThreadpool::initial_integrate(int /*vflag*/)
{
  kick<true>();
}

/* ---------------------------------------------------------------------- */

void FixNVEThreadpool::final_integrate()
{
  kick<false>();
}

/* ----------------------------------------------------------------------
   velocities by half a step, with MOVE also positions by a whole one
------------------------------------------------------------------------- */

template <bool MOVE> void FixNVEThreadpool::kick()
{
  const int nlocal = igroup == atom->firstgroup ? atom->nfirst : atom->nlocal;
  if (nlocal == 0) return;
  const int nparts = nlocal < TOO_FEW * threadpool->nparts() ? 1 : threadpool->nparts();

  double *const x = atom->x[0], *const v = atom->v[0];
  const double *const f = atom->f[0], *const rmass = atom->rmass, *const mass = atom->mass;
  const int *const type = atom->type, *const mask = atom->mask;

  threadpool->pool().run(nparts, [&](int part) {
    const int last = begin_of_share(part + 1, nparts, nlocal, GRAIN);
    for (int i = begin_of_share(part, nparts, nlocal, GRAIN); i < last; i++) {
      if (!(mask[i] & groupbit)) continue;
      const double dtfm = dtf / (rmass ? rmass[i] : mass[type[i]]);
      for (int k = 3 * i; k < 3 * i + 3; k++) {
        v[k] += dtfm * f[k];
        if (MOVE) x[k] += dtv * v[k];
      }
    }
  });
}
