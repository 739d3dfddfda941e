// SPDX-License-Identifier: GPL-2.0-only
//
// ClusterList: pairs of atoms, each once, as pairs of clusters of atoms.
//
// Atoms are sorted into columns, and each column by height.  A cluster is a group of consecutive
// atoms, which a kernel loads as vectors (Pall and Hess, Comp. Phys. Comm. 184, 2641 (2013)).  An
// entry of the list has the numbers of two clusters and a bit for each of their pairs.  Pairs with
// special bonds are listed one by one.
//
// The list is made from positions of atoms, or from rows of a half list with any pairs.

#ifndef TOFU_KERNELS_CLUSTER_LIST_H
#define TOFU_KERNELS_CLUSTER_LIST_H

#include "base/aligned_array.h"
#include "cluster_entry.h"
#include "cluster_marks.h"
#include "cluster_search.h"
#include "compressed_rows.h"
#include "kernels/data/atom_columns.h"
#include "kernels/data/pair_data.h"

#include <cstdint>
#include <vector>

namespace TOFU_NS {

class ClusterList {
 public:
  static constexpr int NOWNERS = OWNERS_OF_CLUSTER;    // part of a cluster of width()
  static constexpr int MOST_WIDTH = MOST_CLUSTER_WIDTH;
  static constexpr int NO_ATOM = AtomColumns::NO_ATOM;
  using Entry = ClusterEntry;

  /** A pair with a special bond, which is in no entry. */
  struct Special {
    std::int32_t owner, other;    // places in atoms()
    int kind;                     // of the bond, 1 to 3
  };

  struct Range {
    int begin, end;    // atoms
  };

  /** A pair that must be in no entry. */
  struct Exception {
    int owner, other;    // atoms
    int kind;            // of the bond, 1 to 3; 0: the pair is not listed
  };

  /** Make clusters and entries from positions of atoms.

      \param exceptions   may have pairs of an atom with itself, and pairs of other atoms
      \param width        cluster_width() */
  void search(const AtomsToSearch &, const std::vector<Exception> &exceptions, int width);

  /** Make clusters and entries from the rows [first, last) of a half list.

      \param x        [..][4] positions of atoms
      \param ranges   of atoms, which contain the owners of rows and their neighbors
      \param width    4 or 8 */
  void build(const PairRows &, int first, int last, const float *x,
             const std::vector<Range> &ranges, int width);

  int width() const { return width_; }
  int nclusters() const { return static_cast<int>(atoms_.size()) / width_; }

  /** [nclusters()*width()] atoms of clusters, or NO_ATOM. */
  const std::int32_t *atoms() const { return atoms_.data(); }

  /** Clusters in any entry, and those of owners. */
  const std::vector<int> &used() const { return used_; }

  /** # of clusters of owners; the n-th has the n-th NOWNERS places of atoms(). */
  int nowner_clusters() const { return nowner_clusters_; }

  using Entries = CompressedRows<Entry>::Row;
  Entries entries(int owners) const { return entries_.row(owners); }

  std::size_t nentries() const { return entries_.nvalues(); }

  const std::vector<Special> &special() const { return special_; }

  double nbytes() const;

 private:
  struct Part {    // of the pairs of an entry
    int owners;
    Entry entry;
  };

  int width_ = MOST_WIDTH;
  int nowner_clusters_ = 0;
  std::vector<std::int32_t> atoms_;
  std::vector<int> used_;
  CompressedRows<Entry> entries_;    // of owners, as those below
  std::vector<Special> special_;

  // for builds

  AlignedArray<int> place_;    // [..] of each atom, in atoms_
  std::vector<int> at_;        // [nclusters] place in a row of entries, from 1 on

  std::vector<int> owners_, others_;
  AtomColumns columns_;
  RowMarks marks_;
  CompressedRows<Entry> found_;    // from rows of their owners
  std::vector<Part> turned_;       // from rows of atoms of the other cluster
  CompressedRows<Part> turned_sorted_;
  std::vector<Entry> row_;

  ClusterSearch search_;
  std::vector<Special> placed_;    // exceptions
  CompressedRows<Special> exceptions_;

  void sort_atoms(const PairRows &, int first, int last, const float *x,
                  const std::vector<Range> &);
  float side_of(const PairRows &, int first, int last, const float *x) const;
  void find_pairs(const PairRows &);
  void add_row(const PairRows &, int place);
  void merge();
  void find_used();
  void set_places(int natoms);
  void sort_exceptions(const std::vector<Exception> &);
  void take_exceptions(int owners, ClusterSearch::Found found);
};

}    // namespace TOFU_NS

#endif
