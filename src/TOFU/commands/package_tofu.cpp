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

#include "package_tofu.h"

#include "p2p/change_comm.h"
#include "p2p/p2p_settings.h"

#include "error.h"

#include <string>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void PackageTofu::command(int narg, char **arg)
{
  if (narg < 1) error->all(FLERR, "Illegal package tofu command: missing keyword (allowed: comm)");
  if (std::string(arg[0]) != "comm")
    error->all(FLERR, "Unknown package tofu keyword: {} (allowed: comm)", arg[0]);
  if (narg < 2) error->all(FLERR, "Missing value after package tofu keyword: comm");

  const std::string style = arg[1];
  if (style == "p2p_rdma" || style == "p2p/rdma") {
    TOFU_NS::install_comm_p2p_rdma(
        lmp, TOFU_NS::P2PSettings::parse(lmp, "package tofu comm p2p_rdma", narg - 2, arg + 2));
  } else if (style == "brick") {
    if (narg > 2) error->all(FLERR, "Unknown package tofu comm brick keyword: {}", arg[2]);
    TOFU_NS::install_comm_brick(lmp);
  } else {
    error->all(FLERR, "Unknown package tofu comm value: {} (allowed: brick, p2p_rdma)", style);
  }
}
