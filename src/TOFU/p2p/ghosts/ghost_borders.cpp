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
    parts_of_rank(std::move(parts)), partners(lmp)
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
  if (halo.plan().drop_partners()) halo.plan_has_changed();
  const HaloPlan &plan = halo.plan();
  const int nswaps = static_cast<int>(plan.swaps.size());
  halo.begin(nswaps);
  incoming.assign(nswaps, {0, nullptr});

  if (comm->mode == Comm::MULTI) neighbor->build_collection(0);
  with_partners = plan.half && atom->molecular == Atom::MOLECULAR;
  if (with_partners) partners.begin(parts_of_rank());
  for (int stage = 0; stage < static_cast<int>(plan.stages.size()); stage++) {
    if (plan.forwards)
      list_atoms_of_stage(stage, of_a_group, slab_of);
    else
      list_atoms(of_a_group);
    exchange(plan.stages[stage]);
  }
  nghost_of_pattern = atom->nghost;
  if (with_partners) exchange_partners();
  nghost_of_partners = atom->nghost - nghost_of_pattern;
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

/* ---------------------------------------------------------------------- */

int GhostBorders::pack(HaloSwap &swap, int natoms, int *atoms, double *values)
{
  return comm->ghost_velocity
      ? atom->avec->pack_border_vel(natoms, atoms, values, swap.pbc_flag, swap.pbc)
      : atom->avec->pack_border(natoms, atoms, values, swap.pbc_flag, swap.pbc);
}

/* ----------------------------------------------------------------------
   n ghosts from the first on
------------------------------------------------------------------------- */

void GhostBorders::unpack(int first, int n, const double *packed_values)
{
  const auto values = const_cast<double *>(packed_values);
  if (comm->ghost_velocity)
    atom->avec->unpack_border_vel(n, first, values);
  else
    atom->avec->unpack_border(n, first, values);
}

/* ----------------------------------------------------------------------
   what a swap sends: the number of atoms, the number of values, the values
------------------------------------------------------------------------- */

void GhostBorders::put(HaloSwap &swap, int natoms, int *atoms, Link &link)
{
  PackingBuffer &buffer = packed.buffer();
  const std::int64_t wide = natoms;
  const std::size_t most = static_cast<std::size_t>(natoms) * sizes.border + PackingBuffer::EXTRA;
  const int nvalues = pack(swap, natoms, atoms, buffer.room(most));
  link.append(&wide, sizeof(wide));
  buffer.append_to(link, nvalues);
}

GhostBorders::Incoming GhostBorders::get(const std::byte *&cursor)
{
  std::int64_t natoms;
  std::memcpy(&natoms, cursor, sizeof(natoms));
  cursor += sizeof(natoms);
  return {static_cast<int>(natoms), get_counted(cursor)};
}

/* ----------------------------------------------------------------------
   one message per peer; requests are behind its first swap.  All packing for peers
   comes before any unpacking, which may move the per-atom arrays
------------------------------------------------------------------------- */

void GhostBorders::exchange(const HaloStage &stage)
{
  if (with_partners) mark_first_swaps(stage);
  const auto put_swap = [&](int i, Link &link) {
    put(halo.plan().swaps[i], halo.nsent(i), halo.sent(i), link);
    if (with_partners && first_sent[i]) partners.put(link);
  };
  const auto get_swap = [&](int i, const std::byte *&cursor) {
    incoming[i] = get(cursor);
    if (with_partners && first_received[i]) partners.get(halo.plan().swaps[i].recvproc, cursor);
  };
  halo.borders(stage, put_swap, get_swap, [&]() { unpack_stage(stage); });
}

/* ---------------------------------------------------------------------- */

void GhostBorders::mark_first_swaps(const HaloStage &stage)
{
  first_sent.assign(stage.last, 0);
  first_received.assign(stage.last, 0);
  for (const HaloPeer &peer : stage.peers) {
    if (!peer.sends.empty()) first_sent[peer.sends.front()] = 1;
    if (!peer.recvs.empty()) first_received[peer.recvs.front()] = 1;
  }
}

/* ----------------------------------------------------------------------
   up: each rank sends what its upper neighbors have requested
------------------------------------------------------------------------- */

void GhostBorders::exchange_partners()
{
  std::vector<HaloSwap> upward = halo.plan().upward;
  const int nswaps = static_cast<int>(upward.size());
  SendLists lists;
  partners.build(halo.plan(), cut.data(), lists);
  incoming.assign(nswaps, {0, nullptr});
  halo.borders(
      HaloPlan::make_stage(upward, 0, nswaps, comm->me),
      [&](int i, Link &link) { put(upward[i], lists.count(i), lists.list(i), link); },
      [&](int i, const std::byte *&cursor) { incoming[i] = get(cursor); },
      [&]() { append_partners(lists); });
}

/* ----------------------------------------------------------------------
   swaps that send or bring no atom are left out, which both sides know
------------------------------------------------------------------------- */

void GhostBorders::append_partners(SendLists &lists)
{
  std::vector<HaloSwap> swaps;
  int next = atom->nlocal + atom->nghost;
  std::vector<int> first;
  for (int i = 0; i < lists.nswaps(); i++) {
    HaloSwap swap = halo.plan().upward[i];
    const bool self = swap.sendproc == comm->me;
    const int nsent = lists.count(i), nreceived = self ? nsent : incoming[i].natoms;
    first.push_back(next);
    if (nsent == 0) swap.sendproc = -1;
    if (nreceived == 0) swap.recvproc = -1;
    if (nsent == 0 && nreceived == 0) continue;
    halo.append(std::vector<int>(lists.list(i), lists.list(i) + nsent), nreceived, next);
    swaps.push_back(swap);
    next += nreceived;
  }
  while (next > atom->nmax) atom->avec->grow(0);
  for (int i = 0; i < lists.nswaps(); i++) {
    HaloSwap swap = halo.plan().upward[i];
    const int nsent = lists.count(i);
    if (swap.sendproc == comm->me && nsent > 0) {
      const std::size_t most =
          static_cast<std::size_t>(nsent) * sizes.border + PackingBuffer::EXTRA;
      double *const values = packed.buffer().room(most);
      pack(swap, nsent, lists.list(i), values);
      unpack(first[i], nsent, values);
    } else if (incoming[i].natoms > 0) {
      unpack(first[i], incoming[i].natoms, incoming[i].values);
    }
  }
  atom->nghost = next - atom->nlocal;
  if (swaps.empty()) return;
  halo.plan().add_partners(swaps, comm->me);
  halo.plan_has_changed();
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
        pack(halo.plan().swaps[i], npiece, halo.sent(i) + first, values + room * part);
        unpack(halo.first_ghost(i) + first, npiece, values + room * part);
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
  if (with_partners) partners.end(parts_of_rank());    // while the map has owned atoms alone
  const int first_ghost = atom->nlocal + atom->nghost;
  for (const int i : stage.self) incoming[i].natoms = halo.nsent(i);
  for (int i = stage.first; i < stage.last; i++) {
    halo.set_ghosts(i, incoming[i].natoms, atom->nlocal + atom->nghost);
    atom->nghost += halo.nghosts(i);
  }
  while (atom->nlocal + atom->nghost > atom->nmax) atom->avec->grow(0);
  for (int i = stage.first; i < stage.last; i++)
    if (incoming[i].values) unpack(halo.first_ghost(i), halo.nghosts(i), incoming[i].values);
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
