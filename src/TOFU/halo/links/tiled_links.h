// SPDX-License-Identifier: GPL-2.0-only
//
// TiledLinks: when ranks of a tiled layout make links anew, and to which ranks.
//
// In a grid each rank computes the neighbors of all ranks; of tiles it computes its own alone.  So
// ranks find by a reduction whether one of them lacks a link, but only where the layout, the box,
// the cut-off or the partners are new: the basis of the links.  Links go to ranks from which no
// ghosts come yet, and links of earlier layouts are kept, so that small changes need no new ones.

#ifndef TOFU_HALO_TILED_LINKS_H
#define TOFU_HALO_TILED_LINKS_H

#include <functional>
#include <vector>

namespace TOFU_NS {

class TiledLinks {
 public:
  /** Ranks are linked whose sub-boxes are up to so many ghost cut-offs apart. */
  static constexpr double REACH = 1.5;

  /** Links of earlier layouts are kept until some rank has more than this. */
  static constexpr int MOST_LINKS = 60;

  /** Replaces n numbers by the largest of all ranks; collective. */
  using Largest = std::function<void(int *numbers, int n)>;

  /** A rank and what it can compute alone. */
  struct Rank {
    int nranks;                                  // # of all ranks
    std::vector<double> basis;                   // what links depend on; the same on all ranks
    std::vector<int> wanted;                     // ranks that it has to be linked to, ascending
    std::function<std::vector<int>()> nearby;    // those within REACH cut-offs, ascending
  };

  /** Whether the links were chosen for the same basis, so that neither a plan nor a reduction is
      needed. */
  bool serve(const std::vector<double> &basis) const { return basis == basis_; }

  /** Choose links anew if one of the ranks lacks one.  Collective if serve() is false.

      \param rank     this rank
      \param are_for_tiles   whether the present links were made for tiles
      \param peers    in: linked ranks, ascending, empty on all ranks if links are not for tiles;
                      out: those to be linked
      \param largest  reduction over all ranks
      \return         whether links are to be made anew; the same on all ranks */
  bool choose(const Rank &rank, bool are_for_tiles, std::vector<int> &peers,
              const Largest &largest);

  /** Of the links chosen last; differs from those of grids. */
  const std::vector<int> &signature() const { return signature_; }

  /** Whether all ranks have links to all others. */
  bool complete() const { return complete_; }

 private:
  std::vector<double> basis_;
  int nchoices_ = 0;
  std::vector<int> signature_;
  bool complete_ = false;
};

}    // namespace TOFU_NS

#endif
