// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_gravity_threadpool.h"

#include "threadpool/pool/masses_of.h"

#include "atom.h"

#include <array>
#include <cstddef>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   a gravity that changes is found by fix gravity
------------------------------------------------------------------------- */

void FixGravityThreadpool::post_force(int vflag)
{
  if (varflag != CONSTANT || disable || atom->nlocal == 0) {
    FixGravity::post_force(vflag);
    return;
  }

  double *const f = atom->f[0];
  const double *const x = atom->x[0];
  const std::array<double, 3> acceleration{xacc, yacc, zacc};

  const AtomMasses masses = masses_of(atom, groupbit);
  const auto energy = sum_over_atoms<1>(threadpool, atom->nlocal, [&](int first, int last) {
    const std::size_t value = 3 * static_cast<std::size_t>(first);
    return std::array<double, 1>{
        0.0 - pull_atoms(masses.part(first, last), acceleration.data(), x + value, f + value)};
  });
  egrav = energy[0];
  eflag = 0;
}
