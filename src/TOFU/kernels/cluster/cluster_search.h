// SPDX-License-Identifier: GPL-2.0-only
//
// ClusterSearch: makes clusters of atoms, and finds pairs of near atoms between clusters.
//
// Positions are stored in single precision, relative to a corner.  The cut-off of the search is
// larger by the rounding error.

#ifndef TOFU_KERNELS_CLUSTER_SEARCH_H
#define TOFU_KERNELS_CLUSTER_SEARCH_H

#include "base/aligned_array.h"
#include "cluster_entry.h"
#include "kernels/data/atom_columns.h"

#include <climits>
#include <cstdint>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** Owners, which are the atoms [first, last), have pairs with each other
    and with atoms from last on. */
struct AtomsToSearch {
  const double *x = nullptr;    // [natoms][3]
  int natoms = 0;
  int first = 0, last = 0;
  double cutoff = 0.0;    // distance

  /** Atoms from first_ghost on are ghosts; pairs with them are found by two searches, of which one
      lists them.  With by_height a pair is listed if the ghost is higher (z); where heights differ
      by rounding only, and without by_height, if has_pair(owner, ghost). */
  int first_ghost = INT_MAX;
  bool by_height = true;
  std::function<bool(int owner, int ghost)> has_pair;
};

class ClusterSearch {
 public:
  /** Make clusters: first those of owners, without other atoms, then those of other atoms that may
      be near an owner.

      \param width      cluster_width()
      \param clusters   [..][width] set to atoms, or AtomColumns::NO_ATOM; must live until the last
                        find() */
  void sort(const AtomsToSearch &, int width, std::vector<std::int32_t> &clusters);

  /** Clusters with owners. */
  int nown() const { return nown_; }

  struct Found {
    ClusterEntry *entries;
    int n;
  };

  /** Find the pairs of a cluster of owners up to the cut-off plus rounding.  Of two owners the
      first in the order of clusters has the pair.

      \param owners   number of the cluster: it has the owners-th OWNERS_OF_CLUSTER atoms
      \return   entries in memory of this object, until the next call */
  Found find(int owners);

  double nbytes() const;

 private:
  struct Box {
    float lo[3], hi[3];
  };
  struct Group {
    std::vector<int> atoms;
    AtomColumns columns;
  };

  AtomsToSearch from_;
  int width_ = MOST_CLUSTER_WIDTH, nown_ = 0;
  double corner_[3] = {0.0, 0.0, 0.0}, size_[3] = {0.0, 0.0, 0.0};    // of a box around owners
  float reach_ = 0.0F, margin_ = 0.0F;    // cut-off and margin; rounding error of a coordinate
  AlignedArray<float> x_;                 // [natoms][4] from the corner, of those that are sorted
  Group owners_, others_, ghosts_;
  const std::vector<std::int32_t> *clusters_ = nullptr;
  AlignedArray<float> places_;         // [nclusters][3][width]
  std::vector<float> bottom_, top_;    // [nclusters]
  std::vector<char> occupied_;         // [cells]
  struct Candidates {
    int own = AtomColumns::NO_ATOM;    // cluster that the candidates may be near
    std::vector<int> clusters;
    int nowned = 0, n = 0;    // ghosts come last
  } candidates_;
  AlignedArray<ClusterEntry> entries_;
  std::vector<std::uint32_t> doubts_;

  void find_box();
  void find_others(int first, int last, Group &);
  void keep_place(int i);
  float side();
  void fill_places(const std::vector<std::int32_t> &clusters);
  bool box_of(int cluster, Box &) const;
  void find_candidates(int own);
  void add_candidates(const AtomColumns &, const Box &, float floor);
  float same_height() const;
  std::uint32_t later_owners(int owners) const;
  int add_ghosts(int owners, int n);
  std::uint32_t without_pairs_of_others(int owners, ClusterEntry, std::uint32_t doubts) const;
};

}    // namespace TOFU_NS

#endif
