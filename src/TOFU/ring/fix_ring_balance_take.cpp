/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Receiver: ghosts that a rank lacks, and rows that it gets or makes.

#include "fix_ring_balance.h"

#include "fix_ring_balance-impl.h"
#include "halo/ghost_sources.h"
#include "p2p/appended_ghosts.h"
#include "threadpool/lists/npair_threadpool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "neigh_list.h"
#include "pair.h"

#include <algorithm>
#include <stdexcept>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// positions travel as floats; images of an atom are a box length apart

static constexpr double SAME_PLACE = 0.25;

/* ---------------------------------------------------------------------- */

void FixRingBalance::unpack_transfers(AppendedGhosts::Received &ghosts)
{
  impl->taking.tables.clear();
  impl->taking.donors.clear();
  if (impl->begun)
    read_transfers(impl->taking.regions, ghosts);
  else
    read_transfers(impl->taking.received, ghosts);
}

/* ---------------------------------------------------------------------- */

template <class Received>
void FixRingBalance::read_transfers(std::vector<Received> &transfers,
                                    AppendedGhosts::Received &ghosts)
{
  std::size_t n = 0;
  for (const auto &[donor, bytes] : impl->taking.in) {
    const std::size_t end = ghosts.read(donor, bytes);
    for (std::size_t cursor = 0; cursor < end;) {
      if (n == transfers.size()) transfers.emplace_back();
      try {
        transfers[n++].read(bytes.data(), end, cursor);
      } catch (std::runtime_error &failure) {
        error->one(FLERR, "Fix ring/balance: rows from rank {} at rank {}: {}", donor, comm->me,
                   failure.what());
      }
      impl->taking.donors.push_back(donor);
    }
  }
  transfers.resize(n);
  for (const Received &transfer : transfers) impl->taking.tables.push_back(&transfer);
}

/* ----------------------------------------------------------------------
   atoms that rows name and this rank does not have
------------------------------------------------------------------------- */

void FixRingBalance::get_ghosts(AppendedGhosts::Received &ghosts)
{
  const int nall = atom->nlocal + atom->nghost;
  double shortest = domain->zprd;    // distance between images
  if (domain->dimension == 2 || !domain->zperiodic) shortest = domain->prd[0];
  for (int dim = 0; dim < 3; dim++)
    if (domain->periodicity[dim]) shortest = std::min(shortest, domain->prd[dim]);
  KnownSources &sources = impl->taking.known;
  int current = -1;
  const int *first_extra = nullptr;
  const auto known = [&](int transfer, const AtomSource &source) {
    if (transfer != current) {
      const int donor = impl->taking.donors[transfer];
      ghosts.know_sources(donor, impl->taking.tables[transfer]->boxes(), sources);
      first_extra = ghosts.first_extra_ghosts(donor);
      current = transfer;
    }
    if (source.code <= GhostSources::EXTRA)
      return ~(first_extra[GhostSources::EXTRA - source.code] + source.place);
    const int i = sources.find(source.rank, source.code, source.place);
    return i < 0 ? AtomMatcher::UNKNOWN : i;
  };
  impl->taking.matcher.match(impl->taking.tables, nall, atom->tag, nall ? atom->x[0] : nullptr,
                             SAME_PLACE * shortest, known, ghosts.nextra(), impl->taking.local);

  std::vector<GhostWish> wishes;
  for (const WantedAtom &wanted : impl->taking.matcher.wanted()) {
    const AtomSource &source = wanted.atom.source;
    wishes.push_back({source.rank, impl->taking.donors[wanted.transfer], source.code, source.place,
                      wanted.boxes});
  }
  std::map<int, int> donors;    // by asker
  for (const Transfer &transfer : impl->transfers)
    if (!donors.insert({transfer.to, transfer.from}).second) donors[transfer.to] = -1;
  std::vector<AppendedGhosts::Asker> askers;
  for (const auto &[asker, donor] : donors) askers.push_back({asker, donor});

  impl->taking.matcher.put_in(std::move(ghosts).append(wishes, askers), impl->taking.local);
  impl->counts.extra_ghosts = ghosts.nextra() + static_cast<std::int64_t>(wishes.size());
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::install_lists()
{
  const int nall = atom->nlocal + atom->nghost;
  for (Impl::Rows &rows : impl->lists) rows.own->take(*rows.stock, impl->giving.given, nall);
  if (impl->begun)
    make_received_rows();
  else
    add_received_rows();
  for (Impl::Rows &rows : impl->lists) {
    rows.own->publish();
    rows.pair->init_list(0, rows.own.get());
  }
  impl->counts.computed = impl->counts.owned - impl->counts.given + impl->counts.received;
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::add_received_rows()
{
  std::vector<char> received(atom->nlocal + atom->nghost, 0);
  for (std::size_t p = 0; p < impl->taking.received.size(); p++) {
    ReceivedTransfer &transfer = impl->taking.received[p];
    transfer.make_rows(impl->taking.local[p]);
    for (std::size_t m = 0; m < impl->lists.size(); m++) {
      const ReceivedRows rows = transfer.rows(static_cast<int>(m));
      int *row = rows.entries;
      for (int k = 0; k < rows.nrows; k++) {
        impl->lists[m].own->add(rows.atoms[k], rows.numneigh[k], row);
        row += rows.numneigh[k];
        received[rows.atoms[k]] = 1;
      }
    }
  }
  impl->counts.received = std::count(received.begin(), received.end(), 1);
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::make_received_rows()
{
  for (Impl::Rows &rows : impl->lists) {
    if (rows.build->lacks_rows() != (impl->counts.given > 0))
      error->one(
          FLERR,
          "Fix ring/balance at rank {}: neighbor lists were built twice, or not at all, after "
          "atoms had been handed over, by a fix or command; use mode forward",
          comm->me);
    rows.build->extend_rows(rows.stock);
    rows.build->reset_received();
    for (std::size_t p = 0; p < impl->taking.regions.size(); p++)
      rows.build->add_received(impl->taking.regions[p], impl->taking.local[p], *rows.own);
    rows.own->nspecial = rows.build->nspecial();
  }
  impl->counts.received = 0;
  for (const ReceivedRegion &region : impl->taking.regions)
    impl->counts.received += region.ngiven();
}
