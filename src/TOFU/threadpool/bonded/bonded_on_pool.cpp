// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "bonded_on_pool.h"

#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "force.h"
#include "neighbor.h"

#include "pool/thread_pool.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int TOO_FEW = 32;    // interactions per part that are not worth a fork

// part of atoms that have none

static constexpr unsigned short NOBODY = std::numeric_limits<unsigned short>::max();

static constexpr int UNCLAIMED = -1;    // a ghost without interactions in a share

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

int BondedOnPool::ntypes_of(const Bond *) const
{
  return atom->nbondtypes;
}

int BondedOnPool::ntypes_of(const Angle *) const
{
  return atom->nangletypes;
}

int BondedOnPool::ntypes_of(const Dihedral *) const
{
  return atom->ndihedraltypes;
}

int BondedOnPool::ntypes_of(const Improper *) const
{
  return atom->nimpropertypes;
}

/* ---------------------------------------------------------------------- */

double BondedOnPool::distance_squared(int i, int j) const
{
  const double *const xi = atom->x[i], *const xj = atom->x[j];
  double rsq = 0.0;
  for (int dim = 0; dim < 3; dim++) rsq += (xi[dim] - xj[dim]) * (xi[dim] - xj[dim]);
  return rsq;
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
  if (!dealt.build.is_outdated(neighbor) && now == dealt) return false;
  dealt = now;
  parts.resize(dealt.nparts);
  in_order = dealt.nparts == 1 && dealt.newton_bond;
  if (in_order || dealt.n == 0) return true;

  shares.resize(dealt.nparts);
  const auto on_pool = [&](auto &&work) {
    rank_pool->pool().run(dealt.nparts, work);
  };
  on_pool([&](int part) { count_and_claim(shares[part], part); });
  deal_owned();
  on_pool([&](int part) { deal_ghosts(part); });
  on_pool([&](int part) { deal_rows(shares[part], part); });
  on_pool([&](int part) { collect(part); });
  return true;
}

/* ----------------------------------------------------------------------
   visit(n, atoms) for the rows in the share of a part, with the number of atoms
   known to the compiler: these loops are about as long as a branch takes
------------------------------------------------------------------------- */

template <int NATOMS, class Visit> void BondedOnPool::for_rows_of(int part, Visit &&visit) const
{
  const int last = begin_of_share(part + 1, dealt.nparts, dealt.n);
  for (int n = begin_of_share(part, dealt.nparts, dealt.n); n < last; n++) {
    std::array<int, NATOMS> atoms;
    std::copy_n(dealt.rows + static_cast<std::size_t>(n) * (NATOMS + 1), NATOMS, atoms.begin());
    visit(n, atoms);
  }
}

template <class Visit> void BondedOnPool::for_rows(int part, Visit &&visit) const
{
  if (natoms == 2)
    for_rows_of<2>(part, visit);
  else if (natoms == 3)
    for_rows_of<3>(part, visit);
  else
    for_rows_of<4>(part, visit);
}

/* ---------------------------------------------------------------------- */

void BondedOnPool::count_and_claim(Share &share, int part) const
{
  std::vector<int> weights = std::move(share.weights), claims = std::move(share.claims);
  weights.assign((dealt.nlocal + GRAIN - 1) / GRAIN, 0);
  claims.assign(dealt.newton_bond ? dealt.nghost : 0, UNCLAIMED);
  for_rows(part, [&](int, const auto &atoms) {
    for (int i : atoms)
      if (i < dealt.nlocal)
        weights[i / GRAIN]++;
      else if (!claims.empty() && claims[i - dealt.nlocal] == UNCLAIMED)
        claims[i - dealt.nlocal] = first_owned(atoms);
  });
  share.weights = std::move(weights);
  share.claims = std::move(claims);
}

/* ----------------------------------------------------------------------
   owned atoms by ranges that have about as many interactions each
------------------------------------------------------------------------- */

void BondedOnPool::deal_owned()
{
  std::vector<int> &weights = shares[0].weights;
  for (int part = 1; part < dealt.nparts; part++)
    for (std::size_t grain = 0; grain < weights.size(); grain++)
      weights[grain] += shares[part].weights[grain];
  const bigint total = std::accumulate(weights.begin(), weights.end(), static_cast<bigint>(0));

  part_of_atom.resize(dealt.nlocal + dealt.nghost);
  bigint before = 0;
  for (std::size_t grain = 0; grain < weights.size(); grain++) {
    const bigint middle = before + weights[grain] / 2;
    const bigint part = total ? middle * dealt.nparts / total : 0;
    const int first = static_cast<int>(grain) * GRAIN;
    std::fill(part_of_atom.begin() + first,
              part_of_atom.begin() + std::min(dealt.nlocal, first + GRAIN),
              static_cast<unsigned short>(std::min<bigint>(part, dealt.nparts - 1)));
    before += weights[grain];
  }
}

/* ----------------------------------------------------------------------
   Returns: the first atom that is owned, or nlocal
------------------------------------------------------------------------- */

template <class Atoms> int BondedOnPool::first_owned(const Atoms &atoms) const
{
  for (int i : atoms)
    if (i < dealt.nlocal) return i;
  return dealt.nlocal;
}

/* ----------------------------------------------------------------------
   with newton on ghosts go to the part that has the first interaction with
   them; else to none, as do those without interactions
------------------------------------------------------------------------- */

void BondedOnPool::deal_ghosts(int part)
{
  const int last = begin_of_share(part + 1, dealt.nparts, dealt.nghost, 2 * GRAIN);
  for (int i = begin_of_share(part, dealt.nparts, dealt.nghost, 2 * GRAIN); i < last; i++) {
    int claim = UNCLAIMED;
    if (dealt.newton_bond)
      for (int from = 0; from < dealt.nparts && claim == UNCLAIMED; from++)
        claim = shares[from].claims[i];
    part_of_atom[dealt.nlocal + i] = claim == UNCLAIMED ? NOBODY : part_of_owned(claim);
  }
}

/* ----------------------------------------------------------------------
   without a branch: each row is written to the end of `inner`, which grows only if all atoms
   are of that part
------------------------------------------------------------------------- */

void BondedOnPool::deal_rows(Share &share, int part) const
{
  share.rows.resize(dealt.nparts);
  for (Rows &rows : share.rows) {
    rows.ninner = 0;
    rows.shared.clear();
    rows.own.clear();
  }
  Rows *const rows_of = share.rows.data();
  for_rows(part, [&](int n, const auto &atoms) {
    const unsigned short first = part_of_owned(first_owned(atoms));
    bool inner = true;
    for (int i : atoms) inner &= part_of_atom[i] == first;
    Rows &rows = rows_of[first];
    if (rows.ninner == rows.inner.size()) rows.inner.resize(rows.ninner + rows.ninner / 2 + 64);
    rows.inner[rows.ninner] = n;
    rows.ninner += inner;
    if (!inner) share_row(share, n, atoms);
  });
}

/* ----------------------------------------------------------------------
   for each part the atoms of the row that are its own
------------------------------------------------------------------------- */

template <class Atoms> void BondedOnPool::share_row(Share &share, int n, const Atoms &atoms) const
{
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
    share.rows[part].shared.push_back(n);
    share.rows[part].own.push_back(static_cast<unsigned char>(own));
  }
}

/* ----------------------------------------------------------------------
   in the order of the list, whatever share an interaction is in
------------------------------------------------------------------------- */

void BondedOnPool::collect(int number)
{
  Part &part = parts[number];
  const auto append = [](auto &to, const auto &from, std::size_t count) {
    to.insert(to.end(), from.begin(), from.begin() + count);
  };
  part.order.clear();
  part.own.clear();
  for (const Share &share : shares)
    append(part.order, share.rows[number].inner, share.rows[number].ninner);
  part.ninner = static_cast<int>(part.order.size());
  for (const Share &share : shares) {
    const Rows &rows = share.rows[number];
    append(part.order, rows.shared, rows.shared.size());
    append(part.own, rows.own, rows.own.size());
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
    part.flagged.clear();
    mine.flagged = &part.flagged;
    PairTally tally = empty;    // not beside those of others, which share cache lines
    kernel(mine, tally);
    part.tally = tally;
  });

  for (const Part &part : parts) {
    sum.add(part.tally);
    reported.insert(reported.end(), part.flagged.begin(), part.flagged.end());
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
  std::size_t bytes = positions.nbytes() + part_of_atom.capacity() * sizeof(unsigned short);
  for (const Part &part : parts) bytes += part.order.capacity() * sizeof(int) + part.own.capacity();
  for (const Share &share : shares) {
    bytes += (share.weights.capacity() + share.claims.capacity()) * sizeof(int);
    for (const Rows &rows : share.rows)
      bytes += (rows.inner.capacity() + rows.shared.capacity()) * sizeof(int) + rows.own.capacity();
  }
  return static_cast<double>(bytes);
}
