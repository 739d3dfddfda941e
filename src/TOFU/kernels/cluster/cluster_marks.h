// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_KERNELS_CLUSTER_MARKS_H
#define TOFU_KERNELS_CLUSTER_MARKS_H

#include "base/aligned_array.h"
#include "cluster_entry.h"

#include <cstddef>
#include <cstdint>
#include <vector>

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

/** Collects the bits of the rows of one cluster of owners, by words of find_marks(). */
class RowMarks {
 public:
  /** \param nwords   of find_marks(), all without bits */
  void start(std::size_t nwords)
  {
    bits_.assign(nwords, 0);
    touched_.resize(nwords + 1);
    ntouched_ = 0;
  }

  /** Add the pairs of a row; arguments as for find_marks(). */
  void add(const MarkedRow &row, const int *places, int width, int nclusters)
  {
    const int nentries = row.nentries;
    std::uint32_t *const words = row_words_.room(nentries + MARKS_PADDING),
                         *const marks = row_bits_.room(nentries + MARKS_PADDING),
                         *const bits = bits_.data();
    find_marks(row, places, width, nclusters, words, marks);
    int *const touched = touched_.data(), n = ntouched_;
    for (int k = 0; k < nentries; k++) {    // without branches on what chance decides
      const std::uint32_t old = bits[words[k]];
      touched[n] = static_cast<int>(words[k]);
      n += old == 0;
      bits[words[k]] = old | marks[k];
    }
    ntouched_ = n;
  }

  /** Call use(word, bits) for the words with any bit, in the order of their first pair, and remove
      all bits. */
  template <class Use> void take(const Use &use)
  {
    for (int k = 0; k < ntouched_; k++) {
      std::uint32_t &bits = bits_[touched_[k]];
      use(touched_[k], bits);
      bits = 0;
    }
    ntouched_ = 0;
  }

  std::size_t nbytes() const
  {
    return (bits_.capacity() + touched_.capacity()) * sizeof(int) + row_words_.nbytes() +
        row_bits_.nbytes();
  }

 private:
  std::vector<std::uint32_t> bits_;    // [nwords]
  std::vector<int> touched_;           // [ntouched_] words with any bit
  int ntouched_ = 0;
  AlignedArray<std::uint32_t> row_words_, row_bits_;    // of the entries of a row
};

}    // namespace TOFU_NS

#endif
