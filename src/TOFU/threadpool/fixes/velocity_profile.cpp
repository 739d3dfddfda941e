// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "velocity_profile.h"

#include "threadpool/pool/atom_loops.h"

#include "atom.h"
#include "domain.h"
#include "utils.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int FEWEST_ATOMS = 1024;    // of a block that has sums of its own
static constexpr int ATOMS_OF_A_BIN = 4;     // fewest of a block: else most time goes to its sums

/* ---------------------------------------------------------------------- */

VelocityProfile::VelocityProfile(LAMMPS *lmp, int narg, char **arg) : Pointers(lmp)
{
  for (int k = 0; k < 3; k++) averaged[k] = utils::inumeric(FLERR, arg[3 + k], false, lmp);
  int iarg = 7;
  for (const char *c = arg[6]; *c && iarg < narg; c++)
    nbins[*c - 'x'] = utils::inumeric(FLERR, arg[iarg++], false, lmp);
  nall = nbins[0] * nbins[1] * nbins[2];
}

/* ----------------------------------------------------------------------
   atoms may have left the box since lists were built
------------------------------------------------------------------------- */

void VelocityProfile::add_block(int groupbit, int first, int last, double *sums)
{
  const double *const x = atom->x[0], *const v = atom->v[0], *const rmass = atom->rmass,
                      *const mass = atom->mass;
  const int *const type = atom->type, *const mask = atom->mask;
  const bool triclinic = domain->triclinic;
  const double *const lo = triclinic ? domain->boxlo_lamda : domain->boxlo,
                      *const hi = triclinic ? domain->boxhi_lamda : domain->boxhi,
                      *const prd = triclinic ? domain->prd_lamda : domain->prd;
  const int strides[3] = {1, nbins[0], nbins[0] * nbins[1]};
  double per_length[3];
  for (int k = 0; k < 3; k++) per_length[k] = nbins[k] / prd[k];

  std::fill_n(sums, NSUMS * nall, 0.0);
  for (int i = first; i < last; i++) {
    if (!(mask[i] & groupbit)) continue;
    double at[3];
    const double *place = x + 3 * static_cast<std::size_t>(i);
    if (triclinic) {
      domain->x2lamda(const_cast<double *>(place), at);
      place = at;
    }
    int to = 0;
    for (int k = 0; k < 3; k++) {
      if (nbins[k] == 1) continue;
      double coordinate = place[k];
      if (domain->periodicity[k]) {
        if (coordinate < lo[k]) coordinate += prd[k];
        if (coordinate >= hi[k]) coordinate -= prd[k];
      }
      const int n = static_cast<int>((coordinate - lo[k]) * per_length[k]);
      to += strides[k] * std::min(std::max(n, 0), nbins[k] - 1);
    }
    bin[i] = to;
    const double m = rmass ? rmass[i] : mass[type[i]];
    double *const sum = sums + NSUMS * to;
    for (int k = 0; k < 3; k++) sum[k] += m * v[3 * static_cast<std::size_t>(i) + k];
    sum[3] += m;
  }
}

/* ---------------------------------------------------------------------- */

void VelocityProfile::average(int groupbit)
{
  const int natoms = atom->nlocal;
  const int atoms_of_block = std::max(FEWEST_ATOMS, ATOMS_OF_A_BIN * nall);
  const int nblocks = std::max(1, (natoms + atoms_of_block - 1) / atoms_of_block);
  const std::size_t size = static_cast<std::size_t>(NSUMS) * nall;
  bin.resize(natoms);
  some.resize(nblocks * size);

  for_blocks_of_atoms(RankPool::find(lmp), natoms, nblocks, [&](int block) {
    add_block(groupbit, block * atoms_of_block, std::min((block + 1) * atoms_of_block, natoms),
              some.data() + block * size);
  });
  for (int block = 1; block < nblocks; block++)
    for (std::size_t k = 0; k < size; k++) some[k] += some[block * size + k];
  MPI_Allreduce(MPI_IN_PLACE, some.data(), static_cast<int>(size), MPI_DOUBLE, MPI_SUM, world);

  velocity.assign(3 * static_cast<std::size_t>(nall), 0.0);
  for (int n = 0; n < nall; n++)
    for (int k = 0; k < 3; k++)
      if (averaged[k] && some[NSUMS * n + 3] > 0.0)
        velocity[3 * n + k] = some[NSUMS * n + k] / some[NSUMS * n + 3];
}

/* ---------------------------------------------------------------------- */

double VelocityProfile::memory_usage() const
{
  return static_cast<double>(sizeof(int) * bin.capacity() +
                             sizeof(double) * (velocity.capacity() + some.capacity()));
}
