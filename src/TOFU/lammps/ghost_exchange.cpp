// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "ghost_exchange.h"

#include "comm.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

GhostExchange *GhostExchange::find(Comm *comm)
{
  int dim;
  return static_cast<GhostExchange *>(comm->extract(NAME, dim));
}
