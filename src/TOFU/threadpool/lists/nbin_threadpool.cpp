// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "nbin_threadpool.h"

#include "bin_user.h"
#include "lammps/neighbor_builds.h"

#include "neigh_list.h"
#include "neighbor.h"
#include "npair.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

NBinThreadpool::NBinThreadpool(LAMMPS *lmp, NBin *stock_in) : NBin(lmp), stock(stock_in)
{
  istyle = stock->istyle;
  cutoff_custom = stock->cutoff_custom;
  copy_neighbor_info();
}

/* ---------------------------------------------------------------------- */

void NBinThreadpool::copy_neighbor_info()
{
  NBin::copy_neighbor_info();
  stock->copy_neighbor_info();
}

/* ---------------------------------------------------------------------- */

void NBinThreadpool::setup_bins(int style)
{
  stock->setup_bins(style);
}

/* ---------------------------------------------------------------------- */

void NBinThreadpool::bin_atoms_setup(int nall)
{
  in_use = is_in_use();
  if (in_use) stock->bin_atoms_setup(nall);
}

/* ----------------------------------------------------------------------
   stock bins stop at positions that are not numbers; Domain::pbc() has checked
   those of owned atoms, of which ghosts are copies
------------------------------------------------------------------------- */

void NBinThreadpool::bin_atoms()
{
  if (in_use) stock->bin_atoms();
}

/* ----------------------------------------------------------------------
   an occasional list may be wanted at any time until lists are built next
------------------------------------------------------------------------- */

bool NBinThreadpool::is_in_use() const
{
  for (int i = 0; i < neighbor->nlist; i++) {
    const NPair *const build = build_of_list(neighbor, i);
    if (!build || build->nb != stock.get()) continue;
    const auto *const own = dynamic_cast<const BinUser *>(build);
    if (!own || !own->can_build(neighbor->lists[i])) return true;
  }
  return false;
}

/* ---------------------------------------------------------------------- */

double NBinThreadpool::memory_usage()
{
  return stock->memory_usage();
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_threadpool_bins(LAMMPS *lmp)
{
  for (int i = 0; i < number_of_bins(lmp->neighbor); i++) {
    NBin *&bins = bins_of_neighbor(lmp->neighbor, i);
    if (!dynamic_cast<NBinThreadpool *>(bins)) bins = new NBinThreadpool(lmp, bins);
  }
}
