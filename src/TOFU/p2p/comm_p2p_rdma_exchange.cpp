/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Atoms that change owner.  They go straight to the rank whose sub-box they are in, which need not
// be adjacent; an atom that has moved further than one rank is kept, whereas comm_style brick loses
// it.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma-impl.h"

#include "atom.h"
#include "atom_vec.h"
#include "domain.h"
#include "irregular.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int NOBODY = -1;
static constexpr int TOO_FEW = 1000;    // atoms of a part that are not worth a fork
static constexpr int FEW_IDS = 20000;
static constexpr int MOST_IDS = 8;    // for each atom

/* ----------------------------------------------------------------------
   move atoms to the ranks that own the places they are at.  An atom that is
   in no sub-box is lost, as with comm_style brick; thermo reports it.
   For triclinic, atoms must be in lamda coords.  The map is set in borders()
------------------------------------------------------------------------- */

void CommP2PRDMA::exchange()
{
  const bool all_near = std::exchange(impl->all_near, false);
  if (!impl->transport) {    // before the first setup()
    CommBrick::exchange();
    return;
  }
  guarded(Impl::EXCHANGE, [&]() {
    clear_map();
    atom->nghost = 0;
    atom->avec->clear_bonus();
    if (maxexchange_fix_dynamic) init_exchange();

    // balance commands call this with new sub-boxes and without setup()

    set_geometry();
    if (impl->settings.brick_order) {
      exchange_as_brick();
      return;
    }
    find_destinations();
    if (!impl->plan.complete && !all_near) migrate_far_atoms();
    pack_leaving_atoms();
    swap_leaving_atoms();
    if (atom->firstgroupname) atom->first_reorder();
  });
}

/* ----------------------------------------------------------------------
   Atom::map_clear() looks up each atom.  A map with few more IDs than atoms is
   cleared in the order of memory
------------------------------------------------------------------------- */

void CommP2PRDMA::clear_map()
{
  if (map_style == Atom::MAP_NONE) return;
  const int nall = atom->nlocal + atom->nghost, nids = atom->get_map_size();
  if (map_style != Atom::MAP_ARRAY || nids / MOST_IDS > nall) {
    atom->map_clear();
    return;
  }
  const Parts parts = parts_of_pool();
  const auto forget = [&parts](int *indices, int n) {
    parts.for_work(n, FEW_IDS).share(n, [=](int, int first, int last) {
      std::fill(indices + first, indices + last, -1);
    });
  };
  forget(atom->get_map_array(), nids);
  if (atom->sametag) forget(atom->sametag, nall);
}

/* ----------------------------------------------------------------------
   an atom stays where no compare says that it has left, as in brick, so that
   a coordinate which is not a number stays too
------------------------------------------------------------------------- */

void CommP2PRDMA::find_destinations()
{
  const double *lo = triclinic ? domain->sublo_lamda : domain->sublo;
  const double *hi = triclinic ? domain->subhi_lamda : domain->subhi;
  double **x = atom->x;

  impl->destination.resize(atom->nlocal);
  const Parts parts = parts_of_pool().for_work(atom->nlocal, TOO_FEW);
  impl->leaving.resize(parts.n());
  parts.share(atom->nlocal, [&](int part, int first, int last) {
    std::vector<int> &leaving = impl->leaving[part];
    leaving.clear();
    for (int i = first; i < last; i++) {
      bool leaves = false;
      for (int dim = 0; dim < domain->dimension; dim++)
        leaves = leaves || x[i][dim] < lo[dim] || x[i][dim] >= hi[dim];
      impl->destination[i] = !leaves ? me
          : is_tiled()               ? impl->tiled.geometry.locate(x[i])
                                     : owner_in_grid(x[i]);
      if (impl->destination[i] != me) leaving.push_back(i);
    }
  });
}

/* ---------------------------------------------------------------------- */

std::array<int, 3> CommP2PRDMA::place_in_grid(const double *x) const
{
  const double *lo = triclinic ? domain->sublo_lamda : domain->sublo;
  const double *hi = triclinic ? domain->subhi_lamda : domain->subhi;
  std::array<int, 3> loc = {myloc[0], myloc[1], myloc[2]};
  for (int dim = 0; dim < domain->dimension; dim++)
    if (x[dim] < lo[dim] || x[dim] >= hi[dim]) loc[dim] = impl->geometry.locate(dim, x[dim]);
  return loc;
}

int CommP2PRDMA::owner_in_grid(const double *x) const
{
  const std::array<int, 3> loc = place_in_grid(x);
  const bool found = loc[0] >= 0 && loc[1] >= 0 && loc[2] >= 0;
  return found ? grid2proc[loc[0]][loc[1]][loc[2]] : NOBODY;
}

/* ----------------------------------------------------------------------
   fractions of a triclinic box are wider than they are apart.  The plan of a box
   that changes may lose links before the next exchange.  Tiles within the cut-off
   are linked
------------------------------------------------------------------------- */

double CommP2PRDMA::reach_of_links() const
{
  if (!impl->transport) return 0.0;
  if (impl->plan.complete && !domain->box_change) return INFINITY;
  std::array<double, 3> reach = is_tiled() ? impl->geometry.cutghost
                                           : impl->geometry.reach_of_adjacent();
  if (triclinic) {
    const double *const h_inv = domain->h_inv;
    reach[0] /= std::hypot(h_inv[0], h_inv[5], h_inv[4]);
    reach[1] /= std::hypot(h_inv[1], h_inv[3]);
    reach[2] /= h_inv[2];
  }
  return std::min({reach[0], reach[1], reach[2]});
}

void CommP2PRDMA::expect_near_atoms()
{
  impl->all_near = true;
}

/* ----------------------------------------------------------------------
   rare: an atom has moved beyond all ranks that this one has a link to.  Then
   all ranks hand over everything by irregular communication
------------------------------------------------------------------------- */

void CommP2PRDMA::migrate_far_atoms()
{
  const auto &destination = impl->destination;
  const int far = std::any_of(destination.begin(), destination.end(), [&](int rank) {
    return rank != me && rank != NOBODY && impl->transport->find(rank) < 0;
  });
  int any_far;
  impl->statistics.nasked++;
  MPI_Allreduce(&far, &any_far, 1, MPI_INT, MPI_MAX, world);
  if (!any_far) return;

  migrate_all();
  clear_map();
  find_destinations();
}

void CommP2PRDMA::migrate_all()
{
  impl->statistics.nfar++;
  std::vector<int> procassign(impl->destination);
  std::replace(procassign.begin(), procassign.end(), NOBODY, me);    // dropped when packed
  Irregular irregular(lmp);
  irregular.migrate_atoms(1, 1, procassign.data());
}

/* ----------------------------------------------------------------------
   for comparisons with comm_style brick, where fixes draw random numbers in the
   order of atoms: as there an atom goes on from rank to rank, along x, y and z.
   One that would be lost on this way is brought to its place before
------------------------------------------------------------------------- */

void CommP2PRDMA::exchange_as_brick()
{
  int far = 0, any_far;
  for (int i = 0; i < atom->nlocal && !far; i++) far = is_beyond_adjacent(atom->x[i]);
  impl->statistics.nasked++;
  MPI_Allreduce(&far, &any_far, 1, MPI_INT, MPI_MAX, world);
  if (any_far) {
    find_destinations();
    migrate_all();
  }
  CommBrick::exchange();
}

/* ---------------------------------------------------------------------- */

bool CommP2PRDMA::is_beyond_adjacent(const double *x) const
{
  const std::array<int, 3> loc = place_in_grid(x);
  for (int dim = 0; dim < domain->dimension; dim++) {
    const int apart = std::abs(loc[dim] - myloc[dim]);
    if (loc[dim] >= 0 && std::min(apart, procgrid[dim] - apart) > 1) return true;
  }
  return false;
}

/* ----------------------------------------------------------------------
   the last atom takes the place of one that leaves, and may leave, too
------------------------------------------------------------------------- */

void CommP2PRDMA::pack_leaving_atoms()
{
  AtomVec *avec = atom->avec;
  Transport &transport = *impl->transport;
  std::vector<int> &destination = impl->destination;

  impl->outgoing.resize(transport.npeers());
  for (auto &values : impl->outgoing) values.clear();

  int nlocal = atom->nlocal;
  const auto pack_atom = [&](int i) {
    // pack_exchange() does not know its size in advance, bufextra bounds it

    double *buffer = impl->room(bufextra + Impl::EXTRA);
    const int nvalues = avec->pack_exchange(i, buffer);
    const int link = destination[i] == NOBODY ? -1 : transport.find(destination[i]);
    if (link < 0 && destination[i] != NOBODY)
      error->one(
          FLERR,
          "comm_style p2p_rdma: an atom of rank {} has moved to rank {}, which it has no link "
          "to, in spite of the neighbor check; use package threadpool check step",
          me, destination[i]);
    if (link >= 0) {
      auto &values = impl->outgoing[link];
      values.insert(values.end(), buffer, buffer + nvalues);
    }
    nlocal--;
    avec->copy(nlocal, i, 1);
    destination[i] = destination[nlocal];
  };
  for (const std::vector<int> &leaving : impl->leaving)
    for (const int i : leaving)
      while (i < nlocal && destination[i] != me) pack_atom(i);
  atom->nlocal = nlocal;
}

/* ----------------------------------------------------------------------
   every neighbor gets one message, an empty one too; arrivals are stored by
   rank, so that the order of atoms does not depend on timing
------------------------------------------------------------------------- */

void CommP2PRDMA::swap_leaving_atoms()
{
  Transport &transport = *impl->transport;
  for (int k = 0; k < transport.npeers(); k++) {
    Link &link = transport.link(k);
    link.open(MessageKind::EXCHANGE);
    link.append(impl->outgoing[k].data(), impl->outgoing[k].size() * sizeof(double));
    link.close();
  }
  for (int k = 0; k < transport.npeers(); k++) {
    const Message &message = transport.wait(k, MessageKind::EXCHANGE);
    auto values = const_cast<double *>(reinterpret_cast<const double *>(message.data));
    const std::size_t nvalues = message.nbytes / sizeof(double);
    for (std::size_t m = 0; m < nvalues;) m += atom->avec->unpack_exchange(values + m);
    transport.link(k).release();
  }
  transport.settle(Transport::ALL_LANES);
}
