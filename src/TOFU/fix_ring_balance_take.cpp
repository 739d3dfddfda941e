/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// What a rank gets: ghosts that it lacks, and rows, which it is sent or makes.

#include "fix_ring_balance.h"

#include "comm_p2p_rdma.h"
#include "fix_ring_balance_engine.h"
#include "halo/ghost_sources.h"
#include "npair_threadpool.h"

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

void FixRingBalance::unpack_gifts()
{
  engine->tables.clear();
  engine->donors.clear();
  if (engine->begun)
    read_parcels(engine->regions);
  else
    read_parcels(engine->parcels);
}

/* ---------------------------------------------------------------------- */

template <class Parcel> void FixRingBalance::read_parcels(std::vector<Parcel> &parcels)
{
  std::size_t n = 0;
  for (const auto &[donor, bytes] : engine->in) {
    const std::size_t end = CommP2PRDMA::find(comm)->find_shipments(donor, bytes);
    for (std::size_t cursor = 0; cursor < end;) {
      if (n == parcels.size()) parcels.emplace_back();
      try {
        parcels[n++].read(bytes.data(), end, cursor);
      } catch (std::runtime_error &failure) {
        error->one(FLERR, "Fix ring_balance: rows from rank {} at rank {}: {}", donor, comm->me,
                   failure.what());
      }
      engine->donors.push_back(donor);
    }
  }
  parcels.resize(n);
  for (const Parcel &parcel : parcels) engine->tables.push_back(&parcel);
}

/* ----------------------------------------------------------------------
   what rows name and this rank does not have
------------------------------------------------------------------------- */

void FixRingBalance::get_ghosts()
{
  const int nall = atom->nlocal + atom->nghost;
  double shortest = domain->zprd;    // distance between images
  if (domain->dimension == 2 || !domain->zperiodic) shortest = domain->prd[0];
  for (int dim = 0; dim < 3; dim++)
    if (domain->periodicity[dim]) shortest = std::min(shortest, domain->prd[dim]);
  CommP2PRDMA *const p2p = CommP2PRDMA::find(comm);
  KnownSources &sources = engine->known;
  int current = -1;
  const int *shipped = nullptr;
  const auto known = [&](int parcel, const AtomSource &source) {
    if (parcel != current) {
      const int donor = engine->donors[parcel];
      p2p->know_sources(donor, engine->tables[parcel]->boxes(), sources);
      shipped = p2p->shipped_ghosts(donor);
      current = parcel;
    }
    if (source.code <= GhostSources::SHIPPED)
      return ~(shipped[GhostSources::SHIPPED - source.code] + source.place);
    const int i = sources.find(source.rank, source.code, source.place);
    return i < 0 ? AtomMatcher::UNKNOWN : i;
  };
  engine->matcher.match(engine->tables, nall, atom->tag, nall ? atom->x[0] : nullptr,
                        SAME_PLACE * shortest, known, p2p->nshipped(), engine->local);

  std::vector<GhostWish> wishes;
  for (const WantedAtom &wanted : engine->matcher.wanted()) {
    const AtomSource &source = wanted.atom.source;
    wishes.push_back(
        {source.rank, engine->donors[wanted.parcel], source.code, source.place, wanted.boxes});
  }
  std::map<int, int> donors;    // by asker
  for (const Transfer &transfer : engine->transfers)
    if (!donors.insert({transfer.to, transfer.from}).second) donors[transfer.to] = -1;
  std::vector<CommP2PRDMA::GhostAsker> askers;
  for (const auto &[asker, donor] : donors) askers.push_back({asker, donor});

  engine->matcher.put_in(p2p->append_ghosts(wishes, askers), engine->local);
  engine->counts.extra_ghosts = p2p->nshipped() + static_cast<std::int64_t>(wishes.size());
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::install_lists()
{
  const int nall = atom->nlocal + atom->nghost;
  for (Engine::Rows &rows : engine->lists) rows.own->take(*rows.stock, engine->given, nall);
  if (engine->begun)
    make_received_rows();
  else
    add_received_rows();
  for (Engine::Rows &rows : engine->lists) {
    rows.own->publish();
    rows.pair->init_list(0, rows.own.get());
  }
  engine->counts.computed = engine->counts.owned - engine->counts.given + engine->counts.received;
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::add_received_rows()
{
  std::vector<char> received(atom->nlocal + atom->nghost, 0);
  for (std::size_t p = 0; p < engine->parcels.size(); p++) {
    ReceivedParcel &parcel = engine->parcels[p];
    parcel.make_rows(engine->local[p]);
    for (std::size_t m = 0; m < engine->lists.size(); m++) {
      const ReceivedRows rows = parcel.rows(static_cast<int>(m));
      int *row = rows.entries;
      for (int k = 0; k < rows.nrows; k++) {
        engine->lists[m].own->add(rows.atoms[k], rows.numneigh[k], row);
        row += rows.numneigh[k];
        received[rows.atoms[k]] = 1;
      }
    }
  }
  engine->counts.received = std::count(received.begin(), received.end(), 1);
}

/* ---------------------------------------------------------------------- */

void FixRingBalance::make_received_rows()
{
  for (Engine::Rows &rows : engine->lists) {
    if (rows.build->lacks_rows() != (engine->counts.given > 0))
      error->one(
          FLERR,
          "Fix ring_balance at rank {}: neighbor lists were built twice, or not at all, after "
          "atoms had been handed over; use mode forward with what did it",
          comm->me);
    rows.build->extend_rows(rows.stock);
    rows.build->reset_received();
    for (std::size_t p = 0; p < engine->regions.size(); p++)
      rows.build->add_received(engine->regions[p], engine->local[p], *rows.own);
    rows.own->nspecial = rows.build->nspecial();
  }
  engine->counts.received = 0;
  for (const ReceivedRegion &region : engine->regions) engine->counts.received += region.ngiven();
}
