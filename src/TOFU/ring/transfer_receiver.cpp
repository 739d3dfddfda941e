// SPDX-License-Identifier: GPL-2.0-only

#include "transfer_receiver.h"

#include "row_lists.h"

#include "threadpool/lists/npair_threadpool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// tolerance of positions in messages, which are floats, as a part of the distance between two
// images of an atom

static constexpr double SAME_PLACE = 0.25;

/* ---------------------------------------------------------------------- */

void TransferReceiver::clear()
{
  received.clear();
  regions.clear();
}

/* ---------------------------------------------------------------------- */

std::int64_t TransferReceiver::receive(const std::vector<Transfer> &transfers, bool as_atoms)
{
  AppendedGhosts::Received ghosts = std::move(*sent).receive();
  tables.clear();
  donors.clear();
  if (as_atoms)
    read_transfers(regions, ghosts);
  else
    read_transfers(received, ghosts);
  match_atoms(ghosts);

  std::vector<GhostRequest> requests;
  for (const MissingAtom &missing : matcher.missing()) {
    const AtomSource &source = missing.atom.source;
    requests.push_back(
        {source.rank, donors[missing.transfer], source.code, source.place, missing.box_shift});
  }
  std::map<int, int> donor_of;    // [receiver] the only one, or -1
  for (const Transfer &transfer : transfers)
    if (!donor_of.insert({transfer.to, transfer.from}).second) donor_of[transfer.to] = -1;
  std::vector<AppendedGhosts::Requester> requesters;
  for (const auto &[requester, donor] : donor_of) requesters.push_back({requester, donor});

  const auto nextra = static_cast<std::int64_t>(ghosts.nextra() + requests.size());
  matcher.set_missing(std::move(ghosts).append(requests, requesters), local);
  return nextra;
}

/* ---------------------------------------------------------------------- */

template <class Received>
void TransferReceiver::read_transfers(std::vector<Received> &transfers,
                                      AppendedGhosts::Received &ghosts)
{
  std::size_t n = 0;
  for (const auto &[donor, bytes] : in) {
    const std::size_t end = ghosts.read(donor, bytes);
    for (std::size_t cursor = 0; cursor < end;) {
      if (n == transfers.size()) transfers.emplace_back();
      try {
        transfers[n++].read(bytes.data(), end, cursor);
      } catch (std::runtime_error &failure) {
        error->one(FLERR, "Fix ring/balance: rows from rank {} at rank {}: {}", donor, comm->me,
                   failure.what());
      }
      donors.push_back(donor);
    }
  }
  transfers.resize(n);
  for (const Received &transfer : transfers) tables.push_back(&transfer);
}

/* ----------------------------------------------------------------------
   identify the atoms of transfers among owned atoms, ghosts, and the ghosts that
   came with the rows
------------------------------------------------------------------------- */

void TransferReceiver::match_atoms(AppendedGhosts::Received &ghosts)
{
  const int nall = atom->nlocal + atom->nghost;
  double shortest = domain->zprd;    // distance between images
  if (domain->dimension == 2 || !domain->zperiodic) shortest = domain->prd[0];
  for (int dim = 0; dim < 3; dim++)
    if (domain->periodicity[dim]) shortest = std::min(shortest, domain->prd[dim]);
  int current = -1;
  const int *first_extra = nullptr;
  const auto index_of = [&](int transfer, const AtomSource &source) {
    if (transfer != current) {
      const int donor = donors[transfer];
      ghosts.begin_sources(donor, tables[transfer]->box_shift(), known_sources);
      first_extra = ghosts.first_extra_ghosts(donor);
      current = transfer;
    }
    if (source.code <= GhostSources::EXTRA)
      return ~(first_extra[GhostSources::EXTRA - source.code] + source.place);
    const int i = known_sources.find(source.rank, source.code, source.place);
    return i < 0 ? AtomMatcher::UNKNOWN : i;
  };
  matcher.match(tables, nall, atom->tag, nall ? atom->x[0] : nullptr, SAME_PLACE * shortest,
                index_of, ghosts.nextra(), local);
}

/* ---------------------------------------------------------------------- */

std::int64_t TransferReceiver::add_rows(const RowLists &lists)
{
  std::vector<char> has_row(atom->nlocal + atom->nghost, 0);
  for (std::size_t p = 0; p < received.size(); p++) {
    ReceivedTransfer &transfer = received[p];
    transfer.make_rows(local[p]);
    for (std::size_t m = 0; m < lists.lists().size(); m++) {
      const ReceivedRows rows = transfer.rows(static_cast<int>(m));
      int *row = rows.entries;
      for (int k = 0; k < rows.nrows; k++) {
        lists.lists()[m].own->add(rows.atoms[k], rows.numneigh[k], row);
        row += rows.numneigh[k];
        has_row[rows.atoms[k]] = 1;
      }
    }
  }
  return std::count(has_row.begin(), has_row.end(), 1);
}

/* ---------------------------------------------------------------------- */

std::int64_t TransferReceiver::build_rows(const RowLists &lists, bool gives)
{
  for (const RowLists::List &list : lists.lists()) {
    if (list.builder->lacks_rows() != gives)
      error->one(
          FLERR,
          "Fix ring/balance at rank {}: neighbor lists were built twice, or not at all, after "
          "atoms had been handed over, by a fix or command; use mode forward",
          comm->me);
    list.builder->extend_rows(list.stock);
    list.builder->rows_for_donors().reset();
    for (std::size_t p = 0; p < regions.size(); p++)
      list.builder->rows_for_donors().add(regions[p], local[p], *list.own);
    list.own->nspecial = list.builder->nspecial();
  }
  std::int64_t nreceived = 0;
  for (const ReceivedRegion &region : regions) nreceived += region.ngiven();
  return nreceived;
}

/* ---------------------------------------------------------------------- */

double TransferReceiver::memory_usage() const
{
  double bytes = 0.0;
  for (const ReceivedRegion &region : regions)
    bytes += static_cast<double>(region.natoms() * (sizeof(TableAtom) + 3 * sizeof(double)));
  for (const auto &message : in) bytes += static_cast<double>(message.second.capacity());
  return bytes;
}
