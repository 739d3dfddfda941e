// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "reaxff_on_pool.h"

#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "neigh_list.h"
#include "neighbor.h"

#include "kernels/reaxff/angle_terms.h"
#include "kernels/reaxff/atom_terms.h"
#include "kernels/reaxff/bond_slopes.h"
#include "kernels/reaxff/torsion_terms.h"
#include "pool/thread_pool.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// Atoms of a chunk, and chunks at most: fewer atoms would spend their time on sums, more chunks on
// memory

static constexpr int LEAST_CHUNK = 32, MOST_CHUNKS = 16;

// Distance by which candidates may be beyond the reach of bonds

static constexpr double SKIN = 0.5;

/* ---------------------------------------------------------------------- */

ReaxFFOnPool::ReaxFFOnPool(LAMMPS *lmp) : Pointers(lmp), rank_pool(RankPool::of(lmp)) {}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::reset()
{
  rank_pool = RankPool::of(lmp);
  searched = LastBuild();
  searched_elements.clear();
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::for_parts(const std::function<void(int)> &work)
{
  rank_pool->pool().run(rank_pool->nparts(), work);
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::for_chunks(bool one_at_a_time, const std::function<void(int)> &work)
{
  if (one_at_a_time)
    for (int chunk = 0; chunk < nchunks; chunk++) work(chunk);
  else
    rank_pool->pool().run(nchunks, work);
}

/* ----------------------------------------------------------------------
   work(first, last) for shares of rows
------------------------------------------------------------------------- */

template <class Work> void ReaxFFOnPool::share_rows(int n, Work &&work)
{
  const int nparts = rank_pool->nparts();
  for_parts([&](int part) {
    work(begin_of_share(part, nparts, n), begin_of_share(part + 1, nparts, n));
  });
}

/* ----------------------------------------------------------------------
   virials of atoms are added to other atoms than those of a chunk
------------------------------------------------------------------------- */

static bool by_atom(const ReaxFFOnPool::Wanted &wanted)
{
  return wanted.eatom || wanted.vatom;
}

/* ---------------------------------------------------------------------- */

ReaxTally ReaxFFOnPool::compute(NeighList *list, const Wanted &wanted)
{
  begin_step(wanted);
  const bool new_list = searched.is_outdated(neighbor) || searched_elements != element_of;
  if (new_list) find_far_rows(list, wanted.elements);
  if (new_list || has_moved()) search(list);
  searched = LastBuild::of(neighbor);
  find_bonds();
  sum_orders();
  bonded_terms(wanted);
  slopes(wanted);
  far_terms(wanted);

  ReaxTally sum;
  sum.eatom = wanted.eatom;
  sum.vatom = wanted.vatom;
  sum.wants_virial = wanted.virial;
  for (const ReaxTally &tally : tallies) sum.add(tally);
  for (const PairTally &tally : far_tallies) {
    sum.energies[ReaxTally::VDW] += tally.evdwl;
    sum.energies[ReaxTally::COULOMB] += tally.ecoul;
    for (int k = 0; k < 6; k++) sum.virial[k] += tally.virial[k];
  }
  polarization(wanted, sum);
  if (wanted.potential) softness_terms(wanted, sum);
  return sum;
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::begin_step(const Wanted &wanted)
{
  const int nlocal = atom->nlocal, natoms = nlocal + atom->nghost;
  nchunks = std::max(1, std::min(MOST_CHUNKS, nlocal / LEAST_CHUNK));
  element_of.resize(natoms);
  tags.resize(natoms);
  for (int i = 0; i < natoms; i++) {
    element_of[i] = wanted.elements[atom->type[i]];
    tags[i] = atom->tag[i];
  }
  system.tables = &tables;
  system.natoms = natoms;
  system.x = natoms ? atom->x[0] : nullptr;
  system.element = element_of.data();
  system.tag = tags.data();

  ReaxTally empty;
  empty.wants_virial = wanted.virial;
  empty.eatom = wanted.eatom;
  empty.vatom = wanted.vatom;
  tallies.assign(nchunks, empty);
  rows.torsion_pushes.resize(MOST_CHUNKS);
}

/* ---------------------------------------------------------------------- */

bool ReaxFFOnPool::has_moved()
{
  const double limit = 0.25 * skin * skin;
  std::vector<char> moved(rank_pool->nparts(), 0);
  const int nparts = rank_pool->nparts(), natoms = system.natoms;
  for_parts([&](int part) {
    double most = 0.0;
    const int last = begin_of_share(part + 1, nparts, natoms);
    for (int i = begin_of_share(part, nparts, natoms); i < last; i++) {
      double rsq = 0.0;
      for (int dim = 0; dim < 3; dim++) {
        const double d = system.x[3 * static_cast<std::size_t>(i) + dim] -
            searched_x[3 * static_cast<std::size_t>(i) + dim];
        rsq += d * d;
      }
      most = std::max(most, rsq);
    }
    moved[part] = most > limit;
  });
  return std::find(moved.begin(), moved.end(), 1) != moved.end();
}

/* ----------------------------------------------------------------------
   rows of ghosts are looked for when a bond needs them
------------------------------------------------------------------------- */

void ReaxFFOnPool::search(const NeighList *list)
{
  const int nparts = rank_pool->nparts(), natoms = system.natoms, nlocal = atom->nlocal;
  searched_elements = element_of;
  skin = SKIN;
  searched_x.assign(system.x, system.x + 3 * static_cast<std::size_t>(natoms));
  candidates.assign(natoms, Candidates());
  candidate_memory.resize(nparts);
  for (std::vector<int> &memory : candidate_memory) memory.clear();
  raw.resize(nparts);
  raw_counts.resize(nparts);
  if (some_are_excluded) {
    take_candidates(list);
    if (begin_acceptors()) take_acceptors(list);
    return;
  }
  CellGrid::Atoms atoms;
  atoms.x = searched_x.data();
  atoms.natoms = natoms;
  grid.sort(atoms, tables.largest_reach() + skin, rank_pool->parts());
  for_parts([&](int part) {
    std::vector<int> found;
    const int last = begin_of_share(part + 1, nparts, nlocal);
    for (int i = begin_of_share(part, nparts, nlocal); i < last; i++)
      find_candidates(i, part, found);
  });
  if (begin_acceptors()) find_acceptors();
}

/* ----------------------------------------------------------------------
   use(i, j, distance squared) for the pairs of a half list with rows of ghosts
------------------------------------------------------------------------- */

template <class Use>
void ReaxFFOnPool::for_listed_pairs(const NeighList *list, const Use &use) const
{
  for (int n = 0; n < list->inum + list->gnum; n++) {
    const int i = list->ilist[n];
    for (int k = 0; k < list->numneigh[i]; k++) {
      const int j = list->firstneigh[i][k] & NEIGHMASK;
      if (element_of[i] < 0 || element_of[j] < 0) continue;
      const double *const xi = system.x + 3 * static_cast<std::size_t>(i),
                          *const xj = system.x + 3 * static_cast<std::size_t>(j);
      const double d[3] = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
      use(i, j, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
  }
}

/* ----------------------------------------------------------------------
   of all atoms, also of ghosts
------------------------------------------------------------------------- */

void ReaxFFOnPool::take_candidates(const NeighList *list)
{
  std::vector<int> &memory = candidate_memory[0];
  std::vector<std::size_t> next(system.natoms, 0);
  const auto is_near = [&](int i, int j, double rsq) {
    const double reach = tables.pair(element_of[i], element_of[j]).reach + skin;
    return rsq <= reach * reach;
  };
  for_listed_pairs(list, [&](int i, int j, double rsq) {
    if (!is_near(i, j, rsq)) return;
    candidates[i].n++;
    candidates[j].n++;
  });
  std::size_t first = 0;
  for (int i = 0; i < system.natoms; i++) {
    candidates[i].part = 0;
    candidates[i].first = next[i] = first;
    first += candidates[i].n;
  }
  memory.resize(first);
  for_listed_pairs(list, [&](int i, int j, double rsq) {
    if (!is_near(i, j, rsq)) return;
    memory[next[i]++] = j;
    memory[next[j]++] = i;
  });
  for (const Candidates &mine : candidates) {
    const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(mine.first);
    std::sort(begin, begin + mine.n);
  }
}

/* ----------------------------------------------------------------------
   ascending, so that bonds are the same ones in the same order whenever the search
   was made
------------------------------------------------------------------------- */

void ReaxFFOnPool::find_candidates(int i, int part, std::vector<int> &found)
{
  std::vector<int> &memory = candidate_memory[part];
  Candidates &mine = candidates[i];
  mine.part = part;
  mine.first = memory.size();
  mine.n = 0;
  if (element_of[i] < 0) return;
  CellGrid::Doubts doubts;
  const int n = grid.neighbors(i, tables.largest_reach() + skin, false, found, doubts);
  const double *const xi = &searched_x[3 * static_cast<std::size_t>(i)];
  for (int k = 0; k < n; k++) {
    const int j = found[k];
    if (element_of[j] < 0) continue;
    const double *const xj = &searched_x[3 * static_cast<std::size_t>(j)];
    const double dx = xj[0] - xi[0], dy = xj[1] - xi[1], dz = xj[2] - xi[2];
    const double reach = tables.pair(element_of[i], element_of[j]).reach + skin;
    if (dx * dx + dy * dy + dz * dz <= reach * reach) memory.push_back(j);
  }
  mine.n = static_cast<int>(memory.size() - mine.first);
  std::sort(memory.begin() + static_cast<std::ptrdiff_t>(mine.first), memory.end());
}

/* ----------------------------------------------------------------------
   returns whether there may be hydrogen bonds
------------------------------------------------------------------------- */

bool ReaxFFOnPool::begin_acceptors()
{
  const int nlocal = atom->nlocal;
  hydrogens.first.assign(nlocal + 1, 0);
  hydrogens.acceptors.clear();
  hydrogens.atoms.clear();
  hydrogens.first_entry.assign(1, 0);
  hydrogens.entries.clear();
  if (!(tables.hbond_cut > 0.0)) return false;
  return std::any_of(element_of.begin(), element_of.begin() + nlocal, [this](int element) {
    return element >= 0 && tables.elements[element].p_hbond == 1;
  });
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::take_acceptors(const NeighList *list)
{
  const double reach = tables.hbond_cut + skin;
  std::vector<std::vector<int>> found(atom->nlocal);
  const auto add = [&](int i, int j) {
    if (i < atom->nlocal && tables.elements[element_of[i]].p_hbond == 1 &&
        tables.elements[element_of[j]].p_hbond == 2)
      found[i].push_back(j);
  };
  for_listed_pairs(list, [&](int i, int j, double rsq) {
    if (!(rsq <= reach * reach)) return;
    add(i, j);
    add(j, i);
  });
  for (int i = 0; i < atom->nlocal; i++) {
    std::sort(found[i].begin(), found[i].end());
    hydrogens.acceptors.insert(hydrogens.acceptors.end(), found[i].begin(), found[i].end());
    hydrogens.first[i + 1] = static_cast<int>(hydrogens.acceptors.size());
  }
  hydrogens.forces.resize(3 * hydrogens.acceptors.size());
  sort_by_acceptor();
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::find_acceptors()
{
  const int nparts = rank_pool->nparts(), nlocal = atom->nlocal;
  const auto kind = [this](int i) {
    return element_of[i] < 0 ? 0 : tables.elements[element_of[i]].p_hbond;
  };
  const double reach = tables.hbond_cut + skin;
  CellGrid wide;
  CellGrid::Atoms atoms;
  atoms.x = searched_x.data();
  atoms.natoms = system.natoms;
  wide.sort(atoms, reach, rank_pool->parts());
  std::vector<std::vector<int>> found_by(nparts);
  for_parts([&](int part) {
    std::vector<int> found;
    const int last = begin_of_share(part + 1, nparts, nlocal);
    for (int i = begin_of_share(part, nparts, nlocal); i < last; i++) {
      if (kind(i) != 1) continue;
      CellGrid::Doubts doubts;
      const int n = wide.neighbors(i, reach, false, found, doubts);
      std::vector<int> &to = found_by[part];
      const std::size_t before = to.size();
      for (int k = 0; k < n; k++)
        if (kind(found[k]) == 2) to.push_back(found[k]);
      std::sort(to.begin() + static_cast<std::ptrdiff_t>(before), to.end());
      hydrogens.first[i + 1] = static_cast<int>(to.size() - before);
    }
  });
  for (int i = 0; i < nlocal; i++) hydrogens.first[i + 1] += hydrogens.first[i];
  for (const std::vector<int> &mine : found_by)
    hydrogens.acceptors.insert(hydrogens.acceptors.end(), mine.begin(), mine.end());
  hydrogens.forces.resize(3 * hydrogens.acceptors.size());
  sort_by_acceptor();
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::sort_by_acceptor()
{
  std::vector<int> begin(system.natoms + 1, 0);
  for (const int z : hydrogens.acceptors) begin[z + 1]++;
  for (int i = 0; i < system.natoms; i++) {
    if (begin[i + 1]) {
      hydrogens.atoms.push_back(i);
      hydrogens.first_entry.push_back(hydrogens.first_entry.back() + begin[i + 1]);
    }
    begin[i + 1] += begin[i];
  }
  hydrogens.entries.resize(hydrogens.acceptors.size());
  for (std::size_t e = 0; e < hydrogens.acceptors.size(); e++)
    hydrogens.entries[begin[hydrogens.acceptors[e]]++] = static_cast<int>(e);
}

/* ----------------------------------------------------------------------
   owned atoms, ghosts one bond away, ghosts two bonds away
------------------------------------------------------------------------- */

void ReaxFFOnPool::find_bonds()
{
  const int nlocal = atom->nlocal;
  rows.nowned = nlocal;
  rows.atoms.resize(nlocal);
  nbonds = 0;
  row_of.assign(system.natoms, -1);
  for (int i = 0; i < nlocal; i++) {
    rows.atoms[i] = ReaxAtom();
    rows.atoms[i].atom = row_of[i] = i;
    rows.atoms[i].element = element_of[i];
  }
  add_rows(0, nlocal);
  rows.ncorrected = mark_neighbors(0, nlocal);
  add_rows(nlocal, rows.ncorrected);
  const int nrows = mark_neighbors(nlocal, rows.ncorrected);
  add_rows(rows.ncorrected, nrows);
  link_bonds();
}

/* ----------------------------------------------------------------------
   bonds of the rows [first, last), which exist
------------------------------------------------------------------------- */

void ReaxFFOnPool::add_rows(int first, int last)
{
  const int nparts = rank_pool->nparts(), n = last - first;
  const auto begin = [&](int part) {
    return first + begin_of_share(part, nparts, n);
  };
  for_parts([&](int part) {
    std::vector<int> found;
    for (int row = begin(part); row < begin(part + 1); row++)
      if (candidates[rows.atoms[row].atom].part < 0)
        find_candidates(rows.atoms[row].atom, part, found);
  });
  for_parts([&](int part) {    // memory of candidates stays where it is now
    std::vector<RawBond> &mine = raw[part];
    std::vector<int> &counts = raw_counts[part];
    mine.clear();
    counts.clear();
    for (int row = begin(part); row < begin(part + 1); row++) {
      const int i = rows.atoms[row].atom;
      const Candidates &from = candidates[i];
      const std::size_t before = mine.size();
      if (from.n) find_raw_bonds(system, i, &candidate_memory[from.part][from.first], from.n, mine);
      counts.push_back(static_cast<int>(mine.size() - before));
    }
  });
  std::vector<std::size_t> place(nparts + 1, nbonds);
  for (int part = 0; part < nparts; part++) place[part + 1] = place[part] + raw[part].size();
  nbonds = place[nparts];
  if (rows.bonds.size() < nbonds) rows.bonds.resize(nbonds + nbonds / 4);
  for_parts([&](int part) {
    std::size_t b = place[part];
    for (int row = begin(part); row < begin(part + 1); row++) {
      rows.atoms[row].first = static_cast<int>(b);
      b += raw_counts[part][row - begin(part)];
      rows.atoms[row].last = static_cast<int>(b);
    }
    b = place[part];
    for (const RawBond &one : raw[part]) begin_bond(system, one, rows.bonds[b++]);
  });
}

/* ----------------------------------------------------------------------
   rows for the neighbors of the rows [first, last) that have none

   returns: # of rows then
------------------------------------------------------------------------- */

int ReaxFFOnPool::mark_neighbors(int first, int last)
{
  for (int row = first; row < last; row++)
    for (int b = rows.atoms[row].first; b < rows.atoms[row].last; b++) {
      const int j = rows.bonds[b].neighbor;
      if (row_of[j] >= 0) continue;
      row_of[j] = rows.nrows();
      rows.atoms.emplace_back();
      rows.atoms.back().atom = j;
      rows.atoms.back().element = element_of[j];
    }
  return rows.nrows();
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::link_bonds()
{
  share_rows(rows.nrows(), [&](int first, int last) {
    for (int row = first; row < last; row++) {
      const ReaxAtom &i = rows.atoms[row];
      for (int b = i.first; b < i.last; b++) {
        ReaxBond &bond = rows.bonds[b];
        bond.row = row_of[bond.neighbor];
        if (bond.row < 0) continue;
        const ReaxAtom &j = rows.atoms[bond.row];
        for (int m = j.first; m < j.last; m++)
          if (rows.bonds[m].neighbor == i.atom) bond.reverse = m;
      }
    }
    sum_raw_orders(system, rows, first, last);
  });
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::sum_orders()
{
  share_rows(rows.ncorrected,
             [&](int first, int last) { correct_orders(system, rows, first, last); });
  share_rows(rows.ncorrected,
             [&](int first, int last) { TOFU_NS::sum_orders(system, rows, first, last); });
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::bonded_terms(const Wanted &wanted)
{
  const int nlocal = atom->nlocal;
  for_chunks(by_atom(wanted), [&](int chunk) {
    const int first = begin_of_share(chunk, nchunks, nlocal),
              last = begin_of_share(chunk + 1, nchunks, nlocal);
    ReaxTally mine = tallies[chunk];    // not beside those of others, which share cache lines
    atom_terms(system, rows, first, last, mine);
    angle_terms(system, rows, first, last, mine);
    torsion_terms(system, rows, chunk, first, last, mine);
    if (!hydrogens.acceptors.empty()) hydrogen_bonds(system, rows, hydrogens, first, last, mine);
    tallies[chunk] = mine;
  });
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::slopes(const Wanted &wanted)
{
  const int nrows = rows.nrows();
  double *const f = system.natoms ? atom->f[0] : nullptr;
  share_rows(nrows, [&](int first, int last) { gather_derivatives(rows, first, last); });
  share_rows(nrows, [&](int first, int last) { sum_raw_derivatives(rows, first, last); });
  for_chunks(by_atom(wanted), [&](int chunk) {
    ReaxTally mine = tallies[chunk];
    bond_forces(rows, begin_of_share(chunk, nchunks, nrows),
                begin_of_share(chunk + 1, nchunks, nrows), f, mine);
    tallies[chunk] = mine;
  });
  forces_beyond_rows(rows, f);
  share_rows(static_cast<int>(hydrogens.atoms.size()),
             [&](int first, int last) { add_acceptor_forces(hydrogens, first, last, f); });
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::find_far_rows(NeighList *list, const int *elements)
{
  const int nparts = rank_pool->nparts(), natoms = system.natoms;
  const PairRows all{list->inum, list->ilist, list->firstneigh, list->numneigh, nullptr};
  FarAtoms<tagint> atoms;
  atoms.nlocal = atom->nlocal;
  atoms.natoms = natoms;
  atoms.x = system.x;
  atoms.tag = atom->tag;
  atoms.type = atom->type;
  atoms.element = elements;
  far_rows.resize(all, natoms, nparts);
  for_parts([&](int part) {
    far_rows.fill(part, begin_of_share(part, nparts, all.nrows),
                  begin_of_share(part + 1, nparts, all.nrows), atoms);
  });
  const PairRows mine = far_rows.rows();
  far_reach.resize(nchunks, natoms + 1);
  for_chunks(false, [&](int chunk) {
    char *const reached = far_reach.blocks(chunk);
    reached[natoms / PartReach::BLOCK] = 1;
    const int last = begin_of_share(chunk + 1, nchunks, mine.nrows);
    for (int n = begin_of_share(chunk, nchunks, mine.nrows); n < last; n++) {
      const int i = mine.atoms[n];
      reached[i / PartReach::BLOCK] = 1;
      for (int k = 0; k < mine.nneighbors[i]; k++) reached[mine.first[i][k] / PartReach::BLOCK] = 1;
    }
  });
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::far_terms(const Wanted &wanted)
{
  const int nparts = rank_pool->nparts(), natoms = system.natoms;
  AtomsToGather from;
  from.natoms = natoms;
  from.x = system.x;
  from.type = atom->type;
  from.fourth = atom->q;
  far_atoms.renew(from, 1);
  far_atoms.begin(0);
  for_parts([&](int part) {
    far_atoms.fill(0, begin_of_share(part, nparts, natoms, GRAIN),
                   begin_of_share(part + 1, nparts, natoms, GRAIN));
  });
  far_atoms.end(0);

  PairJob job;
  job.kind = ListKind::HALF;
  job.nlocal = atom->nlocal;
  job.list = far_rows.rows();
  job.atoms = far_atoms.atoms(0);
  job.tallies = wanted.energy || by_atom(wanted) ? Tallies::ALL
      : wanted.virial                            ? Tallies::VIRIAL
                                                 : Tallies::NONE;
  PairTally empty;
  empty.eatom = wanted.eatom;
  empty.vatom = wanted.vatom;
  far_tallies.assign(nchunks, empty);
  far_forces.resize(nchunks);
  for_chunks(by_atom(wanted), [&](int chunk) {
    PairJob mine = job;
    mine.forces.rows = far_forces.take(far_reach, chunk);
    PairTally tally = empty;
    far_pairs(*far_parameters, mine, begin_of_share(chunk, nchunks, job.list.nrows),
              begin_of_share(chunk + 1, nchunks, job.list.nrows), tally);
    far_tallies[chunk] = tally;
  });
  double **const f = atom->f;
  const int nblocks = far_reach.nblocks();
  for_parts([&](int part) {
    far_forces.add_up(far_reach, begin_of_share(part, nparts, nblocks),
                      begin_of_share(part + 1, nparts, nblocks), natoms,
                      [&](int i, const double *force) {
                        for (int dim = 0; dim < 3; dim++) f[i][dim] += force[dim];
                      });
  });
  far_forces.give_back();
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::polarization(const Wanted &wanted, ReaxTally &sum) const
{
  if (!wanted.energy && !wanted.eatom) return;
  for (int i = 0; i < atom->nlocal; i++) {
    if (element_of[i] < 0) continue;
    const ReaxTables::Element &element = tables.elements[element_of[i]];
    const double q = atom->q[i];
    double energy = ReaxTables::EV * (element.chi * q + 0.5 * element.eta * q * q);
    if (wanted.potential) energy += ReaxTables::EV * q * wanted.potential[i];
    sum.energies[ReaxTally::POLARIZATION] += energy;
    sum.give(energy, i);
  }
}

/* ----------------------------------------------------------------------
   ACKS2: bonds let charge flow by differences of the potential u
------------------------------------------------------------------------- */

void ReaxFFOnPool::softness_terms(const Wanted &wanted, ReaxTally &sum) const
{
  const PairRows list = far_rows.rows();
  const double strength = tables.general[34];
  for (int n = 0; n < list.nrows; n++) {
    const int i = list.atoms[n];
    for (int k = 0; k < list.nneighbors[i]; k++) {
      const int j = list.first[i][k];
      double d[3], rsq = 0.0;
      for (int dim = 0; dim < 3; dim++) {
        d[dim] = atom->x[j][dim] - atom->x[i][dim];
        rsq += d[dim] * d[dim];
      }
      const double cut = 0.5 *
          (tables.elements[element_of[i]].softness_reach +
           tables.elements[element_of[j]].softness_reach);
      if (!(rsq <= cut * cut)) continue;
      const double r = std::sqrt(rsq), x = r / cut, rest = 1.0 - x;
      const double to5 = rest * rest * rest * rest * rest;
      const double softness = strength * x * x * x * to5 * rest;
      if (!(softness > 0.0)) continue;
      const double off = wanted.potential[i] - wanted.potential[j];
      const double energy = -0.5 * ReaxTables::EV * softness * off * off;
      const double slope = -0.5 * ReaxTables::EV * off * off * strength * 3.0 / cut * x * x * to5 *
          (1.0 - 3.0 * x) / r;
      double on_j[3], v[6] = {};
      for (int dim = 0; dim < 3; dim++) {
        on_j[dim] = -slope * d[dim];
        atom->f[i][dim] -= on_j[dim];
        atom->f[j][dim] += on_j[dim];
      }
      sum.energies[ReaxTally::COULOMB] += energy;
      sum.share(energy, i, j);
      if (!sum.wants_virial) continue;
      ReaxTally::add_force(v, on_j, d);
      const int atoms[2] = {i, j};
      sum.add_virial(v, atoms, 2);
    }
  }
}

/* ---------------------------------------------------------------------- */

template <class T> static double bytes_of(const std::vector<T> &array)
{
  return static_cast<double>(array.capacity() * sizeof(T));
}

/* ---------------------------------------------------------------------- */

double ReaxFFOnPool::memory_usage() const
{
  double bytes = bytes_of(element_of) + bytes_of(tags) + bytes_of(rows.atoms) +
      bytes_of(rows.bonds) + bytes_of(hydrogens.acceptors) + bytes_of(hydrogens.entries) +
      bytes_of(hydrogens.forces) + bytes_of(hydrogens.first) + bytes_of(candidates) +
      bytes_of(searched_x) + bytes_of(searched_elements) + bytes_of(row_of) + grid.nbytes() +
      far_rows.nbytes() + far_atoms.nbytes() + far_forces.memory_usage();
  for (const auto &memory : candidate_memory) bytes += bytes_of(memory);
  for (const auto &mine : raw) bytes += bytes_of(mine);
  for (const auto &mine : rows.torsion_pushes) bytes += bytes_of(mine);
  return bytes;
}
