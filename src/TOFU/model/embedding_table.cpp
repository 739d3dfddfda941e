// SPDX-License-Identifier: GPL-2.0-only

#include "embedding_table.h"

#include <algorithm>
#include <cmath>

namespace TOFU_NS {

static constexpr int BLOCK = EmbeddingRows::BLOCK;
static constexpr double FIRST_INTERVAL = 0.02;
static constexpr int MOST_ROWS = 4096, MOST_HALVINGS = 3;
static constexpr double EXACT = 1e-13;     // difference of table and net, by the largest value
static constexpr double ENOUGH = 1e-11;    // beyond it the table is not used

static int padded(int width)
{
  return (width + BLOCK - 1) / BLOCK * BLOCK;
}

EmbeddingTable::EmbeddingTable(const DenseNet &net, double lower, double upper) :
    net_(net), width_(net.back().noutputs), padded_width_(padded(width_))
{
  range_.lower = range_.middle = range_.upper = lower;
  double interval = FIRST_INTERVAL, difference = 1e30;
  for (int n = 0; n <= MOST_HALVINGS; n++, interval *= 0.5) {
    const double wanted =
        std::min(std::ceil((upper - lower) / interval), static_cast<double>(MOST_ROWS));
    nrows_ = std::max(1, static_cast<int>(wanted));
    const double former = difference;
    difference = tabulate(interval, nrows_);
    if (difference <= EXACT || !(difference < 0.5 * former)) break;    // or the net has a kink
  }
  if (!(difference <= ENOUGH)) {    // or not a number
    range_.upper = range_.middle = lower;
    nrows_ = 0;
  }
}

/** Returns: largest difference of table and net in the middle of an interval, by the net's largest
    value. */
double EmbeddingTable::tabulate(double interval, int nrows)
{
  range_.interval = range_.long_interval = interval;
  range_.middle = range_.upper = range_.lower + nrows * interval;
  range_.nshort = nrows;
  double *row = coefficients_.room(nrows * row_size());
  std::fill_n(row, nrows * row_size(), 0.0);
  double difference = 0.0, largest = 1.0;
  NetCurve begin = evaluate_curve(net_, range_.lower);
  for (int n = 0; n < nrows; n++, row += row_size()) {
    const double x = range_.lower + n * interval, t = interval;
    const NetCurve end = evaluate_curve(net_, range_.lower + (n + 1) * interval),
                   middle = evaluate_curve(net_, x + 0.5 * t);
    for (int k = 0; k < width_; k++) {
      const double y0 = begin.value[k], d0 = begin.slope[k], c0 = begin.curvature[k];
      const double y1 = end.value[k], d1 = end.slope[k], c1 = end.curvature[k], h = y1 - y0;
      const double a[] = {
          y0,
          d0,
          0.5 * c0,
          (20.0 * h - (8.0 * d1 + 12.0 * d0) * t - (3.0 * c0 - c1) * t * t) / (2.0 * t * t * t),
          (-30.0 * h + (14.0 * d1 + 16.0 * d0) * t + (3.0 * c0 - 2.0 * c1) * t * t) /
              (2.0 * t * t * t * t),
          (12.0 * h - 6.0 * (d1 + d0) * t + (c1 - c0) * t * t) / (2.0 * t * t * t * t * t)};
      double there = 0.0;
      for (int power = 5; power >= 0; power--) {
        coefficient(row, k, power) = a[power];
        there = there * 0.5 * t + a[power];
      }
      difference = std::max(difference, std::abs(there - middle.value[k]));
      if (!(there == there)) return there;
      largest = std::max(largest, std::abs(y0));
    }
    begin = end;
  }
  return difference / largest;
}

EmbeddingTable::EmbeddingTable(const CompressedNet &from) :
    width_(from.width), padded_width_(padded(width_))
{
  const auto rounded = [](double x) {
    return static_cast<int>(std::floor(x + 0.5));
  };
  range_.lower = from.lower;
  range_.middle = from.middle;
  range_.upper = from.upper;
  range_.interval = from.interval;
  range_.long_interval = from.long_interval;
  range_.nshort = rounded((from.middle - from.lower) / from.interval);
  nrows_ = range_.nshort + rounded((from.upper - from.middle) / from.long_interval);
  double *row = coefficients_.room(nrows_ * row_size());
  std::fill_n(row, nrows_ * row_size(), 0.0);
  const double *a = from.coefficients.data();
  for (int n = 0; n < nrows_; n++, row += row_size())
    for (int k = 0; k < width_; k++)
      for (int power = 0; power < EmbeddingRows::NCOEFFICIENTS; power++)
        coefficient(row, k, power) = *a++;
}

double &EmbeddingTable::coefficient(double *row, int column, int power) const
{
  return row[(column / BLOCK) * BLOCK * EmbeddingRows::NCOEFFICIENTS + power * BLOCK +
             column % BLOCK];
}

EmbeddingRows EmbeddingTable::rows() const
{
  EmbeddingRows rows = range_;
  rows.rows = coefficients_.data();
  return rows;
}

void EmbeddingTable::make_row(double x, double *row) const
{
  std::fill_n(row, row_size(), 0.0);
  if (!net_.empty()) {
    const NetCurve there = evaluate_curve(net_, x);
    for (int k = 0; k < width_; k++) {
      coefficient(row, k, 0) = there.value[k];
      coefficient(row, k, 1) = there.slope[k];
    }
    return;
  }

  // inside of the range the polynomial around x, outside that at the nearer end

  const bool below = x < range_.lower, above = x >= range_.upper;
  const double inside = below ? range_.lower : above ? range_.upper : x;
  int n = 0;
  double begin = range_.lower;
  if (inside < range_.middle) {
    n = std::min(static_cast<int>((inside - range_.lower) / range_.interval), range_.nshort - 1);
    begin += n * range_.interval;
  } else {
    n = range_.nshort + static_cast<int>((inside - range_.middle) / range_.long_interval);
    n = std::min(n, nrows_ - 1);
    begin = n < range_.nshort ? range_.lower + n * range_.interval
                              : range_.middle + (n - range_.nshort) * range_.long_interval;
  }
  double *const from = const_cast<double *>(coefficients_.data()) + n * row_size();
  for (int k = 0; k < width_; k++) {
    double value = 0.0, slope = 0.0;
    for (int power = EmbeddingRows::NCOEFFICIENTS - 1; power >= 0; power--) {
      slope = slope * (inside - begin) + value;
      value = value * (inside - begin) + coefficient(from, k, power);
    }
    coefficient(row, k, 0) = value + slope * (x - inside);
    coefficient(row, k, 1) = slope;
  }
}

}    // namespace TOFU_NS
