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

#include <utility>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

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
          work({first, std::min(first + BLOCK, end), begin, end, part});
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

double *AtomPasses::room_for(std::size_t n)
{
  if (nrooms == rooms.size()) rooms.emplace_back();
  std::vector<double> &room = rooms[nrooms++];
  if (room.size() < n) room.resize(n);
  return room.data();
}
