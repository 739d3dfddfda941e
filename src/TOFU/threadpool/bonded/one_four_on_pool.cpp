// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "one_four_on_pool.h"

#include "atom.h"
#include "force.h"
#include "neighbor.h"

#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

OneFourOnPool::OneFourOnPool(LAMMPS *lmp) : Pointers(lmp), pairs(lmp, 4), tallies(lmp) {}

/* ---------------------------------------------------------------------- */

void OneFourOnPool::init()
{
  pairs.init();
  tallies.init();
}

/* ---------------------------------------------------------------------- */

void OneFourOnPool::collect(const double *weight, bool anew)
{
  std::vector<double> weights(weight, weight + atom->ndihedraltypes + 1);
  weights[0] = 0.0;    // LAMMPS does not set it
  const int n = neighbor->ndihedrallist;
  pairs.collect({n ? neighbor->dihedrallist[0] : nullptr, n}, weights, anew);
}

/* ---------------------------------------------------------------------- */

void OneFourOnPool::compute(int evflag, int vflag_global, OneFourTables tables,
                            const BondedCoefficients &coefficients)
{
  tables.q = atom->q;
  tables.type = atom->type;
  tables.qqrd2e = force->qqrd2e;
  tallies.add(evflag,
              pairs.compute(tallies.wanted(evflag, vflag_global),
                            [&](const BondedJob &job, PairTally &tally) {
                              one_four_pairs(tables, coefficients, job, tally);
                            }));
}
