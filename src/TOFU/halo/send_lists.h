// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_HALO_SEND_LISTS_H
#define TOFU_HALO_SEND_LISTS_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace TOFU_NS {

/** Lists of local indices, one per swap, ascending within each, all in one array. */
class SendLists {
 public:
  int *list(int swap) { return indices_.data() + first_[swap]; }
  const int *list(int swap) const { return indices_.data() + first_[swap]; }
  int count(int swap) const { return first_[swap + 1] - first_[swap]; }
  int nswaps() const { return static_cast<int>(first_.size()) - 1; }
  int size() const { return static_cast<int>(indices_.size()); }
  const std::vector<int> &indices() const { return indices_; }
  double nbytes() const
  {
    return static_cast<double>((indices_.capacity() + first_.capacity()) * sizeof(int));
  }

  void clear()
  {
    indices_.clear();
    first_.assign(1, 0);
  }

  /** Room for lists of known lengths, to be filled through list(). */
  void allot(const std::vector<int> &counts)
  {
    first_.assign(1, 0);
    for (int count : counts) first_.push_back(first_.back() + count);
    indices_.resize(first_.back());
  }

  /** Close the gaps of lists that turned out shorter than allotted.

      \param counts   [nswaps] entries of each list that are in use, at its beginning */
  void shrink(const std::vector<int> &counts)
  {
    int next = 0;
    for (int swap = 0; swap < nswaps(); swap++) {
      const int *from = list(swap);
      std::copy(from, from + counts[swap], indices_.data() + next);
      first_[swap] = next;
      next += counts[swap];
    }
    first_.back() = next;
    indices_.resize(next);
  }

  /** Fill swap by swap, without allot(): any number of add(), then finish_swap(). */
  void add(const int *indices, int n) { indices_.insert(indices_.end(), indices, indices + n); }
  void add(int index) { indices_.push_back(index); }

  /** Add the indices in [first, last) for which wanted(index) is true; without branches on it. */
  template <class Wanted> void add_range(int first, int last, Wanted &&wanted)
  {
    std::size_t end = indices_.size();
    indices_.resize(end + std::max(last - first, 0));
    for (int i = first; i < last; i++) {
      indices_[end] = i;
      end += wanted(i) ? 1 : 0;
    }
    indices_.resize(end);
  }
  void finish_swap() { first_.push_back(static_cast<int>(indices_.size())); }

 private:
  std::vector<int> indices_;
  std::vector<int> first_{0};    // [nswaps+1] where each list begins
};

}    // namespace TOFU_NS

#endif
