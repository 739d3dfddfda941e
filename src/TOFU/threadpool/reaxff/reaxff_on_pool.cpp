// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "reaxff_on_pool.h"

#include "threadpool/pool/rank_pool.h"

#include "atom.h"
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

/* ---------------------------------------------------------------------- */

ReaxFFOnPool::ReaxFFOnPool(LAMMPS *lmp) :
    Pointers(lmp), far_pairs(lmp), rank_pool(RankPool::of(lmp))
{
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::reset()
{
  rank_pool = RankPool::of(lmp);
  searched = LastBuild();
  searched_elements.clear();
}

/* ----------------------------------------------------------------------
   energies and virials of atoms are added to other atoms than those of a chunk: then
   chunks have one thread
------------------------------------------------------------------------- */

static Parts chunks_of(ThreadPool &pool, int natoms, bool one_at_a_time)
{
  const int n = std::max(1, std::min(MOST_CHUNKS, natoms / LEAST_CHUNK));
  if (one_at_a_time)
    return {n, [](int nchunks, const Parts::Work &work) {
              for (int chunk = 0; chunk < nchunks; chunk++) work(chunk);
            }};
  return {n, [&pool](int nchunks, const Parts::Work &work) {
            pool.run(nchunks, work);
          }};
}

/* ---------------------------------------------------------------------- */

ReaxTally ReaxFFOnPool::compute(NeighList *list, const Wanted &wanted)
{
  const bool by_atom = wanted.eatom || wanted.vatom;
  parts = rank_pool->parts();
  chunks = chunks_of(rank_pool->pool(), atom->nlocal, by_atom);
  begin_step(wanted);
  const bool new_list = searched.is_outdated(neighbor) || searched_elements != element_of;
  if (new_list) {
    far_pairs.find_rows(list, wanted.elements, parts,
                        chunks_of(rank_pool->pool(), atom->nlocal, false));
    searched_elements = element_of;
  }
  if (new_list || search.has_moved(system, parts))
    search.find(system, atom->nlocal, some_are_excluded ? list : nullptr, hydrogens, parts);
  searched = LastBuild::of(neighbor);
  find_bonds();
  sum_orders();
  bonded_terms();
  slopes();

  ReaxTally sum = empty;
  for (const ReaxTally &tally : tallies) sum.add(tally);
  PairTally none;
  none.eatom = wanted.eatom;
  none.vatom = wanted.vatom;
  const Tallies tallied = wanted.energy || by_atom ? Tallies::ALL
      : wanted.virial                              ? Tallies::VIRIAL
                                                   : Tallies::NONE;
  const PairTally far = far_pairs.compute(tallied, none, parts, chunks);
  sum.energies[ReaxTally::VDW] += far.evdwl;
  sum.energies[ReaxTally::COULOMB] += far.ecoul;
  for (int k = 0; k < 6; k++) sum.virial[k] += far.virial[k];
  polarization(wanted, sum);
  if (wanted.potential) softness_terms(wanted, sum);
  return sum;
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::begin_step(const Wanted &wanted)
{
  const int natoms = atom->nlocal + atom->nghost;
  element_of.resize(natoms);
  tags.resize(natoms);
  parts.share(natoms, [&](int, int first, int last) {
    for (int i = first; i < last; i++) {
      element_of[i] = wanted.elements[atom->type[i]];
      tags[i] = atom->tag[i];
    }
  });
  system.tables = &tables;
  system.natoms = natoms;
  system.x = natoms ? atom->x[0] : nullptr;
  system.element = element_of.data();
  system.tag = tags.data();

  empty = ReaxTally();
  empty.wants_virial = wanted.virial;
  empty.eatom = wanted.eatom;
  empty.vatom = wanted.vatom;
  tallies.assign(chunks.n(), empty);
  rows.torsion_pushes.resize(MOST_CHUNKS);
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
  raw.resize(parts.n());
  raw_counts.resize(parts.n());
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
  const int nparts = parts.n(), n = last - first;
  parts.share(n, [&](int part, int begin, int end) {
    for (int row = first + begin; row < first + end; row++)
      search.add_ghost(system, rows.atoms[row].atom, part);
  });
  parts.share(n, [&](int part, int begin, int end) {
    std::vector<RawBond> &mine = raw[part];
    std::vector<int> &counts = raw_counts[part];
    mine.clear();
    counts.clear();
    for (int row = first + begin; row < first + end; row++) {
      const int i = rows.atoms[row].atom;
      const BondSearch::Candidates near = search.of(i);
      const std::size_t before = mine.size();
      if (near.n) find_raw_bonds(system, i, near.atoms, near.n, mine);
      counts.push_back(static_cast<int>(mine.size() - before));
    }
  });
  std::vector<std::size_t> place(nparts + 1, nbonds);
  for (int part = 0; part < nparts; part++) place[part + 1] = place[part] + raw[part].size();
  nbonds = place[nparts];
  if (rows.bonds.size() < nbonds) rows.bonds.resize(nbonds + nbonds / 4);
  parts.share(n, [&](int part, int begin, int end) {
    std::size_t b = place[part];
    for (int row = first + begin; row < first + end; row++) {
      rows.atoms[row].first = static_cast<int>(b);
      b += raw_counts[part][row - first - begin];
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
  parts.share(rows.nrows(), [&](int, int first, int last) {
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
  parts.share(rows.ncorrected,
              [&](int, int first, int last) { correct_orders(system, rows, first, last); });
  parts.share(rows.ncorrected,
              [&](int, int first, int last) { TOFU_NS::sum_orders(system, rows, first, last); });
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::bonded_terms()
{
  chunks.share(atom->nlocal, [&](int chunk, int first, int last) {
    ReaxTally mine = empty;    // not beside those of others, which share cache lines
    atom_terms(system, rows, first, last, mine);
    angle_terms(system, rows, first, last, mine);
    torsion_terms(system, rows, chunk, first, last, mine);
    if (!hydrogens.acceptors.empty()) hydrogen_bonds(system, rows, hydrogens, first, last, mine);
    tallies[chunk] = mine;
  });
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::slopes()
{
  const int nrows = rows.nrows();
  double *const f = system.natoms ? atom->f[0] : nullptr;
  parts.share(nrows, [&](int, int first, int last) { gather_derivatives(rows, first, last); });
  parts.share(nrows, [&](int, int first, int last) { sum_raw_derivatives(rows, first, last); });
  chunks.share(nrows, [&](int chunk, int first, int last) {
    ReaxTally mine = tallies[chunk];
    bond_forces(rows, first, last, f, mine);
    tallies[chunk] = mine;
  });
  forces_beyond_rows(rows, f);
  parts.share(static_cast<int>(hydrogens.atoms.size()),
              [&](int, int first, int last) { add_acceptor_forces(hydrogens, first, last, f); });
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
  const PairRows list = far_pairs.rows();
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
  double bytes = bytes_of(element_of) + bytes_of(tags) + bytes_of(searched_elements) +
      bytes_of(rows.atoms) + bytes_of(rows.bonds) + bytes_of(hydrogens.acceptors) +
      bytes_of(hydrogens.entries) + bytes_of(hydrogens.forces) + bytes_of(hydrogens.first) +
      bytes_of(row_of) + search.nbytes() + far_pairs.memory_usage();
  for (const auto &mine : raw) bytes += bytes_of(mine);
  for (const auto &mine : rows.torsion_pushes) bytes += bytes_of(mine);
  return bytes;
}
