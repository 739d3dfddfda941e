// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "centers_on_pool.h"

#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair.h"

#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// Part of the skin of the list: with less, near neighbors are found anew more often; with more,
// there are more of them, and diamond has 12 atoms right behind the cut-offs that are in use

static constexpr double NEAR_SKIN = 0.25;

/* ----------------------------------------------------------------------
   rows of the atoms from first up to, not including, last
------------------------------------------------------------------------- */

static void clear(int first, int last, double *rows, std::size_t stride)
{
  std::fill(rows + stride * first, rows + stride * last, 0.0);
}

/* ---------------------------------------------------------------------- */

template <class Box> static void clear_boxes(std::vector<Box> &boxes, int nparts)
{
  boxes.resize(nparts);
  for (Box &box : boxes) box.clear();
}

/* ---------------------------------------------------------------------- */

CentersOnPool::CentersOnPool(LAMMPS *lmp) :
    Pointers(lmp), pair(lmp, PairOnPool::Copies::ONE), rank_pool(RankPool::of(lmp))
{
}

/* ----------------------------------------------------------------------
   a full list without forces on ghosts is what other styles have
------------------------------------------------------------------------- */

void CentersOnPool::adjust_request(Pair *owner)
{
  rank_pool = RankPool::of(lmp);
  near_made_of = PairOnPool::ListState();
  pair.adjust_request(owner, PairOnPool::Preferred::FULL);
  owner->no_virial_fdotr_compute = 0;
  rank_pool->note_ghost_forces(owner, true);
}

/* ---------------------------------------------------------------------- */

void CentersOnPool::reset()
{
  rank_pool = RankPool::of(lmp);
  near_made_of = PairOnPool::ListState();
  pair.reset();
}

/* ---------------------------------------------------------------------- */

void CentersOnPool::compute(Pair *owner, NeighList *list, const int *numbers, double cutoff,
                            const Kernel &kernel)
{
  Wanted wanted;
  wanted.numbers = numbers;
  wanted.cutoff = cutoff;
  wanted.tallies = owner->eflag_either || owner->vflag_atom ? Tallies::ALL
      : owner->vflag_global                                 ? Tallies::VIRIAL
                                                            : Tallies::NONE;
  if (owner->eflag_atom) wanted.shared_eatom = owner->eatom;
  if (owner->vflag_atom) wanted.shared_vatom = owner->vatom;
  const PairTally tally = compute(list, wanted, atom->f, kernel);
  if (owner->eflag_global) owner->eng_vdwl += tally.evdwl;
  if (owner->vflag_global)
    for (int i = 0; i < 6; i++) owner->virial[i] += tally.virial[i];
}

/* ---------------------------------------------------------------------- */

PairTally CentersOnPool::compute(NeighList *list, const Wanted &wanted, double **f,
                                 const Kernel &kernel)
{
  begin(list, wanted.numbers, wanted.cutoff);
  return add_forces(wanted, f, kernel);
}

/* ---------------------------------------------------------------------- */

void CentersOnPool::begin(NeighList *list, const int *numbers, double cutoff,
                          const std::vector<int> *centers)
{
  const std::size_t nall = atom->nlocal + atom->nghost;
  if (numbers) {
    numbers_of_atoms.resize(nall);
    std::transform(atom->type, atom->type + nall, numbers_of_atoms.begin(),
                   [&](int type) { return static_cast<double>(numbers[type]); });
  }
  chosen = centers;
  pair.gather(list, numbers ? numbers_of_atoms.data() : nullptr, false);
  find_near(list, cutoff);
}

/* ---------------------------------------------------------------------- */

PairRows CentersOnPool::rows_of_centers(const PairRows &list) const
{
  PairRows rows = list;
  if (chosen) {
    rows.nrows = static_cast<int>(chosen->size());
    rows.atoms = chosen->data();
  }
  return rows;
}

/* ---------------------------------------------------------------------- */

void CentersOnPool::for_centers(const std::function<void(int, const PairJob &, int, int)> &kernel)
{
  const int nparts = rank_pool->nparts();
  pair.for_rows([&](int part, const PairJob &job, int, int) {
    PairJob mine = job;
    mine.list = near_rows.rows(rows_of_centers(job.list));
    kernel(part, mine, begin_of_share(part, nparts, mine.list.nrows),
           begin_of_share(part + 1, nparts, mine.list.nrows));
  });
}

/* ----------------------------------------------------------------------
   tallies are added up in the order of parts, so that they do not depend on
   timing
------------------------------------------------------------------------- */

PairTally CentersOnPool::add_forces(const Wanted &wanted, double **f, const Kernel &kernel)
{
  const int nparts = rank_pool->nparts();
  const std::size_t nall = atom->nlocal + atom->nghost;
  const bool by_number = wanted.expensive_centers || chosen;    // of centers; else by their pairs
  share_atoms(by_number);
  forces.room(4 * (nall + 1));
  sent.resize(nparts);
  const bool by_atom = wanted.shared_eatom || wanted.shared_vatom;
  if (by_atom) {
    atom_tallies.room(CenterForces::TALLY_STRIDE * (nall + 1));
    sent_tallies.resize(nparts);
  }
  if (static_cast<int>(workspaces.size()) != nparts)
    workspaces = std::vector<CenterWorkspace>(nparts);
  tallies.assign(nparts, PairTally());
  pair.for_rows([&](int part, const PairJob &job, int first, int last) {
    PairJob mine = job;
    mine.tallies = wanted.tallies;
    mine.list = near_rows.rows(rows_of_centers(job.list));
    if (by_number) {
      first = begin_of_share(part, nparts, mine.list.nrows);
      last = begin_of_share(part + 1, nparts, mine.list.nrows);
    }
    compute_part(part, mine, first, last, wanted, kernel);
  });
  pair.for_parts([&](int part) {
    collect(part, f);
    if (by_atom) collect_tallies(part, wanted);
  });

  PairTally sum;
  for (const PairTally &tally : tallies) sum.add(tally);
  return sum;
}

/* ---------------------------------------------------------------------- */

void CentersOnPool::find_near(NeighList *list, double cutoff)
{
  const int nparts = rank_pool->nparts(), nall = atom->nlocal + atom->nghost;
  if (!near_are_old(list, cutoff)) return;

  const double skin = NEAR_SKIN * neighbor->skin;
  near_rows.reset(nparts, nall, cutoff + skin, skin);
  pair.for_rows([&](int part, const PairJob &job, int first, int last) {
    const PairRows rows = rows_of_centers(job.list);
    if (chosen) {
      first = begin_of_share(part, nparts, rows.nrows);
      last = begin_of_share(part + 1, nparts, rows.nrows);
    }
    near_rows.fill(part, rows, job.atoms, first, last);
    near_rows.hold(job.atoms, begin_of_share(part, nparts, nall, GRAIN),
                   begin_of_share(part + 1, nparts, nall, GRAIN));
  });
  near_made_of = pair.list_rows().state_of(list);
  near_cutoff = cutoff;
}

/* ---------------------------------------------------------------------- */

bool CentersOnPool::near_are_old(const NeighList *list, double cutoff)
{
  const int nparts = rank_pool->nparts(), nall = atom->nlocal + atom->nghost;
  if (near_cutoff != cutoff || pair.list_rows().is_old(near_made_of, list)) return true;
  std::vector<char> moved(nparts, 0);
  pair.for_rows([&](int part, const PairJob &job, int, int) {
    moved[part] = near_rows.moved(job.atoms, begin_of_share(part, nparts, nall, GRAIN),
                                  begin_of_share(part + 1, nparts, nall, GRAIN));
  });
  return std::count(moved.begin(), moved.end(), 1) > 0;
}

/* ---------------------------------------------------------------------- */

void CentersOnPool::share_atoms(bool by_number)
{
  const int nparts = rank_pool->nparts(), nlocal = atom->nlocal, nghost = atom->nghost;
  owners.owned.resize(nparts + 1);
  owners.ghosts.resize(nparts + 1);
  for (int part = 0; part <= nparts; part++) {
    owners.owned[part] = by_number ? begin_of_share(part, nparts, nlocal, GRAIN)
        : part < nparts            ? pair.list_rows().first_owner(part)
                                   : nlocal;
    owners.ghosts[part] = nlocal + begin_of_share(part, nparts, nghost, GRAIN);
  }
}

/* ----------------------------------------------------------------------
   no other part changes the atoms of this one before all are done; one part
   alone changes ghosts, too
------------------------------------------------------------------------- */

void CentersOnPool::compute_part(int part, PairJob job, int first, int last, const Wanted &wanted,
                                 const Kernel &kernel)
{
  const int nparts = owners.nparts();
  CenterForces to;
  to.rows = forces.data();
  to.first = owners.owned[part];
  to.last = nparts == 1 ? owners.ghosts.back() : owners.owned[part + 1];
  to.part = part;
  to.owners = &owners;
  to.outbox = &sent[part];
  clear(to.first, to.last, forces.data(), 4);
  clear_boxes(sent[part], nparts);
  if (wanted.shared_eatom || wanted.shared_vatom) {
    to.tallies = atom_tallies.data();
    to.tally_outbox = &sent_tallies[part];
    clear(to.first, to.last, atom_tallies.data(), CenterForces::TALLY_STRIDE);
    clear_boxes(sent_tallies[part], nparts);
  }

  PairTally mine;    // not beside those of others, which share cache lines
  mine.eatom = wanted.eatom;
  kernel({job, to, workspaces[part], first, last, mine});
  tallies[part] = mine;
}

/* ----------------------------------------------------------------------
   call(i) for the owned atoms and the ghosts that a part changes
------------------------------------------------------------------------- */

template <class Call> void CentersOnPool::for_atoms(int part, Call &&call) const
{
  for (const std::vector<int> *begins : {&owners.owned, &owners.ghosts})
    for (int i = (*begins)[part]; i < (*begins)[part + 1]; i++) call(i);
}

/* ---------------------------------------------------------------------- */

void CentersOnPool::collect(int part, double **f)
{
  double *const rows = forces.data();
  const int nparts = owners.nparts();
  if (nparts > 1) clear(owners.ghosts[part], owners.ghosts[part + 1], rows, 4);
  for (int from = 0; from < nparts; from++)
    for (const CenterForces::Sent &one : sent[from][part]) {
      double *const row = rows + 4 * static_cast<std::size_t>(one.atom);
      for (int dim = 0; dim < 3; dim++) row[dim] -= one.gradient[dim];
    }
  for_atoms(part, [&](int i) {
    const double *const row = rows + 4 * static_cast<std::size_t>(i);
    for (int dim = 0; dim < 3; dim++) f[i][dim] += row[dim];
  });
}

/* ---------------------------------------------------------------------- */

void CentersOnPool::collect_tallies(int part, const Wanted &wanted)
{
  constexpr std::size_t STRIDE = CenterForces::TALLY_STRIDE;
  double *const rows = atom_tallies.data();
  const int nparts = owners.nparts();
  if (nparts > 1) clear(owners.ghosts[part], owners.ghosts[part + 1], rows, STRIDE);
  for (int from = 0; from < nparts; from++)
    for (const CenterForces::SentTally &one : sent_tallies[from][part])
      for (int n = 0; n < CenterForces::NTALLIES; n++) rows[STRIDE * one.atom + n] += one.values[n];
  for_atoms(part, [&](int i) {
    const double *const row = rows + STRIDE * i;
    if (wanted.shared_eatom) wanted.shared_eatom[i] += row[0];
    if (wanted.shared_vatom)
      for (int n = 0; n < 6; n++) wanted.shared_vatom[i][n] += row[1 + n];
  });
}

/* ---------------------------------------------------------------------- */

double CentersOnPool::memory_usage() const
{
  double bytes = pair.memory_usage() + near_rows.nbytes() +
      static_cast<double>(forces.nbytes() + atom_tallies.nbytes());
  for (const CenterWorkspace &work : workspaces) bytes += work.nbytes();
  for (const auto &boxes : sent)
    for (const auto &box : boxes)
      bytes += static_cast<double>(box.capacity() * sizeof(CenterForces::Sent));
  for (const auto &boxes : sent_tallies)
    for (const auto &box : boxes)
      bytes += static_cast<double>(box.capacity() * sizeof(CenterForces::SentTally));
  return bytes + static_cast<double>(numbers_of_atoms.capacity() * sizeof(double));
}
