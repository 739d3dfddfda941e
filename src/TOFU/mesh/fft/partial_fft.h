// SPDX-License-Identifier: GPL-2.0-only
//
// The FFT without remaps (DPLR paper, sec. 3.1, Figures 3 and 4): bricks stay bricks.
//
// For each dimension in turn, every rank makes partial sums of its points for all outputs, and a
// reduction over the ranks of its row leaves each owner with the sums of its range of outputs.
// That is more arithmetic than an FFT, but one message deep for each dimension, and neighbors in a
// row only; best where a rank has few points.  A dimension that ranks have whole takes no messages.

#ifndef TOFU_MESH_PARTIAL_FFT_H
#define TOFU_MESH_PARTIAL_FFT_H

#include "distributed_fft.h"
#include "mesh/exchange/row_sum.h"

#include <memory>
#include <string>

namespace TOFU_NS {

/** INT32: the values that travel are normalized to keep their range, by 1/sqrt(n) for each
    dimension of n points, so that they are of the size of the density, or of the fields.  If a
    value on any rank is too large for `scale` and the number of ranks in the row, all ranks throw
    std::runtime_error in the same transform, with the value, the limit and a sufficient scale; the
    object remains usable.  This agreement takes one more message for each dimension but the last
    that is cut. */
struct PartialOptions {
  ReduceType reduce = ReduceType::DOUBLE;    // type of the numbers that travel
  double scale = 1e7;                        // integers per unit, for INT32
  ReductionChain chain = ReductionChain::DIRECT;
};

/** \param geometry   bricks of all ranks
    \param options    how it is done
    \param why_not    reason if there is none
    \return   nullptr if the bricks are no regular grid; cuts may be uneven, bricks may be empty
              where there are more ranks than planes.  The result is the same on all ranks. */
template <class Real>
std::unique_ptr<DistributedFft<Real>>
make_partial_fft(const MeshGeometry &geometry, const PartialOptions &options, std::string &why_not);

}    // namespace TOFU_NS

#endif
