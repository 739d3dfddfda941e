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

#include "comm_style_p2p_rdma.h"

#include "p2p/change_comm.h"
#include "p2p/p2p_settings.h"

#include "error.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void CommStyleP2PRDMA::command(int narg, char **arg)
{
  TOFU_NS::install_comm_p2p_rdma(
      lmp, TOFU_NS::P2PSettings::parse(lmp, "comm_style p2p_rdma", narg, arg));
}

/* ---------------------------------------------------------------------- */

void CommStyleBrick::command(int narg, char **)
{
  if (narg != 0) error->all(FLERR, "Illegal comm_style/brick command: it takes no arguments");
  TOFU_NS::install_comm_brick(lmp);
}

/* ---------------------------------------------------------------------- */

void CommStyleTiled::command(int narg, char **)
{
  if (narg != 0) error->all(FLERR, "Illegal comm_style/tiled command: it takes no arguments");
  TOFU_NS::install_comm_tiled(lmp);
}
