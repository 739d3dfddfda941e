// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "rank_sum.h"

#include "lammps.h"

#include <algorithm>
#include <mpi.h>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   each number is summed on its own: the others of a message do not change it
------------------------------------------------------------------------- */

void RankSum::reduce(const std::vector<RankSum *> &together, LAMMPS *lmp)
{
  int n = 0;
  for (const RankSum *sum : together) n += sum->nnumbers;
  std::vector<double> mine(n), all(n);
  double *part = mine.data();
  for (const RankSum *sum : together) {
    sum->part_(part);
    part += sum->nnumbers;
  }
  MPI_Allreduce(mine.data(), all.data(), n, MPI_DOUBLE, MPI_SUM, lmp->world);
  const double *total = all.data();
  for (RankSum *sum : together) {
    std::copy_n(total, sum->nnumbers, sum->total.data());
    if (sum->done_) sum->done_(total);
    total += sum->nnumbers;
  }
}
