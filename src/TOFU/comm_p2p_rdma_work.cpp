/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// What ranks need that compute rows for others: messages between partners, and ghosts beyond the
// pattern of the exchange, which are asked for by name.

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma_engine.h"
#include "halo/ghost_wish.h"

#include "atom.h"
#include "atom_vec.h"
#include "domain.h"
#include "error.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

using Messages = std::map<int, std::vector<char>>;

static void set_boxes(HaloSwap &swap, const std::array<int, 3> &boxes)
{
  std::copy(boxes.begin(), boxes.end(), swap.pbc);
  swap.pbc[3] = swap.pbc[4] = boxes[2];    // yz and xz come with z
  swap.pbc[5] = boxes[1];                  // xy comes with y
  swap.pbc_flag = boxes[0] || boxes[1] || boxes[2];
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::set_partners(const RanksOf &partners_of, bool reach,
                               const std::vector<int> &signature)
{
  engine->partners_of = partners_of;
  engine->reach = reach;
  engine->partner_signature = signature;
}

/* ---------------------------------------------------------------------- */

int CommP2PRDMA::nghost_of_pattern() const
{
  return std::min(engine->nghost, atom->nghost);
}

/* ----------------------------------------------------------------------
   a message of no bytes is sent as well: nobody knows what is coming
------------------------------------------------------------------------- */

void CommP2PRDMA::swap_messages(const Messages &out, Messages &in)
{
  guarded(Engine::WORK, [&]() {
    Transport &transport = *engine->transport;
    for (const auto &[rank, bytes] : out) {
      Link &link = transport.link(transport.find(rank));
      link.open(MessageKind::WORK);
      link.append(bytes.data(), bytes.size());
      link.close();
    }
    for (auto &[rank, bytes] : in) {
      const int index = transport.find(rank);
      const Message &message = transport.wait(index, MessageKind::WORK);
      const auto data = reinterpret_cast<const char *>(message.data);
      bytes.assign(data, data + message.nbytes);
      transport.link(index).release();
    }
    transport.settle(Transport::ALL_LANES);
  });
}

/* ---------------------------------------------------------------------- */

GhostWish CommP2PRDMA::source_of(int i, int receiver, bool own) const
{
  if (i < atom->nlocal) return {me, me, GhostWish::OWNED, i, {}};
  const GhostWish forwarded = {me, me, GhostWish::GHOST, i, {}};
  if (own || engine->settings.pattern == Pattern::STAGED) return forwarded;

  // regions of ghosts follow each other, some are empty

  const std::vector<int> &first = engine->halo.firstrecv;
  const std::size_t nswaps = engine->plan.stages.back().last;
  const std::size_t swap =
      std::upper_bound(first.begin(), first.begin() + nswaps, i) - first.begin() - 1;
  const int owner = engine->plan.swaps[swap].recvproc;
  const auto linked = [&]() {
    const auto neighbors = engine->neighbors.find(receiver);
    return neighbors != engine->neighbors.end() &&
        std::binary_search(neighbors->second.begin(), neighbors->second.end(), owner);
  };
  if (!engine->reach && owner != receiver && owner != me && !linked()) return forwarded;
  return {owner, me, code_of_offset(engine->plan.swaps[swap].offset), i - first[swap], {}};
}

/* ----------------------------------------------------------------------
   what is asked for in one breath becomes one swap: atoms of one sender with
   the same displacement
------------------------------------------------------------------------- */

std::vector<int> CommP2PRDMA::append_ghosts(const std::vector<GhostWish> &wishes,
                                            const std::vector<int> &askers)
{
  if (engine->plan.has_appended())
    error->all(FLERR,
               "comm_style p2p_rdma: neighbor lists were built for ghosts that are there for the "
               "rows of other ranks; fix ring_balance cannot be used with what built them");
  std::vector<int> order(wishes.size()), index(wishes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const bool forwarded_a = wishes[a].code == GhostWish::GHOST,
               forwarded_b = wishes[b].code == GhostWish::GHOST;
    if (forwarded_a != forwarded_b) return forwarded_b;
    return wishes[a].group() < wishes[b].group();
  });

  const int first = engine->plan.stages.back().last, before = atom->nlocal + atom->nghost;
  Messages asked;
  ask_for_ghosts(wishes, order, askers, asked);
  append_swaps(wishes, order, asked);
  swap_appended(first);
  for (std::size_t k = 0; k < order.size(); k++) index[order[k]] = before + static_cast<int>(k);
  return index;
}

/* ----------------------------------------------------------------------
   every rank that is linked to one who may ask gets a message from him,
   mostly of no wishes: it cannot know whether there is one
------------------------------------------------------------------------- */

void CommP2PRDMA::ask_for_ghosts(const std::vector<GhostWish> &wishes,
                                 const std::vector<int> &order, const std::vector<int> &askers,
                                 Messages &asked)
{
  Messages out;
  asked.clear();
  for (int asker : askers)
    if (asker != me && engine->transport->find(asker) >= 0) asked[asker];
  const bool asking = std::binary_search(askers.begin(), askers.end(), me);
  if (asking)
    for (int peer : engine->peers) out[peer];

  std::vector<char> own;
  for (int k : order) {
    const GhostWish &wish = wishes[k];
    if (wish.sender != me && out.count(wish.sender) == 0)
      error->one(FLERR, "comm_style p2p_rdma: rank {} wants ghosts from rank {}, who is not linked",
                 me, wish.sender);
    std::vector<char> &bytes = wish.sender == me ? own : out[wish.sender];
    const auto raw = reinterpret_cast<const char *>(&wish);
    bytes.insert(bytes.end(), raw, raw + sizeof(wish));
  }
  swap_messages(out, asked);
  if (!own.empty()) asked[me] = std::move(own);
}

/* ----------------------------------------------------------------------
   the swaps of what others have asked for, then of what this rank has;
   between two ranks both have them in the order of the wishes.  A swap with
   itself is both
------------------------------------------------------------------------- */

void CommP2PRDMA::append_swaps(const std::vector<GhostWish> &wishes, const std::vector<int> &order,
                               const Messages &asked)
{
  struct Appended {
    HaloSwap swap;
    std::vector<int> sent;
    int first, nrecv;
  };
  std::vector<Appended> stages[2];    // what owners send, what is forwarded
  const int before = atom->nlocal + atom->nghost;

  auto for_swaps = [](const std::vector<GhostWish> &all, auto &&begin, auto &&add) {
    for (std::size_t k = 0; k < all.size(); k++) {
      const bool forwarded = all[k].code == GhostWish::GHOST;
      if (k == 0 || !all[k].same_swap(all[k - 1])) begin(forwarded, all[k], static_cast<int>(k));
      add(forwarded, all[k]);
    }
  };

  for (const auto &[asker, bytes] : asked) {
    std::vector<GhostWish> theirs(bytes.size() / sizeof(GhostWish));
    if (!theirs.empty()) std::memcpy(theirs.data(), bytes.data(), bytes.size());
    if (asker == me) continue;
    for_swaps(
        theirs,
        [&](bool stage, const GhostWish &wish, int) {
          Appended appended{{}, {}, 0, 0};
          appended.swap.sendproc = asker;
          place_of(wish, asker, appended.swap);
          stages[stage].push_back(appended);
        },
        [&](bool stage, const GhostWish &wish) {
          Appended &appended = stages[stage].back();
          appended.sent.push_back(place_of(wish, asker, appended.swap));
        });
  }

  std::vector<GhostWish> mine;
  for (int k : order) mine.push_back(wishes[k]);
  for_swaps(
      mine,
      [&](bool stage, const GhostWish &wish, int k) {
        stages[stage].push_back({{}, {}, before + k, 0});
        stages[stage].back().swap.recvproc = wish.sender;
        if (wish.sender == me) stages[stage].back().swap.sendproc = me;
      },
      [&](bool stage, const GhostWish &wish) {
        Appended &appended = stages[stage].back();
        appended.nrecv++;
        if (wish.sender == me) appended.sent.push_back(place_of(wish, me, appended.swap));
      });

  std::vector<HaloSwap> swaps[2];
  for (int stage : {0, 1})
    for (const Appended &appended : stages[stage]) {
      swaps[stage].push_back(appended.swap);
      for (int i : appended.sent) engine->halo.lists.add(i);
      engine->halo.lists.finish_swap();
      engine->halo.recvnum.push_back(appended.nrecv);
      engine->halo.firstrecv.push_back(appended.first);
    }
  engine->plan.append(swaps[0], swaps[1], me);
  engine->halo.bind(&engine->plan, engine->transport.get(), engine->team.get());
}

/* ----------------------------------------------------------------------
   local index of an atom that somebody asks for, and its way to him
------------------------------------------------------------------------- */

int CommP2PRDMA::place_of(const GhostWish &wish, int asker, HaloSwap &swap) const
{
  int nplaces = atom->nlocal + atom->nghost, index = wish.place;
  std::array<int, 3> boxes = wish.boxes;
  if (wish.code >= 0) {
    const auto begin = engine->plan.swaps.begin(), end = begin + engine->plan.stages.back().last;
    const auto known = std::find_if(begin, end, [&](const HaloSwap &s) {
      return s.sendproc == wish.via && code_of_offset(s.offset) == wish.code;
    });
    const int iswap = static_cast<int>(known - begin);
    nplaces = known == end ? 0 : engine->halo.lists.count(iswap);
    for (int dim = 0; nplaces && dim < 3; dim++) boxes[dim] += known->pbc[dim];
    if (wish.place < nplaces) index = engine->halo.lists.list(iswap)[wish.place];
  }
  if (wish.place < 0 || wish.place >= nplaces)
    error->one(
        FLERR,
        "comm_style p2p_rdma: rank {} asks rank {} for atom {} of {} that rank {} gets from it",
        asker, me, wish.place, nplaces, wish.via);
  set_boxes(swap, boxes);
  return index;
}

/* ----------------------------------------------------------------------
   all packing comes before any unpacking, which may move the arrays.  Where
   atoms are packed to become ghosts they have the units of borders()
------------------------------------------------------------------------- */

void CommP2PRDMA::swap_appended(int first)
{
  AtomVec *avec = atom->avec;
  HaloExchange &halo = engine->halo;
  const int nswaps = static_cast<int>(engine->plan.swaps.size()),
            before = atom->nlocal + atom->nghost;

  Messages out, in;
  for (int i = first; i < nswaps; i++) {
    const HaloSwap &swap = engine->plan.swaps[i];
    if (swap.sendproc >= 0) pack_appended(i, out[swap.sendproc]);
    if (swap.recvproc >= 0) in[swap.recvproc];
  }
  std::vector<char> own;
  if (out.count(me)) own = std::move(out[me]);
  out.erase(me);
  in.erase(me);
  swap_messages(out, in);
  if (!own.empty()) in[me] = std::move(own);

  if (map_style != Atom::MAP_NONE) atom->map_clear();    // it has room for the ghosts of before
  std::map<int, const std::byte *> cursors;
  for (const auto &[rank, bytes] : in)
    cursors[rank] = reinterpret_cast<const std::byte *>(bytes.data());
  for (int i = first; i < nswaps; i++) {
    const int n = halo.recvnum[i];
    if (n == 0) continue;
    double *values = Engine::get_counted(cursors[engine->plan.swaps[i].recvproc]);
    if (ghost_velocity)
      avec->unpack_border_vel(n, halo.firstrecv[i], values);
    else
      avec->unpack_border(n, halo.firstrecv[i], values);
    atom->nghost += n;
  }
  finish_appended(before);
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::pack_appended(int i, std::vector<char> &bytes)
{
  HaloSwap &swap = engine->plan.swaps[i];
  const int n = engine->halo.lists.count(i);
  int *const list = engine->halo.lists.list(i);
  double **x = atom->x;

  std::vector<std::array<double, 3>> held(triclinic ? n : 0);
  for (std::size_t k = 0; k < held.size(); k++) {
    std::copy_n(x[list[k]], 3, held[k].data());
    domain->x2lamda(held[k].data(), x[list[k]]);
  }
  double *const buffer = engine->room(static_cast<std::size_t>(n) * size_border + Engine::EXTRA);
  const std::int64_t nvalues = ghost_velocity
      ? atom->avec->pack_border_vel(n, list, buffer, swap.pbc_flag, swap.pbc)
      : atom->avec->pack_border(n, list, buffer, swap.pbc_flag, swap.pbc);
  for (std::size_t k = 0; k < held.size(); k++) std::copy_n(held[k].data(), 3, x[list[k]]);

  auto add = [&](const void *data, std::size_t nbytes) {
    const auto raw = static_cast<const char *>(data);
    bytes.insert(bytes.end(), raw, raw + nbytes);
  };
  add(&nvalues, sizeof(nvalues));
  add(buffer, nvalues * sizeof(double));
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::finish_appended(int before)
{
  const int nall = atom->nlocal + atom->nghost;
  if (triclinic)
    for (int i = before; i < nall; i++) domain->lamda2x(atom->x[i], atom->x[i]);
  if (atom->molecular != Atom::ATOMIC && nall > NEIGHMASK)
    error->one(FLERR,
               "Per-processor number of atoms is too large for molecular neighbor lists: "
               "{} owned and {} ghost atoms on rank {}, limit {}; use more ranks",
               atom->nlocal, atom->nghost, me, NEIGHMASK);
  engine->halo.count_atoms();
  if (engine->settings.landing && engine->report.nofi > 0) register_arrays();
  if (map_style != Atom::MAP_NONE) atom->map_set();
}
