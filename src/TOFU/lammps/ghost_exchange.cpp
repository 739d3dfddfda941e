/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "ghost_exchange.h"

#include "comm.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

GhostExchange *GhostExchange::find(Comm *comm)
{
  int dim;
  return static_cast<GhostExchange *>(comm->extract(NAME, dim));
}
