// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "ntopo_threadpool.h"

#include "lammps/neighbor_builds.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "memory.h"
#include "neighbor.h"
#include "ntopo_angle_all.h"
#include "ntopo_angle_partial.h"
#include "ntopo_bond_all.h"
#include "ntopo_bond_partial.h"
#include "ntopo_dihedral_all.h"
#include "ntopo_dihedral_partial.h"
#include "ntopo_improper_all.h"
#include "ntopo_improper_partial.h"
#include "output.h"
#include "thermo.h"
#include "update.h"

#include <algorithm>
#include <numeric>
#include <string>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int FEWEST = 1000;    // rows to make room for
static constexpr int TOO_FEW = 500;    // atoms of a part that are not worth a fork

/* ----------------------------------------------------------------------
   square of a distance within which an image of an atom is the closest one: all
   others are farther than the rest of the box's shortest side
------------------------------------------------------------------------- */

static double certainly_closest_sq(const Domain *domain)
{
  if (domain->triclinic) return 0.0;
  double shortest = 1.0e150;
  for (int dim = 0; dim < domain->dimension; dim++)    // 2d has no ghosts along z
    if (domain->periodicity[dim]) shortest = std::min(shortest, domain->prd[dim]);
  constexpr double LESS_THAN_HALF = 0.499;
  return LESS_THAN_HALF * shortest * LESS_THAN_HALF * shortest;
}

static double distance_sq(const double *a, const double *b)
{
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

/* ---------------------------------------------------------------------- */

NTopoThreadpool::NTopoThreadpool(LAMMPS *lmp, Kind what, bool some) :
    NTopo(lmp), kind(what), partial(some)
{
}

/* ---------------------------------------------------------------------- */

NTopoThreadpool::Table NTopoThreadpool::table() const
{
  switch (kind) {
    case Kind::BOND:
      return {2, atom->num_bond, {nullptr, atom->bond_atom}, atom->bond_type, "Bond"};
    case Kind::ANGLE:
      return {3,
              atom->num_angle,
              {atom->angle_atom1, atom->angle_atom2, atom->angle_atom3},
              atom->angle_type,
              "Angle"};
    case Kind::DIHEDRAL:
      return {
          4,
          atom->num_dihedral,
          {atom->dihedral_atom1, atom->dihedral_atom2, atom->dihedral_atom3, atom->dihedral_atom4},
          atom->dihedral_type,
          "Dihedral"};
    default:
      return {
          4,
          atom->num_improper,
          {atom->improper_atom1, atom->improper_atom2, atom->improper_atom3, atom->improper_atom4},
          atom->improper_type,
          "Improper"};
  }
}

/* ---------------------------------------------------------------------- */

NTopoThreadpool::List NTopoThreadpool::list()
{
  switch (kind) {
    case Kind::BOND:
      return {nbondlist, maxbond, bondlist};
    case Kind::ANGLE:
      return {nanglelist, maxangle, anglelist};
    case Kind::DIHEDRAL:
      return {ndihedrallist, maxdihedral, dihedrallist};
    default:
      return {nimproperlist, maximproper, improperlist};
  }
}

/* ---------------------------------------------------------------------- */

void NTopoThreadpool::build()
{
  const Table stored = table();
  const int nmissing = stored.natoms == 2 ? fill<2>(stored, list())
      : stored.natoms == 3                ? fill<3>(stored, list())
                                          : fill<4>(stored, list());
  if (cluster_check) check_extents();
  if (output->thermo->lostbond == Thermo::WARN) warn(stored, nmissing);
}

/* ----------------------------------------------------------------------
   in the order of atoms, whatever the number of parts

   Returns: # of those of which an atom is neither owned nor a ghost
------------------------------------------------------------------------- */

template <int N> int NTopoThreadpool::fill(const Table &stored, List list)
{
  const Parts parts = RankPool::of(lmp)->parts().for_work(atom->nlocal, TOO_FEW);
  std::vector<Share> shares = make_room(stored, parts, list);
  parts.share(atom->nlocal, [&](int part, int first, int last) {
    fill_share<N>(stored, list.rows, first, last, shares[part]);
  });

  list.n = 0;
  int nmissing = 0;
  for (const Share &share : shares) {    // those that have been left out leave gaps
    if (share.nmissing && output->thermo->lostbond == Thermo::ERROR)
      stop(stored, share.atom_missing, share.m_missing);
    if (share.begin > list.n && share.nrows)
      std::copy_n(list.rows[share.begin], share.nrows * (N + 1), list.rows[list.n]);
    list.n += share.nrows;
    nmissing += share.nmissing;
  }
  return nmissing;
}

/* ----------------------------------------------------------------------
   for all that the atoms of each part store
------------------------------------------------------------------------- */

std::vector<NTopoThreadpool::Share> NTopoThreadpool::make_room(const Table &stored,
                                                               const Parts &parts, List list)
{
  std::vector<Share> shares(parts.n());
  parts.share(atom->nlocal, [&](int part, int first, int last) {
    shares[part].nrows = std::accumulate(stored.counts + first, stored.counts + last, 0);
  });
  int most = 0;
  for (Share &share : shares) {
    share.begin = most;
    most += share.nrows;
    share.nrows = 0;
  }
  if (most > list.nmax) {
    list.nmax = std::max(FEWEST, most + most / 2);
    memory->destroy(list.rows);
    memory->create(list.rows, list.nmax, stored.natoms + 1, "neigh_topo:rows");
  }
  return shares;
}

/* ----------------------------------------------------------------------
   without newton each atom of a bond stores it, and the first owned one has it in
   its list
------------------------------------------------------------------------- */

template <int N>
void NTopoThreadpool::fill_share(const Table &stored, int **rows, int first, int last,
                                 Share &share) const
{
  const bool each_stores = !force->newton_bond;
  const double near = certainly_closest_sq(domain);
  double **const x = atom->x;
  Share mine = share;
  for (int i = first; i < last; i++)
    for (int m = 0; m < stored.counts[i]; m++) {
      if (partial && stored.types[i][m] <= 0) continue;
      int members[N];
      for (int k = 0; k < N; k++) members[k] = stored.ids[k] ? atom->map(stored.ids[k][i][m]) : i;
      if (*std::min_element(members, members + N) < 0) {
        if (mine.nmissing++ == 0) {
          mine.atom_missing = i;
          mine.m_missing = m;
        }
        continue;
      }
      for (int k = 0; k < N; k++)
        if (stored.ids[k] && !(distance_sq(x[i], x[members[k]]) < near))
          members[k] = domain->closest_image(i, members[k]);
      if (each_stores && *std::min_element(members, members + N) < i) continue;

      int *const row = rows[mine.begin + mine.nrows++];
      std::copy_n(members, N, row);
      row[N] = stored.types[i][m];
    }
  share = mine;
}

/* ---------------------------------------------------------------------- */

void NTopoThreadpool::check_extents()
{
  switch (kind) {
    case Kind::BOND:
      bond_check();
      break;
    case Kind::ANGLE:
      angle_check();
      break;
    case Kind::DIHEDRAL:
      dihedral_check(ndihedrallist, dihedrallist);
      break;
    default:
      dihedral_check(nimproperlist, improperlist);
  }
}

/* ---------------------------------------------------------------------- */

void NTopoThreadpool::stop(const Table &stored, int i, int m) const
{
  std::string ids;
  for (int k = 0; k < stored.natoms; k++)
    ids += fmt::format(" {}", stored.ids[k] ? stored.ids[k][i][m] : atom->tag[i]);
  error->one(FLERR, "{} atoms{} missing on proc {} at step {}", stored.name, ids, me,
             update->ntimestep);
}

/* ---------------------------------------------------------------------- */

void NTopoThreadpool::warn(const Table &stored, int nmissing) const
{
  int all;
  MPI_Allreduce(&nmissing, &all, 1, MPI_INT, MPI_SUM, world);
  if (all && me == 0)
    error->warning(FLERR, "{} atoms missing at step {}", stored.name, update->ntimestep);
}

/* ---------------------------------------------------------------------- */

template <class All, class Partial>
static void replace(LAMMPS *lmp, NTopo *&build, NTopoThreadpool::Kind kind)
{
  const bool partial = dynamic_cast<Partial *>(build);
  if (!partial && !dynamic_cast<All *>(build)) return;
  delete build;
  build = new NTopoThreadpool(lmp, kind, partial);
}

/* ---------------------------------------------------------------------- */

void TOFU_NS::install_topology_lists(LAMMPS *lmp)
{
  using Kind = NTopoThreadpool::Kind;
  Neighbor *const neighbor = lmp->neighbor;
  replace<NTopoBondAll, NTopoBondPartial>(lmp, build_of_bonds(neighbor), Kind::BOND);
  replace<NTopoAngleAll, NTopoAnglePartial>(lmp, build_of_angles(neighbor), Kind::ANGLE);
  replace<NTopoDihedralAll, NTopoDihedralPartial>(lmp, build_of_dihedrals(neighbor),
                                                  Kind::DIHEDRAL);
  replace<NTopoImproperAll, NTopoImproperPartial>(lmp, build_of_impropers(neighbor),
                                                  Kind::IMPROPER);
}
