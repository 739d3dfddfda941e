// SPDX-License-Identifier: GPL-2.0-only
//
// Tiles: the sub-boxes of a box that is cut into any number of boxes, one per rank, as by recursive
// bisection.  A tree over ranges of ranks finds the sub-boxes that overlap a given box; the time
// hardly depends on their number where ranks with near numbers have near sub-boxes.

#ifndef TOFU_HALO_TILES_H
#define TOFU_HALO_TILES_H

#include <array>
#include <vector>

namespace TOFU_NS {

/** A box: a sub-box, or one that is extended by a cut-off. */
struct TileBox {
  std::array<double, 3> lo, hi;
};

class Tiles {
 public:
  /** \param fractions   [# of ranks] sub-boxes as fractions 0 ... 1 of the box.  A face between two
                         sub-boxes has the same bits in both. */
  explicit Tiles(std::vector<TileBox> fractions);

  int nranks() const { return static_cast<int>(fractions_.size()); }

  /** The sub-box of a rank, as a fraction of the box. */
  const TileBox &of(int rank) const { return fractions_[rank]; }

  /** Ranks whose sub-boxes overlap or touch a box; ascending.

      \param box     fractions; may reach beyond 0 ... 1
      \param found   ranks are appended */
  void find_overlapping(const TileBox &box, std::vector<int> &found) const;

 private:
  struct Node {    // a range of ranks
    TileBox box;
    int first;           // of them
    int lower, upper;    // nodes of the two halves; -1: this is one rank
  };

  int add_node(int first, int last);
  void search(int node, const TileBox &box, std::vector<int> &found) const;

  std::vector<TileBox> fractions_;
  std::vector<Node> nodes_;
};

}    // namespace TOFU_NS

#endif
