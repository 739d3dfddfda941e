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

#include "fix_shake_threadpool.h"

#include "comm.h"
#include "error.h"
#include "modify.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;

static constexpr int TOO_FEW = 100;    // clusters per part that are not worth a fork

/* ----------------------------------------------------------------------
   some fixes know fix shake by exactly this name
------------------------------------------------------------------------- */

void FixShakeThreadpool::init()
{
  FixOnPool::init();
  for (const char *other : {"^ehex", "^filter/corotate", "^temp/csld", "^tfmc"})
    for (const Fix *fix : modify->get_fix_by_style(other))
      error->all(FLERR,
                 "Fix {} and fix {} cannot be used together: use fix shake without the suffix "
                 "/threadpool",
                 fix->style, style);
}

/* ---------------------------------------------------------------------- */

void FixShakeThreadpool::post_force(int vflag)
{
  if (update->ntimestep == next_output) stats();
  unconstrained_update();
  comm->forward_comm(this);
  ev_init(eflag_pre_reverse, vflag);
  ebond = 0.0;
  constrain_all();
  vflag_post_force = vflag;
}

/* ----------------------------------------------------------------------
   where atoms of clusters would be after this step
------------------------------------------------------------------------- */

void FixShakeThreadpool::unconstrained_update()
{
  for_atoms(threadpool, nlocal, [&](int first, int last) {
    for (int i = first; i < last; i++) {
      if (!shake_flag[i]) {
        std::fill_n(xshake[i], 3, 0.0);
        continue;
      }
      const double dtfmsq = dtfsq / (rmass ? rmass[i] : mass[type[i]]);
      for (int k = 0; k < 3; k++) xshake[i][k] = x[i][k] + dtv * v[i][k] + dtfmsq * f[i][k];
    }
  });
}

/* ---------------------------------------------------------------------- */

int FixShakeThreadpool::natoms_of(int cluster) const
{
  const int flag = shake_flag[list[cluster]];
  return flag == 1 ? 3 : flag;    // 1: two bonds and an angle
}

/* ----------------------------------------------------------------------
   not so at borders: there each side constrains the atoms that it has
------------------------------------------------------------------------- */

bool FixShakeThreadpool::is_owned(int cluster) const
{
  const int *const atoms = closest_list[cluster];
  return std::all_of(atoms, atoms + natoms_of(cluster), [&](int i) { return i < nlocal; });
}

/* ---------------------------------------------------------------------- */

void FixShakeThreadpool::constrain(int cluster)
{
  switch (shake_flag[list[cluster]]) {
    case 2:
      shake(cluster);
      break;
    case 3:
      shake3(cluster);
      break;
    case 4:
      shake4(cluster);
      break;
    default:
      shake3angle(cluster);
  }
}

/* ----------------------------------------------------------------------
   the virial of a cluster whose atoms are all owned: forces that add up to 0
   times positions, here from the first atom
------------------------------------------------------------------------- */

void FixShakeThreadpool::constrain_and_tally(int cluster, double *sum)
{
  const int *const atoms = closest_list[cluster];
  const int n = natoms_of(cluster);
  double before[4][3];
  for (int a = 0; a < n; a++) std::copy_n(f[atoms[a]], 3, before[a]);
  constrain(cluster);

  double virial_of_cluster[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  for (int a = 1; a < n; a++) {
    double from_first[3], push[3];
    for (int k = 0; k < 3; k++) {
      from_first[k] = x[atoms[a]][k] - x[atoms[0]][k];
      push[k] = f[atoms[a]][k] - before[a][k];
    }
    for (int k = 0; k < 3; k++) virial_of_cluster[k] += from_first[k] * push[k];
    virial_of_cluster[3] += from_first[0] * push[1];
    virial_of_cluster[4] += from_first[0] * push[2];
    virial_of_cluster[5] += from_first[1] * push[2];
  }

  for (int k = 0; k < 6; k++) {
    sum[k] += virial_of_cluster[k];
    if (vflag_atom)
      for (int a = 0; a < n; a++) vatom[atoms[a]][k] += virial_of_cluster[k] / n;
  }
}

/* ----------------------------------------------------------------------
   clusters that add to the virial in fix shake's way come last
------------------------------------------------------------------------- */

void FixShakeThreadpool::constrain_all()
{
  const int nparts = nlist < TOO_FEW * threadpool->nparts() ? 1 : threadpool->nparts();
  if (nparts == 1 || (evflag && cvflag_atom)) {
    for (int cluster = 0; cluster < nlist; cluster++) constrain(cluster);
    return;
  }

  const int tally = evflag;
  evflag = 0;
  std::vector<std::array<double, 6>> sums(nparts);
  for_parts_of_atoms(threadpool, nparts, nlist, [&](int part, int first, int last) {
    std::array<double, 6> sum{};
    for (int cluster = first; cluster < last; cluster++)
      if (!tally)
        constrain(cluster);
      else if (is_owned(cluster))
        constrain_and_tally(cluster, sum.data());
    sums[part] = sum;
  });
  evflag = tally;
  if (!tally) return;

  if (vflag_global)
    for (const auto &sum : sums)
      for (int k = 0; k < 6; k++) virial[k] += sum[k];
  for (int cluster = 0; cluster < nlist; cluster++)
    if (!is_owned(cluster)) constrain(cluster);
}
