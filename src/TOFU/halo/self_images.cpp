// SPDX-License-Identifier: GPL-2.0-only

#include "self_images.h"

#include <algorithm>

namespace TOFU_NS {

static constexpr std::size_t MOST_KEPT = 1 << 16;    // atoms in scratch memory

/* ---------------------------------------------------------------------- */

void SelfImages::build(const HaloPlan &plan, const SendLists &lists,
                       const std::vector<int> &firstrecv)
{
  runs_.clear();
  bool open = false;    // the last run may go on
  for (const HaloStage &stage : plan.stages) {
    const bool alone = stage.peers.empty();
    if (!stage.self.empty()) {
      if (!open || !alone) start_run(stage.self.front(), firstrecv[stage.self.front()]);
      runs_.back().first_reverse = stage.self.front();
      for (const int swap : stage.self)
        add_swap(plan.swaps[swap], lists.list(swap), lists.count(swap), firstrecv[swap]);
    }
    open = !stage.self.empty() && alone;
  }
  origins_.clear();
  if (origins_.capacity() > MOST_KEPT) origins_.shrink_to_fit();
}

/* ---------------------------------------------------------------------- */

void SelfImages::start_run(int swap, int lowest)
{
  runs_.push_back({swap, swap, {}, {}});
  lowest_ = lowest;
  origins_.clear();
}

/* ----------------------------------------------------------------------
   a source that the run has made itself stands for what it stems from
------------------------------------------------------------------------- */

void SelfImages::add_swap(const HaloSwap &swap, const int *list, int n, int first)
{
  if (n == 0) return;
  Run &run = runs_.back();
  const std::size_t end = static_cast<std::size_t>(first - lowest_) + n;
  if (origins_.size() < end) origins_.resize(end, {-1, {}});
  for (int k = 0; k < n; k++) {
    Origin origin = {list[k], {0, 0, 0}};
    const int made = list[k] - lowest_;
    if (made >= 0 && made < static_cast<int>(origins_.size()) && origins_[made].source >= 0)
      origin = origins_[made];
    for (int dim = 0; dim < 3; dim++) origin.images[dim] += swap.pbc[dim];
    origins_[first - lowest_ + k] = origin;

    run.sources.push_back(origin.source);
    const bool next = !run.segments.empty() && run.segments.back().images == origin.images &&
        run.segments.back().first + run.segments.back().n == first + k;
    if (next)
      run.segments.back().n++;
    else
      run.segments.push_back({first + k, 1, origin.images});
  }
}

/* ---------------------------------------------------------------------- */

const SelfImages::Run *SelfImages::find(const std::vector<Run> &runs, int Run::*first, int swap)
{
  const auto found =
      std::find_if(runs.begin(), runs.end(), [&](const Run &run) { return run.*first == swap; });
  return found == runs.end() ? nullptr : &*found;
}

/* ---------------------------------------------------------------------- */

void SelfImages::forward(int swap, const Box &box, double *x) const
{
  const Run *const run = find(runs_, &Run::first_forward, swap);
  if (!run) return;
  const int *source = run->sources.data();
  for (const Segment &segment : run->segments) {
    double shift[3];
    for (int dim = 0; dim < 3; dim++)
      shift[dim] = segment.images[0] * box[0][dim] + segment.images[1] * box[1][dim] +
          segment.images[2] * box[2][dim];
    double *ghost = x + 3 * static_cast<std::size_t>(segment.first);
    for (int k = 0; k < segment.n; k++, ghost += 3) {
      const double *const from = x + 3 * static_cast<std::size_t>(*source++);
      ghost[0] = from[0] + shift[0];
      ghost[1] = from[1] + shift[1];
      ghost[2] = from[2] + shift[2];
    }
  }
}

/* ---------------------------------------------------------------------- */

void SelfImages::reverse(int swap, double *f) const
{
  const Run *const run = find(runs_, &Run::first_reverse, swap);
  if (!run) return;
  const int *source = run->sources.data();
  for (const Segment &segment : run->segments) {
    const double *ghost = f + 3 * static_cast<std::size_t>(segment.first);
    for (int k = 0; k < segment.n; k++, ghost += 3) {
      double *const to = f + 3 * static_cast<std::size_t>(*source++);
      to[0] += ghost[0];
      to[1] += ghost[1];
      to[2] += ghost[2];
    }
  }
}

}    // namespace TOFU_NS
