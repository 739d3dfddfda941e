// SPDX-License-Identifier: GPL-2.0-only

#include "ring_statistics.h"

#include "atom.h"
#include "atom_vec.h"
#include "comm.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void RingStatistics::init()
{
  counts = RowCounts();
  gathered = false;
  nas_atoms = nas_rows = 0;
}

/* ---------------------------------------------------------------------- */

void RingStatistics::gather()
{
  if (gathered) return;
  gathered = true;
  of_ranks.resize(comm->nprocs);
  static_assert(sizeof(RowCounts) == RowCounts::N * sizeof(std::int64_t), "gathered as numbers");
  MPI_Allgather(&counts, RowCounts::N, MPI_INT64_T, of_ranks.data(), RowCounts::N, MPI_INT64_T,
                world);
}

/* ---------------------------------------------------------------------- */

double RingStatistics::vector(int n)
{
  gather();
  const RowSummary summary = summarize(of_ranks);
  const AtomVec *avec = atom->avec;
  switch (n) {
    case 0:
      return summary.imbalance_owned;
    case 1:
      return summary.imbalance_computed;
    case 2:
      return summary.given;
    case 3:
      return summary.extra_ghosts;
    default:
      return summary.extra_ghosts * (avec->size_forward + avec->size_reverse) * sizeof(double);
  }
}

/* ---------------------------------------------------------------------- */

double RingStatistics::array(int rank, int column)
{
  gather();
  return static_cast<double>(of_ranks[rank].columns()[column]);
}

/* ---------------------------------------------------------------------- */

void RingStatistics::print(bigint nplans)
{
  gather();
  const RowSummary summary = summarize(of_ranks);
  if (comm->me == 0)
    utils::logmesg(
        lmp,
        "TOFU ring_balance: rows max/average {:.3f} -> {:.3f}, {:.0f} atoms handed over, "
        "{:.0f} extra ghosts; {} decisions, handed over {} times as atoms, {} times as rows\n",
        summary.imbalance_owned, summary.imbalance_computed, summary.given, summary.extra_ghosts,
        nplans, nas_atoms, nas_rows);
}
