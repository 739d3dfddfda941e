// SPDX-License-Identifier: GPL-2.0-only
//
// An embedding net, a function of one variable with many values, as a table of polynomials of fifth
// degree that have the net's value, slope and curvature at both ends of an interval.
//
// Intervals are halved until the table agrees with the net to rounding.  Where it does not, as with
// activations that have a kink, and outside of the table's range the net itself is evaluated.

#ifndef TOFU_MODEL_EMBEDDING_TABLE_H
#define TOFU_MODEL_EMBEDDING_TABLE_H

#include "deep_model.h"
#include "net_curve.h"

#include "base/aligned_array.h"
#include "kernels/deep/environment.h"

#include <vector>

namespace TOFU_NS {

class EmbeddingTable {
 public:
  /** lower, upper: range where values will mostly be asked for. */
  EmbeddingTable(const DenseNet &, double lower, double upper);

  /** The table of a compressed model as it is.  Behind its range it goes on as a straight line. */
  explicit EmbeddingTable(const CompressedNet &);

  EmbeddingRows rows() const;
  int width() const { return width_; }
  int padded_width() const { return padded_width_; }

  /** Doubles in a row. */
  std::size_t row_size() const
  {
    return static_cast<std::size_t>(EmbeddingRows::NCOEFFICIENTS) * padded_width_;
  }

  /** A row of polynomials around x, which may be anywhere: for the offset 0. */
  void make_row(double x, double *row) const;

  double nbytes() const { return static_cast<double>(coefficients_.nbytes()); }

 private:
  DenseNet net_;    // empty: compressed
  int width_, padded_width_, nrows_ = 0;
  EmbeddingRows range_;
  AlignedArray<double> coefficients_;

  double &coefficient(double *row, int column, int power) const;
  double tabulate(double interval, int nrows);
};

}    // namespace TOFU_NS

#endif
