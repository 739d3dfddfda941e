// SPDX-License-Identifier: GPL-2.0-only
//
// FftwPlan: transforms of FFTW, planned once, run on any arrays, in double and in single precision.
//
// Plans are FFTW_ESTIMATE: others depend on what happens to be fast while planning, and with that
// results would differ from run to run in the last digits.  FFTW's planner may be called by one
// thread at a time: a lock of this class ensures that among its own plans; other code that plans
// has to do so in the same thread.

#ifndef TOFU_MESH_FFTW_H
#define TOFU_MESH_FFTW_H

#include <cstddef>
#include <memory>
#include <vector>

namespace TOFU_NS {

/** FORWARD is exp(-2 pi i k r / n), BACKWARD the conjugate; none is normalized. */
enum class FftDirection { FORWARD, BACKWARD, REAL_TO_COMPLEX, COMPLEX_TO_REAL };

enum class FftPlace { SAME_ARRAY, OTHER_ARRAY };

/** A dimension of an array.  Strides are in reals where it is real, else in complex numbers. */
struct FftAxis {
  int length;    // of real numbers, where a half spectrum has length/2+1
  std::ptrdiff_t from_stride, to_stride;
};

template <class Real> class FftwPlan {
 public:
  /** \param kind      what is done
      \param place     where the result goes; strides are the same there, if it is the same array
      \param axes      dimensions to transform; the last one is that of which a half spectrum has
                       half
      \param repeats   the others; at most 3 in all
      \throws std::runtime_error if FFTW has no plan */
  FftwPlan(FftDirection kind, FftPlace place, const std::vector<FftAxis> &axes,
           const std::vector<FftAxis> &repeats);
  ~FftwPlan();
  FftwPlan(FftwPlan &&) noexcept;
  FftwPlan &operator=(FftwPlan &&) noexcept;

  /** Transform; several threads may do so at once, on arrays of their own.

      \param from   array to transform; lost by COMPLEX_TO_REAL, else kept unless it is to
      \param to     result */
  void run(Real *from, Real *to) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}    // namespace TOFU_NS

#endif
