// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "neighbor_check.h"

#include "lammps/neighbor_builds.h"
#include "lammps/scoped_state.h"
#include "lammps/styles/known_styles.h"
#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/step_sums.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "neighbor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// largest part of the way to the limit that ranks send, and its unit

static constexpr double MOST_PART = 1000.0, PART_UNIT = 1e-6;

/* ---------------------------------------------------------------------- */

NeighborCheck::NeighborCheck(LAMMPS *lmp) :
    Pointers(lmp), displacements(lmp), next_step(lmp, displacements)
{
}

/* ---------------------------------------------------------------------- */

void NeighborCheck::begin_run(RankPool *threadpool)
{
  reduction.drop();    // an error may have ended the steps
  find_ways(threadpool);
  next_step.begin_run(threadpool);
}

/* ----------------------------------------------------------------------
   the log gets a line if it differs from that of the run before
------------------------------------------------------------------------- */

void NeighborCheck::find_ways(RankPool *threadpool)
{
  const std::string unknown = unknown_fix(lmp);
  all_fixes_are_known = unknown.empty();
  const bool overlap =
      neighbor->dist_check && comm->nprocs > 1 && threadpool && threadpool->checks_beside_pairs();
  by_overlap = overlap && all_fixes_are_known;
  std::string text;
  if (overlap && !all_fixes_are_known)
    text =
        fmt::format("TOFU threadpool: neighbor lists are checked as with check step, since fix {} "
                    "is not known to TOFU and may do anything to atoms\n",
                    unknown);
  if (text != logged && comm->me == 0) utils::logmesg(lmp, text);
  logged = text;
}

/* ---------------------------------------------------------------------- */

void NeighborCheck::hold()
{
  displacements.hold();
  likely_builds.begin();
  near = false;
}

/* ---------------------------------------------------------------------- */

void NeighborCheck::build(RankPool *threadpool)
{
  const int natoms = displacements.natoms();
  const int nparts = threadpool ? parts_for_atoms(threadpool, natoms) : 1;
  if (nparts == 1)
    neighbor->build(1);
  else if (build_leaving_copy(neighbor, atom->nmax))
    for_parts_of_atoms(threadpool, nparts, natoms, [this](int, int first, int last) {
      std::copy_n(atom->x[first], 3 * (last - first), neighbor->get_xhold()[first]);
    });
  hold();
}

/* ---------------------------------------------------------------------- */

NeighborCheck::Lists NeighborCheck::decide(RankPool *threadpool, bool may_go_on)
{
  if (!neighbor->dist_check || !threadpool) return neighbor->decide() ? Lists::OLD : Lists::GOOD;
  const int ago = neighbor->ago;
  const bool due = due_without_distances();
  if (due && neighbor->ago == ago) return Lists::OLD;    // for a fix, or a restart file
  if (by_overlap && may_build_lists(neighbor, neighbor->ago + 1)) next_step.request();
  return due ? check(threadpool, may_go_on) : Lists::GOOD;
}

/* ----------------------------------------------------------------------
   without its own check Neighbor says whether one is due: it has counted the
   step then, while a fix that asks for lists, or a restart file, comes first
------------------------------------------------------------------------- */

bool NeighborCheck::due_without_distances()
{
  const ScopedDistanceCheck without(neighbor);
  return neighbor->decide();
}

/* ----------------------------------------------------------------------
   if others have built the lists, Neighbor alone has the box of that time
------------------------------------------------------------------------- */

NeighborCheck::Lists NeighborCheck::check(RankPool *threadpool, bool may_go_on)
{
  counts.nchecks++;
  if (displacements.others_have_built() && box_moves(domain)) {
    counts.nreductions++;
    return neighbor->check_distance() ? Lists::OLD : Lists::GOOD;
  }
  if (by_overlap && next_step.holds()) {
    counts.nby_sums++;
    return Lists::GOOD;
  }
  return reduce_in_this_step(threadpool, may_go_on);
}

/* ---------------------------------------------------------------------- */

NeighborCheck::Lists NeighborCheck::reduce_in_this_step(RankPool *threadpool, bool may_go_on)
{
  const double largest = displacements.largest_sq(threadpool), way = std::sqrt(largest);
  const double part =
      std::min(MOST_PART, way / displacements.limit());    // not a number: MOST_PART
  const bool far = !all_fixes_are_known || displacements.is_far(way);
  std::array<int, 3> numbers{largest > displacements.limit_sq() ? -1 : 0, far ? -1 : 0,
                             -static_cast<int>(part / PART_UNIT)};
  counts.nreductions++;
  if (by_overlap && may_go_on && !likely_builds.is_likely(neighbor->ago)) {
    reduction.start(lmp, numbers.data(), numbers.size());
    counts.nstarted++;
    return Lists::UNKNOWN;
  }
  if (comm->nprocs > 1)
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), numbers.size(), MPI_INT, MPI_MIN, world);
  return read_this_step(numbers.data()) ? Lists::OLD : Lists::GOOD;
}

/* ----------------------------------------------------------------------
   lists that are old were taken for good ones until now
------------------------------------------------------------------------- */

bool NeighborCheck::are_old()
{
  const bool build = read_this_step(reduction.read().data());
  counts.nin_vain += build;
  return build;
}

/* ---------------------------------------------------------------------- */

bool NeighborCheck::read_this_step(const int *smallest)
{
  const bool build = smallest[0] < 0, some_far = smallest[1] < 0;
  likely_builds.note(neighbor->ago, -smallest[2] * PART_UNIT);
  if (build && in_first_step_allowed(neighbor)) neighbor->ndanger++;
  near = build && !some_far;
  return build;
}

/* ---------------------------------------------------------------------- */

std::string NeighborCheck::end_run()
{
  const Counts done = counts;
  counts = Counts();
  if (!by_overlap || done.nchecks == 0) return "";
  std::string text = fmt::format("TOFU threadpool: {} neighbor checks by {} reductions, {} of them "
                                 "beside forces of pairs, {} of which were computed again",
                                 done.nchecks, done.nreductions, done.nstarted, done.nin_vain);
  if (done.nby_sums) text += fmt::format("; {} by other sums", done.nby_sums);
  return text + "\n";
}
