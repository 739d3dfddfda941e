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

#include "comm_p2p_rdma_work.h"
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

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::set_partners(const RanksOf &partners_of, bool reach,
                               const std::vector<int> &signature)
{
  engine->partners_of = partners_of;
  engine->reach = reach;
  engine->partner_signature = signature;
  engine->expected = nullptr;
  engine->held.clear();
}

/* ---------------------------------------------------------------------- */

int CommP2PRDMA::nghost_of_pattern() const
{
  return std::min(engine->nghost, atom->nghost);
}

/* ----------------------------------------------------------------------
   a message of no bytes is sent as well: nobody knows what is coming.  What has
   to wait for credit is held back until receivers read: before that they may be
   in a collective call of MPI
------------------------------------------------------------------------- */

void CommP2PRDMA::send_messages(const Messages &out, Messages &in)
{
  receive_messages();
  engine->held.clear();
  guarded(Engine::WORK, [&]() {
    for (const auto &[rank, bytes] : out)
      if (engine->transport->link(engine->transport->find(rank)).fits(bytes.size()))
        send_message(rank, bytes);
      else
        engine->held[rank] = &bytes;
  });
  engine->expected = &in;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::send_message(int rank, const std::vector<char> &bytes)
{
  Link &link = engine->transport->link(engine->transport->find(rank));
  link.open(MessageKind::WORK);
  link.append(bytes.data(), bytes.size());
  link.close();
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::receive_messages()
{
  if (!engine->expected) return;
  Messages &in = *engine->expected;
  engine->expected = nullptr;
  guarded(Engine::WORK, [&]() {
    Transport &transport = *engine->transport;
    for (const auto &[rank, bytes] : engine->held) send_message(rank, *bytes);
    engine->held.clear();
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

void CommP2PRDMA::swap_messages(const Messages &out, Messages &in)
{
  send_messages(out, in);
  receive_messages();
}

/* ----------------------------------------------------------------------
   wishes that one swap can fulfil
------------------------------------------------------------------------- */

struct CommP2PRDMA::WishGroup {
  GhostWish wish;              // the place means nothing
  std::vector<int> places;     // [n]
  std::vector<int> indices;    // [n] among all wishes; not of others
};

/* ----------------------------------------------------------------------
   there are few groups, and wishes of one often follow each other
------------------------------------------------------------------------- */

std::vector<int> CommP2PRDMA::append_ghosts(const std::vector<GhostWish> &wishes,
                                            const std::vector<GhostAsker> &askers)
{
  if (!engine->shipping)
    error->all(FLERR,
               "comm_style p2p_rdma: ghosts were found anew after their atoms had been chosen for "
               "other ranks; fix ring_balance cannot be used with what did it");
  engine->shipping = false;
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

  const int before = atom->nlocal + atom->nghost;
  std::vector<int> index(engine->nshipped + wishes.size());
  std::iota(index.begin(), index.begin() + engine->nshipped, before);
  int next = before + engine->nshipped;
  for (const WishGroup &group : groups)
    for (int k : group.indices) index[engine->nshipped + k] = next++;

  append_swaps(groups, ask_for_ghosts(groups, askers));
  swap_appended(before);
  return index;
}

/* ----------------------------------------------------------------------
   every rank that is linked to one who may ask gets a message from him,
   mostly of no wishes: it cannot know whether there is one, but for the only
   donor, who knows what his rows name.  A group is its wish, whose place is
   the number of places that follow

   Returns: messages by asker
------------------------------------------------------------------------- */

Messages CommP2PRDMA::ask_for_ghosts(const std::vector<WishGroup> &groups,
                                     const std::vector<GhostAsker> &askers)
{
  Messages out, asked;
  for (const GhostAsker &asker : askers) {
    if (asker.rank == me) {
      for (int peer : engine->peers)
        if (peer != asker.donor || engine->received.at(peer).forwards) out[peer];
    } else if (engine->transport->find(asker.rank) >= 0) {
      if (asker.donor != me || engine->sources.at(asker.rank).forwards()) asked[asker.rank];
    }
  }

  for (const WishGroup &group : groups) {
    if (group.wish.sender == me) continue;
    if (out.count(group.wish.sender) == 0)
      error->one(FLERR,
                 "comm_style p2p_rdma: rank {} wants ghosts from rank {}, who expects no wishes",
                 me, group.wish.sender);
    GhostWish wish = group.wish;
    wish.place = static_cast<int>(group.places.size());
    std::vector<char> &bytes = out[wish.sender];
    append_bytes(bytes, &wish, sizeof(wish));
    append_bytes(bytes, group.places.data(), group.places.size() * sizeof(int));
  }
  swap_messages(out, asked);
  return asked;
}

/* ----------------------------------------------------------------------
   the swaps of what is shipped, then of what others have asked for, then of
   what this rank has; between two ranks both have them in the order of the
   groups.  A swap with itself is both
------------------------------------------------------------------------- */

void CommP2PRDMA::append_swaps(const std::vector<WishGroup> &groups, const Messages &asked)
{
  std::vector<AppendedSwap> stages[2];    // what owners send, what is forwarded
  append_shipments(stages[0]);
  const int nplan = engine->plan.stages.back().last;
  engine->first_asked = nplan + static_cast<int>(stages[0].size());
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

  int next = atom->nlocal + atom->nghost + engine->nshipped;
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
  count_rows(nplan);
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
  appended.swap = swap_to(asker, boxes);
  return appended;
}

/* ----------------------------------------------------------------------
   all packing comes before any unpacking, which may move the arrays.  What is
   shipped has arrived with the rows
------------------------------------------------------------------------- */

void CommP2PRDMA::swap_appended(int before)
{
  const HaloExchange &halo = engine->halo;
  const std::vector<HaloSwap> &swaps = engine->plan.swaps;
  const int nswaps = static_cast<int>(swaps.size());

  Messages out, in;
  for (int i = engine->first_asked; i < nswaps; i++) {
    if (swaps[i].sendproc >= 0)
      pack_as_border(swaps[i], halo.lists.count(i), engine->halo.lists.list(i),
                     out[swaps[i].sendproc]);
    if (swaps[i].recvproc >= 0) in[swaps[i].recvproc];
  }
  std::vector<char> own;
  if (out.count(me)) own = std::move(out[me]);
  out.erase(me);
  in.erase(me);
  if (!out.empty() || !in.empty()) swap_messages(out, in);
  if (!own.empty()) in[me] = std::move(own);

  if (map_style != Atom::MAP_NONE) atom->map_clear();    // it has room for the ghosts of before
  unpack_shipments();
  std::map<int, const std::byte *> cursors;
  for (const auto &[rank, bytes] : in)
    cursors[rank] = reinterpret_cast<const std::byte *>(bytes.data());
  for (int i = engine->first_asked; i < nswaps; i++)
    if (halo.recvnum[i] > 0)
      unpack_as_ghosts(halo.recvnum[i], Engine::get_counted(cursors[swaps[i].recvproc]));
  finish_appended(before);
}

/* ----------------------------------------------------------------------
   where atoms are packed to become ghosts they have the units of borders()
------------------------------------------------------------------------- */

void CommP2PRDMA::pack_as_border(const HaloSwap &swap, int n, int *list, std::vector<char> &bytes)
{
  double **x = atom->x;
  std::vector<std::array<double, 3>> held(triclinic ? n : 0);
  for (std::size_t k = 0; k < held.size(); k++) {
    std::copy_n(x[list[k]], 3, held[k].data());
    domain->x2lamda(held[k].data(), x[list[k]]);
  }
  double *const buffer = engine->room(static_cast<std::size_t>(n) * size_border + Engine::EXTRA);
  int pbc[6];
  std::copy_n(swap.pbc, 6, pbc);
  const std::int64_t nvalues = ghost_velocity
      ? atom->avec->pack_border_vel(n, list, buffer, swap.pbc_flag, pbc)
      : atom->avec->pack_border(n, list, buffer, swap.pbc_flag, pbc);
  for (std::size_t k = 0; k < held.size(); k++) std::copy_n(held[k].data(), 3, x[list[k]]);

  append_bytes(bytes, &nvalues, sizeof(nvalues));
  append_bytes(bytes, buffer, nvalues * sizeof(double));
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::unpack_as_ghosts(int n, double *values)
{
  const int first = atom->nlocal + atom->nghost;
  if (ghost_velocity)
    atom->avec->unpack_border_vel(n, first, values);
  else
    atom->avec->unpack_border(n, first, values);
  atom->nghost += n;
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
