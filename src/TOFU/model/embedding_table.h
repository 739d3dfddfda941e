// SPDX-License-Identifier: GPL-2.0-only
//
// Table of an embedding net, a function of one variable with many values: polynomials of fifth
// degree with the net's value, slope and curvature at both ends of an interval.
//
// Intervals are halved until the table agrees with the net to rounding.  The net itself is
// evaluated outside of the range of the table, and where they do not agree, as for activations with
// a kink.

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
  /** lower, upper: range of most arguments. */
  EmbeddingTable(const DenseNet &, double lower, double upper);

  /** The table of a compressed model; linear behind its range. */
  explicit EmbeddingTable(const CompressedNet &);

  EmbeddingRows rows() const;
  int width() const { return width_; }
  int padded_width() const { return padded_width_; }

  /** Doubles in a row. */
  std::size_t row_size() const
  {
    return static_cast<std::size_t>(EmbeddingRows::NCOEFFICIENTS) * padded_width_;
  }

  /** Compute a row of polynomials around any x; its offset is 0. */
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
