// SPDX-License-Identifier: GPL-2.0-only

#include "poisson.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mesh/poisson.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#ifndef TOFU_POISSON_ONCE
#define TOFU_POISSON_ONCE
namespace TOFU_NS {

/** The functions for one instruction set. */
template <class Real> struct SpectrumKernels {
  void (*add_sums)(const SpectrumFactors &, const Real *, int, int, double *);
  void (*multiply)(const Real *, const double *, int, double, int, int, Real *);
  void (*gradients)(const int *, const double *const *, const Real *, const double *, double,
                    Real *const *);
  void (*slopes)(int, const double *const *, const Real *, double, Real *const *);
};

}    // namespace TOFU_NS
#endif

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  using Doubles = hn::CappedTag<double, 4>;    // rows are short
  using OneDouble = hn::CappedTag<double, 1>;

  // complex numbers of either precision; what is computed with them is double.  Vectors of one
  // number are not interleaved: for NEON, gcc 12 does not come to an end with them

  template <class D, class Real, class V = hn::Vec<D>>
  HWY_INLINE void load_complex(D d, const Real *at, V &re, V &im)
  {
    if constexpr (hn::MaxLanes(D()) == 1) {
      re = hn::Set(d, static_cast<double>(at[0]));
      im = hn::Set(d, static_cast<double>(at[1]));
    } else if constexpr (std::is_same_v<Real, double>) {
      hn::LoadInterleaved2(d, at, re, im);
    } else {
      const hn::Rebind<Real, D> single;
      hn::Vec<decltype(single)> a, b;
      hn::LoadInterleaved2(single, at, a, b);
      re = hn::PromoteTo(d, a);
      im = hn::PromoteTo(d, b);
    }
  }

  template <class D, class Real, class V>
  HWY_INLINE void store_complex(D d, const V re, const V im, Real *at)
  {
    if constexpr (hn::MaxLanes(D()) == 1) {
      at[0] = static_cast<Real>(hn::GetLane(re));
      at[1] = static_cast<Real>(hn::GetLane(im));
    } else if constexpr (std::is_same_v<Real, double>) {
      hn::StoreInterleaved2(re, im, d, at);
    } else {
      const hn::Rebind<Real, D> single;
      hn::StoreInterleaved2(hn::DemoteTo(single, re), hn::DemoteTo(single, im), single, at);
    }
  }

  /** Energies of n points. Returns: their sum. */
  template <class Real>
  HWY_INLINE double compute_energies(const SpectrumFactors &factors, const Real *density,
                                     std::size_t first, int n, double *energy)
  {
    const Doubles d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto energies = [&](auto tag, int i) {
      const std::size_t point = first + i;
      hn::Vec<decltype(tag)> re, im;
      load_complex(tag, density + 2 * point, re, im);
      const auto each = hn::Mul(
          hn::Mul(hn::LoadU(tag, factors.weight + point), hn::LoadU(tag, factors.green + point)),
          hn::MulAdd(re, re, hn::Mul(im, im)));
      hn::StoreU(each, tag, energy + i);
      return each;
    };
    auto sum = hn::Zero(d);
    int i = 0;
    for (; i + lanes <= n; i += lanes) sum = hn::Add(sum, energies(d, i));
    double rest = 0.0;
    for (; i < n; i++) rest += hn::GetLane(energies(OneDouble(), i));
    return hn::GetLane(hn::SumOfLanes(d, sum)) + rest;
  }

  template <class Real>
  void add_sums(const SpectrumFactors &factors, const Real *density, int first, int last,
                double *sums)
  {
    constexpr int BLOCK = 64;
    double energy[BLOCK];
    double virial[2][6] =
        {};    // of every other point, so that one sum need not wait for the other
    for (int begin = first; begin < last; begin += BLOCK) {
      const int n = std::min(BLOCK, last - begin);
      sums[0] += compute_energies(factors, density, begin, n, energy);
      if (!factors.vg) continue;
      const double *const vg = factors.vg + std::size_t{6} * begin;
      for (int i = 0; i + 1 < n; i += 2)
        for (int j = 0; j < 6; j++) {
          virial[0][j] += energy[i] * vg[6 * i + j];
          virial[1][j] += energy[i + 1] * vg[6 * i + 6 + j];
        }
      if (n % 2)
        for (int j = 0; j < 6; j++) virial[0][j] += energy[n - 1] * vg[6 * (n - 1) + j];
    }
    for (int j = 0; j < 6; j++) sums[1 + j] += virial[0][j] + virial[1][j];
  }

  template <class Real>
  void multiply(const Real *from, const double *factor, int stride, double scale, int first,
                int last, Real *to)
  {
    const auto points = [&](auto d, std::size_t n) {
      hn::Vec<decltype(d)> re, im;
      load_complex(d, from + 2 * n, re, im);
      const auto times = hn::Mul(hn::Set(d, scale), hn::LoadU(d, factor + stride * n));
      store_complex(d, hn::Mul(times, re), hn::Mul(times, im), to + 2 * n);
    };
    const Doubles d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    int n = first;
    if (stride == 1)
      for (; n + lanes <= last; n += lanes) points(d, n);
    for (; n < last; n++) points(OneDouble(), n);
  }

  /** A row of gradients: wave vectors k0[i], k1 and k2. */
  template <class Real>
  HWY_INLINE void gradient_row(int n, const double *k0, double k1, double k2, const Real *density,
                               const double *green, double scale, Real *const to[3])
  {
    const auto points = [&](auto d, int i) {
      hn::Vec<decltype(d)> re, im;
      load_complex(d, density + 2 * i, re, im);
      const auto times = hn::Mul(hn::Set(d, scale), hn::LoadU(d, green + i));
      re = hn::Mul(times, re);
      im = hn::Neg(hn::Mul(times, im));
      const auto along0 = hn::LoadU(d, k0 + i), along1 = hn::Set(d, k1), along2 = hn::Set(d, k2);
      store_complex(d, hn::Mul(along0, im), hn::Mul(along0, re), to[0] + 2 * i);
      store_complex(d, hn::Mul(along1, im), hn::Mul(along1, re), to[1] + 2 * i);
      store_complex(d, hn::Mul(along2, im), hn::Mul(along2, re), to[2] + 2 * i);
    };
    const Doubles d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    if (n >= lanes) {    // the last vector may do some points again
      for (int i = 0; i < n; i += lanes) points(d, std::min(i, n - lanes));
    } else {
      for (int i = 0; i < n; i++) points(OneDouble(), i);
    }
  }

  template <class Real>
  void gradients(const int *npoints, const double *const *k, const Real *density,
                 const double *green, double scale, Real *const *gradient)
  {
    std::size_t at = 0;
    for (int i2 = 0; i2 < npoints[2]; i2++)
      for (int i1 = 0; i1 < npoints[1]; i1++, at += npoints[0]) {
        Real *const to[3] = {gradient[0] + 2 * at, gradient[1] + 2 * at, gradient[2] + 2 * at};
        gradient_row(npoints[0], k[0], k[1][i1], k[2][i2], density + 2 * at, green + at, scale, to);
      }
  }

  template <class Real>
  void slopes(int npoints, const double *const *slope, const Real *density, double scale,
              Real *const *gradient)
  {
    const auto points = [&](auto d, std::size_t n) {
      hn::Vec<decltype(d)> re, im;
      load_complex(d, density + 2 * n, re, im);
      const auto factor = hn::Set(d, scale);
      re = hn::Mul(factor, re);
      im = hn::Neg(hn::Mul(factor, im));
      for (int dim = 0; dim < 3; dim++) {
        const auto along = hn::LoadU(d, slope[dim] + n);
        store_complex(d, hn::Mul(along, im), hn::Mul(along, re), gradient[dim] + 2 * n);
      }
    };
    const Doubles d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    int n = 0;
    for (; n + lanes <= npoints; n += lanes) points(d, n);
    for (; n < npoints; n++) points(OneDouble(), n);
  }

  SpectrumKernels<double> spectrum_kernels_double()
  {
    return {add_sums<double>, multiply<double>, gradients<double>, slopes<double>};
  }

  SpectrumKernels<float> spectrum_kernels_float()
  {
    return {add_sums<float>, multiply<float>, gradients<float>, slopes<float>};
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(spectrum_kernels_double);
HWY_EXPORT(spectrum_kernels_float);

namespace {

  template <class Real> SpectrumKernels<Real> best_kernels()
  {
    if constexpr (std::is_same_v<Real, double>)
      return HWY_DYNAMIC_DISPATCH(spectrum_kernels_double)();
    else
      return HWY_DYNAMIC_DISPATCH(spectrum_kernels_float)();
  }

}    // namespace

template <class Real>
void add_spectrum_sums(const SpectrumFactors &factors, const Real *density, int first, int last,
                       double *sums)
{
  best_kernels<Real>().add_sums(factors, density, first, last, sums);
}

template <class Real>
void multiply_spectrum(const Real *from, const double *factor, int stride, double scale, int first,
                       int last, Real *to)
{
  best_kernels<Real>().multiply(from, factor, stride, scale, first, last, to);
}

template <class Real>
void gradient_spectra(const int npoints[3], const double *const k[3], const Real *density,
                      const double *green, double scale, Real *const gradient[3])
{
  best_kernels<Real>().gradients(npoints, k, density, green, scale, gradient);
}

template <class Real>
void gradient_spectra(int npoints, const std::array<const double *, 3> &slope, const Real *density,
                      double scale, const std::array<Real *, 3> &gradient)
{
  best_kernels<Real>().slopes(npoints, slope.data(), density, scale, gradient.data());
}

#define TOFU_INSTANTIATE(Real)                                                                     \
  template void add_spectrum_sums(const SpectrumFactors &, const Real *, int, int, double *);      \
  template void multiply_spectrum(const Real *, const double *, int, double, int, int, Real *);    \
  template void gradient_spectra(const int *, const double *const *, const Real *, const double *, \
                                 double, Real *const *);                                           \
  template void gradient_spectra(int, const std::array<const double *, 3> &, const Real *, double, \
                                 const std::array<Real *, 3> &)

TOFU_INSTANTIATE(double);
TOFU_INSTANTIATE(float);

#undef TOFU_INSTANTIATE

}    // namespace TOFU_NS
#endif
