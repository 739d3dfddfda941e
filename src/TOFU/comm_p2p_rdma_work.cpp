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
   wishes that one swap can fulfil
------------------------------------------------------------------------- */

struct CommP2PRDMA::WishGroup {
  GhostWish wish;              // the place means nothing
  std::vector<int> places;     // [n]
  std::vector<int> indices;    // [n] among all wishes; not of others
};

struct CommP2PRDMA::AppendedSwap {
  HaloSwap swap;
  std::vector<int> sent;
  int first, nrecv;
};

/* ----------------------------------------------------------------------
   there are few groups, and wishes of one often follow each other
------------------------------------------------------------------------- */

std::vector<int> CommP2PRDMA::append_ghosts(const std::vector<GhostWish> &wishes,
                                            const std::vector<int> &askers)
{
  if (engine->plan.has_appended())
    error->all(FLERR,
               "comm_style p2p_rdma: neighbor lists were built for ghosts that are there for the "
               "rows of other ranks; fix ring_balance cannot be used with what built them");

  std::vector<WishGroup> groups;
  std::size_t last = 0;
  for (std::size_t k = 0; k < wishes.size(); k++) {
    const auto fits = [&](const WishGroup &group) {
      return group.wish.swap() == wishes[k].swap();
    };
    if (last == groups.size() || !fits(groups[last]))
      last = std::find_if(groups.begin(), groups.end(), fits) - groups.begin();
    if (last == groups.size()) groups.push_back({wishes[k], {}, {}});
    groups[last].places.push_back(wishes[k].place);
    groups[last].indices.push_back(static_cast<int>(k));
  }
  std::sort(groups.begin(), groups.end(),
            [](const WishGroup &a, const WishGroup &b) { return a.wish.swap() < b.wish.swap(); });

  const int first = engine->plan.stages.back().last;
  std::vector<int> index(wishes.size());
  int next = atom->nlocal + atom->nghost;
  for (const WishGroup &group : groups)
    for (int k : group.indices) index[k] = next++;
  append_swaps(groups, ask_for_ghosts(groups, askers));
  swap_appended(first);
  return index;
}

/* ----------------------------------------------------------------------
   every rank that is linked to one who may ask gets a message from him,
   mostly of no wishes: it cannot know whether there is one.  A group is its
   wish, whose place is the number of places that follow

   Returns: messages by asker
------------------------------------------------------------------------- */

Messages CommP2PRDMA::ask_for_ghosts(const std::vector<WishGroup> &groups,
                                     const std::vector<int> &askers)
{
  Messages out, asked;
  for (int asker : askers)
    if (asker != me && engine->transport->find(asker) >= 0) asked[asker];
  if (std::binary_search(askers.begin(), askers.end(), me))
    for (int peer : engine->peers) out[peer];

  for (const WishGroup &group : groups) {
    if (group.wish.sender == me) continue;
    if (out.count(group.wish.sender) == 0)
      error->one(FLERR, "comm_style p2p_rdma: rank {} wants ghosts from rank {}, who is not linked",
                 me, group.wish.sender);
    GhostWish wish = group.wish;
    wish.place = static_cast<int>(group.places.size());
    std::vector<char> &bytes = out[wish.sender];
    const auto add = [&](const void *data, std::size_t nbytes) {
      const auto raw = static_cast<const char *>(data);
      bytes.insert(bytes.end(), raw, raw + nbytes);
    };
    add(&wish, sizeof(wish));
    add(group.places.data(), group.places.size() * sizeof(int));
  }
  swap_messages(out, asked);
  return asked;
}

/* ----------------------------------------------------------------------
   the swaps of what others have asked for, then of what this rank has;
   between two ranks both have them in the order of the groups.  A swap with
   itself is both
------------------------------------------------------------------------- */

void CommP2PRDMA::append_swaps(const std::vector<WishGroup> &groups, const Messages &asked)
{
  std::vector<AppendedSwap> stages[2];    // what owners send, what is forwarded
  for (const auto &[asker, bytes] : asked)
    for (std::size_t cursor = 0; cursor < bytes.size();) {
      WishGroup group;
      std::memcpy(&group.wish, bytes.data() + cursor, sizeof(GhostWish));
      cursor += sizeof(GhostWish);
      group.places.resize(group.wish.place);
      std::memcpy(group.places.data(), bytes.data() + cursor, group.places.size() * sizeof(int));
      cursor += group.places.size() * sizeof(int);
      stages[group.wish.code == GhostWish::GHOST].push_back(swap_for(asker, group));
    }

  int next = atom->nlocal + atom->nghost;
  for (const WishGroup &group : groups) {
    AppendedSwap appended{{}, {}, 0, 0};
    if (group.wish.sender == me) appended = swap_for(me, group);
    appended.swap.recvproc = group.wish.sender;
    appended.first = next;
    appended.nrecv = static_cast<int>(group.places.size());
    next += appended.nrecv;
    stages[group.wish.code == GhostWish::GHOST].push_back(std::move(appended));
  }

  std::vector<HaloSwap> swaps[2];
  for (int stage : {0, 1})
    for (const AppendedSwap &appended : stages[stage]) {
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
   local indices of the atoms that somebody asks for, and their way to him
------------------------------------------------------------------------- */

CommP2PRDMA::AppendedSwap CommP2PRDMA::swap_for(int asker, const WishGroup &group) const
{
  const GhostWish &wish = group.wish;
  AppendedSwap appended{{}, group.places, 0, 0};
  std::array<int, 3> boxes = wish.boxes;
  int nplaces = atom->nlocal + atom->nghost;
  const int *list = nullptr;
  if (wish.code >= 0) {
    const auto begin = engine->plan.swaps.begin(), end = begin + engine->plan.stages.back().last;
    const auto known = std::find_if(begin, end, [&](const HaloSwap &s) {
      return s.sendproc == wish.via && code_of_offset(s.offset) == wish.code;
    });
    const int iswap = static_cast<int>(known - begin);
    nplaces = known == end ? 0 : engine->halo.lists.count(iswap);
    list = known == end ? nullptr : engine->halo.lists.list(iswap);
    for (int dim = 0; list && dim < 3; dim++) boxes[dim] += known->pbc[dim];
  }
  for (int &place : appended.sent) {
    if (place < 0 || place >= nplaces)
      error->one(
          FLERR,
          "comm_style p2p_rdma: rank {} asks rank {} for atom {} of {} that rank {} gets from it",
          asker, me, place, nplaces, wish.via);
    if (list) place = list[place];
  }
  set_boxes(appended.swap, boxes);
  appended.swap.sendproc = asker;
  return appended;
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
