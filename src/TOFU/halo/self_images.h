// SPDX-License-Identifier: GPL-2.0-only
//
// SelfImages: ghosts that are images of what this rank has already, in one pass.
//
// A rank that is its own neighbor swaps with itself, and in the staged pattern what it got in one
// such swap goes into the next: with a cut-off of many box lengths most ghosts are images of
// images.  Here each ghost has its source atom and its distance from it in box lengths, so that
// positions are read from a few atoms and forces return to them, without the swaps in between.
// A rank with very few atoms has about as many such sources as there are periods: there the swaps
// one after the other take less time.

#ifndef TOFU_HALO_SELF_IMAGES_H
#define TOFU_HALO_SELF_IMAGES_H

#include "halo_plan.h"
#include "send_lists.h"

#include <array>
#include <limits>
#include <vector>

namespace TOFU_NS {

/** Atoms of which images are made, from first up to, not including, last. */
struct ImageSources {
  int first = 0, last = std::numeric_limits<int>::max();
};

class SelfImages {
 public:
  /** Box lengths as vectors: what one periodic image more adds to a position in x, y and z. */
  using Box = std::array<std::array<double, 3>, 3>;

  static constexpr int FEW_ATOMS = 16;    // owned ones, up to which swaps in turn are faster

  /** To be called when the lists are complete.

      \param plan        whose swaps with this rank itself are meant
      \param lists       atoms that the swaps send; these two stay as they are until the next
                         build()
      \param firstrecv   [nswaps] index of the first ghost of each swap
      \param in_turn     one swap after the other, without sources */
  void build(const HaloPlan &plan, const SendLists &lists, const std::vector<int> &firstrecv,
             bool in_turn = false);

  /** Whether ghosts are made and returned swap by swap: for all sources at a time, by one
      thread. */
  bool in_turn() const { return in_turn_; }

  /** Whether this rank has no swaps with itself. */
  bool empty() const { return nruns_ == 0; }

  double nbytes() const;

  /** # of ghosts that forward() of this swap makes, or reverse() returns; mostly 0. */
  int nforward(int swap) const { return count(&Run::first_forward, swap); }
  int nreverse(int swap) const { return count(&Run::first_reverse, swap); }

  /** Replaces the forward of this swap to this rank itself.  Swaps that belong together are all
      done with the first of them, when their sources are there; the others do nothing.  Different
      threads may do so for different sources.

      \param swap   number in the plan
      \param box    lengths and tilts, for the shifts
      \param x      [nall][3] distance */
  void forward(int swap, const Box &box, double *x, ImageSources) const;

  /** Add forces of ghosts to those of their sources; forces of ghosts are invalid afterwards.

      \param swap   number in the plan
      \param f      [nall][3] force */
  void reverse(int swap, double *f, ImageSources) const;

 private:
  struct Segment {    // ghosts that follow each other and are as many box lengths away; their
                      // sources ascend
    int first, n;     // first ghost, # of them
    std::array<int, 3> images;
  };

  struct Swap {         // of this rank with itself, in turn
    const int *list;    // [n] atoms
    int first, n;       // first ghost, # of them
    std::array<int, 3> images;
  };

  /** Stages that follow each other, of swaps of this rank with itself alone; or such swaps of one
      stage. */
  struct Run {
    int first_forward, first_reverse;    // swaps with which forward() and reverse() do all of it
    std::vector<Swap> swaps;             // in turn; the others are empty then
    int lowest;                          // first ghost that it may make
    std::vector<Segment> segments;       // ascending; ghosts of other ranks may be between them
    std::vector<int> sources;            // of the ghosts in segments, by index from the lowest on
  };

  void start_run(int swap, int lowest);
  void add_swap_in_turn(const HaloSwap &swap, const int *list, int n, int first);
  void add_swap(const HaloSwap &swap, const int *list, int n, int first);
  void add_range(const HaloSwap &swap, int from, int n, int to);
  int origins(int from, int n, const Segment *&segment);
  static void append(Run &run, const Segment &segment);
  const Run *find(int Run::*first, int swap) const;
  int count(int Run::*first, int swap) const;
  static const int *sources(const Run &run, const Segment &segment)
  {
    return run.sources.data() + (segment.first - run.lowest);
  }
  template <class Image>
  static void for_images(const Run &, const Segment &, ImageSources, Image &&);

  std::vector<Run> runs_;    // grows, never shrinks
  int nruns_ = 0;
  bool in_turn_ = false;
  std::size_t cursor_ = 0;    // segment of the last ghost that was looked up
};

}    // namespace TOFU_NS

#endif
