/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "last_build.h"

#include "neighbor.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

LastBuild LastBuild::of(const Neighbor *neighbor)
{
  return {neighbor->lastcall, neighbor->ncalls};
}

/* ---------------------------------------------------------------------- */

bool LastBuild::is_over(const Neighbor *neighbor) const
{
  return neighbor->ago == 0 || lastcall != neighbor->lastcall || ncalls != neighbor->ncalls;
}
