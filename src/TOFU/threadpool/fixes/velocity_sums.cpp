// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "velocity_sums.h"

#include "threadpool/pool/atom_loops.h"

#include "atom.h"
#include "error.h"
#include "force.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   of this rank; work(mass, v, sums) adds the N numbers of an atom
------------------------------------------------------------------------- */

template <int N, class Work> RankSum::Part VelocitySums::part(const Work &work) const
{
  return [this, work](double *to) {
    const double *const rmass = atom->rmass, *const mass = atom->mass;
    const int *const type = atom->type, *const mask = atom->mask;
    const auto of_some = [&](int first, int last) {
      std::array<double, N> some{};
      double thermal[3 * ATOMS_OF_A_SUM];
      if (velocities) velocities(first, last, thermal);
      const double *const v = velocities ? thermal
                                         : atom->v[0] + 3 * static_cast<std::size_t>(first);
      for (int i = first; i < last; i++)
        if (mask[i] & groupbit)
          work(rmass ? rmass[i] : mass[type[i]], v + 3 * (i - first), some.data());
      return some;
    };
    const auto sums = sum_over_atoms<N>(RankPool::find(lmp), atom->nlocal, of_some);
    std::copy(sums.begin(), sums.end(), to);
  };
}

/* ---------------------------------------------------------------------- */

VelocitySums::VelocitySums(LAMMPS *lmp, int bit, Velocities thermal) :
    Pointers(lmp),
    squares(RankSum::Of::VELOCITIES, 1, part<1>([](double m, const double *v, double *sums) {
              sums[0] += (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * m;
            })),
    products(RankSum::Of::VELOCITIES, 6, part<6>([](double m, const double *v, double *sums) {
               for (int k = 0; k < 3; k++) sums[k] += m * v[k] * v[k];
               sums[3] += m * v[0] * v[1];
               sums[4] += m * v[0] * v[2];
               sums[5] += m * v[1] * v[2];
             })),
    momenta(RankSum::Of::VELOCITIES, 4, part<4>([](double m, const double *v, double *sums) {
              for (int k = 0; k < 3; k++) sums[k] += m * v[k];
              sums[3] += m;
            })),
    groupbit(bit), velocities(std::move(thermal))
{
}

/* ---------------------------------------------------------------------- */

void VelocitySums::reduce_to_energies(RankSum &sum, double *to)
{
  RankSum::reduce({&sum}, lmp);
  for (int k = 0; k < sum.nnumbers; k++) to[k] = sum.total[k] * force->mvv2e;
}

/* ---------------------------------------------------------------------- */

double VelocitySums::temperature(double squares, double dof, double natoms) const
{
  if (dof < 0.0 && natoms > 0.0) error->all(FLERR, "Temperature compute degrees of freedom < 0");
  return dof > 0.0 ? squares / (dof * force->boltz) : 0.0;
}
