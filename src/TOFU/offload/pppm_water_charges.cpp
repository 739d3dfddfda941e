// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pppm_water_charges.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "neighbor.h"

#include <algorithm>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int ENOUGH = 1000;    // atoms, for a part of the pool

/* ---------------------------------------------------------------------- */

void WaterCharges::set_model(int oxygen, int hydrogen, double weight)
{
  typeO = oxygen;
  typeH = hydrogen;
  site_charges.alpha = weight;
  made_of = -1;
}

/* ----------------------------------------------------------------------
   hydrogens have the IDs after that of their oxygen; indices of atoms stay until
   lists are built anew
------------------------------------------------------------------------- */

void WaterCharges::find_waters()
{
  std::vector<Water> &waters = site_charges.waters;
  waters.clear();
  for (int i = 0; i < atom->nlocal; i++) {
    if (atom->type[i] != typeO) continue;
    Water water{i, {0, 0}};
    for (int k = 0; k < 2; k++) {
      const tagint id = atom->tag[i] + 1 + k;
      const int hydrogen = atom->map(id);
      if (hydrogen < 0)
        error->one(FLERR,
                   "TIP4P hydrogen is missing: rank {} has oxygen {} and lacks atom {} near it; if "
                   "it exists, use a larger comm_modify cutoff",
                   comm->me, atom->tag[i], id);
      if (atom->type[hydrogen] != typeH)
        error->one(FLERR,
                   "TIP4P hydrogen has incorrect atom type: atom {} must be a hydrogen of oxygen "
                   "{}, of type {}; its type is {}",
                   id, atom->tag[i], typeH, atom->type[hydrogen]);
      water.hydrogens[k] = domain->closest_image(i, hydrogen);
    }
    waters.push_back(water);
  }
}

/* ---------------------------------------------------------------------- */

const double *WaterCharges::place(const Parts &parts)
{
  const int nlocal = atom->nlocal, nall = nlocal + atom->nghost;
  if (made_of != nall || made_after.is_outdated(neighbor)) find_waters();
  made_of = nall;
  made_after = LastBuild::of(neighbor);

  const std::vector<Water> &waters = site_charges.waters;
  const double *const x = nall ? atom->x[0] : nullptr;
  double *const to = places.room(std::size_t{3} * nlocal);
  const auto is_before = [](const Water &water, int i) {
    return water.oxygen < i;
  };
  parts.for_work(nlocal, ENOUGH).share(nlocal, [&](int, int first, int last) {
    std::copy(x + std::size_t{3} * first, x + std::size_t{3} * last, to + std::size_t{3} * first);
    const auto begin = std::lower_bound(waters.begin(), waters.end(), first, is_before);
    const auto end = std::lower_bound(begin, waters.end(), last, is_before);
    place_sites(waters.data() + (begin - waters.begin()), end - begin, site_charges.alpha, x, to);
  });
  return to;
}

/* ---------------------------------------------------------------------- */

double WaterCharges::memory_usage() const
{
  return static_cast<double>(places.nbytes() + site_charges.waters.capacity() * sizeof(Water));
}
