// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "clear_map.h"

#include "atom.h"

#include <algorithm>

using namespace LAMMPS_NS;

static constexpr int FEW_IDS = 20000;    // of a part that are not worth a fork
static constexpr int MOST_IDS = 8;       // for each atom

/* ----------------------------------------------------------------------
   Atom::map_clear() searches the index of each atom.  A map with few more IDs than atoms is
   cleared in the order of memory
------------------------------------------------------------------------- */

void TOFU_NS::clear_map(Atom *atom, const Parts &parts)
{
  if (atom->map_style == Atom::MAP_NONE) return;
  const int nall = atom->nlocal + atom->nghost, nids = atom->get_map_size();
  if (atom->map_style != Atom::MAP_ARRAY || nids / MOST_IDS > nall) {
    atom->map_clear();
    return;
  }
  const auto clear = [&parts](int *indices, int n) {
    parts.for_work(n, FEW_IDS).share(n, [=](int, int first, int last) {
      std::fill(indices + first, indices + last, -1);
    });
  };
  clear(atom->get_map_array(), nids);
  if (atom->sametag) clear(atom->sametag, nall);
}
