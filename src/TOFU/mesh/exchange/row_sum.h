// SPDX-License-Identifier: GPL-2.0-only
//
// RowSum: sums over the ranks of a row (reduction.h), with a choice of the numbers in messages:
// double, float, or pairs of integers of 32 bits (quantize.h).

#ifndef TOFU_MESH_ROW_SUM_H
#define TOFU_MESH_ROW_SUM_H

#include "reduction.h"

namespace TOFU_NS {

enum class ReduceType { DOUBLE, FLOAT, INT32 };

template <class Real> class RowSum {
 public:
  virtual ~RowSum() = default;

  /** As Reduction::add_traffic(). */
  virtual void add_traffic(const int *cuts, std::size_t nvalues,
                           std::vector<std::size_t> &nbytes) const = 0;
  virtual void bind(Transport &transport) = 0;

  /** As Reduction::sum().  INT32: values that are not finite, or so large that sums might not fit,
      make a mark with this rank, `place` and the worst of them, and zeros take part in the sum.  A
      rank that is marked goes on like all others, so that no rank waits for it; the sums are of no
      use then. */
  virtual void sum(const int *cuts, std::size_t nvalues, const Real *partial, Real *mine,
                   ReductionMark &mark) = 0;
};

/** \param type    of the numbers that travel
    \param scale   integers per unit, for INT32
    \param place   of the marks that it makes
    \param chain   order in which ranks add
    \param row     ranks of the row */
template <class Real>
std::unique_ptr<RowSum<Real>> make_row_sum(ReduceType type, double scale, int place,
                                           ReductionChain chain, const ReductionRow &row);

}    // namespace TOFU_NS

#endif
