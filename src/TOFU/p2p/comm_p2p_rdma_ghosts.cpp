/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Ghosts: borders() makes them, forward_comm() moves them, reverse_comm() returns their forces to
// the owners.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma-impl.h"
#include "halo/halo_kernels.h"
#include "lammps/ghost_velocities.h"
#include "lammps/lammps_version.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "atom_vec.h"
#include "domain.h"
#include "error.h"
#include "neighbor.h"
#include "update.h"

#include "pool/thread_pool.h"

#include <cstring>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// first element of a LAMMPS 2d array, which is contiguous; nullptr if there is none

static double *contiguous(double **array)
{
  return array ? array[0] : nullptr;
}

/* ----------------------------------------------------------------------
   list the atoms that each swap sends, swap them, store them as ghosts.
   Also called alone, without exchange() and setup(), by fixes that insert
   atoms.  For triclinic, atoms must be in lamda coords
------------------------------------------------------------------------- */

void CommP2PRDMA::borders()
{
  guarded(Impl::BORDERS, [&]() {
    if (impl->appended->drop())
      impl->halo.bind(&impl->plan, impl->transport.get(), impl->team.get());
    const int nswaps = static_cast<int>(impl->plan.swaps.size());
    impl->halo.begin(nswaps);
    impl->incoming.assign(nswaps, {0, nullptr});

    if (mode == Comm::MULTI) neighbor->build_collection(0);
    for (int stage = 0; stage < static_cast<int>(impl->plan.stages.size()); stage++) {
      if (impl->pattern == Pattern::DIRECT)
        list_border_atoms();
      else
        list_border_atoms_staged(stage);
      swap_borders(stage);
    }
    finish_borders();
  });
  if (impl->settings.transport.link.verify) check_borders();
}

/* ----------------------------------------------------------------------
   with comm_modify group only the atoms in front, those of the group, count
------------------------------------------------------------------------- */

void CommP2PRDMA::list_border_atoms()
{
  BorderAtoms atoms;
  atoms.x = contiguous(atom->x);
  atoms.natoms = bordergroup ? atom->nfirst : atom->nlocal;
  atoms.kind = nullptr;
  if (mode == Comm::MULTI) atoms.kind = neighbor->collection;
  if (is_multi_old(static_cast<Comm &>(*this))) atoms.kind = atom->type;
  atoms.cut = impl->cut.data();
  atoms.nkinds = static_cast<int>(impl->cut.size() / 3);
  if (is_tiled())
    impl->tiled.borders.build(impl->plan, impl->tiled.geometry.sub_box(me), atoms,
                              impl->halo.new_lists());
  else
    impl->bins.build(impl->plan, atoms, impl->halo.new_lists(), parts_of_pool());
}

/* ----------------------------------------------------------------------
   pattern 3stage: as brick, the first round of a dimension looks at owned
   atoms and at the ghosts of earlier dimensions, later rounds only at the
   ghosts that came in the round before.  CommBrick::setup() has left one pair
   of slabs, or of rows of slabs, per swap, in the plan's order
------------------------------------------------------------------------- */

void CommP2PRDMA::list_border_atoms_staged(int stage)
{
  SendLists &lists = impl->halo.new_lists();
  const int first = impl->plan.stages[stage].first;
  const auto &offset = impl->plan.swaps[first].offset;
  const int dim = offset[0] ? 0 : (offset[1] ? 1 : 2);
  const bool first_round = stage == 0 ||
      impl->plan.swaps[impl->plan.stages[stage - 1].first].offset[dim] == 0;

  impl->nfirst = first_round ? 0 : impl->nlast;
  impl->nlast = atom->nlocal + atom->nghost;

  const int *kind = nullptr;
  if (mode == Comm::MULTI) kind = neighbor->collection;
  if (is_multi_old(static_cast<Comm &>(*this))) kind = atom->type;

  for (int iswap = first; iswap < impl->plan.stages[stage].last; iswap++) {
    const double *lo = &slablo[iswap], *hi = &slabhi[iswap];
    if (mode == Comm::MULTI) {
      lo = multilo[iswap];
      hi = multihi[iswap];
    }
    auto multi_old_rows = [&](auto *comm) {
      if constexpr (has_multi_old<Comm>::value)
        if (is_multi_old(static_cast<Comm &>(*comm))) {
          lo = comm->multioldlo[iswap];
          hi = comm->multioldhi[iswap];
        }
    };
    multi_old_rows(this);

    const double *const x = contiguous(atom->x);
    auto add_range = [&](int from, int to) {
      lists.add_range(from, to, [=](int i) {
        const int k = kind ? kind[i] : 0;
        const double place = x[3 * static_cast<std::size_t>(i) + dim];
        return static_cast<bool>((place >= lo[k]) & (place <= hi[k]));
      });
    };
    if (impl->plan.swaps[iswap].sendproc >= 0) {
      if (bordergroup && first_round) {
        add_range(0, atom->nfirst);
        add_range(atom->nlocal, impl->nlast);
      } else {
        add_range(impl->nfirst, impl->nlast);
      }
    }
    lists.finish_swap();
  }
}

/* ----------------------------------------------------------------------
   n atoms of a swap from the first on
------------------------------------------------------------------------- */

int CommP2PRDMA::pack_border_of(int i, int first, int n, double *values)
{
  int *const atoms = impl->halo.sent(i) + first;
  HaloSwap &swap = impl->plan.swaps[i];
  return ghost_velocity ? atom->avec->pack_border_vel(n, atoms, values, swap.pbc_flag, swap.pbc)
                        : atom->avec->pack_border(n, atoms, values, swap.pbc_flag, swap.pbc);
}

/* ----------------------------------------------------------------------
   likewise, of its ghosts
------------------------------------------------------------------------- */

void CommP2PRDMA::unpack_border_of(int i, int first, int n, const double *packed)
{
  const int ghost = impl->halo.first_ghost(i) + first;
  auto values = const_cast<double *>(packed);
  if (ghost_velocity)
    atom->avec->unpack_border_vel(n, ghost, values);
  else
    atom->avec->unpack_border(n, ghost, values);
}

/* ----------------------------------------------------------------------
   Returns: largest # of values that pack_border_of() gives
------------------------------------------------------------------------- */

std::size_t CommP2PRDMA::border_size_of(int i) const
{
  return static_cast<std::size_t>(impl->halo.nsent(i)) * size_border + Impl::EXTRA;
}

/* ----------------------------------------------------------------------
   one message per peer: for each swap the number of atoms, the number of
   values, the values.  All packing for peers comes before any unpacking, which
   may move the per-atom arrays
------------------------------------------------------------------------- */

void CommP2PRDMA::swap_borders(int istage)
{
  HaloExchange &halo = impl->halo;
  const HaloStage &stage = impl->plan.stages[istage];
  auto put = [&](int i, Link &link) {
    const std::int64_t natoms = halo.nsent(i);
    const int nvalues = pack_border_of(i, 0, halo.nsent(i), impl->room(border_size_of(i)));
    link.append(&natoms, sizeof(natoms));
    impl->put_counted(link, nvalues);
  };
  auto get = [&](int i, const std::byte *&cursor) {
    std::int64_t natoms;
    std::memcpy(&natoms, cursor, sizeof(natoms));
    cursor += sizeof(natoms);
    impl->incoming[i] = {static_cast<int>(natoms), get_counted(cursor)};
  };
  halo.borders(stage, put, get, [&]() { unpack_borders(stage); });
}

/* ----------------------------------------------------------------------
   of swaps of this rank with itself: each part packs and unpacks its share of each
   of them, some atoms at a time, so that they stay in the first cache.  Of bonus
   data, and of what fixes have, all atoms of a swap come last
------------------------------------------------------------------------- */

void CommP2PRDMA::copy_own_borders(const HaloStage &stage)
{
  constexpr int PIECE = 256;    // atoms
  int natoms = 0, longest = 0;
  for (int i : stage.self) {
    natoms += impl->halo.nsent(i);
    longest = std::max(longest, impl->halo.nsent(i));
  }
  if (natoms == 0) return;
  const bool in_pieces = !atom->avec->bonus_flag && !atom->nextra_border;
  const Parts parts = in_pieces ? parts_for_images(natoms) : Parts();
  const int most = in_pieces ? std::min(longest, PIECE) : longest;
  const std::size_t room = static_cast<std::size_t>(most) * size_border + Impl::EXTRA;
  double *const values = impl->room(room * parts.n());
  parts.run([&](int part) {
    for (int i : stage.self) {
      const int n = impl->halo.nsent(i), last = begin_of_share(part + 1, parts.n(), n);
      for (int first = begin_of_share(part, parts.n(), n); first < last; first += most) {
        const int npiece = std::min(most, last - first);
        pack_border_of(i, first, npiece, values + room * part);
        unpack_border_of(i, first, npiece, values + room * part);
      }
    }
  });
}

/* ----------------------------------------------------------------------
   in the order of the swaps, so that ghosts are ordered by shell.  Arrays of atoms
   have their room before anything is written to them
------------------------------------------------------------------------- */

void CommP2PRDMA::unpack_borders(const HaloStage &stage)
{
  HaloExchange &halo = impl->halo;
  const int first_ghost = atom->nlocal + atom->nghost;
  for (int i : stage.self) impl->incoming[i].natoms = halo.nsent(i);
  for (int i = stage.first; i < stage.last; i++) {
    halo.set_ghosts(i, impl->incoming[i].natoms, atom->nlocal + atom->nghost);
    atom->nghost += halo.nghosts(i);
  }
  while (atom->nlocal + atom->nghost > atom->nmax) atom->avec->grow(0);
  for (int i = stage.first; i < stage.last; i++) {
    const Impl::Incoming &incoming = impl->incoming[i];
    if (incoming.data) unpack_border_of(i, 0, halo.nghosts(i), incoming.data);
  }
  copy_own_borders(stage);
  if (neighbor->style == Neighbor::MULTI) neighbor->build_collection(first_ghost);
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::finish_borders()
{
  // molecular neighbor lists encode special bonds in the upper bits of an index

  if (atom->molecular != Atom::ATOMIC && atom->nlocal + atom->nghost > NEIGHMASK)
    error->one(FLERR,
               "Per-processor number of atoms is too large for molecular neighbor lists: "
               "{} owned and {} ghost atoms on rank {}, limit {}; use more ranks",
               atom->nlocal, atom->nghost, me, NEIGHMASK);

  impl->halo.count_atoms();
  if (impl->lands()) register_arrays();
  impl->ready = true;
  impl->nghost = atom->nghost;
  if (map_style != Atom::MAP_NONE) atom->map_set();
}

/* ----------------------------------------------------------------------
   verify yes: check that every atom that was sent has become a ghost on some
   rank.  The contents have been checked message by message
------------------------------------------------------------------------- */

void CommP2PRDMA::check_borders()
{
  bigint counts[2] = {0, 0}, all[2];
  for (int i = 0; i < static_cast<int>(impl->plan.swaps.size()); i++) {
    counts[0] += impl->halo.nsent(i);
    counts[1] += impl->halo.nghosts(i);
  }
  MPI_Allreduce(counts, all, 2, MPI_LMP_BIGINT, MPI_SUM, world);
  if (all[0] != all[1])
    error->all(FLERR, "comm_style p2p_rdma: {} atoms were sent but {} ghost atoms were received",
               all[0], all[1]);
}

/* ----------------------------------------------------------------------
   AtomVec::grow() may have moved x and f since the last time.  No offer is
   open now: all were made for ghosts that are no more
------------------------------------------------------------------------- */

void CommP2PRDMA::register_arrays()
{
  const std::size_t nbytes = atom->nmax * 3 * sizeof(double);
  impl->registered_x = contiguous(atom->x);
  impl->statistics.narrays +=
      impl->transport->set_arrays({impl->registered_x, nbytes}, {contiguous(atom->f), nbytes});
}

/* ----------------------------------------------------------------------
   offers only where ghosts are not needed until they are moved: not on the
   last step, since any command may look at them after a run
------------------------------------------------------------------------- */

GhostLanding CommP2PRDMA::landing_of_ghosts() const
{
  const double *x = contiguous(atom->x);
  const bool offers =
      impl->ghosts_rest && x == impl->registered_x && update->ntimestep < update->laststep;
  return {impl->settings.landing && comm_x_only != 0 && comm_f_only != 0, offers ? x : nullptr};
}

/* ----------------------------------------------------------------------
   displacement of what a swap sends, bitwise as AtomVec::pack_comm() has it;
   nullptr if it crosses no periodic boundary
------------------------------------------------------------------------- */

const double *CommP2PRDMA::shift_of(int i, double *shift) const
{
  const HaloSwap &swap = impl->plan.swaps[i];
  if (!swap.pbc_flag) return nullptr;
  const int *pbc = swap.pbc;
  shift[0] = pbc[0] * domain->xprd;
  shift[1] = pbc[1] * domain->yprd;
  shift[2] = pbc[2] * domain->zprd;
  if (triclinic) {
    shift[0] = pbc[0] * domain->xprd + pbc[5] * domain->xy + pbc[4] * domain->xz;
    shift[1] = pbc[1] * domain->yprd + pbc[3] * domain->yz;
  }
  return shift;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::forward_comm(int /*dummy*/)
{
  std::vector<double *> &velocities = impl->ghost_velocities;
  velocities.clear();
  if (comm_x_only || (ghost_velocity && velocities_of_ghosts(lmp, velocities))) {
    if (impl->ready) forward_positions(velocities);
  } else {
    forward_atoms();
  }
}

/* ----------------------------------------------------------------------
   positions and all other values that the atom style sends with them
------------------------------------------------------------------------- */

void CommP2PRDMA::forward_atoms()
{
  AtomVec *avec = atom->avec;
  const auto pack = [&](int n, int *list, double *values, int pbc_flag, int *pbc) {
    return ghost_velocity ? avec->pack_comm_vel(n, list, values, pbc_flag, pbc)
                          : avec->pack_comm(n, list, values, pbc_flag, pbc);
  };
  const auto unpack = [&](int n, int first, double *values) {
    if (ghost_velocity)
      avec->unpack_comm_vel(n, first, values);
    else
      avec->unpack_comm(n, first, values);
  };
  forward_packed(Impl::FORWARD, size_forward, pack, unpack);
}

/* ---------------------------------------------------------------------- */

Parts CommP2PRDMA::parts_of_pool() const
{
  RankPool *const pool = impl->settings.nthreads == 1 ? RankPool::find(lmp) : nullptr;
  return pool ? pool->parts() : Parts();
}

/* ---------------------------------------------------------------------- */

Parts CommP2PRDMA::parts_for_images(int nimages) const
{
  constexpr int TOO_FEW = 200;    // images per part that are not worth a fork
  if (nimages < TOO_FEW) return Parts();
  const Parts parts = parts_of_pool();
  return nimages < TOO_FEW * parts.n() ? Parts() : parts;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::make_images(int i, const SelfImages::Box &box, double *x,
                              const std::vector<double *> &vectors)
{
  HaloExchange &halo = impl->halo;
  const SelfImages &images = halo.self_images();
  const int nimages = images.nforward(i);
  if (nimages == 0) return;
  const auto make_all = [&](auto &&make) {
    make(box, x);
    for (double *values : vectors) make(SelfImages::Box(), values);
  };
  const Parts parts = images.in_turn() ? Parts() : parts_for_images(nimages);
  if (parts.n() == 1)
    return make_all([&](const SelfImages::Box &lengths, double *values) {
      images.forward(i, lengths, values, ImageSources());
    });
  halo.deal_self_images(parts.n(), atom->nlocal, box, x);
  parts.run([&](int part) {
    make_all([&](const SelfImages::Box &lengths, double *values) {
      images.forward_dealt(i, lengths, values, part);
    });
  });
}

/* ----------------------------------------------------------------------
   each part adds forces to the atoms that it integrates
------------------------------------------------------------------------- */

void CommP2PRDMA::return_images(int i, double *f) const
{
  const SelfImages &images = impl->halo.self_images();
  const int nimages = images.nreverse(i);
  if (nimages == 0) return;
  const Parts parts = images.in_turn() ? Parts() : parts_for_images(nimages);
  const int n = parts.n();
  parts.run([&](int part) {
    ImageSources sources;
    if (part > 0) sources.first = begin_of_share(part, n, atom->nlocal, GRAIN);
    if (part + 1 < n) sources.last = begin_of_share(part + 1, n, atom->nlocal, GRAIN);
    images.reverse(i, f, sources);
  });
}

/* ----------------------------------------------------------------------
   Args:
     vectors   arrays of three numbers an atom that ghosts get unchanged
------------------------------------------------------------------------- */

void CommP2PRDMA::forward_positions(const std::vector<double *> &vectors)
{
  HaloExchange &halo = impl->halo;
  double *x = contiguous(atom->x);

  auto put = [&](int i, Link &link) {
    double shift[3];
    put_positions(link, x, halo.sent(i), halo.nsent(i), shift_of(i, shift));
    for (const double *values : vectors)
      put_positions(link, values, halo.sent(i), halo.nsent(i), nullptr);
  };
  auto get = [&](int i, const std::byte *&cursor) {
    const std::size_t nbytes = halo.nghosts(i) * 3 * sizeof(double);
    const std::size_t first = 3 * static_cast<std::size_t>(halo.first_ghost(i));
    const auto get_array = [&](double *values) {
      if (nbytes) std::memcpy(values + first, cursor, nbytes);
      cursor += nbytes;
    };
    get_array(x);
    for (double *values : vectors) get_array(values);
  };
  const SelfImages::Box box = image_shifts();
  auto self = [&](int i) {
    make_images(i, box, x, vectors);
  };
  const GhostLanding landing = vectors.empty() ? landing_of_ghosts() : GhostLanding();
  guarded(Impl::FORWARD, [&]() {
    halo.forward(ReadOrder::ARRIVAL, Callbacks::CONCURRENT, put, get, self, landing);
  });
}

/* ---------------------------------------------------------------------- */

SelfImages::Box CommP2PRDMA::image_shifts() const
{
  return {{{domain->xprd, 0.0, 0.0},
           {triclinic ? domain->xy : 0.0, domain->yprd, 0.0},
           {triclinic ? domain->xz : 0.0, triclinic ? domain->yz : 0.0, domain->zprd}}};
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::reverse_comm()
{
  AtomVec *avec = atom->avec;

  if (!comm_f_only) {
    reverse_packed(
        Impl::REVERSE, size_reverse,
        [&](int n, int first, double *buffer) { return avec->pack_reverse(n, first, buffer); },
        [&](int n, int *list, double *buffer) { avec->unpack_reverse(n, list, buffer); });
    return;
  }

  if (!impl->ready) return;
  HaloExchange &halo = impl->halo;
  double *f = contiguous(atom->f);
  auto put = [&](int i, Link &link) {
    put_forces(link, i, halo.nghosts(i));
  };
  auto get = [&](int i, const std::byte *&cursor) {
    get_forces(i, halo.nsent(i), cursor);
  };
  auto self = [&](int i) {
    return_images(i, f);
  };
  guarded(Impl::REVERSE,
          [&]() { halo.reverse(Callbacks::CONCURRENT, put, get, self, landing_of_ghosts()); });
}

/* ---------------------------------------------------------------------- */

bool CommP2PRDMA::knows_rows() const
{
  return impl->pattern == Pattern::DIRECT && comm_f_only;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::reverse_comm_of_rows()
{
  if (!impl->ready || !impl->plan.has_appended()) return;
  HaloExchange &halo = impl->halo;
  auto put = [&](int i, Link &link) {
    put_forces(link, i, halo.nrows_received(i));
  };
  auto get = [&](int i, const std::byte *&cursor) {
    get_forces(i, halo.nrows_sent(i), cursor);
  };
  guarded(Impl::REVERSE, [&]() { halo.reverse_rows(Callbacks::CONCURRENT, put, get); });
}

/* ----------------------------------------------------------------------
   of the first n ghosts of a swap
------------------------------------------------------------------------- */

void CommP2PRDMA::put_forces(Link &link, int swap, int n)
{
  const double *forces =
      contiguous(atom->f) + 3 * static_cast<std::size_t>(impl->halo.first_ghost(swap));
  const std::size_t nbytes = n * 3 * sizeof(double);
  if (impl->settings.landing)
    link.append_in_place(forces, nbytes);
  else
    link.append(forces, nbytes);
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::get_forces(int swap, int n, const std::byte *&cursor)
{
  add_forces(contiguous(atom->f), impl->halo.sent(swap), n,
             reinterpret_cast<const double *>(cursor));
  cursor += n * 3 * sizeof(double);
}
