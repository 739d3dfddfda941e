/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#include "atom_passes.h"

#include "base/share.h"
#include "pool/thread_pool.h"

#include <algorithm>
#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static bool contains(const std::vector<AtomPasses::Follower *> &all,
                     const AtomPasses::Follower &one)
{
  return std::find(all.begin(), all.end(), &one) != all.end();
}

/* ---------------------------------------------------------------------- */

void AtomPasses::use(ThreadPool &thread_pool, int most_parts)
{
  pool = &thread_pool;
  nparts = most_parts;
}

/* ---------------------------------------------------------------------- */

void AtomPasses::add(int n, Work work)
{
  if (n != natoms) run();
  natoms = n;
  waiting.push_back(std::move(work));
  if (!may_wait) run();
}

/* ---------------------------------------------------------------------- */

void AtomPasses::wait_for_more(bool may)
{
  may_wait = may;
  if (!may) run();
}

/* ----------------------------------------------------------------------
   blocks that are summed belong to one part each
------------------------------------------------------------------------- */

void AtomPasses::run()
{
  if (waiting.empty()) return;
  if (natoms) {
    const int nshares = parts_for_atoms(nparts, natoms);
    const int grain = at_end.empty() ? GRAIN : BLOCK;
    pool->run(nshares, [&](int part) {
      const int begin = begin_of_share(part, nshares, natoms, grain),
                end = begin_of_share(part + 1, nshares, natoms, grain);
      for (int first = begin; first < end; first += BLOCK)
        for (const Work &work : waiting)
          work({part, first, std::min(first + BLOCK, end), begin, end});
    });
  }
  for (const auto &finish : at_end) finish();
  forget();
}

/* ---------------------------------------------------------------------- */

void AtomPasses::forget()
{
  waiting.clear();
  at_end.clear();
  nrooms = 0;
}

/* ---------------------------------------------------------------------- */

void AtomPasses::follow_next_move(Follower &follower)
{
  if (!in_scope || contains(followers, follower)) return;
  followers.push_back(&follower);
}

/* ---------------------------------------------------------------------- */

void AtomPasses::add_followers(int n)
{
  followed.swap(followers);
  followers.clear();
  for (Follower *one : followed) add(n, [one](const Block &block) { one->follow(block); });
}

/* ---------------------------------------------------------------------- */

bool AtomPasses::take_followed(const Follower &follower)
{
  if (!contains(followed, follower)) return false;
  followed.erase(std::find(followed.begin(), followed.end(), &follower));
  return true;
}

/* ---------------------------------------------------------------------- */

void AtomPasses::forget_followed()
{
  followed.clear();
}

/* ---------------------------------------------------------------------- */

double *AtomPasses::room_for(std::size_t n)
{
  if (nrooms == rooms.size()) rooms.emplace_back();
  std::vector<double> &room = rooms[nrooms++];
  if (room.size() < n) room.resize(n);
  return room.data();
}
