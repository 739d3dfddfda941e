// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "ghost_borders.h"

#include "base/share.h"
#include "lammps/lammps_version.h"
#include "p2p/shell/sub_boxes.h"

#include "atom.h"
#include "atom_vec.h"
#include "comm.h"
#include "error.h"
#include "neighbor.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int FEWEST_IMAGES = 200;    // of a part, which are worth a fork

/* ---------------------------------------------------------------------- */

GhostBorders::GhostBorders(LAMMPS *lmp, const SubBoxes &boxes_in, const CommSizes &sizes_in,
                           PackedExchange &packed_in, HaloExchange &halo_in, PartsOfRank parts) :
    Pointers(lmp),
    boxes(boxes_in), sizes(sizes_in), packed(packed_in), halo(halo_in),
    parts_of_rank(std::move(parts))
{
}

/* ---------------------------------------------------------------------- */

void GhostBorders::begin_plan(std::vector<double> cut_in)
{
  cut = std::move(cut_in);
  made = false;
}

/* ---------------------------------------------------------------------- */

int GhostBorders::nghost() const
{
  return std::min(nghost_of_pattern, atom->nghost);
}

/* ----------------------------------------------------------------------
   the direct pattern has one stage; of the staged one each stage sends ghosts of
   those before
------------------------------------------------------------------------- */

void GhostBorders::make(bool of_a_group, const SlabOf &slab_of)
{
  const HaloPlan &plan = halo.plan();
  const int nswaps = static_cast<int>(plan.swaps.size());
  halo.begin(nswaps);
  incoming.assign(nswaps, {0, nullptr});

  if (comm->mode == Comm::MULTI) neighbor->build_collection(0);
  for (int stage = 0; stage < static_cast<int>(plan.stages.size()); stage++) {
    if (plan.forwards)
      list_atoms_of_stage(stage, of_a_group, slab_of);
    else
      list_atoms(of_a_group);
    exchange(plan.stages[stage]);
  }
  finish();
}

/* ----------------------------------------------------------------------
   rows of cut, or of the bounds of slabs
------------------------------------------------------------------------- */

const int *GhostBorders::kinds_of_atoms() const
{
  if (comm->mode == Comm::MULTI) return neighbor->collection;
  return is_multi_old(*comm) ? atom->type : nullptr;
}

/* ---------------------------------------------------------------------- */

void GhostBorders::list_atoms(bool of_a_group)
{
  BorderCandidates atoms;
  atoms.x = atom->x ? atom->x[0] : nullptr;
  atoms.natoms = of_a_group ? atom->nfirst : atom->nlocal;
  atoms.kind = kinds_of_atoms();
  atoms.cut = cut.data();
  atoms.nkinds = static_cast<int>(cut.size() / 3);
  if (boxes.tiled())
    of_tiles.build(halo.plan(), boxes.tiling().sub_box(comm->me), atoms, halo.new_lists());
  else
    bins.build(halo.plan(), atoms, halo.new_lists(), parts_of_rank());
}

/* ---------------------------------------------------------------------- */

void GhostBorders::list_atoms_of_stage(int stage, bool of_a_group, const SlabOf &slab_of)
{
  StagedAtoms atoms;
  atoms.x = atom->x ? atom->x[0] : nullptr;
  atoms.nlocal = atom->nlocal;
  atoms.nall = atom->nlocal + atom->nghost;
  atoms.nsent = of_a_group ? atom->nfirst : atom->nlocal;
  atoms.kind = kinds_of_atoms();
  staged.build(halo.plan(), stage, atoms, slab_of, halo.new_lists());
}

/* ----------------------------------------------------------------------
   n atoms of a swap from the first on
------------------------------------------------------------------------- */

int GhostBorders::pack(int i, int first, int n, double *values)
{
  int *const atoms = halo.sent(i) + first;
  HaloSwap &swap = halo.plan().swaps[i];
  return comm->ghost_velocity
      ? atom->avec->pack_border_vel(n, atoms, values, swap.pbc_flag, swap.pbc)
      : atom->avec->pack_border(n, atoms, values, swap.pbc_flag, swap.pbc);
}

/* ----------------------------------------------------------------------
   n ghosts of a swap from the first on
------------------------------------------------------------------------- */

void GhostBorders::unpack(int i, int first, int n, const double *packed_values)
{
  const int ghost = halo.first_ghost(i) + first;
  const auto values = const_cast<double *>(packed_values);
  if (comm->ghost_velocity)
    atom->avec->unpack_border_vel(n, ghost, values);
  else
    atom->avec->unpack_border(n, ghost, values);
}

/* ----------------------------------------------------------------------
   one message per peer: for each swap the number of atoms, the number of values,
   the values.  All packing for peers comes before any unpacking, which may move
   the per-atom arrays
------------------------------------------------------------------------- */

void GhostBorders::exchange(const HaloStage &stage)
{
  PackingBuffer &buffer = packed.buffer();
  const auto put = [&](int i, Link &link) {
    const std::int64_t natoms = halo.nsent(i);
    const std::size_t most = static_cast<std::size_t>(natoms) * sizes.border + PackingBuffer::EXTRA;
    const int nvalues = pack(i, 0, halo.nsent(i), buffer.room(most));
    link.append(&natoms, sizeof(natoms));
    buffer.append_to(link, nvalues);
  };
  const auto get = [&](int i, const std::byte *&cursor) {
    std::int64_t natoms;
    std::memcpy(&natoms, cursor, sizeof(natoms));
    cursor += sizeof(natoms);
    incoming[i] = {static_cast<int>(natoms), get_counted(cursor)};
  };
  halo.borders(stage, put, get, [&]() { unpack_stage(stage); });
}

/* ----------------------------------------------------------------------
   swaps of this rank with itself: each part packs and unpacks its share of each
   of them, some atoms at a time, so that they stay in the first cache.  Of bonus
   data, and of what fixes have, all atoms of a swap come last
------------------------------------------------------------------------- */

void GhostBorders::copy_own(const HaloStage &stage)
{
  constexpr int PIECE = 256;    // atoms
  int natoms = 0, longest = 0;
  for (const int i : stage.self) {
    natoms += halo.nsent(i);
    longest = std::max(longest, halo.nsent(i));
  }
  if (natoms == 0) return;
  const bool in_pieces = !atom->avec->bonus_flag && !atom->nextra_border;
  Parts parts = in_pieces && natoms >= FEWEST_IMAGES ? parts_of_rank() : Parts();
  if (natoms < FEWEST_IMAGES * parts.n()) parts = Parts();
  const int most = in_pieces ? std::min(longest, PIECE) : longest;
  const std::size_t room = static_cast<std::size_t>(most) * sizes.border + PackingBuffer::EXTRA;
  double *const values = packed.buffer().room(room * parts.n());
  parts.run([&](int part) {
    for (const int i : stage.self) {
      const int n = halo.nsent(i), last = begin_of_share(part + 1, parts.n(), n);
      for (int first = begin_of_share(part, parts.n(), n); first < last; first += most) {
        const int npiece = std::min(most, last - first);
        pack(i, first, npiece, values + room * part);
        unpack(i, first, npiece, values + room * part);
      }
    }
  });
}

/* ----------------------------------------------------------------------
   in the order of the swaps, so that ghosts are ordered by shell.  Arrays of atoms
   have their room before anything is written to them
------------------------------------------------------------------------- */

void GhostBorders::unpack_stage(const HaloStage &stage)
{
  const int first_ghost = atom->nlocal + atom->nghost;
  for (const int i : stage.self) incoming[i].natoms = halo.nsent(i);
  for (int i = stage.first; i < stage.last; i++) {
    halo.set_ghosts(i, incoming[i].natoms, atom->nlocal + atom->nghost);
    atom->nghost += halo.nghosts(i);
  }
  while (atom->nlocal + atom->nghost > atom->nmax) atom->avec->grow(0);
  for (int i = stage.first; i < stage.last; i++)
    if (incoming[i].values) unpack(i, 0, halo.nghosts(i), incoming[i].values);
  copy_own(stage);
  if (neighbor->style == Neighbor::MULTI) neighbor->build_collection(first_ghost);
}

/* ---------------------------------------------------------------------- */

void GhostBorders::finish()
{
  // molecular neighbor lists encode special bonds in the upper bits of an index

  if (atom->molecular != Atom::ATOMIC && atom->nlocal + atom->nghost > NEIGHMASK)
    error->one(FLERR,
               "Per-processor number of atoms is too large for molecular neighbor lists: "
               "{} owned and {} ghost atoms on rank {}, limit {}; use more ranks",
               atom->nlocal, atom->nghost, comm->me, NEIGHMASK);

  halo.count_atoms();
  made = true;
  nghost_of_pattern = atom->nghost;
  if (atom->map_style != Atom::MAP_NONE) atom->map_set();
}

/* ----------------------------------------------------------------------
   contents have been checked message by message
------------------------------------------------------------------------- */

void GhostBorders::check() const
{
  bigint counts[2] = {0, 0}, all[2];
  for (int i = 0; i < static_cast<int>(halo.plan().swaps.size()); i++) {
    counts[0] += halo.nsent(i);
    counts[1] += halo.nghosts(i);
  }
  MPI_Allreduce(counts, all, 2, MPI_LMP_BIGINT, MPI_SUM, world);
  if (all[0] != all[1])
    error->all(FLERR, "comm_style p2p/rdma: {} atoms were sent but {} ghost atoms were received",
               all[0], all[1]);
}
