// SPDX-License-Identifier: GPL-2.0-only

#include "self_images.h"

namespace TOFU_NS {

void SelfImages::build(const HaloPlan &plan, const SendLists &lists,
                       const std::vector<int> &firstrecv)
{
  nruns_ = 0;
  bool open = false;    // the last run may go on
  for (const HaloStage &stage : plan.stages) {
    const bool alone = stage.peers.empty();
    if (!stage.self.empty()) {
      if (!open || !alone) start_run(stage.self.front(), firstrecv[stage.self.front()]);
      runs_[nruns_ - 1].first_reverse = stage.self.front();
      for (const int swap : stage.self)
        add_swap(plan.swaps[swap], lists.list(swap), lists.count(swap), firstrecv[swap]);
    }
    open = !stage.self.empty() && alone;
  }
}

/* ---------------------------------------------------------------------- */

void SelfImages::start_run(int swap, int lowest)
{
  if (nruns_ == static_cast<int>(runs_.size())) runs_.emplace_back();
  Run &run = runs_[nruns_++];
  run.first_forward = run.first_reverse = swap;
  run.segments.clear();    // their memory stays
  run.sources.clear();
  lowest_ = lowest;
  origins_.clear();
}

/* ----------------------------------------------------------------------
   a source that the run has made itself stands for what it stems from
------------------------------------------------------------------------- */

void SelfImages::add_swap(const HaloSwap &swap, const int *list, int n, int first)
{
  if (n == 0) return;
  Run &run = runs_[nruns_ - 1];
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
    Segment *const last = run.segments.empty() ? nullptr : &run.segments.back();
    if (last && last->first + last->n == first + k && last->images[0] == origin.images[0] &&
        last->images[1] == origin.images[1] && last->images[2] == origin.images[2])
      last->n++;
    else
      run.segments.push_back({first + k, 1, origin.images});
  }
}

/* ---------------------------------------------------------------------- */

const SelfImages::Run *SelfImages::find(int Run::*first, int swap) const
{
  for (int i = 0; i < nruns_; i++)
    if (runs_[i].*first == swap) return &runs_[i];
  return nullptr;
}

/* ---------------------------------------------------------------------- */

void SelfImages::forward(int swap, const Box &box, double *x) const
{
  const Run *const run = find(&Run::first_forward, swap);
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
  const Run *const run = find(&Run::first_reverse, swap);
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
