// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Ghosts that travel in the same message as the rows that name them.  Behind the rows:
//
//   for each extra swap ExtraSwapHeader, number of values, values as in borders();
//   codes of swaps of the pattern with rows, int64;  ExtraSwapsEnd

#include "appended_ghosts.h"

#include "appended_ghosts-inl.h"

#include "halo/halo_exchange.h"
#include "halo/messages/packed_exchange.h"

#include "atom.h"
#include "comm.h"
#include "error.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

struct ExtraSwapHeader {
  std::int32_t natoms;
  std::int32_t nrows;    // behind the last one whose row the receiver computes
};

struct ExtraSwapsEnd {
  std::int64_t nbytes;    // of all that is in front of it
  std::int32_t nswaps;
  std::int32_t forwards;    // whether the receiver may have to request ghosts of the donor
  std::int64_t ncodes;
};

static_assert(sizeof(ExtraSwapHeader) == 8 && sizeof(ExtraSwapsEnd) == 24,
              "no padding on the wire");

}    // namespace

/* ---------------------------------------------------------------------- */

GhostSources &AppendedGhosts::sources_for(int receiver, bool forward)
{
  const auto can_request = [&](int owner) {
    return !forward && host.links_receiver_to_owner(receiver, owner);
  };
  receivers.push_back(receiver);
  GhostSources &own = sources[receiver];
  own.begin(host.plan(), host.halo().lists(), host.halo().first_ghosts(), atom->nlocal,
            atom->nlocal + atom->nghost, comm->me, receiver, can_request);
  return own;
}

/* ---------------------------------------------------------------------- */

void AppendedGhosts::pack_for(int receiver, std::vector<char> &message)
{
  const GhostSources &own = sources.at(receiver);
  const std::size_t begin = message.size();
  for (const ExtraSwap &swap : own.extra_swaps()) {
    const ExtraSwapHeader header{static_cast<std::int32_t>(swap.atoms().size()), swap.nrows};
    append_bytes(message, &header, sizeof header);
    pack_as_border(swap_to(receiver, swap.box_shift), header.natoms,
                   const_cast<int *>(swap.atoms().data()), message);    // it only reads them
  }
  const auto with_rows = own.swaps_with_rows();
  for (const auto &[swap, code] : with_rows) {
    const std::int64_t wide = code;
    append_bytes(message, &wide, sizeof wide);
  }
  const ExtraSwapsEnd end{static_cast<std::int64_t>(message.size() - begin),
                          static_cast<std::int32_t>(own.extra_swaps().size()), own.forwards(),
                          static_cast<std::int64_t>(with_rows.size())};
  append_bytes(message, &end, sizeof end);
}

/* ----------------------------------------------------------------------
   ghosts are numbered donor by donor in the order in which this is called
------------------------------------------------------------------------- */

std::size_t AppendedGhosts::read(int donor, const std::vector<char> &message)
{
  ExtraSwapsEnd end;
  if (message.size() >= sizeof end)
    std::memcpy(&end, message.data() + message.size() - sizeof end, sizeof end);
  if (message.size() < sizeof end || end.nbytes < 0 ||
      end.nbytes > static_cast<std::int64_t>(message.size() - sizeof end))
    error->one(FLERR, "comm_style p2p/rdma: rows from rank {} at rank {} have no end", donor,
               comm->me);

  ExtraSwaps &found = received[donor];
  found.forwards = end.forwards;
  const std::size_t begin = message.size() - sizeof end - end.nbytes;
  auto cursor = reinterpret_cast<const std::byte *>(message.data() + begin);
  const std::byte *const stop = cursor + end.nbytes;
  const auto expect = [&](bool right) {
    if (!right)
      error->one(FLERR,
                 "comm_style p2p/rdma: rows from rank {} at rank {} come with damaged ghosts",
                 donor, comm->me);
  };
  for (int n = 0; n < end.nswaps; n++) {
    ExtraSwapHeader header;
    std::int64_t nvalues;
    expect(stop - cursor >= static_cast<std::ptrdiff_t>(sizeof header + sizeof nvalues));
    std::memcpy(&header, cursor, sizeof header);
    cursor += sizeof header;
    std::memcpy(&nvalues, cursor, sizeof nvalues);
    const std::ptrdiff_t most = (stop - cursor) / static_cast<std::ptrdiff_t>(sizeof(double)) - 1;
    expect(nvalues >= 0 && nvalues <= most && header.natoms >= 0 && header.natoms <= nvalues);
    expect(header.nrows >= 0 && header.nrows <= header.natoms);
    found.first.push_back(nextra);
    found.natoms.push_back(header.natoms);
    found.nrows.push_back(header.nrows);
    found.values.push_back(get_counted(cursor));
    nextra += header.natoms;
  }
  expect(end.ncodes >= 0 && end.ncodes <= stop - cursor &&
         end.ncodes * static_cast<std::int64_t>(sizeof(std::int64_t)) == stop - cursor);
  const auto *const codes = reinterpret_cast<const std::int64_t *>(cursor);
  found.codes_with_rows.assign(codes, codes + end.ncodes);
  return begin;
}

/* ---------------------------------------------------------------------- */

void AppendedGhosts::append_extra_swaps(std::vector<AppendedSwap> &swaps) const
{
  for (int receiver : receivers)
    for (const ExtraSwap &swap : sources.at(receiver).extra_swaps())
      swaps.push_back({swap_to(receiver, swap.box_shift), swap.atoms(), 0, 0});

  const int nall = atom->nlocal + atom->nghost;
  for (const auto &[donor, found] : received)
    for (std::size_t n = 0; n < found.first.size(); n++) {
      HaloSwap swap;
      swap.recvproc = donor;
      swaps.push_back({swap, {}, nall + found.first[n], found.natoms[n]});
    }
}

/* ----------------------------------------------------------------------
   of the swaps of the pattern, which are nplan, and of the extra swaps behind
   them; requested ghosts have no row here
------------------------------------------------------------------------- */

void AppendedGhosts::count_rows(int nplan)
{
  HaloExchange &halo = host.halo();
  const std::vector<HaloSwap> &swaps = host.plan().swaps;
  std::vector<int> rows_sent(swaps.size(), 0), rows_received(swaps.size(), 0);
  int next = nplan;
  for (int receiver : receivers) {
    const GhostSources &own = sources.at(receiver);
    for (const auto &one : own.swaps_with_rows()) rows_sent[one.swap] = halo.nsent(one.swap);
    for (const ExtraSwap &swap : own.extra_swaps()) rows_sent[next++] = swap.nrows;
  }
  for (const auto &[donor, found] : received) {
    for (int i = 0; i < nplan; i++)
      for (std::int64_t code : found.codes_with_rows)
        if (swaps[i].recvproc == donor && code_of_received(host.plan(), swaps[i]) == code)
          rows_received[i] = halo.nghosts(i);
    for (int nrows : found.nrows) rows_received[next++] = nrows;
  }
  halo.set_rows(std::move(rows_sent), std::move(rows_received));
}

/* ---------------------------------------------------------------------- */

void AppendedGhosts::unpack_extra_ghosts()
{
  for (const auto &[donor, found] : received)
    for (std::size_t n = 0; n < found.first.size(); n++)
      unpack_as_ghosts(found.natoms[n], found.values[n]);
}
