// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "started_minimum.h"

#include "lammps.h"

#include <mpi.h>

using namespace LAMMPS_NS;

struct StartedMinimum::Reduction {
  MPI_Request request = MPI_REQUEST_NULL;
  bool under_way = false;    // a request that MPI_Test has seen the end of is no longer one
  std::vector<int> numbers;
};

/* ---------------------------------------------------------------------- */

StartedMinimum::StartedMinimum() : reduction(std::make_unique<Reduction>()) {}

/* ----------------------------------------------------------------------
   MPI writes the numbers until the end of the reduction
------------------------------------------------------------------------- */

StartedMinimum::~StartedMinimum()
{
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (!is_over) drop();
}

/* ---------------------------------------------------------------------- */

void StartedMinimum::start(LAMMPS *lmp, const int *numbers, int n)
{
  reduction->numbers.assign(numbers, numbers + n);
  reduction->under_way = true;
  MPI_Iallreduce(MPI_IN_PLACE, reduction->numbers.data(), n, MPI_INT, MPI_MIN, lmp->world,
                 &reduction->request);
}

/* ---------------------------------------------------------------------- */

void StartedMinimum::progress()
{
  if (reduction->request == MPI_REQUEST_NULL) return;
  int done;
  MPI_Test(&reduction->request, &done, MPI_STATUS_IGNORE);
}

/* ---------------------------------------------------------------------- */

const std::vector<int> &StartedMinimum::read()
{
  MPI_Wait(&reduction->request, MPI_STATUS_IGNORE);
  reduction->under_way = false;
  return reduction->numbers;
}

/* ---------------------------------------------------------------------- */

void StartedMinimum::drop()
{
  if (reduction->under_way) read();
}
