/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "pair_gran_hooke_history_threadpool.h"

#include "atom.h"
#include "fix_neigh_history.h"
#include "force.h"
#include "neigh_list.h"
#include "update.h"

#include "kernels/hooke_history.h"
#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int GRAIN = 16;         // atoms; whole cache lines for each part
static constexpr double FAR = 1.0e12;    // coordinate of the atom that is far away from all others

struct PairGranHookeHistoryThreadpool::Part {
  OwnAtoms own;
  PairTally tally;
  std::vector<ContactReaction> others;    // what other parts have to add to their atoms
};

/* ---------------------------------------------------------------------- */

PairGranHookeHistoryThreadpool::PairGranHookeHistoryThreadpool(LAMMPS *lmp) :
    PairGranHookeHistory(lmp), engine(lmp)
{
  respa_enable = 0;
}

/* ---------------------------------------------------------------------- */

PairGranHookeHistoryThreadpool::~PairGranHookeHistoryThreadpool() = default;

/* ---------------------------------------------------------------------- */

void PairGranHookeHistoryThreadpool::init_style()
{
  PairGranHookeHistory::init_style();
  engine.keep_request(this);
}

/* ----------------------------------------------------------------------
   masses of rigid bodies, bonds, and stress by atom are left to LAMMPS
------------------------------------------------------------------------- */

bool PairGranHookeHistoryThreadpool::can_compute() const
{
  return !fix_rigid && atom->molecular == Atom::ATOMIC && !vflag_atom &&
      std::is_sorted(list->ilist, list->ilist + list->inum);
}

/* ---------------------------------------------------------------------- */

void PairGranHookeHistoryThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  if (!can_compute()) {
    PairGranHookeHistory::compute(eflag, vflag);
    return;
  }
  const PairRows list_rows = engine.rows_of(list);
  gather();
  share_atoms();
  compute_contacts(list_rows);
  if (parts.size() > 1) add_reactions();
  if (vflag_global)
    for (const auto &part : parts)
      for (int i = 0; i < 6; i++) virial[i] += part->tally.virial[i];
}

/* ---------------------------------------------------------------------- */

void PairGranHookeHistoryThreadpool::gather()
{
  const int nall = atom->nlocal + atom->nghost, nparts = engine.nparts();
  double *const row = rows.room(Spheres::WIDTH * (static_cast<std::size_t>(nall) + 1));
  double **x = atom->x, **v = atom->v, **omega = atom->omega;
  const double *const radius = atom->radius, *const rmass = atom->rmass;
  const int *const mask = atom->mask;

  engine.for_parts([&](int part) {
    const int last = begin_of_share(part + 1, nparts, nall, GRAIN);
    for (int i = begin_of_share(part, nparts, nall, GRAIN); i < last; i++) {
      double *const to = row + Spheres::WIDTH * static_cast<std::size_t>(i);
      std::copy_n(x[i], 3, to);
      to[3] = radius[i];
      std::copy_n(v[i], 3, to + 4);
      to[7] = rmass[i];
      std::copy_n(omega[i], 3, to + 8);
      to[11] = mask[i] & freeze_group_bit ? 1.0 : 0.0;
    }
  });
  double *const far = row + Spheres::WIDTH * static_cast<std::size_t>(nall);
  std::fill_n(far, static_cast<int>(Spheres::WIDTH), 0.0);
  std::fill_n(far, 3, FAR);
}

/* ----------------------------------------------------------------------
   owned atoms go with the rows, ghosts are dealt if they get forces at all
------------------------------------------------------------------------- */

void PairGranHookeHistoryThreadpool::share_atoms()
{
  const int nparts = engine.nparts(), nlocal = atom->nlocal,
            nghost = force->newton_pair ? atom->nghost : 0;
  while (static_cast<int>(parts.size()) < nparts) parts.push_back(std::make_unique<Part>());
  parts.resize(nparts);
  for (int part = 0; part < nparts; part++) {
    const int row = begin_of_share(part, nparts, list->inum, GRAIN);
    OwnAtoms &own = parts[part]->own;
    own.first = part == 0 ? 0 : row < list->inum ? list->ilist[row] : nlocal;
    own.first_ghost = nlocal + begin_of_share(part, nparts, nghost, GRAIN);
    own.last_ghost = nlocal + begin_of_share(part + 1, nparts, nghost, GRAIN);
    own.last = nlocal;
    if (part > 0) parts[part - 1]->own.last = own.first;
  }
}

/* ---------------------------------------------------------------------- */

void PairGranHookeHistoryThreadpool::compute_contacts(const PairRows &list_rows)
{
  HookeHistoryCoefficients coefficients;
  coefficients.kn = kn;
  coefficients.kt = kt;
  coefficients.gamman = gamman;
  coefficients.gammat = gammat;
  coefficients.xmu = xmu;
  coefficients.dt = update->setupflag ? 0.0 : dt;
  coefficients.limit_damping = limit_damping != 0;

  PairJob job;
  job.nlocal = atom->nlocal;
  job.list = list_rows;
  job.tallies = vflag_global ? Tallies::VIRIAL : Tallies::NONE;
  const Spheres spheres{rows.data()};
  const ContactHistory contacts{fix_history->firstflag, fix_history->firstvalue};
  const int nparts = engine.nparts(), nrows = list_rows.nrows;
  if (nrows == 0) {
    parts.clear();
    return;
  }

  engine.for_parts([&](int p) {
    Part &part = *parts[p];
    part.others.clear();
    PairTally tally;    // not beside those of others, which share cache lines
    const ContactForces forces{atom->f[0], atom->torque[0], part.own, force->newton_pair != 0,
                               &part.others};
    hooke_history(coefficients, job, spheres, contacts, forces,
                  begin_of_share(p, nparts, nrows, GRAIN),
                  begin_of_share(p + 1, nparts, nrows, GRAIN), tally);
    part.tally = tally;
  });
}

/* ----------------------------------------------------------------------
   in the order of parts, whichever was done first
------------------------------------------------------------------------- */

void PairGranHookeHistoryThreadpool::add_reactions()
{
  double **f = atom->f, **torque = atom->torque;
  engine.for_parts([&](int p) {
    const OwnAtoms own = parts[p]->own;
    for (const auto &from : parts)
      for (const ContactReaction &reaction : from->others) {
        const int j = reaction.j;
        if (!own.has(j)) continue;
        for (int dim = 0; dim < 3; dim++) {
          f[j][dim] -= reaction.force[dim];
          torque[j][dim] -= reaction.torque[dim];
        }
      }
  });
}

/* ---------------------------------------------------------------------- */

double PairGranHookeHistoryThreadpool::memory_usage()
{
  return PairGranHookeHistory::memory_usage() + engine.memory_usage() +
      static_cast<double>(rows.nbytes());
}
