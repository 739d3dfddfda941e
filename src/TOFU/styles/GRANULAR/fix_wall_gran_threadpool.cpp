// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_wall_gran_threadpool.h"

#include "lammps/lammps_version.h"
#include "lammps/scoped_state.h"

#include "atom.h"
#include "granular_model.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double ROUNDED_UP = 1.0 + 1e-10;
static constexpr int ZPLANE =
    2;    // wallstyle; up to here it is the dimension a plane is normal to

/* ----------------------------------------------------------------------
   a variable may look at groups
------------------------------------------------------------------------- */

std::string FixWallGranThreadpool::left_to_lammps() const
{
  const bool is_plane = wallstyle >= 0 && wallstyle <= ZPLANE;
  if (!is_plane && !is_cylinder()) return "walls that are no planes or cylinders";
  return tstr ? "temperature by a variable" : "";
}

/* ---------------------------------------------------------------------- */

double FixWallGranThreadpool::cylinder() const
{
  return member_or(-1.0, *this,
                   [](const auto &self) -> decltype(self.cylradius) { return self.cylradius; });
}

bool FixWallGranThreadpool::is_cylinder() const
{
  return wallstyle == ZPLANE + 1 && cylinder() >= 0.0;    // without cylinders this is a region
}

/* ---------------------------------------------------------------------- */

void FixWallGranThreadpool::post_force(int vflag)
{
  if (atom->nlocal == 0 || !left_to_lammps().empty()) {
    FixWallGran::post_force(vflag);
    return;
  }
  find_near();
  const ScopedAtomMask near_atoms(atom, near.data());
  FixWallGran::post_force(vflag);
}

/* ----------------------------------------------------------------------
   find the atoms that may touch a wall at any time of its oscillation, or have
   touched it and may still stick to it; the contact history of other atoms is
   cleared, as in fix wall/gran
------------------------------------------------------------------------- */

void FixWallGranThreadpool::find_near()
{
  const int nlocal = atom->nlocal;
  near.resize(nlocal);
  const int *const mask = atom->mask;
  const bool sticks = model->beyond_contact != 0, round = is_cylinder();

  for_atoms(threadpool, nlocal, [&](int first, int last) {
    for (int i = first; i < last; i++) {
      const bool is_near = (round ? is_near_cylinder(i) : is_near_plane(i)) ||
          (sticks && history_one[i][0] != 0.0);
      near[i] = is_near ? mask[i] : 0;
      if (use_history && !is_near && (mask[i] & groupbit))
        std::fill_n(history_one[i], size_history, 0.0);
    }
  });
}

/* ---------------------------------------------------------------------- */

bool FixWallGranThreadpool::is_near_plane(int i) const
{
  const double x = atom->x[i][wallstyle], way = wiggle ? 2.0 * fabs(amplitude) : 0.0;
  const double reach = atom->radius[i] * ROUNDED_UP + 1e-10 * way;
  return x - (lo + way) < reach || (hi - way) - x < reach;
}

/* ----------------------------------------------------------------------
   also atoms outside, and those that are as wide as the cylinder
------------------------------------------------------------------------- */

bool FixWallGranThreadpool::is_near_cylinder(int i) const
{
  const double *const x = atom->x[i];
  const double reach = atom->radius[i] * ROUNDED_UP;
  const double inside = cylinder() - reach;
  return inside <= 0.0 || x[0] * x[0] + x[1] * x[1] > inside * inside * (2.0 - ROUNDED_UP);
}

/* ---------------------------------------------------------------------- */

double FixWallGranThreadpool::memory_usage()
{
  return FixWallGran::memory_usage() + near.capacity() * sizeof(int);
}
