// SPDX-License-Identifier: GPL-2.0-only

#include "fftw.h"

#include <fftw3.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace TOFU_NS {

namespace {

  // the two libraries differ in their prefix

  template <class Real> struct Fftw;

  template <> struct Fftw<double> {
    using Plan = fftw_plan;
    using Complex = fftw_complex;
    using Dim = fftw_iodim64;
    static constexpr auto plan_complex = fftw_plan_guru64_dft;
    static constexpr auto plan_forward = fftw_plan_guru64_dft_r2c;
    static constexpr auto plan_backward = fftw_plan_guru64_dft_c2r;
    static constexpr auto run_complex = fftw_execute_dft;
    static constexpr auto run_forward = fftw_execute_dft_r2c;
    static constexpr auto run_backward = fftw_execute_dft_c2r;
    static constexpr auto destroy = fftw_destroy_plan;
    static constexpr auto alignment = fftw_alignment_of;
  };

  template <> struct Fftw<float> {
    using Plan = fftwf_plan;
    using Complex = fftwf_complex;
    using Dim = fftwf_iodim64;
    static constexpr auto plan_complex = fftwf_plan_guru64_dft;
    static constexpr auto plan_forward = fftwf_plan_guru64_dft_r2c;
    static constexpr auto plan_backward = fftwf_plan_guru64_dft_c2r;
    static constexpr auto run_complex = fftwf_execute_dft;
    static constexpr auto run_forward = fftwf_execute_dft_r2c;
    static constexpr auto run_backward = fftwf_execute_dft_c2r;
    static constexpr auto destroy = fftwf_destroy_plan;
    static constexpr auto alignment = fftwf_alignment_of;
  };

  std::mutex &planner()
  {
    static std::mutex mutex;
    return mutex;
  }

  template <class Real>
  std::vector<typename Fftw<Real>::Dim> dims_of(const std::vector<FftAxis> &axes)
  {
    std::vector<typename Fftw<Real>::Dim> dims;
    for (const FftAxis &axis : axes)
      dims.push_back({axis.length, axis.from_stride, axis.to_stride});
    return dims;
  }

  std::string lengths_of(const std::vector<FftAxis> &axes)
  {
    std::string text;
    for (const FftAxis &axis : axes)
      text += (text.empty() ? "" : " x ") + std::to_string(axis.length);
    return text;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Real> struct FftwPlan<Real>::Impl {
  using Library = Fftw<Real>;
  struct Destroy {
    void operator()(typename Library::Plan plan) const { Library::destroy(plan); }
  };
  using Holder = std::unique_ptr<std::remove_pointer_t<typename Library::Plan>, Destroy>;

  FftDirection kind;
  bool empty = false;
  Holder aligned, unaligned;

  Impl(FftDirection kind_in, FftPlace place, const std::vector<FftAxis> &axes,
       const std::vector<FftAxis> &repeats) :
      kind(kind_in)
  {
    for (const std::vector<FftAxis> *all : {&axes, &repeats})
      for (const FftAxis &axis : *all) empty = empty || axis.length == 0;
    if (empty) return;
    std::lock_guard<std::mutex> lock(planner());
    aligned.reset(plan(place, axes, repeats, FFTW_ESTIMATE));
    unaligned.reset(plan(place, axes, repeats, FFTW_ESTIMATE | FFTW_UNALIGNED));
  }

  ~Impl()
  {
    std::lock_guard<std::mutex> lock(planner());
    aligned.reset();
    unaligned.reset();
  }

  // a plan of FFTW is for arrays of the same alignment, in place or not; with FFTW_ESTIMATE FFTW
  // does not write to them

  typename Library::Plan plan(FftPlace place, const std::vector<FftAxis> &axes,
                              const std::vector<FftAxis> &repeats, unsigned flags) const
  {
    alignas(64) Real somewhere[32], elsewhere[32];
    using Complex = typename Library::Complex;
    auto numbers = reinterpret_cast<Complex *>(somewhere),
         results = place == FftPlace::SAME_ARRAY ? numbers : reinterpret_cast<Complex *>(elsewhere);
    const auto dims = dims_of<Real>(axes), many = dims_of<Real>(repeats);
    const int ndims = static_cast<int>(dims.size()), nmany = static_cast<int>(many.size());
    typename Library::Plan made = nullptr;
    if (kind == FftDirection::REAL_TO_COMPLEX)
      made = Library::plan_forward(ndims, dims.data(), nmany, many.data(), elsewhere, numbers,
                                   flags | FFTW_PRESERVE_INPUT);
    else if (kind == FftDirection::COMPLEX_TO_REAL)
      made = Library::plan_backward(ndims, dims.data(), nmany, many.data(), numbers, elsewhere,
                                    flags | FFTW_DESTROY_INPUT);
    else
      made = Library::plan_complex(ndims, dims.data(), nmany, many.data(), numbers, results,
                                   kind == FftDirection::FORWARD ? FFTW_FORWARD : FFTW_BACKWARD,
                                   flags);
    if (!made)
      throw std::runtime_error("FFTW has no plan for " + lengths_of(axes) + " points, " +
                               lengths_of(repeats) + " times; another mesh may work");
    return made;
  }

  // Arrays that begin at a multiple of 16 bytes, as malloc() gives them, are transformed with
  // vectors; FFTW does so with no other arrays if FFTW_UNALIGNED allows those

  void run(Real *from, Real *to) const
  {
    const bool vectors = Library::alignment(from) == 0 && Library::alignment(to) == 0;
    const typename Library::Plan plan = (vectors ? aligned : unaligned).get();
    using Complex = typename Library::Complex;
    if (kind == FftDirection::REAL_TO_COMPLEX)
      Library::run_forward(plan, from, reinterpret_cast<Complex *>(to));
    else if (kind == FftDirection::COMPLEX_TO_REAL)
      Library::run_backward(plan, reinterpret_cast<Complex *>(from), to);
    else
      Library::run_complex(plan, reinterpret_cast<Complex *>(from),
                           reinterpret_cast<Complex *>(to));
  }
};

/* ---------------------------------------------------------------------- */

template <class Real>
FftwPlan<Real>::FftwPlan(FftDirection kind, FftPlace place, const std::vector<FftAxis> &axes,
                         const std::vector<FftAxis> &repeats) :
    impl_(std::make_unique<Impl>(kind, place, axes, repeats))
{
}

template <class Real> FftwPlan<Real>::~FftwPlan() = default;
template <class Real> FftwPlan<Real>::FftwPlan(FftwPlan &&) noexcept = default;
template <class Real> FftwPlan<Real> &FftwPlan<Real>::operator=(FftwPlan &&) noexcept = default;

/* ---------------------------------------------------------------------- */

template <class Real> void FftwPlan<Real>::run(Real *from, Real *to) const
{
  if (!impl_->empty) impl_->run(from, to);
}

/* ---------------------------------------------------------------------- */

template class FftwPlan<double>;
template class FftwPlan<float>;

}    // namespace TOFU_NS
