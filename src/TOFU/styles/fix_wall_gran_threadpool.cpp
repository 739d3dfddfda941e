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

#include "fix_wall_gran_threadpool.h"

#include "atom.h"
#include "granular_model.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;

namespace {

/** Atoms have other masks while this lives. */
class Masked {
 public:
  Masked(Atom *atom, int *mask) : all(atom), before(atom->mask) { all->mask = mask; }
  ~Masked() { all->mask = before; }
  Masked(const Masked &) = delete;
  Masked &operator=(const Masked &) = delete;

 private:
  Atom *const all;
  int *const before;
};

}    // namespace

/* ----------------------------------------------------------------------
   Modify compares exact names when it looks for the data of a fix by atom in a
   restart file, so that with another name the history of contacts would be lost
------------------------------------------------------------------------- */

void FixWallGranThreadpool::post_constructor()
{
  FixOnPool::post_constructor();
  delete[] style;
  style = utils::strdup("wall/gran");
}

/* ----------------------------------------------------------------------
   curved walls, forces that reach beyond contact, and a variable, which may
   look at groups
------------------------------------------------------------------------- */

bool FixWallGranThreadpool::is_for_stock() const
{
  const bool is_plane = wallstyle >= 0 && wallstyle < 3;    // the dimension it is normal to
  return !is_plane || model->beyond_contact || tstr || atom->nlocal == 0;
}

/* ---------------------------------------------------------------------- */

void FixWallGranThreadpool::post_force(int vflag)
{
  if (is_for_stock()) {
    FixWallGran::post_force(vflag);
    return;
  }
  find_near();
  const Masked masked(atom, near.data());
  FixWallGran::post_force(vflag);
}

/* ----------------------------------------------------------------------
   find the atoms that may touch a wall at any time of its oscillation; the
   contact history of other atoms is cleared, as in fix wall/gran
------------------------------------------------------------------------- */

void FixWallGranThreadpool::find_near()
{
  const int nlocal = atom->nlocal;
  near.resize(nlocal);
  const double *const x = atom->x[0] + wallstyle, *const radius = atom->radius;
  const int *const mask = atom->mask;
  const double way = wiggle ? 2.0 * fabs(amplitude) : 0.0;
  const double low = lo + way, high = hi - way;
  constexpr double ROUNDED_UP = 1.0 + 1e-10;

  for_atoms(threadpool, nlocal, [&](int first, int last) {
    for (int i = first; i < last; i++) {
      const double reach = radius[i] * ROUNDED_UP + 1e-10 * way;
      const bool is_near = x[3 * i] - low < reach || high - x[3 * i] < reach;
      near[i] = is_near ? mask[i] : 0;
      if (use_history && !is_near && (mask[i] & groupbit))
        std::fill_n(history_one[i], size_history, 0.0);
    }
  });
}

/* ---------------------------------------------------------------------- */

double FixWallGranThreadpool::memory_usage()
{
  return FixWallGran::memory_usage() + near.capacity() * sizeof(int);
}
