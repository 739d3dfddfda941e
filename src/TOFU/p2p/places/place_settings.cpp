// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "place_settings.h"

#include "lammps/io/keywords.h"

#include "comm.h"
#include "error.h"
#include "lammps.h"
#include "platform.h"

#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void PlaceSettings::list_in(Keywords &keywords)
{
  keywords.other(
      "place",
      [this](int, char **arg) {
        source = arg[0];
        return 1;
      },
      [this]() { return given() ? source : std::string("no"); });
  keywords.word("map", map, "none");
}

/* ---------------------------------------------------------------------- */

void PlaceSettings::check(LAMMPS *lmp, const char *command) const
{
  if (!map.empty() && !on())
    lmp->error->all(FLERR, "{}: map {} needs place auto or place FILE before it", command, map);
  if (!has_file()) return;
  int readable = lmp->comm->me == 0 && platform::file_is_readable(source);
  MPI_Bcast(&readable, 1, MPI_INT, 0, lmp->world);
  if (!readable)
    lmp->error->all(FLERR,
                    "Unknown {} place value: {} (allowed: auto, no, or a file about the network "
                    "that rank 0 can read)",
                    command, source);
}
