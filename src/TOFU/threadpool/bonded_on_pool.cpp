/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "bonded_on_pool.h"

#include "rank_pool.h"

#include "atom.h"
#include "force.h"
#include "neighbor.h"

#include "pool/thread_pool.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int TOO_FEW = 32;    // interactions per part that are not worth a fork

// parts of atoms that have none

static constexpr unsigned short NOBODY = std::numeric_limits<unsigned short>::max();
static constexpr unsigned short UNDECIDED = NOBODY - 1;

/* ---------------------------------------------------------------------- */

BondedOnPool::BondedOnPool(LAMMPS *lmp, int natoms_in) :
    Pointers(lmp), natoms(natoms_in), rank_pool(RankPool::of(lmp))
{
}

/* ---------------------------------------------------------------------- */

void BondedOnPool::init()
{
  rank_pool = RankPool::of(lmp);
  forget();
}

/* ---------------------------------------------------------------------- */

BondedOnPool::List BondedOnPool::list_for(const Bond *) const
{
  return {neighbor->nbondlist ? neighbor->bondlist[0] : nullptr, neighbor->nbondlist};
}

BondedOnPool::List BondedOnPool::list_for(const Angle *) const
{
  return {neighbor->nanglelist ? neighbor->anglelist[0] : nullptr, neighbor->nanglelist};
}

BondedOnPool::List BondedOnPool::list_for(const Dihedral *) const
{
  return {neighbor->ndihedrallist ? neighbor->dihedrallist[0] : nullptr, neighbor->ndihedrallist};
}

BondedOnPool::List BondedOnPool::list_for(const Improper *) const
{
  return {neighbor->nimproperlist ? neighbor->improperlist[0] : nullptr, neighbor->nimproperlist};
}

/* ---------------------------------------------------------------------- */

bool BondedOnPool::is_centroid(int vflag)
{
  return vflag & VIRIAL_CENTROID;
}

/* ---------------------------------------------------------------------- */

bool BondedOnPool::State::operator==(const State &other) const
{
  const auto all = [](const State &s) {
    return std::tie(s.rows, s.n, s.nlocal, s.nghost, s.nparts, s.newton_bond);
  };
  return all(*this) == all(other);
}

/* ---------------------------------------------------------------------- */

BondedOnPool::State BondedOnPool::state_for(const List &list) const
{
  State now;
  now.rows = list.rows;
  now.n = list.n;
  now.nlocal = atom->nlocal;
  now.nghost = atom->nghost;
  now.nparts = list.n < TOO_FEW * rank_pool->nparts() ? 1 : rank_pool->nparts();
  now.newton_bond = force->newton_bond;
  now.build = LastBuild::of(neighbor);
  return now;
}

/* ---------------------------------------------------------------------- */

bool BondedOnPool::deal(const List &list)
{
  const State now = state_for(list);
  if (!dealt.build.is_over(neighbor) && now == dealt) return false;
  dealt = now;
  parts.resize(dealt.nparts);
  in_order = dealt.nparts == 1 && dealt.newton_bond;
  if (!in_order && dealt.n) {
    deal_atoms();
    deal_rows();
  }
  return true;
}

/* ----------------------------------------------------------------------
   owned atoms by ranges that have about as many interactions each; ghosts go to
   the part that has the first interaction with them
------------------------------------------------------------------------- */

void BondedOnPool::deal_atoms()
{
  const int nlocal = dealt.nlocal, ngrains = (nlocal + GRAIN - 1) / GRAIN;
  weights.assign(ngrains, 0);
  bigint total = 0;
  for (int n = 0; n < dealt.n; n++) {
    const int *const atoms = dealt.rows + static_cast<std::size_t>(n) * (natoms + 1);
    for (int a = 0; a < natoms; a++) {
      if (atoms[a] >= nlocal) continue;
      weights[atoms[a] / GRAIN]++;
      total++;
    }
  }

  part_of_atom.assign(nlocal + dealt.nghost, dealt.newton_bond ? UNDECIDED : NOBODY);
  bigint before = 0;
  for (int grain = 0; grain < ngrains; grain++) {
    const bigint middle = before + weights[grain] / 2;
    const bigint part = total ? middle * dealt.nparts / total : 0;
    std::fill(part_of_atom.begin() + grain * GRAIN,
              part_of_atom.begin() + std::min(nlocal, (grain + 1) * GRAIN),
              static_cast<unsigned short>(std::min<bigint>(part, dealt.nparts - 1)));
    before += weights[grain];
  }
}

/* ---------------------------------------------------------------------- */

void BondedOnPool::deal_rows()
{
  for (Part &part : parts) {
    part.order.clear();
    part.shared.clear();
    part.own.clear();
  }
  for (int n = 0; n < dealt.n; n++)
    deal_row(n, dealt.rows + static_cast<std::size_t>(n) * (natoms + 1));
  for (Part &part : parts) {
    part.ninner = static_cast<int>(part.order.size());
    part.order.insert(part.order.end(), part.shared.begin(), part.shared.end());
  }
}

/* ---------------------------------------------------------------------- */

void BondedOnPool::deal_row(int n, const int *atoms)
{
  const int *const end = atoms + natoms;
  const int *const owned = std::find_if(atoms, end, [&](int i) { return i < dealt.nlocal; });
  const unsigned short first = owned == end ? 0 : part_of_atom[*owned];
  bool inner = true;
  for (int a = 0; a < natoms; a++) {
    unsigned short &part = part_of_atom[atoms[a]];
    if (part == UNDECIDED) part = first;
    inner = inner && part == first;
  }
  if (inner) {
    parts[first].order.push_back(n);
    return;
  }

  unsigned todo = (1u << natoms) - 1;
  while (todo) {
    unsigned own = 0;
    unsigned short part = NOBODY;
    for (int a = 0; a < natoms; a++) {
      if (!(todo >> a & 1)) continue;
      if (!own) part = part_of_atom[atoms[a]];
      if (part_of_atom[atoms[a]] == part) own |= 1u << a;
    }
    todo &= ~own;
    if (part == NOBODY) continue;
    parts[part].shared.push_back(n);
    parts[part].own.push_back(static_cast<unsigned char>(own));
  }
}

/* ---------------------------------------------------------------------- */

BondedOnPool::PairTally BondedOnPool::compute(const Wanted &wanted, const Kernel &kernel)
{
  PairTally sum;
  reported.clear();
  if (dealt.n == 0) return sum;

  BondedJob job;
  job.x = readable_positions();
  job.f = atom->f[0];
  job.list = dealt.rows;
  job.tallied = wanted.tallies;
  PairTally empty;
  empty.eatom = wanted.eatom;
  if (wanted.vatom) empty.vatom = reinterpret_cast<double(*)[6]>(wanted.vatom[0]);

  rank_pool->pool().run(dealt.nparts, [&](int number) {
    Part &part = parts[number];
    BondedJob mine = job;
    if (in_order) {
      mine.n = mine.ninner = dealt.n;
    } else {
      mine.order = part.order.data();
      mine.n = static_cast<int>(part.order.size());
      mine.ninner = part.ninner;
      mine.own = part.own.data();
    }
    part.remarkable.clear();
    mine.remarkable = &part.remarkable;
    PairTally tally = empty;    // not beside those of others, which share cache lines
    kernel(mine, tally);
    part.tally = tally;
  });

  for (const Part &part : parts) {
    sum.add(part.tally);
    reported.insert(reported.end(), part.remarkable.begin(), part.remarkable.end());
  }
  std::sort(reported.begin(), reported.end());
  reported.erase(std::unique(reported.begin(), reported.end()), reported.end());
  return sum;
}

/* ----------------------------------------------------------------------
   kernels read one number more than the last atom has
------------------------------------------------------------------------- */

const double *BondedOnPool::readable_positions()
{
  const int nall = atom->nlocal + atom->nghost;
  if (nall < atom->nmax) return atom->x[0];
  double *const copy = positions.room(3 * static_cast<std::size_t>(nall) + 1);
  std::copy_n(atom->x[0], 3 * static_cast<std::size_t>(nall), copy);
  copy[3 * static_cast<std::size_t>(nall)] = 0.0;
  return copy;
}

/* ---------------------------------------------------------------------- */

double BondedOnPool::memory_usage() const
{
  std::size_t bytes = positions.nbytes() + part_of_atom.capacity() * sizeof(unsigned short) +
      weights.capacity() * sizeof(int);
  for (const Part &part : parts)
    bytes += (part.order.capacity() + part.shared.capacity()) * sizeof(int) + part.own.capacity();
  return static_cast<double>(bytes);
}
