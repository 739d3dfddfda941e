// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "appended_ghosts.h"

#include "appended_ghosts-inl.h"

#include "halo/halo_exchange.h"
#include "halo/messages/packed_exchange.h"

#include "atom.h"
#include "atom_vec.h"
#include "comm.h"
#include "domain.h"
#include "error.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

AppendedGhosts::AppendedGhosts(LAMMPS *lmp, Host &host_in) : Pointers(lmp), host(host_in) {}

/* ---------------------------------------------------------------------- */

AppendedGhosts::Offer AppendedGhosts::begin()
{
  if (host.plan().has_appended())
    error->all(
        FLERR,
        "comm_style p2p/rdma: a fix or command has built neighbor lists while ghosts for the "
        "rows of other ranks were present; fix ring/balance cannot be used with it");
  receivers.clear();
  received.clear();
  nextra = 0;
  return Offer(*this, Key());
}

/* ---------------------------------------------------------------------- */

bool AppendedGhosts::drop()
{
  generation++;
  if (!host.plan().has_appended()) return false;
  host.plan().drop_appended();
  return true;
}

/* ---------------------------------------------------------------------- */

AppendedGhosts::Sent AppendedGhosts::Offer::send(const Messages &out, Messages &in) &&
{
  ghosts.host.send_messages(out, in);
  return Sent(ghosts, Key());
}

/* ---------------------------------------------------------------------- */

AppendedGhosts::Received AppendedGhosts::Sent::receive() &&
{
  ghosts->host.receive_messages();
  return Received(*ghosts, generation, Key());
}

/* ---------------------------------------------------------------------- */

void AppendedGhosts::Received::begin_sources(int donor, const std::array<int, 3> &box_shift,
                                             KnownSources &sources) const
{
  const HaloExchange &halo = ghosts.host.halo();
  sources.begin(ghosts.host.plan(), halo.lists(), halo.first_ghosts(), ghosts.atom->nlocal,
                ghosts.comm->me, donor, box_shift);
}

/* ---------------------------------------------------------------------- */

std::vector<int> AppendedGhosts::Received::append(const std::vector<GhostRequest> &requests,
                                                  const std::vector<Requester> &requesters) &&
{
  if (generation != ghosts.generation)
    ghosts.error->all(FLERR,
                      "comm_style p2p/rdma: a fix or command has rebuilt the ghosts during a "
                      "hand-over of rows; fix ring/balance cannot be used with it");
  return ghosts.append(requests, requesters);
}

/* ----------------------------------------------------------------------
   requests that one swap can fulfil
------------------------------------------------------------------------- */

struct AppendedGhosts::RequestGroup {
  GhostRequest request;        // the place means nothing
  std::vector<int> places;     // [n]
  std::vector<int> indices;    // [n] among all requests; not of others
};

/* ----------------------------------------------------------------------
   there are few groups, and requests of one often follow each other
------------------------------------------------------------------------- */

std::vector<int> AppendedGhosts::append(const std::vector<GhostRequest> &requests,
                                        const std::vector<Requester> &requesters)
{
  std::vector<RequestGroup> groups;
  std::size_t last = 0;
  for (std::size_t k = 0; k < requests.size(); k++) {
    const auto fits = [&](const RequestGroup &group) {
      return group.request.swap() == requests[k].swap();
    };
    if (last == groups.size() || !fits(groups[last]))
      last = std::find_if(groups.begin(), groups.end(), fits) - groups.begin();
    if (last == groups.size()) groups.push_back({requests[k], {}, {}});
    groups[last].places.push_back(requests[k].place);
    groups[last].indices.push_back(static_cast<int>(k));
  }
  std::sort(groups.begin(), groups.end(), [](const RequestGroup &a, const RequestGroup &b) {
    return a.request.swap() < b.request.swap();
  });

  const int before = atom->nlocal + atom->nghost;
  std::vector<int> index(nextra + requests.size());
  std::iota(index.begin(), index.begin() + nextra, before);
  int next = before + nextra;
  for (const RequestGroup &group : groups)
    for (int k : group.indices) index[nextra + k] = next++;

  append_swaps(groups, request_ghosts(groups, requesters));
  swap_atoms(before);
  return index;
}

/* ----------------------------------------------------------------------
   every rank that is linked to a possible requester receives a list of requests from
   it, usually empty: only a sole donor can tell beforehand that there are none,
   since it has the atoms that its rows name.  A group is its request, whose
   place is the number of places that follow

   Returns: messages by requester
------------------------------------------------------------------------- */

AppendedGhosts::Messages AppendedGhosts::request_ghosts(const std::vector<RequestGroup> &groups,
                                                        const std::vector<Requester> &requesters)
{
  const std::vector<int> &linked = host.linked_ranks();
  const auto is_linked = [&](int rank) {
    return std::binary_search(linked.begin(), linked.end(), rank);
  };
  Messages out, requested;
  for (const Requester &requester : requesters) {
    if (requester.rank == comm->me) {
      for (int peer : linked)
        if (peer != requester.donor || received.at(peer).forwards) out[peer];
    } else if (is_linked(requester.rank)) {
      if (requester.donor != comm->me || sources.at(requester.rank).forwards())
        requested[requester.rank];
    }
  }

  for (const RequestGroup &group : groups) {
    if (group.request.sender == comm->me) continue;
    if (out.count(group.request.sender) == 0)
      error->one(
          FLERR,
          "comm_style p2p/rdma: rank {} wants ghosts from rank {}, which expects no requests",
          comm->me, group.request.sender);
    GhostRequest request = group.request;
    request.place = static_cast<int>(group.places.size());
    std::vector<char> &bytes = out[request.sender];
    append_bytes(bytes, &request, sizeof(request));
    append_bytes(bytes, group.places.data(), group.places.size() * sizeof(int));
  }
  host.send_messages(out, requested);
  host.receive_messages();
  return requested;
}

/* ----------------------------------------------------------------------
   append the extra swaps, then the swaps that other ranks have requested, then
   those that this rank has requested; between two ranks both have them in the
   order of the groups.  A swap of this rank with itself is of both kinds
------------------------------------------------------------------------- */

void AppendedGhosts::append_swaps(const std::vector<RequestGroup> &groups,
                                  const Messages &requested)
{
  std::vector<AppendedSwap> stages[2];    // swaps of owners, swaps that forward
  append_extra_swaps(stages[0]);
  const int nplan = host.plan().stages.back().last;
  first_requested = nplan + static_cast<int>(stages[0].size());
  for (const auto &[requester, bytes] : requested)
    for (std::size_t cursor = 0; cursor < bytes.size();) {
      RequestGroup group;
      std::memcpy(&group.request, bytes.data() + cursor, sizeof(GhostRequest));
      cursor += sizeof(GhostRequest);
      group.places.resize(group.request.place);
      std::memcpy(group.places.data(), bytes.data() + cursor, group.places.size() * sizeof(int));
      cursor += group.places.size() * sizeof(int);
      stages[group.request.code == GhostRequest::GHOST].push_back(swap_for(requester, group));
    }

  int next = atom->nlocal + atom->nghost + nextra;
  for (const RequestGroup &group : groups) {
    AppendedSwap appended{{}, {}, 0, 0};
    if (group.request.sender == comm->me) appended = swap_for(comm->me, group);
    appended.swap.recvproc = group.request.sender;
    appended.first = next;
    appended.nrecv = static_cast<int>(group.places.size());
    next += appended.nrecv;
    stages[group.request.code == GhostRequest::GHOST].push_back(std::move(appended));
  }

  std::vector<HaloSwap> swaps[2];
  for (int stage : {0, 1})
    for (const AppendedSwap &appended : stages[stage]) {
      swaps[stage].push_back(appended.swap);
      host.halo().append(appended.sent, appended.nrecv, appended.first);
    }
  host.plan().append(swaps[0], swaps[1], comm->me);
  count_rows(nplan);
  host.plan_has_changed();
}

/* ----------------------------------------------------------------------
   local indices of the atoms that a rank requests, and the swap that sends them
------------------------------------------------------------------------- */

AppendedGhosts::AppendedSwap AppendedGhosts::swap_for(int requester,
                                                      const RequestGroup &group) const
{
  const GhostRequest &request = group.request;
  AppendedSwap appended{{}, group.places, 0, 0};
  std::array<int, 3> box_shift = request.box_shift;
  int nplaces = atom->nlocal + atom->nghost;
  const int *list = nullptr;
  if (request.code >= 0) {
    const auto begin = host.plan().swaps.begin(), end = begin + host.plan().stages.back().last;
    const auto known = std::find_if(begin, end, [&](const HaloSwap &s) {
      return s.sendproc == request.via && code_of_sent(host.plan(), s) == request.code;
    });
    const int iswap = static_cast<int>(known - begin);
    nplaces = known == end ? 0 : host.halo().nsent(iswap);
    list = known == end ? nullptr : host.halo().sent(iswap);
    for (int dim = 0; list && dim < 3; dim++) box_shift[dim] += known->pbc[dim];
  }
  for (int &place : appended.sent) {
    if (place < 0 || place >= nplaces)
      error->one(FLERR,
                 "comm_style p2p/rdma: rank {} requests of rank {} atom {} of {} that rank {} gets "
                 "from it",
                 requester, comm->me, place, nplaces, request.via);
    if (list) place = list[place];
  }
  appended.swap = swap_to(requester, box_shift);
  return appended;
}

/* ----------------------------------------------------------------------
   all packing comes before any unpacking, which may move the arrays.  Extra
   ghosts have arrived with the rows
------------------------------------------------------------------------- */

void AppendedGhosts::swap_atoms(int before)
{
  const HaloExchange &halo = host.halo();
  const std::vector<HaloSwap> &swaps = host.plan().swaps;
  const int nswaps = static_cast<int>(swaps.size());

  Messages out, in;
  for (int i = first_requested; i < nswaps; i++) {
    if (swaps[i].sendproc >= 0)
      pack_as_border(swaps[i], halo.nsent(i), host.halo().sent(i), out[swaps[i].sendproc]);
    if (swaps[i].recvproc >= 0) in[swaps[i].recvproc];
  }
  std::vector<char> own;
  if (out.count(comm->me)) own = std::move(out[comm->me]);
  out.erase(comm->me);
  in.erase(comm->me);
  if (!out.empty() || !in.empty()) {
    host.send_messages(out, in);
    host.receive_messages();
  }
  if (!own.empty()) in[comm->me] = std::move(own);

  if (atom->map_style != Atom::MAP_NONE)
    atom->map_clear();    // it has room for the ghosts of before
  unpack_extra_ghosts();
  std::map<int, const std::byte *> cursors;
  for (const auto &[rank, bytes] : in)
    cursors[rank] = reinterpret_cast<const std::byte *>(bytes.data());
  for (int i = first_requested; i < nswaps; i++)
    if (halo.nghosts(i) > 0)
      unpack_as_ghosts(halo.nghosts(i), get_counted(cursors[swaps[i].recvproc]));
  finish(before);
}

/* ----------------------------------------------------------------------
   where atoms are packed to become ghosts they have the units of borders()
------------------------------------------------------------------------- */

void AppendedGhosts::pack_as_border(const HaloSwap &swap, int n, int *list,
                                    std::vector<char> &bytes)
{
  double **x = atom->x;
  std::vector<std::array<double, 3>> held(domain->triclinic ? n : 0);
  for (std::size_t k = 0; k < held.size(); k++) {
    std::copy_n(x[list[k]], 3, held[k].data());
    domain->x2lamda(held[k].data(), x[list[k]]);
  }
  double *const buffer = host.packing_buffer(n);
  int pbc[6];
  std::copy_n(swap.pbc, 6, pbc);
  const std::int64_t nvalues = comm->ghost_velocity
      ? atom->avec->pack_border_vel(n, list, buffer, swap.pbc_flag, pbc)
      : atom->avec->pack_border(n, list, buffer, swap.pbc_flag, pbc);
  for (std::size_t k = 0; k < held.size(); k++) std::copy_n(held[k].data(), 3, x[list[k]]);

  append_bytes(bytes, &nvalues, sizeof(nvalues));
  append_bytes(bytes, buffer, nvalues * sizeof(double));
}

/* ---------------------------------------------------------------------- */

void AppendedGhosts::unpack_as_ghosts(int n, double *values)
{
  const int first = atom->nlocal + atom->nghost;
  if (comm->ghost_velocity)
    atom->avec->unpack_border_vel(n, first, values);
  else
    atom->avec->unpack_border(n, first, values);
  atom->nghost += n;
}

/* ---------------------------------------------------------------------- */

void AppendedGhosts::finish(int before)
{
  const int nall = atom->nlocal + atom->nghost;
  if (domain->triclinic)
    for (int i = before; i < nall; i++) domain->lamda2x(atom->x[i], atom->x[i]);
  if (atom->molecular != Atom::ATOMIC && nall > NEIGHMASK)
    error->one(FLERR,
               "Per-processor number of atoms is too large for molecular neighbor lists: "
               "{} owned and {} ghost atoms on rank {}, limit {}; use more ranks",
               atom->nlocal, atom->nghost, comm->me, NEIGHMASK);
  host.halo().count_atoms();
  host.ghosts_were_appended();
  if (atom->map_style != Atom::MAP_NONE) atom->map_set();
}
