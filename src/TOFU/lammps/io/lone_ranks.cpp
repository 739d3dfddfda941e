// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "lone_ranks.h"

#include "base/started_ranks.h"

#include "error.h"
#include "lammps.h"

#include <mpi.h>
#include <string>

using namespace LAMMPS_NS;

namespace {

/* ----------------------------------------------------------------------
   its name and version, without the details of how it was built
------------------------------------------------------------------------- */

std::string mpi_library()
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int n;
  MPI_Get_library_version(text, &n);
  std::string words;
  for (int i = 0; i < n && text[i] != '\n' && text[i] != ','; i++) {
    const bool blank = text[i] == ' ' || text[i] == '\t';
    if (!blank)
      words += text[i];
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  return words;
}

}    // namespace

/* ---------------------------------------------------------------------- */

void TOFU_NS::warn_of_lone_ranks(LAMMPS *lmp)
{
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const StartedRanks started = started_apart(size);
  if (started.launcher.empty()) return;
  lmp->error->warning(
      FLERR,
      "TOFU: {} has started {} processes ({}), and each of them is a job of its own with 1 rank, "
      "which runs the whole input: this LAMMPS has another MPI library, {}; use the mpirun of that "
      "library, or with srun the option --mpi that it understands (MPICH: pmi2, Open MPI: pmix)",
      started.launcher, started.nranks, started.variable, mpi_library());
}
