// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_KERNELS_CLUSTER_MARKS_H
#define TOFU_KERNELS_CLUSTER_MARKS_H

#include "cluster_entry.h"

#include <cstdint>

namespace TOFU_NS {

/** An atom whose row a ClusterList has pairs of. */
struct MarkedRow {
  const int *entries;    // without special bits
  int nentries;
  int place;    // of the atom in ClusterList::atoms()
};

/** Find the bits of the pairs of a row.  There is a word for each cluster, for pairs of the atom's
    cluster of owners; behind these, a word for each cluster of owners, for pairs of the neighbor's
    cluster of owners.

    \param row         of the atom
    \param places      [..] of atoms in ClusterList::atoms()
    \param width       atoms of a cluster, 4 or 8
    \param nclusters   words of the first kind
    \param words       [nentries+MARKS_PADDING] the word of each pair
    \param bits        [nentries+MARKS_PADDING] a number with its bit */
void find_marks(const MarkedRow &row, const int *places, int width, int nclusters,
                std::uint32_t *words, std::uint32_t *bits);

/** Numbers behind the last of a row that find_marks() may write. */
constexpr int MARKS_PADDING = 16;

}    // namespace TOFU_NS

#endif
