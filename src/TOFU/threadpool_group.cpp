/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "threadpool_group.h"

#include "threadpool_fix.h"

#include "atom.h"
#include "domain.h"

#include <algorithm>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

ThreadpoolGroup::ThreadpoolGroup(LAMMPS *lmp, FixThreadpool *fix, int igroup, int bit) :
    Pointers(lmp), threadpool(fix),
    natoms(igroup == atom->firstgroup ? atom->nfirst : atom->nlocal), groupbit(bit)
{
}

/* ---------------------------------------------------------------------- */

template <bool KICK, bool MOVE> void ThreadpoolGroup::integrate(double dtf, double dtv)
{
  if (natoms == 0) return;
  double *const x = atom->x[0], *const v = atom->v[0];
  const double *const f = atom->f[0], *const rmass = atom->rmass, *const mass = atom->mass;
  const int *const type = atom->type, *const mask = atom->mask;

  for_atoms(threadpool, natoms, [&](int first, int last) {
    for (int i = first; i < last; i++) {
      if (!(mask[i] & groupbit)) continue;
      const double dtfm = KICK ? dtf / (rmass ? rmass[i] : mass[type[i]]) : 0.0;
      for (int k = 3 * i; k < 3 * i + 3; k++) {
        if (KICK) v[k] += dtfm * f[k];
        if (MOVE) x[k] += dtv * v[k];
      }
    }
  });
}

/* ---------------------------------------------------------------------- */

void ThreadpoolGroup::kick(double dtf)
{
  integrate<true, false>(dtf, 0.0);
}

/* ---------------------------------------------------------------------- */

void ThreadpoolGroup::move(double dtv)
{
  integrate<false, true>(0.0, dtv);
}

/* ---------------------------------------------------------------------- */

void ThreadpoolGroup::kick_and_move(double dtf, double dtv)
{
  integrate<true, true>(dtf, dtv);
}

/* ---------------------------------------------------------------------- */

void ThreadpoolGroup::scale(double factor)
{
  if (natoms == 0) return;
  double *const v = atom->v[0];
  const int *const mask = atom->mask;
  for_atoms(threadpool, natoms, [&](int first, int last) {
    for (int i = first; i < last; i++)
      if (mask[i] & groupbit)
        for (int k = 3 * i; k < 3 * i + 3; k++) v[k] *= factor;
  });
}

/* ---------------------------------------------------------------------- */

void ThreadpoolGroup::scale_and_shear(const double *factors, const double *shear)
{
  if (natoms == 0) return;
  double *const velocities = atom->v[0];
  const int *const mask = atom->mask;
  for_atoms(threadpool, natoms, [&](int first, int last) {
    for (int i = first; i < last; i++) {
      if (!(mask[i] & groupbit)) continue;
      double *const v = velocities + 3 * i;
      for (int k = 0; k < 3; k++) v[k] *= factors[k];
      if (shear) {
        v[0] += shear[2] * v[1] + shear[1] * v[2];
        v[1] += shear[0] * v[2];
      }
      for (int k = 0; k < 3; k++) v[k] *= factors[k];
    }
  });
}

/* ---------------------------------------------------------------------- */

ThreadpoolFrame::ThreadpoolFrame(LAMMPS *lmp) : Pointers(lmp)
{
  std::copy_n(domain->h_inv, 6, h_inv);
  std::copy_n(domain->boxlo, 3, boxlo);
}

/* ---------------------------------------------------------------------- */

void ThreadpoolFrame::carry(FixThreadpool *threadpool, bool all, int group) const
{
  if (atom->nlocal == 0) return;
  const double *const h = domain->h, *const lo = domain->boxlo;
  double *const positions = atom->x[0];
  const int *const mask = atom->mask;

  for_atoms(threadpool, atom->nlocal, [&](int first, int last) {
    for (int i = first; i < last; i++) {
      if (!all && !(mask[i] & group)) continue;
      double *const x = positions + 3 * i;
      const double dx = x[0] - boxlo[0], dy = x[1] - boxlo[1], dz = x[2] - boxlo[2];
      const double lamda[3] = {h_inv[0] * dx + h_inv[5] * dy + h_inv[4] * dz,
                               h_inv[1] * dy + h_inv[3] * dz, h_inv[2] * dz};
      x[0] = h[0] * lamda[0] + h[5] * lamda[1] + h[4] * lamda[2] + lo[0];
      x[1] = h[1] * lamda[1] + h[3] * lamda[2] + lo[1];
      x[2] = h[2] * lamda[2] + lo[2];
    }
  });
}
