// SPDX-License-Identifier: GPL-2.0-only
//
// BorderBins: assigns owned atoms to swaps, where sub-boxes are a grid.
//
// The numbers of receivers below and above an atom that need it, in each dimension, are digits; the
// digits together are the bin of the atom, and each bin has a list of swaps.  There is one pass
// over the atoms for each limit, without branches: six where each side has one receiver.

#ifndef TOFU_HALO_BORDER_BINS_H
#define TOFU_HALO_BORDER_BINS_H

#include "base/parts.h"
#include "border_candidates.h"
#include "halo_plan.h"
#include "send_lists.h"

#include <vector>

namespace TOFU_NS {

class BorderBins {
 public:
  /** Fill the lists for the one stage of a direct plan.  Parts share the atoms; the lists do not
      depend on the parts. */
  void build(const HaloPlan &plan, const BorderCandidates &atoms, SendLists &lists,
             const Parts &parts = Parts());

  double nbytes() const
  {
    return static_cast<double>(bin_of_.capacity() * sizeof(int) +
                               border_.capacity() * sizeof(BorderAtom));
  }

 private:
  struct Digit {    // one dimension
    std::vector<double> low,
        high;           // [nkinds][nlow], [nkinds][nhigh] coordinates up to which, and
                        // from which on, atoms are sent
    int nlow, nhigh;    // # of receivers below and above
  };

  struct BorderAtom {
    int index, bin;
  };

  struct Share {                   // of a part
    int begin = 0, nborder = 0;    // in border_
    std::vector<int> bin_count;
    std::vector<int *> cursor;    // where its next atom of each swap goes
  };

  void set_limits(const HaloPlan &plan, const BorderCandidates &atoms);
  void classify(const BorderCandidates &atoms, const Parts &parts);
  void count_bins();
  int classify_share(const BorderCandidates &atoms, int first, int last);
  void collect(int first, int last, Share &share);
  template <class Passed>
  void add_passed(const BorderCandidates &atoms, int first, int last, int dim, const double *limits,
                  int stride, int weight, Passed passed);
  void set_swaps_of_bins(const HaloPlan &plan);
  void fill(const HaloPlan &plan, SendLists &lists, const Parts &parts);
  void set_cursors(SendLists &lists);
  void round_corners(const HaloPlan &plan, const BorderCandidates &atoms, SendLists &lists);

  Digit digit_[3];
  std::vector<int> bin_of_;           // [natoms]
  std::vector<BorderAtom> border_;    // atoms that any swap sends, by shares; never shrinks
  std::vector<Share> shares_;         // of parts, in the order of atoms
  std::vector<int> bin_count_;        // # of atoms per bin
  std::vector<int> swaps_first_, swaps_of_;    // swaps per bin, CSR
  std::vector<int> count_;                     // # of atoms per swap
};

}    // namespace TOFU_NS

#endif
