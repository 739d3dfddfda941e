// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "reaxff_on_pool.h"

#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "neighbor.h"

#include "base/tight_vector.h"
#include "kernels/reaxff/angle_terms.h"
#include "kernels/reaxff/atom_terms.h"
#include "kernels/reaxff/bond_slopes.h"
#include "kernels/reaxff/torsion_terms.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// Atoms of a chunk, and chunks at most: with fewer, sums would take their time.  Many numbers of
// threads divide multiples of GROUP

static constexpr int LEAST_CHUNK = 32, MOST_CHUNKS = 24, GROUP = 4;

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

/* ---------------------------------------------------------------------- */

static int count_chunks(int natoms)
{
  const int n = std::max(1, std::min(MOST_CHUNKS, natoms / LEAST_CHUNK));
  return n > GROUP ? n - n % GROUP : n;
}

/* ----------------------------------------------------------------------
   work(chunk, first, last) for each chunk's share of the numbers 0 to n-1
------------------------------------------------------------------------- */

template <class Work>
static void share_by_chunks(const Parts &parts, int nchunks, int n, const Work &work)
{
  parts.share(nchunks, [&](int, int begin, int end) {
    for (int chunk = begin; chunk < end; chunk++)
      work(chunk, begin_of_share(chunk, nchunks, n), begin_of_share(chunk + 1, nchunks, n));
  });
}

/* ---------------------------------------------------------------------- */

ReaxTally ReaxFFOnPool::compute(NeighList *list, const Wanted &wanted)
{
  begin_step(wanted);
  find_lists(list, wanted);
  find_bonds();
  sum_orders();
  ReaxTally sum = empty;
  add_terms(wanted, sum);
  slopes();
  for (const ReaxTally &tally : tallies) sum.add(tally);
  polarization(wanted, sum);
  if (wanted.potential) softness_terms(wanted, sum);
  return sum;
}

/* ----------------------------------------------------------------------
   energies and virials of atoms are added to other atoms than those of a chunk: then
   one thread computes all chunks
------------------------------------------------------------------------- */

void ReaxFFOnPool::begin_step(const Wanted &wanted)
{
  const int nlocal = atom->nlocal, natoms = nlocal + atom->nghost;
  parts = rank_pool->parts();
  chunk_parts = wanted.eatom || wanted.vatom ? Parts() : parts;
  nchunks = count_chunks(nlocal);
  resize_tightly(element_of, natoms);
  resize_tightly(tags, natoms);
  resize_tightly(row_of, natoms);
  parts.share(natoms, [&](int, int first, int last) {
    for (int i = first; i < last; i++) {
      element_of[i] = wanted.elements[atom->type[i]];
      tags[i] = atom->tag[i];
      row_of[i] = i < nlocal ? i : -1;
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
  tallies.assign(nchunks, empty);
  rows.torsion_pushes.resize(MOST_CHUNKS);
}

/* ----------------------------------------------------------------------
   far pairs, candidates for bonds, and acceptors that chunks of hydrogens reach
------------------------------------------------------------------------- */

void ReaxFFOnPool::find_lists(NeighList *list, const Wanted &wanted)
{
  const bool is_new = searched.is_outdated(neighbor) || searched_elements != element_of;
  if (is_new) {
    far_pairs.find_rows(list, wanted.elements, nchunks, parts);
    searched_elements = element_of;
  }
  if (is_new || search.has_moved(system, parts)) {
    search.find(system, atom->nlocal, some_are_excluded ? list : nullptr, hydrogens, parts);
    if (!hydrogens.acceptors.empty())
      share_by_chunks(parts, nchunks, atom->nlocal, [&](int chunk, int first, int last) {
        for (int e = hydrogens.first[first]; e < hydrogens.first[last]; e++)
          far_pairs.reaches(chunk, hydrogens.acceptors[e]);
      });
  }
  searched = LastBuild::of(neighbor);
}

/* ----------------------------------------------------------------------
   owned atoms, ghosts one bond away, ghosts two bonds away
------------------------------------------------------------------------- */

void ReaxFFOnPool::find_bonds()
{
  const int nlocal = atom->nlocal;
  rows.nowned = nlocal;
  resize_tightly(rows.atoms, nlocal);
  nbonds = 0;
  ghosts_of_part.resize(parts.n());
  parts.share(nlocal, [&](int, int first, int last) {
    for (int i = first; i < last; i++) {
      rows.atoms[i] = ReaxAtom();
      rows.atoms[i].atom = i;
      rows.atoms[i].element = element_of[i];
    }
  });
  add_rows(0, nlocal);
  rows.ncorrected = add_rows_of_ghosts();
  add_rows(nlocal, rows.ncorrected);
  const int nrows = add_rows_of_ghosts();
  add_rows(rows.ncorrected, nrows);
  link_bonds();
}

/* ----------------------------------------------------------------------
   bonds of the rows [first, last), which exist
------------------------------------------------------------------------- */

void ReaxFFOnPool::add_rows(int first, int last)
{
  const int nparts = parts.n(), n = last - first;
  if (first >= rows.nowned)
    parts.share(n, [&](int part, int begin, int end) {
      for (int row = first + begin; row < first + end; row++)
        search.add_ghost(system, rows.atoms[row].atom, part);
    });
  std::vector<std::size_t> place(nparts + 1, 0);
  parts.share(n, [&](int part, int begin, int end) {
    int nnear = 0;
    for (int row = first + begin; row < first + end; row++) {
      const int i = rows.atoms[row].atom;
      const BondSearch::Candidates near = search.of(i);
      rows.atoms[row].first = nnear;
      if (near.n) nnear += count_near(system, i, near.atoms, near.n);
    }
    place[part + 1] = nnear;
  });
  place[0] = nbonds;
  for (int part = 0; part < nparts; part++) place[part + 1] += place[part];
  nbonds = place[nparts];
  if (rows.bonds.size() < nbonds) resize_tightly(rows.bonds, nbonds);
  parts.share(n, [&](int part, int begin, int end) {
    std::vector<int> &ghosts = ghosts_of_part[part];
    ghosts.clear();
    for (int row = first + begin; row < first + end; row++) {
      ReaxAtom &atom = rows.atoms[row];
      const BondSearch::Candidates near = search.of(atom.atom);
      atom.first += static_cast<int>(place[part]);
      atom.last = atom.first;
      if (near.n)
        atom.last +=
            TOFU_NS::find_bonds(system, atom.atom, near.atoms, near.n, &rows.bonds[atom.first]);
      for (int b = atom.first; b < atom.last; b++)
        if (rows.bonds[b].neighbor >= rows.nowned) ghosts.push_back(rows.bonds[b].neighbor);
    }
  });
}

/* ----------------------------------------------------------------------
   rows for the ghosts that the last ones are bonded to, as far as they have none

   returns: # of rows then
------------------------------------------------------------------------- */

int ReaxFFOnPool::add_rows_of_ghosts()
{
  const int nbefore = rows.nrows();
  int nrows = nbefore;
  for (const std::vector<int> &ghosts : ghosts_of_part)
    for (const int j : ghosts)
      if (row_of[j] < 0) row_of[j] = nrows++;
  resize_tightly(rows.atoms, nrows);
  for (const std::vector<int> &ghosts : ghosts_of_part)
    for (const int j : ghosts) {
      if (row_of[j] < nbefore) continue;
      rows.atoms[row_of[j]].atom = j;
      rows.atoms[row_of[j]].element = element_of[j];
    }
  return nrows;
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

void ReaxFFOnPool::bonded_terms(int chunk, double *forces)
{
  const int first = begin_of_share(chunk, nchunks, atom->nlocal),
            last = begin_of_share(chunk + 1, nchunks, atom->nlocal);
  ReaxTally mine = empty;    // not beside those of others, which share cache lines
  atom_terms(system, rows, first, last, mine);
  angle_terms(system, rows, first, last, mine);
  torsion_terms(system, rows, chunk, first, last, mine);
  if (!hydrogens.acceptors.empty())
    hydrogen_bonds(system, rows, hydrogens, first, last, forces, mine);
  tallies[chunk] = mine;
}

/* ----------------------------------------------------------------------
   of bonds and far pairs, at the same time
------------------------------------------------------------------------- */

void ReaxFFOnPool::add_terms(const Wanted &wanted, ReaxTally &sum)
{
  PairTally none;
  none.eatom = wanted.eatom;
  none.vatom = wanted.vatom;
  const Tallies tallied = wanted.energy || wanted.eatom || wanted.vatom ? Tallies::ALL
      : wanted.virial                                                   ? Tallies::VIRIAL
                                                                        : Tallies::NONE;
  const PairTally far = far_pairs.compute(
      tallied, none, [this](int chunk, double *forces) { bonded_terms(chunk, forces); },
      chunk_parts);
  sum.energies[ReaxTally::VDW] += far.evdwl;
  sum.energies[ReaxTally::COULOMB] += far.ecoul;
  for (int k = 0; k < 6; k++) sum.virial[k] += far.virial[k];
}

/* ---------------------------------------------------------------------- */

void ReaxFFOnPool::slopes()
{
  const int nrows = rows.nrows();
  double *const f = system.natoms ? atom->f[0] : nullptr;
  parts.share(nrows, [&](int, int first, int last) { gather_derivatives(rows, first, last); });
  parts.share(nrows, [&](int, int first, int last) { sum_raw_derivatives(rows, first, last); });
  share_by_chunks(chunk_parts, nchunks, nrows, [&](int chunk, int first, int last) {
    ReaxTally mine = tallies[chunk];
    bond_forces(rows, first, last, f, mine);
    tallies[chunk] = mine;
  });
  forces_beyond_rows(rows, f);
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
      bytes_of(hydrogens.first) + bytes_of(row_of) + search.nbytes() + far_pairs.memory_usage();
  for (const auto &mine : ghosts_of_part) bytes += bytes_of(mine);
  for (const auto &mine : rows.torsion_pushes) bytes += bytes_of(mine);
  return bytes;
}
