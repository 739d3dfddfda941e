/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#include "fix_gravity_threadpool.h"

#include "atom.h"

#include <array>
#include <cstddef>
#include <numeric>

using namespace LAMMPS_NS;

namespace {

constexpr int BLOCK = AtomPasses::BLOCK;

// forces on some atoms, those of one atom one after the other

struct Weights {
  double values[3 * BLOCK];

  template <class Mass> void set(int n, const double *acceleration, Mass &&mass_of)
  {
    for (int i = 0; i < n; i++) {
      const double atom_mass = mass_of(i);
      for (int dim = 0; dim < 3; dim++) values[3 * i + dim] = atom_mass * acceleration[dim];
    }
  }

  // Returns: the sum of forces times positions, in as many sums as vector units have lanes

  double pull(int n, const double *__restrict x, double *__restrict f) const
  {
    constexpr int LANES = 8;
    double sums[LANES] = {};
    int k = 0;
    for (; k + LANES <= n; k += LANES)
      for (int lane = 0; lane < LANES; lane++) {
        f[k + lane] += values[k + lane];
        sums[lane] += values[k + lane] * x[k + lane];
      }
    for (int lane = 0; k < n; k++, lane++) {
      f[k] += values[k];
      sums[lane] += values[k] * x[k];
    }
    return std::accumulate(sums, sums + LANES, 0.0);
  }
};

}    // namespace

/* ----------------------------------------------------------------------
   a gravity that changes is found by fix gravity
------------------------------------------------------------------------- */

void FixGravityThreadpool::post_force(int vflag)
{
  if (varflag != CONSTANT || disable || atom->nlocal == 0) {
    threadpool->passes().run();
    FixGravity::post_force(vflag);
    return;
  }

  double *const f = atom->f[0];
  const double *const x = atom->x[0], *const rmass = atom->rmass, *const mass = atom->mass;
  const int *const type = atom->type, *const mask = atom->mask;
  const std::array<double, 3> acceleration{xacc, yacc, zacc};

  const auto pull = [=, bit = groupbit](int first, int last) {
    Weights weights;
    weights.set(last - first, acceleration.data(), [&](int i) {
      if (!(mask[first + i] & bit)) return 0.0;
      return rmass ? rmass[first + i] : mass[type[first + i]];
    });
    const std::size_t value = 3 * static_cast<std::size_t>(first);
    return std::array<double, 1>{0.0 - weights.pull(3 * (last - first), x + value, f + value)};
  };
  threadpool->passes().add_sums<1>(atom->nlocal, pull, [this](const std::array<double, 1> &energy) {
    egrav = energy[0];
    eflag = 0;
  });
}
