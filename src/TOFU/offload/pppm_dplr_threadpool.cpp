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

#include "pppm_dplr_threadpool.h"

#include "error.h"
#include "modify.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void PPPMDPLRThreadpool::init()
{
  if (modify->get_fix_by_style("^dplr").empty())
    error->all(FLERR,
               "Kspace style pppm/dplr is for runs with fix dplr, which takes its forces to atoms: "
               "use that fix, or kspace_style pppm");
  PPPMThreadpool::init();
}
