// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "clear_forces.h"

#include "threadpool/pool/fix_on_pool.h"

#include "atom.h"

#include <algorithm>
#include <cstddef>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

static void clear_forces(const Atom *atom, bool torques, int first, int last)
{
  const std::size_t begin = 3 * static_cast<std::size_t>(first), n = 3 * (last - first);
  std::fill_n(atom->f[0] + begin, n, 0.0);
  if (torques) std::fill_n(atom->torque[0] + begin, n, 0.0);
}

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::clear_forces_on_pool(RankPool *threadpool, const Atom *atom, bool torques,
                                     int nlocal, int nghost)
{
  if (nlocal + nghost == 0) return;
  const int nparts = parts_for_atoms(threadpool, nlocal + nghost);
  const auto share = [=](int part, int n) {
    return begin_of_share(part, nparts, n, GRAIN);
  };
  threadpool->pool().run(nparts, [&](int part) {
    clear_forces(atom, torques, share(part, nlocal), share(part + 1, nlocal));
    clear_forces(atom, torques, atom->nlocal + share(part, nghost),
                 atom->nlocal + share(part + 1, nghost));
  });
}
