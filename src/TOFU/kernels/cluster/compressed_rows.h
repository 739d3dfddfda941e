// SPDX-License-Identifier: GPL-2.0-only
//
// CompressedRows: rows of values, one behind the other.

#ifndef TOFU_KERNELS_COMPRESSED_ROWS_H
#define TOFU_KERNELS_COMPRESSED_ROWS_H

#include <cstddef>
#include <numeric>
#include <vector>

namespace TOFU_NS {

template <class T> class CompressedRows {
 public:
  struct Row {
    const T *begin, *end;
  };
  Row row(int n) const { return {values_.data() + begin_[n], values_.data() + begin_[n + 1]}; }
  std::size_t nvalues() const { return values_.size(); }

  // rows one after the other: values, then the end of their row

  void clear()
  {
    values_.clear();
    begin_.assign(1, 0);
  }
  void append(const T &value) { values_.push_back(value); }
  void append(const T *first, const T *last) { values_.insert(values_.end(), first, last); }
  void end_row() { begin_.push_back(static_cast<int>(values_.size())); }

  /** Sort values into rows.  Those of a row keep their order.

      \param row_of   gets a value and returns its row, from 0 to nrows-1 */
  template <class RowOf> void sort(const std::vector<T> &values, int nrows, const RowOf &row_of)
  {
    begin_.assign(nrows + 2, 0);
    for (const T &value : values) begin_[row_of(value) + 2]++;
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    values_.resize(values.size());
    for (const T &value : values) values_[begin_[row_of(value) + 1]++] = value;
    begin_.pop_back();
  }

  const std::vector<T> &values() const { return values_; }
  std::size_t nbytes() const
  {
    return values_.capacity() * sizeof(T) + begin_.capacity() * sizeof(int);
  }

 private:
  std::vector<T> values_;
  std::vector<int> begin_;    // [nrows+1]
};

}    // namespace TOFU_NS

#endif
