// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_shake_threadpool.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   other fixes know fix shake by exactly this name: fix ehex constrain calls it, and
   filter/corotate, temp/csld and tfmc refuse to run with it
------------------------------------------------------------------------- */

void FixShakeThreadpool::post_constructor()
{
  FixOnPool::post_constructor();
  delete[] style;
  style = utils::strdup("shake");
}

/* ---------------------------------------------------------------------- */

void FixShakeThreadpool::pre_neighbor()
{
  FixShake::pre_neighbor();
  sort_clusters();
}

/* ---------------------------------------------------------------------- */

void FixShakeThreadpool::post_force(int vflag)
{
  if (update->ntimestep == next_output) stats();
  unconstrained_update();
  if (comm->nprocs == 1)
    move_images();
  else
    comm->forward_comm(this);
  ev_init(eflag_pre_reverse, vflag);
  ebond = 0.0;
  if (evflag && cvflag_atom)    // centroids need the force of each bond
    constrain_one_by_one();
  else
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

/* ----------------------------------------------------------------------
   a flag of 1 means two bonds and an angle
------------------------------------------------------------------------- */

ClusterColumns &FixShakeThreadpool::columns_of(int cluster)
{
  const int flag = shake_flag[list[cluster]];
  return columns[flag == 1 ? 3 : flag - 2];
}

/* ---------------------------------------------------------------------- */

void FixShakeThreadpool::sort_clusters()
{
  for (auto &one : columns) one.clear();
  for (int cluster = 0; cluster < nlist; cluster++) columns_of(cluster).add(closest_list[cluster]);
  for (auto &one : columns) one.finish();
  used_mass.clear();

  images.clear();
  if (comm->nprocs > 1) return;
  for (const auto &one : columns)
    for (int cluster = 0; cluster < one.size(); cluster++)
      for (int a = 0; a < one.natoms(); a++) {
        const int i = one.atom(cluster, a);
        if (i >= nlocal) images.push_back({i, atom->map(atom->tag[i])});
      }
}

/* ----------------------------------------------------------------------
   of the ghosts those of clusters are wanted, and on one rank all are images of owned atoms
------------------------------------------------------------------------- */

void FixShakeThreadpool::move_images()
{
  for (const auto &one : images)
    for (int k = 0; k < 3; k++)
      xshake[one.ghost][k] = xshake[one.owned][k] + (x[one.ghost][k] - x[one.owned][k]);
}

/* ----------------------------------------------------------------------
   fix shake reads masses and lengths in each step, so that what changes them
   is followed here, too
------------------------------------------------------------------------- */

void FixShakeThreadpool::follow_masses_and_lengths()
{
  if (!rmass) {
    const std::vector<double> masses(mass + 1, mass + atom->ntypes + 1);
    std::vector<double> lengths(bond_distance + 1, bond_distance + atom->nbondtypes + 1);
    for (int angle = 1; angle <= atom->nangletypes; angle++)
      if (angle_flag[angle]) lengths.push_back(angle_distance[angle]);
    if (masses == used_mass && lengths == used_lengths) return;
    used_mass = masses;
    used_lengths = lengths;
  }
  for (auto &one : columns)
    for (int cluster = 0; cluster < one.size(); cluster++) set_numbers(one, cluster);
}

/* ----------------------------------------------------------------------
   types are the same at all atoms of a cluster
------------------------------------------------------------------------- */

void FixShakeThreadpool::set_numbers(Columns &of_shape, int cluster)
{
  double inverse_mass[Columns::MOST_ATOMS], length[Columns::MOST_LENGTHS];
  int nowned = 0, owned = 0;
  for (int a = 0; a < of_shape.natoms(); a++) {
    const int i = of_shape.atom(cluster, a);
    inverse_mass[a] = 1.0 / (rmass ? rmass[i] : mass[type[i]]);
    if (i >= nlocal) continue;
    nowned++;
    owned = i;
  }
  for (int c = 0; c < of_shape.nlengths(); c++)
    length[c] = c < of_shape.natoms() - 1 ? bond_distance[shake_type[owned][c]]
                                          : angle_distance[shake_type[owned][c]];
  of_shape.set(cluster, inverse_mass, length, 1.0 * nowned / of_shape.natoms());
}

/* ---------------------------------------------------------------------- */

void FixShakeThreadpool::constrain_one_by_one()
{
  for (int cluster = 0; cluster < nlist; cluster++) switch (shake_flag[list[cluster]]) {
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

/* ---------------------------------------------------------------------- */

void FixShakeThreadpool::constrain_all()
{
  if (nlist == 0) return;    // a rank that never had an atom has no vatom either
  follow_masses_and_lengths();
  ClusterStep step;
  step.x = x[0];
  step.moved = xshake[0];
  step.f = f[0];
  step.nlocal = nlocal;
  step.force_to_shift = dtfsq;
  step.tolerance = tolerance;
  step.most_iterations = max_iter;
  step.tallied = evflag;
  if (evflag && vflag_atom) step.vatom = reinterpret_cast<double(*)[6]>(vatom[0]);

  const int nparts = parts_for_atoms(threadpool, nlist);
  std::vector<ClusterSums> sums(nparts);
  threadpool->pool().run(nparts, [&](int part) {
    ClusterSums sum;
    for (const auto &one : columns)
      constrain_clusters(one, step, begin_of_share(part, nparts, one.nblocks()),
                         begin_of_share(part + 1, nparts, one.nblocks()), sum);
    sums[part] = sum;
  });
  for (const auto &sum : sums) {
    report(sum);
    if (vflag_global)
      for (int k = 0; k < 6; k++) virial[k] += sum.virial[k];
  }
}

/* ----------------------------------------------------------------------
   as fix shake does
------------------------------------------------------------------------- */

void FixShakeThreadpool::report(const ClusterSums &sum)
{
  if (sum.nunsolvable) error->one(FLERR, "Shake determinant = 0.0");
  for (int n = 0; n < sum.nnegative; n++) error->warning(FLERR, "Shake determinant < 0.0");
}

/* ---------------------------------------------------------------------- */

double FixShakeThreadpool::memory_usage()
{
  double bytes = FixShake::memory_usage();
  for (const auto &one : columns) bytes += static_cast<double>(one.memory_usage());
  return bytes;
}
