/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "change_comm.h"

#include "comm_p2p_rdma.h"
#include "lammps/lammps_version.h"

#include "atom.h"
#include "comm_brick.h"
#include "error.h"
#include "lammps.h"

using namespace LAMMPS_NS;

namespace {

// the constructor of CommBrick that takes the old style leaves the list of extract() to chance,
// and its destructor frees it

class CommBrickAgain : public CommBrick {
 public:
  CommBrickAgain(LAMMPS *lmp, Comm *oldcomm) : CommBrick(lmp, oldcomm)
  {
    localsendlist = nullptr;
    TOFU_NS::copy_ghost_cutoffs<Comm>(*this, *oldcomm, atom->ntypes);
  }
};

}    // namespace

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_comm_p2p_rdma(LAMMPS *lmp, const P2PSettings &settings)
{
  Comm *oldcomm = lmp->comm;
  if (lmp->kokkos)
    lmp->error->all(FLERR, "Cannot use comm_style p2p_rdma together with the KOKKOS package");
  if (oldcomm->layout == Comm::LAYOUT_TILED)
    lmp->error->all(FLERR,
                    "Cannot change to comm_style p2p_rdma from tiled layout; it needs a grid of "
                    "bricks: rebalance with 'balance shift' instead of rcb, or stay with "
                    "comm_style tiled");
  lmp->comm = new CommP2PRDMA(lmp, oldcomm, settings);
  delete oldcomm;
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_comm_brick(LAMMPS *lmp)
{
  Comm *oldcomm = lmp->comm;
  if (oldcomm->style == Comm::BRICK && !CommP2PRDMA::find(oldcomm)) return;
  lmp->comm = new CommBrickAgain(lmp, oldcomm);
  delete oldcomm;
}
