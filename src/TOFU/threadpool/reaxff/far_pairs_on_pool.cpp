// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "far_pairs_on_pool.h"

#include "atom.h"
#include "neigh_list.h"

#include "base/parts.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void FarPairsOnPool::find_rows(const NeighList *list, const int *elements, const Parts &parts,
                               const Parts &chunks)
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
  selected.resize(all, natoms, parts.n());
  parts.share(all.nrows,
              [&](int part, int first, int last) { selected.fill(part, first, last, from); });

  const PairRows mine = selected.rows();
  reach.resize(chunks.n(), natoms + 1);
  chunks.share(mine.nrows, [&](int chunk, int first, int last) {
    reach.add(chunk, natoms);
    for (int n = first; n < last; n++) {
      const int i = mine.atoms[n];
      reach.add(chunk, i);
      for (int k = 0; k < mine.nneighbors[i]; k++) reach.add(chunk, mine.first[i][k]);
    }
  });
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

PairTally FarPairsOnPool::compute(Tallies wanted, const PairTally &empty, const Parts &parts,
                                  const Parts &chunks)
{
  gather_atoms(parts);
  PairJob job;
  job.kind = ListKind::HALF;
  job.nlocal = atom->nlocal;
  job.list = rows();
  job.atoms = atoms.atoms(0);
  job.tallies = wanted;
  tallies.assign(chunks.n(), empty);
  forces.resize(chunks.n());
  chunks.share(job.list.nrows, [&](int chunk, int first, int last) {
    PairJob mine = job;
    mine.forces.rows = forces.take(reach, chunk);
    PairTally tally = empty;    // not beside those of others, which share cache lines
    far_pairs(*parameters, mine, first, last, tally);
    tallies[chunk] = tally;
  });
  double **const f = atom->f;
  parts.share(reach.nblocks(), [&](int, int first, int last) {
    forces.add_up(reach, first, last, reach.natoms() - 1, [&](int i, const double *force) {
      for (int dim = 0; dim < 3; dim++) f[i][dim] += force[dim];
    });
  });
  forces.give_back();

  PairTally sum;
  for (const PairTally &tally : tallies) sum.add(tally);
  return sum;
}

/* ---------------------------------------------------------------------- */

double FarPairsOnPool::memory_usage() const
{
  return selected.nbytes() + atoms.nbytes() + forces.memory_usage();
}
