/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Ghosts that travel in the same message as the rows that name them.  Behind the rows:
//
//   for each shipment ShipmentHeader, number of values, values as in borders();
//   codes of swaps of the pattern with rows, int64;  ShipmentEnd

#include "comm_p2p_rdma.h"

#include "comm_p2p_rdma_work.h"
#include "halo/ghost_sources.h"

#include "atom.h"
#include "error.h"

#include <algorithm>
#include <cstring>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

struct ShipmentHeader {
  std::int32_t natoms;
  std::int32_t nrows;    // behind the last one whose row the receiver computes
};

struct ShipmentEnd {
  std::int64_t nbytes;    // of all that is in front of it
  std::int32_t nshipments;
  std::int32_t forwards;    // whether the receiver may have to ask the donor
  std::int64_t ncodes;
};

static_assert(sizeof(ShipmentHeader) == 8 && sizeof(ShipmentEnd) == 24, "no padding on the wire");

}    // namespace

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::begin_shipments()
{
  if (engine->plan.has_appended())
    error->all(FLERR,
               "comm_style p2p_rdma: neighbor lists were built for ghosts that are there for the "
               "rows of other ranks; fix ring_balance cannot be used with what built them");
  engine->receivers.clear();
  engine->received.clear();
  engine->nshipped = 0;
  engine->shipping = true;
}

/* ---------------------------------------------------------------------- */

GhostSources &CommP2PRDMA::sources_for(int receiver, bool forward)
{
  const auto asks = [&](int owner) {
    if (forward) return false;
    if (engine->reach) return true;
    const auto neighbors = engine->neighbors.find(receiver);
    return neighbors != engine->neighbors.end() &&
        std::binary_search(neighbors->second.begin(), neighbors->second.end(), owner);
  };
  engine->receivers.push_back(receiver);
  GhostSources &sources = engine->sources[receiver];
  sources.begin(engine->plan, engine->halo.lists, engine->halo.firstrecv, atom->nlocal,
                atom->nlocal + atom->nghost, me, receiver, asks);
  return sources;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::pack_shipments(int receiver, std::vector<char> &message)
{
  const GhostSources &sources = engine->sources.at(receiver);
  const std::size_t begin = message.size();
  for (const Shipment &shipment : sources.shipments()) {
    const ShipmentHeader header{static_cast<std::int32_t>(shipment.atoms().size()), shipment.nrows};
    append_bytes(message, &header, sizeof header);
    pack_as_border(swap_to(receiver, shipment.boxes), header.natoms,
                   const_cast<int *>(shipment.atoms().data()), message);    // it only reads them
  }
  const auto with_rows = sources.swaps_with_rows();
  for (const auto &[swap, code] : with_rows) {
    const std::int64_t wide = code;
    append_bytes(message, &wide, sizeof wide);
  }
  const ShipmentEnd end{static_cast<std::int64_t>(message.size() - begin),
                        static_cast<std::int32_t>(sources.shipments().size()), sources.forwards(),
                        static_cast<std::int64_t>(with_rows.size())};
  append_bytes(message, &end, sizeof end);
}

/* ----------------------------------------------------------------------
   ghosts are numbered donor by donor in the order in which this is called
------------------------------------------------------------------------- */

std::size_t CommP2PRDMA::find_shipments(int donor, const std::vector<char> &message)
{
  ShipmentEnd end;
  if (message.size() >= sizeof end)
    std::memcpy(&end, message.data() + message.size() - sizeof end, sizeof end);
  if (message.size() < sizeof end || end.nbytes < 0 ||
      end.nbytes > static_cast<std::int64_t>(message.size() - sizeof end))
    error->one(FLERR, "comm_style p2p_rdma: rows from rank {} at rank {} have no end", donor, me);

  Engine::ReceivedShipments &received = engine->received[donor];
  received.forwards = end.forwards;
  const std::size_t begin = message.size() - sizeof end - end.nbytes;
  auto cursor = reinterpret_cast<const std::byte *>(message.data() + begin);
  const std::byte *const stop = cursor + end.nbytes;
  const auto expect = [&](bool right) {
    if (!right)
      error->one(FLERR,
                 "comm_style p2p_rdma: rows from rank {} at rank {} come with damaged ghosts",
                 donor, me);
  };
  for (int n = 0; n < end.nshipments; n++) {
    ShipmentHeader header;
    std::int64_t nvalues;
    expect(stop - cursor >= static_cast<std::ptrdiff_t>(sizeof header + sizeof nvalues));
    std::memcpy(&header, cursor, sizeof header);
    cursor += sizeof header;
    std::memcpy(&nvalues, cursor, sizeof nvalues);
    const std::ptrdiff_t most = (stop - cursor) / static_cast<std::ptrdiff_t>(sizeof(double)) - 1;
    expect(nvalues >= 0 && nvalues <= most && header.natoms >= 0 && header.natoms <= nvalues);
    expect(header.nrows >= 0 && header.nrows <= header.natoms);
    received.first.push_back(engine->nshipped);
    received.natoms.push_back(header.natoms);
    received.nrows.push_back(header.nrows);
    received.values.push_back(Engine::get_counted(cursor));
    engine->nshipped += header.natoms;
  }
  expect(end.ncodes >= 0 && end.ncodes <= stop - cursor &&
         end.ncodes * static_cast<std::int64_t>(sizeof(std::int64_t)) == stop - cursor);
  const auto *const codes = reinterpret_cast<const std::int64_t *>(cursor);
  received.codes_with_rows.assign(codes, codes + end.ncodes);
  return begin;
}

/* ---------------------------------------------------------------------- */

const int *CommP2PRDMA::shipped_ghosts(int donor) const
{
  return engine->received.at(donor).first.data();
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::know_sources(int donor, const std::array<int, 3> &boxes,
                               KnownSources &sources) const
{
  sources.begin(engine->plan, engine->halo.lists, engine->halo.firstrecv, atom->nlocal, me, donor,
                boxes);
}

/* ---------------------------------------------------------------------- */

int CommP2PRDMA::nshipped() const
{
  return engine->nshipped;
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::append_shipments(std::vector<AppendedSwap> &swaps) const
{
  for (int receiver : engine->receivers)
    for (const Shipment &shipment : engine->sources.at(receiver).shipments())
      swaps.push_back({swap_to(receiver, shipment.boxes), shipment.atoms(), 0, 0});

  const int nall = atom->nlocal + atom->nghost;
  for (const auto &[donor, received] : engine->received)
    for (std::size_t n = 0; n < received.first.size(); n++) {
      HaloSwap swap;
      swap.recvproc = donor;
      swaps.push_back({swap, {}, nall + received.first[n], received.natoms[n]});
    }
}

/* ----------------------------------------------------------------------
   of the swaps of the pattern, which are nplan, and of the shipments behind
   them; what is asked for has no row here
------------------------------------------------------------------------- */

void CommP2PRDMA::count_rows(int nplan)
{
  HaloExchange &halo = engine->halo;
  const std::vector<HaloSwap> &swaps = engine->plan.swaps;
  halo.rows_sent.assign(swaps.size(), 0);
  halo.rows_recv.assign(swaps.size(), 0);
  int next = nplan;
  for (int receiver : engine->receivers) {
    const GhostSources &sources = engine->sources.at(receiver);
    for (const auto &one : sources.swaps_with_rows())
      halo.rows_sent[one.swap] = halo.lists.count(one.swap);
    for (const Shipment &shipment : sources.shipments()) halo.rows_sent[next++] = shipment.nrows;
  }
  for (const auto &[donor, received] : engine->received) {
    for (int i = 0; i < nplan; i++)
      for (std::int64_t code : received.codes_with_rows)
        if (swaps[i].recvproc == donor && code_of_offset(swaps[i].offset) == code)
          halo.rows_recv[i] = halo.recvnum[i];
    for (int nrows : received.nrows) halo.rows_recv[next++] = nrows;
  }
}

/* ---------------------------------------------------------------------- */

void CommP2PRDMA::unpack_shipments()
{
  for (const auto &[donor, received] : engine->received)
    for (std::size_t n = 0; n < received.first.size(); n++)
      unpack_as_ghosts(received.natoms[n], received.values[n]);
}
