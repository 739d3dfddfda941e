// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_MESH_FIELD_ARRAYS_H
#define TOFU_MESH_FIELD_ARRAYS_H

#include "base/aligned_array.h"

#include <vector>

namespace TOFU_NS {

/** Arrays of one length in one piece of memory, each on a boundary of cache lines, as FFTW's plans
    for aligned arrays want it. */
template <class Real> class FieldArrays {
 public:
  /** \return   [nfields] arrays of so many numbers; what was there is lost. */
  Real *const *room(int nfields, std::size_t length)
  {
    constexpr std::size_t LINE = 64 / sizeof(Real);
    const std::size_t stride = (length + LINE - 1) / LINE * LINE;
    Real *const first = memory_.room(nfields * stride);
    arrays_.resize(nfields);
    for (int field = 0; field < nfields; field++) arrays_[field] = first + field * stride;
    return arrays_.data();
  }

 private:
  AlignedArray<Real> memory_;
  std::vector<Real *> arrays_;
};

}    // namespace TOFU_NS

#endif
