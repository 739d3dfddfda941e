// SPDX-License-Identifier: GPL-2.0-only

#include "tile_borders.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace TOFU_NS {

namespace {

  constexpr int MEMBERS = 64;    // of a set
  constexpr double INFINITE = std::numeric_limits<double>::infinity();
  constexpr double OUTSIDE = 0.5;    // cut-offs that an owned atom may be outside of the sub-box

  /** # of ends, out of a power of 2 less 1, that x has passed; without branches, since no predictor
      learns where an atom is. */
  int count_passed(const std::vector<double> &ends, double x)
  {
    const double *const end = ends.data();
    int passed = 0;
    for (int step = (static_cast<int>(ends.size()) + 1) / 2; step > 0; step /= 2)
      passed += step & -static_cast<int>(x >= end[passed + step - 1]);
    return passed;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void TileBorders::build(const HaloPlan &plan, const TileBox &mine, const BorderCandidates &atoms,
                        SendLists &lists)
{
  nsets_ = static_cast<int>(plan.swaps.size() + MEMBERS - 1) / MEMBERS;
  set_lines(plan, mine, atoms);
  classify(atoms);
  fill(plan, lists);
  if (plan.corner_cutsq > 0.0) round_corners(plan, mine, atoms, lists);
}

/* ---------------------------------------------------------------------- */

void TileBorders::set_lines(const HaloPlan &plan, const TileBox &mine,
                            const BorderCandidates &atoms)
{
  if (static_cast<int>(lines_.size()) < atoms.nkinds) lines_.resize(atoms.nkinds);
  for (int kind = 0; kind < atoms.nkinds; kind++)
    for (int dim = 0; dim < 3; dim++)
      set_line(plan, mine, dim, atoms.cut[3 * kind + dim], lines_[kind][dim]);
}

/* ----------------------------------------------------------------------
   compares are inclusive at both ends of a region, as in comm_style brick: the
   upper end is passed by the next number.  Ends far outside of this rank's
   sub-box, where it has no atoms, are left out.  What is not a number does not
   even pass the first end, and is in no region
------------------------------------------------------------------------- */

void TileBorders::set_line(const HaloPlan &plan, const TileBox &mine, int dim, double cut,
                           Line &line)
{
  const double low = mine.lo[dim] - OUTSIDE * cut, high = mine.hi[dim] + OUTSIDE * cut;
  std::vector<double> &ends = line.ends;
  ends.assign(1, -INFINITE);
  const auto for_regions = [&](auto &&f) {
    for (std::size_t swap = 0; swap < plan.swaps.size(); swap++) {
      const TileBox &receiver = plan.receivers[swap];
      if (plan.swaps[swap].sendproc >= 0)
        f(swap, receiver.lo[dim] - cut, std::nextafter(receiver.hi[dim] + cut, INFINITE));
    }
  };
  for_regions([&](std::size_t, double begin, double end) {
    if (begin > low && begin < high) ends.push_back(begin);
    if (end > low && end < high) ends.push_back(end);
  });
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const auto last = static_cast<std::ptrdiff_t>(ends.size());
  std::size_t room = 2;
  while (room <= ends.size()) room *= 2;
  ends.resize(room - 1, INFINITE);

  line.intervals.assign(room * nsets_, 0);
  for_regions([&](std::size_t swap, double begin, double end) {
    const auto nbefore = [&](double x) {    // # of ends that x has passed
      return std::upper_bound(ends.begin(), ends.begin() + last, x) - ends.begin();
    };
    if (begin >= high || end <= low) return;
    const auto stop = end < high ? nbefore(end) : last + 1;
    for (auto k = std::max(nbefore(begin), std::ptrdiff_t(1)); k < stop; k++)
      line.intervals[k * nsets_ + swap / MEMBERS] |= Set(1) << swap % MEMBERS;
  });
}

/* ---------------------------------------------------------------------- */

void TileBorders::classify(const BorderCandidates &atoms)
{
  border_.resize(atoms.natoms);
  wanted_.resize(static_cast<std::size_t>(atoms.natoms) * nsets_);
  int n = 0;
  for (int i = 0; i < atoms.natoms; i++) {
    const double *const x = atoms.x + 3 * static_cast<std::size_t>(i);
    const Set *intervals[3];
    for (int dim = 0; dim < 3; dim++) {
      const Line &line = lines_[atoms.kind ? atoms.kind[i] : 0][dim];
      intervals[dim] =
          &line.intervals[static_cast<std::size_t>(nsets_) * count_passed(line.ends, x[dim])];
    }
    Set any = 0;
    for (int set = 0; set < nsets_; set++) {
      const Set common = intervals[0][set] & intervals[1][set] & intervals[2][set];
      wanted_[static_cast<std::size_t>(n) * nsets_ + set] = common;
      any |= common;
    }
    border_[n] = i;
    n += any != 0;
  }
  border_.resize(n);
}

/* ----------------------------------------------------------------------
   f(place) for all members of a set, ascending
------------------------------------------------------------------------- */

template <class F> void TileBorders::for_members(Set set, F &&f)
{
  for (; set; set &= set - 1) f(__builtin_ctzll(set));
}

/* ---------------------------------------------------------------------- */

void TileBorders::fill(const HaloPlan &plan, SendLists &lists)
{
  const auto for_entries = [&](auto &&f) {
    for (std::size_t k = 0; k < border_.size(); k++)
      for (int set = 0; set < nsets_; set++)
        for_members(wanted_[k * nsets_ + set],
                    [&](int place) { f(border_[k], set * MEMBERS + place); });
  };
  count_.assign(plan.swaps.size(), 0);
  for_entries([&](int, int swap) { count_[swap]++; });
  lists.allot(count_);
  cursor_.resize(count_.size());
  for (std::size_t swap = 0; swap < count_.size(); swap++)
    cursor_[swap] = lists.list(static_cast<int>(swap));
  for_entries([&](int atom, int swap) { *cursor_[swap]++ = atom; });
}

/* ----------------------------------------------------------------------
   what is beyond one face alone is within reach; else the distance from the
   receiver's sub-box decides.  The lists stay in ascending order
------------------------------------------------------------------------- */

void TileBorders::round_corners(const HaloPlan &plan, const TileBox &mine,
                                const BorderCandidates &atoms, SendLists &lists)
{
  for (int swap = 0; swap < static_cast<int>(plan.swaps.size()); swap++) {
    const TileBox &receiver = plan.receivers[swap];
    int ndims = 0;    // along which an atom may be outside
    for (int dim = 0; dim < 3; dim++)
      ndims += receiver.lo[dim] > mine.lo[dim] || receiver.hi[dim] < mine.hi[dim];
    if (ndims < 2 || count_[swap] == 0) continue;

    const auto beyond = [&](int i) {
      const double *x = atoms.x + 3 * static_cast<std::size_t>(i);
      double distsq = 0.0;
      for (int dim = 0; dim < 3; dim++) {
        const double gap = std::max({receiver.lo[dim] - x[dim], x[dim] - receiver.hi[dim], 0.0});
        distsq += gap * gap;
      }
      return distsq > plan.corner_cutsq;
    };
    int *list = lists.list(swap);
    count_[swap] = static_cast<int>(std::remove_if(list, list + count_[swap], beyond) - list);
  }
  lists.shrink(count_);
}

}    // namespace TOFU_NS
