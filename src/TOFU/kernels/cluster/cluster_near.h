// SPDX-License-Identifier: GPL-2.0-only
//
// Search for pairs of near atoms between a cluster of owners and other clusters.

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

/** Find the pairs of a cluster of owners with other clusters that are nearer than a cut-off.

    \param owners       number of the cluster of owners: it has the owners-th OWNERS_OF_CLUSTER
                        atoms
    \param candidates   [n] clusters
    \param entries      [n+1] gets the clusters with any pair, in the order of candidates
    \return   # of entries. */
int near_clusters(const ClusterPlaces &, int owners, const int *candidates, int n, float cutsq,
                  ClusterEntry *entries);

/** As near_clusters(), without pairs whose owner is higher.

    \param same_height   largest difference in height that may be from rounding
    \param doubts        [n+1] gets the pairs of each entry with such a difference */
int near_higher_clusters(const ClusterPlaces &, int owners, const int *candidates, int n,
                         float cutsq, float same_height, ClusterEntry *entries,
                         std::uint32_t *doubts);

}    // namespace TOFU_NS

#endif
