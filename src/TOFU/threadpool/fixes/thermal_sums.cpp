// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "thermal_sums.h"

#include "threadpool/pool/fix_on_pool.h"

#include "atom.h"
#include "error.h"
#include "force.h"
#include "update.h"

#include <algorithm>
#include <array>
#include <utility>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

template <int N, class Work> void ThermalSums::sum(double *to, const Work &work) const
{
  const double *const rmass = atom->rmass, *const mass = atom->mass;
  const int *const type = atom->type, *const mask = atom->mask;
  const auto sums = sum_over_atoms<N>(RankPool::find(lmp), atom->nlocal, [&](int first, int last) {
    std::array<double, N> some{};
    double v[3 * ATOMS_OF_A_SUM];
    velocities(first, last, v);
    for (int i = first; i < last; i++)
      if (mask[i] & groupbit)
        work(rmass ? rmass[i] : mass[type[i]], v + 3 * (i - first), some.data());
    return some;
  });
  std::copy(sums.begin(), sums.end(), to);
}

/* ---------------------------------------------------------------------- */

ThermalSums::ThermalSums(LAMMPS *lmp, Velocities thermal) :
    Pointers(lmp), velocities(std::move(thermal)),
    sum_of_squares(RankSum::Of::VELOCITIES, 1,
                   [this](double *mine) {
                     sum<1>(mine, [](double m, const double *v, double *sums) {
                       sums[0] += (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * m;
                     });
                   }),
    sum_of_products(RankSum::Of::VELOCITIES, 6,
                    [this](double *mine) {
                      sum<6>(mine, [](double m, const double *v, double *sums) {
                        for (int k = 0; k < 3; k++) sums[k] += m * v[k] * v[k];
                        sums[3] += m * v[0] * v[1];
                        sums[4] += m * v[0] * v[2];
                        sums[5] += m * v[1] * v[2];
                      });
                    }),
    sum_of_momenta(RankSum::Of::VELOCITIES, 4, [this](double *mine) {
      sum<4>(mine, [](double m, const double *v, double *sums) {
        for (int k = 0; k < 3; k++) sums[k] += m * v[k];
        sums[3] += m;
      });
    })
{
}

/* ---------------------------------------------------------------------- */

bool ThermalSums::can_compute() const
{
  return RankPool::find(lmp);
}

/* ---------------------------------------------------------------------- */

bigint ThermalSums::step() const
{
  return update->ntimestep;
}

/* ---------------------------------------------------------------------- */

double ThermalSums::squares(int group)
{
  groupbit = group;
  RankSum::reduce({&sum_of_squares}, lmp);
  return sum_of_squares.total[0] * force->mvv2e;
}

/* ---------------------------------------------------------------------- */

void ThermalSums::products(int group, double *to)
{
  groupbit = group;
  RankSum::reduce({&sum_of_products}, lmp);
  for (int k = 0; k < 6; k++) to[k] = sum_of_products.total[k] * force->mvv2e;
}

/* ---------------------------------------------------------------------- */

void ThermalSums::momentum(int group, double *to)
{
  groupbit = group;
  RankSum::reduce({&sum_of_momenta}, lmp);
  std::copy_n(sum_of_momenta.total.data(), 4, to);
}

/* ---------------------------------------------------------------------- */

double ThermalSums::temperature(double squares, double dof, double natoms) const
{
  if (dof < 0.0 && natoms > 0.0) error->all(FLERR, "Temperature compute degrees of freedom < 0");
  return dof > 0.0 ? squares / (dof * force->boltz) : 0.0;
}
