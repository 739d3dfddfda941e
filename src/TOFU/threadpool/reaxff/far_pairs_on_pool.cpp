// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "far_pairs_on_pool.h"

#include "atom.h"
#include "neigh_list.h"

#include "base/parts.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void FarPairsOnPool::find_rows(const NeighList *list, const int *elements, int nchunks,
                               const Parts &parts)
{
  const int natoms = atom->nlocal + atom->nghost;
  const PairRows all{list->inum, list->ilist, list->firstneigh, list->numneigh, nullptr};
  FarAtoms<tagint> from;
  from.nlocal = atom->nlocal;
  from.natoms = natoms;
  from.x = natoms ? atom->x[0] : nullptr;
  from.tag = atom->tag;
  from.type = atom->type;
  from.element = elements;
  selected.resize(all, atom->nlocal, parts.n());
  parts.share(all.nrows,
              [&](int part, int first, int last) { selected.fill(part, first, last, from); });

  deal_rows(nchunks);
  const PairRows mine = selected.rows();
  forces.reach.resize(nchunks, natoms + 1);
  parts.share(nchunks, [&](int, int begin, int end) {
    for (int chunk = begin; chunk < end; chunk++) {
      forces.reach.add(chunk, natoms);
      for (int n = first_row[chunk]; n < first_row[chunk + 1]; n++) {
        const int i = mine.atoms[n];
        forces.reach.add(chunk, i);
        for (int k = 0; k < mine.nneighbors[i]; k++) forces.reach.add(chunk, mine.first[i][k]);
      }
    }
  });
}

/* ----------------------------------------------------------------------
   rows of a half list that come first have more entries than others
------------------------------------------------------------------------- */

void FarPairsOnPool::deal_rows(int nchunks)
{
  constexpr long long OF_A_ROW = 8;    // entries that take as long as the rest of its work
  const PairRows mine = selected.rows();
  long long total = 0, before = 0;
  for (int n = 0; n < mine.nrows; n++) total += mine.nneighbors[mine.atoms[n]] + OF_A_ROW;
  first_row.assign(nchunks + 1, mine.nrows);
  int chunk = 0;
  for (int n = 0; n < mine.nrows; n++) {
    while (chunk < nchunks && before * nchunks >= total * chunk) first_row[chunk++] = n;
    before += mine.nneighbors[mine.atoms[n]] + OF_A_ROW;
  }
}

/* ---------------------------------------------------------------------- */

void FarPairsOnPool::gather_atoms(const Parts &parts)
{
  const int natoms = atom->nlocal + atom->nghost, nparts = parts.n();
  AtomsToGather from;
  from.natoms = natoms;
  from.x = natoms ? atom->x[0] : nullptr;
  from.type = atom->type;
  from.fourth = atom->q;
  atoms.renew(from, 1);
  atoms.begin(0);
  parts.run([&](int part) {
    atoms.fill(0, begin_of_share(part, nparts, natoms, GRAIN),
               begin_of_share(part + 1, nparts, natoms, GRAIN));
  });
  atoms.end(0);
}

/* ---------------------------------------------------------------------- */

PairTally FarPairsOnPool::compute(Tallies wanted, const PairTally &empty, const Beside &beside,
                                  const Parts &parts)
{
  gather_atoms(parts);
  PairJob job;
  job.kind = ListKind::HALF;
  job.nlocal = atom->nlocal;
  job.list = rows();
  job.atoms = atoms.atoms(0);
  job.tallies = wanted;
  tallies.assign(forces.reach.nparts(), empty);
  forces.run(parts, atom->nlocal + atom->nghost ? atom->f[0] : nullptr,
             [&](int chunk, double *changed) {
               beside(chunk, changed);
               PairJob mine = job;
               mine.forces.rows = changed;
               PairTally tally = empty;    // not beside those of others, which share cache lines
               far_pairs(*parameters, mine, first_row[chunk], first_row[chunk + 1], tally);
               tallies[chunk] = tally;
             });
  PairTally sum;
  for (const PairTally &tally : tallies) sum.add(tally);
  return sum;
}

/* ---------------------------------------------------------------------- */

double FarPairsOnPool::memory_usage() const
{
  return selected.nbytes() + atoms.nbytes() + forces.nbytes();
}
