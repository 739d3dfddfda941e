// SPDX-License-Identifier: GPL-2.0-only
//
// Which atoms of some clusters are near the owners of another.

#ifndef TOFU_KERNELS_CLUSTER_NEAR_H
#define TOFU_KERNELS_CLUSTER_NEAR_H

#include "cluster_entry.h"

#include <cstdint>

namespace TOFU_NS {

/** Coordinates of clusters, [nclusters][3][width], on a boundary of vectors; NaN where there is no
    atom. */
struct ClusterPlaces {
  const float *x;
  int width;    // 4 or 8, cluster_width()
};

/** The pairs of owners with clusters that are nearer than a cut-off.

    \param first        owner: the first OWNERS_OF_CLUSTER atoms are 0, the next are 1, and so on
    \param candidates   [n] clusters
    \param entries      [n+1] gets those with any pair, in the order of candidates
    \return   # of entries. */
int near_clusters(const ClusterPlaces &, int owners, const int *candidates, int n, float cutsq,
                  ClusterEntry *entries);

/** The same without pairs whose owner is higher.

    \param same_height   differences in height up to this one say nothing
    \param doubts        [n+1] pairs of each entry of which they say nothing */
int near_higher_clusters(const ClusterPlaces &, int owners, const int *candidates, int n,
                         float cutsq, float same_height, ClusterEntry *entries,
                         std::uint32_t *doubts);

}    // namespace TOFU_NS

#endif
