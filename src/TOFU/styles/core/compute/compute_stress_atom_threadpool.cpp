// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_stress_atom_threadpool.h"

#include "threadpool/fixes/group_loops.h"

#include "atom.h"
#include "force.h"
#include "modify.h"
#include "update.h"

#include <algorithm>
#include <cstring>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   compute stress/atom has checked its arguments, and keeps for itself what they say
------------------------------------------------------------------------- */

ComputeStressAtomThreadpool::ComputeStressAtomThreadpool(LAMMPS *lmp, int narg, char **arg) :
    TalliedOnPool(lmp, narg, arg),
    kinetic(narg == 4 || std::find(arg + 4, arg + narg, std::string("ke")) != arg + narg),
    temperature_id(strcmp(arg[3], "NULL") == 0 ? "" : arg[3])
{
}

/* ---------------------------------------------------------------------- */

Compute *ComputeStressAtomThreadpool::bias() const
{
  if (!kinetic || temperature_id.empty()) return nullptr;
  Compute *const temperature = modify->get_compute_by_id(temperature_id);
  if (!temperature || !temperature->tempbias) return nullptr;
  if (temperature->invoked_scalar != update->ntimestep) temperature->compute_scalar();
  return temperature;
}

/* ----------------------------------------------------------------------
   without virials of this step LAMMPS has the error
------------------------------------------------------------------------- */

void ComputeStressAtomThreadpool::compute_peratom()
{
  if (update->vflag_atom != update->ntimestep) {
    ComputeStressAtom::compute_peratom();
    return;
  }
  invoked_peratom = update->ntimestep;
  double *const stresses = tallies.sum(this);
  array_atom = tallies.rows();

  const AtomRows velocities(atom->v);
  const MassOf masses(atom);
  const int *const mask = atom->mask, bit = groupbit;
  const double mvv2e = force->mvv2e, nktv2p = -force->nktv2p;
  Compute *const temperature = bias();
  const auto finish = [=, has_ke = kinetic](int first, int last) {
    const double factor = nktv2p;    // no store can change it
    for (int i = first; i < last; i++) {
      double *const stress = stresses + 6 * static_cast<std::size_t>(i);
      if (!(mask[i] & bit)) {
        std::fill_n(stress, 6, 0.0);
      } else if (has_ke) {
        double *const v = velocities[i];
        if (temperature) temperature->remove_bias(i, v);
        const double mass = mvv2e * masses[i], vx = v[0], vy = v[1], vz = v[2];
        stress[0] = (stress[0] + mass * vx * vx) * factor;
        stress[1] = (stress[1] + mass * vy * vy) * factor;
        stress[2] = (stress[2] + mass * vz * vz) * factor;
        stress[3] = (stress[3] + mass * vx * vy) * factor;
        stress[4] = (stress[4] + mass * vx * vz) * factor;
        stress[5] = (stress[5] + mass * vy * vz) * factor;
        if (temperature) temperature->restore_bias(i, v);
      } else {
        for (int k = 0; k < 6; k++) stress[k] *= factor;
      }
    }
  };
  if (temperature)
    finish(0, atom->nlocal);
  else
    for_atoms(RankPool::of(lmp), atom->nlocal, finish);
}
