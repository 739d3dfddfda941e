// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "change_comm.h"

#include "comm_p2p_rdma.h"
#include "lammps/lammps_version.h"
#include "lammps/scoped_state.h"
#include "p2p/links/p2p_settings.h"
#include "p2p/places/placed_grid.h"

#include "atom.h"
#include "comm_brick.h"
#include "comm_tiled.h"
#include "domain.h"
#include "error.h"
#include "lammps.h"

#include <cstring>
#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

// the constructor of CommBrick that takes the old style leaves the list of extract() to chance,
// and its destructor frees it

class CommBrickAgain : public CommBrick {
 public:
  CommBrickAgain(LAMMPS *lmp, Comm *oldcomm, const PlaceSettings &settings) :
      CommBrick(lmp, oldcomm), place(settings), grid(place)
  {
    localsendlist = nullptr;
    copy_ghost_cutoffs<Comm>(*this, *oldcomm, atom->ntypes);
  }

  void init() override
  {
    CommBrick::init();
    grid.check_styles(lmp);
  }

  void set_proc_grid(int outflag) override
  {
    grid.set(lmp, outflag, {gridflag || mapflag, outfile, [this](int flag) {
                              CommBrick::set_proc_grid(flag);
                            }});
  }

  void *extract(const char *name, int &dim) override
  {
    if (strcmp(name, PlacedGrid::NAME) != 0) return CommBrick::extract(name, dim);
    dim = 0;
    return &grid;
  }

 private:
  PlaceSettings place;
  PlacedGrid grid;
};

PlaceSettings present_placement(LAMMPS *lmp)
{
  const PlacedGrid *const grid = placed_grid_of(lmp);
  return grid ? grid->settings : PlaceSettings();
}

void replace_by_brick(LAMMPS *lmp, const PlaceSettings &settings)
{
  Comm *oldcomm = lmp->comm;
  lmp->comm = new CommBrickAgain(lmp, oldcomm, settings);
  delete oldcomm;
}

/** Whether it is LAMMPS' own style of that name: classes derived from it have the same number, and
    a name of their own if LAMMPS has packaging/upstream/comm-styles.patch. */
bool is_stock_style(Comm *comm, int style, const std::string &name)
{
  const auto name_of = [](auto &self) -> decltype(self.style_name()) {
    return self.style_name();
  };
  return comm->style == style && !CommP2PRDMA::find(comm) &&
      member_or(name, *comm, name_of) == name;
}

void warn_of_existing_box(LAMMPS *lmp, const PlaceSettings &settings, const char *command)
{
  if (settings.on() && lmp->domain->box_exist && lmp->comm->me == 0)
    lmp->error->warning(FLERR,
                        "{}: place {} acts when the next grid of ranks is made, since there is a "
                        "box already; give it before the box",
                        command, settings.source);
}

}    // namespace

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_comm_p2p_rdma(LAMMPS *lmp, const P2PSettings &settings)
{
  Comm *oldcomm = lmp->comm;
  if (lmp->kokkos)
    lmp->error->all(FLERR, "Cannot use comm_style p2p/rdma together with the KOKKOS package");
  P2PSettings chosen = settings;
  if (chosen.layout == Layout::AUTO)
    chosen.layout = oldcomm->style == Comm::TILED ? Layout::TILED : Layout::BRICK;
  chosen.check_order(lmp, "comm_style p2p/rdma");
  const int present = oldcomm->layout;
  if (present == Comm::LAYOUT_TILED && chosen.layout == Layout::BRICK)
    lmp->error->all(FLERR,
                    "Cannot change to comm_style p2p/rdma layout brick from tiled layout; use "
                    "layout tiled, or rebalance with 'balance shift' before");
  warn_of_existing_box(lmp, settings.place, "comm_style p2p/rdma");
  if (!chosen.place.given()) chosen.place = present_placement(lmp);

  {
    const ScopedLayout of_a_grid(oldcomm);
    lmp->comm = new CommP2PRDMA(lmp, oldcomm, chosen);
  }
  lmp->comm->layout = present;
  delete oldcomm;
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_comm_brick(LAMMPS *lmp)
{
  if (is_stock_style(lmp->comm, Comm::BRICK, "brick")) return;
  replace_by_brick(lmp, present_placement(lmp));
}

/* ----------------------------------------------------------------------
   CommTiled learns the sub-boxes of other ranks only where they are new
------------------------------------------------------------------------- */

void TOFU_NS::install_comm_tiled(LAMMPS *lmp)
{
  Comm *oldcomm = lmp->comm;
  if (is_stock_style(oldcomm, Comm::TILED, "tiled")) return;
  oldcomm->rcbnew = 1;
  lmp->comm = new CommTiled(lmp, oldcomm);
  copy_ghost_cutoffs<Comm>(*lmp->comm, *oldcomm, lmp->atom->ntypes);
  delete oldcomm;
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_placement(LAMMPS *lmp, const PlaceSettings &settings, const char *command)
{
  settings.check(lmp, command);
  if (lmp->kokkos)
    lmp->error->all(FLERR, "{}: cannot use place together with the KOKKOS package", command);
  if (lmp->comm->style != Comm::BRICK && !placed_grid_of(lmp))
    lmp->error->all(FLERR,
                    "{}: place needs comm_style brick or p2p/rdma, which cut the box by a grid of "
                    "ranks; give it before comm_style tiled",
                    command);
  warn_of_existing_box(lmp, settings, command);
  if (PlacedGrid *const grid = placed_grid_of(lmp))
    grid->settings = settings;
  else
    replace_by_brick(lmp, settings);
}
