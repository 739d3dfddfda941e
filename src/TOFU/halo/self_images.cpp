// SPDX-License-Identifier: GPL-2.0-only

#include "self_images.h"

#include <algorithm>
#include <numeric>

namespace TOFU_NS {

void SelfImages::build(const HaloPlan &plan, const SendLists &lists,
                       const std::vector<int> &firstrecv, bool in_turn)
{
  nruns_ = 0;
  in_turn_ = in_turn;
  bool open = false;    // the last run may go on
  for (const HaloStage &stage : plan.stages) {
    const bool alone = stage.peers.empty();
    if (!stage.self.empty()) {
      if (!open || !alone) start_run(stage.self.front(), firstrecv[stage.self.front()]);
      runs_[nruns_ - 1].first_reverse = stage.self.front();
      for (const int swap : stage.self)
        if (in_turn)
          add_swap_in_turn(plan.swaps[swap], lists.list(swap), lists.count(swap), firstrecv[swap]);
        else
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
  run.lowest = lowest;
  run.swaps.clear();    // their memory stays
  run.segments.clear();
  run.sources.clear();
  cursor_ = 0;
}

/* ---------------------------------------------------------------------- */

void SelfImages::add_swap_in_turn(const HaloSwap &swap, const int *list, int n, int first)
{
  if (n)
    runs_[nruns_ - 1].swaps.push_back({list, first, n, {swap.pbc[0], swap.pbc[1], swap.pbc[2]}});
}

/* ----------------------------------------------------------------------
   most lists name no images, and ascend.  With a cut-off of box lengths, most
   name atoms that follow each other
------------------------------------------------------------------------- */

void SelfImages::add_swap(const HaloSwap &swap, const int *list, int n, int first)
{
  if (n == 0) return;
  Run &run = runs_[nruns_ - 1];
  run.sources.resize(static_cast<std::size_t>(first - run.lowest) + n);
  if (list[n - 1] < run.lowest && std::is_sorted(list, list + n)) {
    std::copy_n(list, n, run.sources.data() + (first - run.lowest));
    append(run, {first, n, {swap.pbc[0], swap.pbc[1], swap.pbc[2]}});
    return;
  }
  int end = 0;
  for (int k = 0; k < n; k = end) {
    for (end = k + 1; end < n && list[end] == list[end - 1] + 1;) end++;
    add_range(swap, list[k], end - k, first + k);
  }
}

/* ----------------------------------------------------------------------
   a source that the run has made itself is replaced by its own source

   Args:
     from   first of n sources that follow each other
     to     ghost of the first
------------------------------------------------------------------------- */

void SelfImages::add_range(const HaloSwap &swap, int from, int n, int to)
{
  Run &run = runs_[nruns_ - 1];
  while (n > 0) {
    const Segment *segment;
    const int m = origins(from, n, segment);
    Segment ghosts{to, m, {swap.pbc[0], swap.pbc[1], swap.pbc[2]}};
    int *const made = run.sources.data() + (to - run.lowest);
    if (segment) {
      for (int dim = 0; dim < 3; dim++) ghosts.images[dim] += segment->images[dim];
      std::copy_n(run.sources.data() + (from - run.lowest), m, made);
    } else {
      std::iota(made, made + m, from);
    }
    append(run, ghosts);
    from += m;
    to += m;
    n -= m;
  }
}

/* ----------------------------------------------------------------------
   Returns: how many of the n atoms from this one on are in one segment, or in
     none, which are atoms of this rank and ghosts of others
------------------------------------------------------------------------- */

int SelfImages::origins(int from, int n, const Segment *&segment)
{
  const std::vector<Segment> &segments = runs_[nruns_ - 1].segments;
  const auto begins_after = [&](std::size_t i) {
    return i == segments.size() || segments[i].first > from;
  };
  const bool near = cursor_ < segments.size() && segments[cursor_].first <= from;
  if (near && !begins_after(cursor_ + 1) && begins_after(cursor_ + 2)) cursor_++;
  if (!near || !begins_after(cursor_ + 1)) {
    const auto next =
        std::upper_bound(segments.begin(), segments.end(), from,
                         [](int index, const Segment &other) { return index < other.first; });
    segment = nullptr;
    if (next == segments.begin())    // before all of them
      return segments.empty() ? n : std::min(n, next->first - from);
    cursor_ = static_cast<std::size_t>(next - segments.begin()) - 1;
  }
  const Segment &found = segments[cursor_];
  segment = from < found.first + found.n ? &found : nullptr;
  if (segment) return std::min(n, found.first + found.n - from);
  return cursor_ + 1 == segments.size() ? n : std::min(n, segments[cursor_ + 1].first - from);
}

/* ---------------------------------------------------------------------- */

void SelfImages::append(Run &run, const Segment &segment)
{
  if (!run.segments.empty()) {
    Segment &last = run.segments.back();
    const int *const from = sources(run, segment);
    if (last.first + last.n == segment.first && last.images == segment.images &&
        from[-1] < from[0]) {
      last.n += segment.n;
      return;
    }
  }
  run.segments.push_back(segment);
}

/* ---------------------------------------------------------------------- */

const SelfImages::Run *SelfImages::find(int Run::*first, int swap) const
{
  for (int i = 0; i < nruns_; i++)
    if (runs_[i].*first == swap) return &runs_[i];
  return nullptr;
}

/* ---------------------------------------------------------------------- */

int SelfImages::count(int Run::*first, int swap) const
{
  const Run *const run = find(first, swap);
  int n = 0;
  if (!run) return 0;
  for (const Swap &one : run->swaps) n += one.n;
  for (const Segment &segment : run->segments) n += segment.n;
  return n;
}

/* ---------------------------------------------------------------------- */

double SelfImages::nbytes() const
{
  std::size_t n = 0;
  for (const Run &run : runs_)
    n += run.swaps.capacity() * sizeof(Swap) + run.segments.capacity() * sizeof(Segment) +
        run.sources.capacity() * sizeof(int);
  return static_cast<double>(n);
}

/* ----------------------------------------------------------------------
   image(ghost, source) for those of a segment that have these sources
------------------------------------------------------------------------- */

template <class Image>
void SelfImages::for_images(const Run &run, const Segment &segment, ImageSources which,
                            Image &&image)
{
  const int *const begin = sources(run, segment), *const end = begin + segment.n;
  const int *const from = *begin >= which.first ? begin : std::lower_bound(begin, end, which.first),
                   *const to = end[-1] < which.last ? end : std::lower_bound(from, end, which.last);
  std::size_t ghost = segment.first + (from - begin);
  for (const int *source = from; source < to; source++, ghost++)
    image(3 * ghost, 3 * static_cast<std::size_t>(*source));
}

/* ---------------------------------------------------------------------- */

static std::array<double, 3> shift_of(const std::array<int, 3> &images, const SelfImages::Box &box)
{
  std::array<double, 3> shift;
  for (int dim = 0; dim < 3; dim++)
    shift[dim] = images[0] * box[0][dim] + images[1] * box[1][dim] + images[2] * box[2][dim];
  return shift;
}

static void shift_atom(double *to, const double *from, const std::array<double, 3> &shift)
{
  for (int dim = 0; dim < 3; dim++) to[dim] = from[dim] + shift[dim];
}

void SelfImages::forward(int swap, const Box &box, double *x, ImageSources which) const
{
  const Run *const run = find(&Run::first_forward, swap);
  if (!run) return;
  for (const Swap &one : run->swaps) {
    const std::array<double, 3> shift = shift_of(one.images, box);
    double *ghost = x + 3 * static_cast<std::size_t>(one.first);
    for (int k = 0; k < one.n; k++, ghost += 3)
      shift_atom(ghost, x + 3 * static_cast<std::size_t>(one.list[k]), shift);
  }
  for (const Segment &segment : run->segments) {
    const std::array<double, 3> shift = shift_of(segment.images, box);
    for_images(*run, segment, which, [=](std::size_t ghost, std::size_t source) {
      shift_atom(x + ghost, x + source, shift);
    });
  }
}

/* ---------------------------------------------------------------------- */

void SelfImages::reverse(int swap, double *f, ImageSources which) const
{
  const Run *const run = find(&Run::first_reverse, swap);
  if (!run) return;
  for (auto one = run->swaps.rbegin(); one != run->swaps.rend(); ++one) {
    const double *ghost = f + 3 * static_cast<std::size_t>(one->first);
    for (int k = 0; k < one->n; k++, ghost += 3)
      for (int dim = 0; dim < 3; dim++)
        f[3 * static_cast<std::size_t>(one->list[k]) + dim] += ghost[dim];
  }
  for (const Segment &segment : run->segments)
    for_images(*run, segment, which, [=](std::size_t ghost, std::size_t source) {
      f[source] += f[ghost];
      f[source + 1] += f[ghost + 1];
      f[source + 2] += f[ghost + 2];
    });
}

}    // namespace TOFU_NS
