// SPDX-License-Identifier: GPL-2.0-only

#include "mesh_charges.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mesh/mesh_charges.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#ifndef TOFU_MESH_CHARGES_ONCE
#define TOFU_MESH_CHARGES_ONCE
namespace TOFU_NS {

/** The functions of one order for one instruction set. */
template <class Real> struct MeshKernels {
  void (*spread)(const MeshStencil<Real> &, const MeshAtoms &, int, int, double, Real *);
  void (*spread_in_planes)(const MeshStencil<Real> &, const MeshAtoms &, int, int, double, int, int,
                           Real *);
  void (*ik)(const MeshStencil<Real> &, const MeshAtoms &, int, int, const Real *const *, double *);
  void (*ad)(const MeshStencil<Real> &, const MeshAtoms &, int, int, const Real *, double *);
  void (*scalars)(const MeshStencil<Real> &, const MeshAtoms &, int, int, int, const Real *const *,
                  double *);
};

}    // namespace TOFU_NS
#endif

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** At most 32 bytes: most longer rows would cross a border of cache lines. */
  template <class Real> using RowTag = hn::CappedTag<Real, 32 / sizeof(Real)>;

  constexpr int power_of_two_from(int n)
  {
    return n <= 1 ? 1 : 2 * power_of_two_from((n + 1) / 2);
  }

  /** work(d, k) for vectors that together hold the numbers from 0 to ORDER, k the first of each. */
  template <class Real, int ORDER, class Work> HWY_INLINE void for_parts(const Work &work)
  {
    const RowTag<Real> d;
    constexpr int REST = ORDER % static_cast<int>(hn::MaxLanes(RowTag<Real>()));
    const int lanes = static_cast<int>(hn::Lanes(d));
    int k = 0;

#pragma GCC unroll 8
    for (; k + lanes <= ORDER; k += lanes) work(d, k);
    if constexpr (REST > 0) {
      const hn::CappedTag<Real, power_of_two_from(REST)> rest;

#pragma GCC unroll 8
      for (; k < ORDER; k += static_cast<int>(hn::Lanes(rest))) work(rest, k);
    }
  }

  /** Sum over those lanes that are points of the stencil, k the first. */
  template <int ORDER, class D> HWY_INLINE double sum_of_part(D d, hn::Vec<D> v, int k)
  {
    const auto points = hn::FirstN(d, static_cast<std::size_t>(ORDER - k));
    return hn::GetLane(hn::SumOfLanes(d, hn::IfThenElseZero(points, v)));
  }

  /** The stencil of one atom: where it starts and the weights of its points.  Without being told,
      compilers unroll its loops with -O3 only, and LAMMPS' default is -O2. */
  template <class Real, int ORDER> class Stencil {
   public:
    explicit Stencil(const MeshStencil<Real> &mesh) :
        mesh_(mesh), row_(mesh.hi[0] - mesh.lo[0]), plane_(row_ * (mesh.hi[1] - mesh.lo[1]))
    {
    }

    HWY_INLINE void go_to(const MeshAtoms &atoms, int i)
    {
      const double *const x = atoms.x + std::size_t{3} * i;
      const int *const point = atoms.point + std::size_t{3} * i;
      std::ptrdiff_t from_lo[3];
      for (int dim = 0; dim < 3; dim++) {
        dx_[dim] = static_cast<Real>(point[dim] + SHIFTONE -
                                     (x[dim] - mesh_.boxlo[dim]) * mesh_.delinv[dim]);
        polynomials<ORDER>(mesh_.rho_coeff, dx_[dim], weight_[dim]);
        from_lo[dim] = point[dim] + NLOWER - mesh_.lo[dim];
      }
      start_ = from_lo[2] * plane_ + from_lo[1] * row_ + from_lo[0];
    }

    HWY_INLINE void compute_slopes()
    {
      for (int dim = 0; dim < 3; dim++)
        polynomials<ORDER - 1>(mesh_.drho_coeff, dx_[dim], slope_[dim]);
    }

    HWY_INLINE void add(Real charge, Real *array) const
    {
      for_parts<Real, ORDER>([&](auto d, int k) { add_part(d, k, charge, array + start_ + k); });
    }

    /** To the planes [first, last) of the stencil.

        \param ends   the last row of the last plane ends where another thread's points begin */
    HWY_INLINE void add_planes(int first, int last, bool ends, Real charge, Real *array) const
    {
      for_parts<Real, ORDER>([&](auto d, int k) {
        add_planes_part(d, k, first, last, ends, charge, array + start_ + k);
      });
    }

    HWY_INLINE double value(const Real *array) const
    {
      double sum = 0.0;
      for_parts<Real, ORDER>([&](auto d, int k) {
        sum += sum_of_part<ORDER>(d, value_part(d, k, array + start_ + k), k);
      });
      return sum;
    }

    /** After compute_slopes(). */
    HWY_INLINE void derivatives(const Real *array, double *sums) const
    {
      sums[0] = sums[1] = sums[2] = 0.0;
      for_parts<Real, ORDER>([&](auto d, int k) {
        auto x = hn::Zero(d), y = x, z = x;
        derivatives_part(d, k, array + start_ + k, x, y, z);
        sums[0] += sum_of_part<ORDER>(d, x, k);
        sums[1] += sum_of_part<ORDER>(d, y, k);
        sums[2] += sum_of_part<ORDER>(d, z, k);
      });
    }

   private:
    static constexpr int WIDTH = MeshStencil<Real>::WIDTH;
    static constexpr int NLOWER = MeshStencil<Real>::nlower(ORDER);
    static constexpr double SHIFTONE = ORDER % 2 ? 0.0 : 0.5;

    const MeshStencil<Real> &mesh_;
    const std::ptrdiff_t row_, plane_;    // from one to the next
    std::ptrdiff_t start_ = 0;
    Real dx_[3];
    HWY_ALIGN Real weight_[3][WIDTH], slope_[3][WIDTH];

    template <int NCOEFFICIENTS>
    static HWY_INLINE void polynomials(const Real (*coeff)[WIDTH], Real dx, Real *values)
    {
      for_parts<Real, ORDER>([&](auto d, int k) {
        auto sum = hn::Load(d, coeff[NCOEFFICIENTS - 1] + k);

#pragma GCC unroll 8
        for (int l = NCOEFFICIENTS - 2; l >= 0; l--)
          sum = hn::MulAdd(sum, hn::Set(d, dx), hn::Load(d, coeff[l] + k));
        hn::Store(sum, d, values + k);
      });
    }

    template <class D> HWY_INLINE void add_part(D d, int k, Real charge, Real *at) const
    {
      const auto x = hn::Load(d, weight_[0] + k);

#pragma GCC unroll 8
      for (int n = 0; n < ORDER; n++, at += plane_) {
        const auto xz = hn::Mul(x, hn::Set(d, charge * weight_[2][n]));
        Real *row = at;

#pragma GCC unroll 8
        for (int m = 0; m < ORDER; m++, row += row_)
          hn::StoreU(hn::MulAdd(xz, hn::Set(d, weight_[1][m]), hn::LoadU(d, row)), d, row);
      }
    }

    template <class D>
    HWY_INLINE void add_planes_part(D d, int k, int first, int last, bool ends, Real charge,
                                    Real *at) const
    {
      const auto x = hn::Load(d, weight_[0] + k);
      for (int n = first; n < last; n++) {
        const auto xz = hn::Mul(x, hn::Set(d, charge * weight_[2][n]));
        Real *row = at + n * plane_;
        const int nwhole = ORDER - (ends && n + 1 == last ? 1 : 0);
        for (int m = 0; m < nwhole; m++, row += row_)
          hn::StoreU(hn::MulAdd(xz, hn::Set(d, weight_[1][m]), hn::LoadU(d, row)), d, row);
        if (nwhole < ORDER) add_points(d, ORDER - k, xz, weight_[1][ORDER - 1], row);
      }
    }

    /** To n points at most, and without a touch of those behind them. */
    template <class D>
    static HWY_INLINE void add_points(D d, int n, hn::Vec<D> xz, Real y, Real *row)
    {
      HWY_ALIGN Real points[WIDTH] = {};
      const int npoints = std::min(n, static_cast<int>(hn::Lanes(d)));
      std::copy_n(row, npoints, points);
      hn::Store(hn::MulAdd(xz, hn::Set(d, y), hn::Load(d, points)), d, points);
      std::copy_n(points, npoints, row);
    }

    /** Sum over m of y[m] times row m. */
    template <class D> HWY_INLINE hn::Vec<D> rows(D d, const Real *at, const Real *y) const
    {
      auto sum = hn::Mul(hn::Set(d, y[0]), hn::LoadU(d, at));

#pragma GCC unroll 8
      for (int m = 1; m < ORDER; m++) {
        at += row_;
        sum = hn::MulAdd(hn::Set(d, y[m]), hn::LoadU(d, at), sum);
      }
      return sum;
    }

    template <class D> HWY_INLINE hn::Vec<D> value_part(D d, int k, const Real *at) const
    {
      auto sum = hn::Zero(d);

#pragma GCC unroll 8
      for (int n = 0; n < ORDER; n++, at += plane_)
        sum = hn::MulAdd(hn::Set(d, weight_[2][n]), rows(d, at, weight_[1]), sum);
      return hn::Mul(sum, hn::Load(d, weight_[0] + k));
    }

    template <class D, class V>
    HWY_INLINE void derivatives_part(D d, int k, const Real *at, V &x, V &y, V &z) const
    {

#pragma GCC unroll 8
      for (int n = 0; n < ORDER; n++, at += plane_) {
        const auto weighted = rows(d, at, weight_[1]), sloping = rows(d, at, slope_[1]);
        x = hn::MulAdd(hn::Set(d, weight_[2][n]), weighted, x);
        y = hn::MulAdd(hn::Set(d, weight_[2][n]), sloping, y);
        z = hn::MulAdd(hn::Set(d, slope_[2][n]), weighted, z);
      }
      const auto weight = hn::Load(d, weight_[0] + k);
      x = hn::Mul(x, hn::Load(d, slope_[0] + k));
      y = hn::Mul(y, weight);
      z = hn::Mul(z, weight);
    }
  };

  template <class Real, int ORDER>
  void spread(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first, int last,
              double factor, Real *density)
  {
    Stencil<Real, ORDER> stencil(mesh);
    for (int i = first; i < last; i++) {
      stencil.go_to(atoms, i);
      stencil.add(static_cast<Real>(factor * atoms.q[i]), density);
    }
  }

  template <class Real, int ORDER>
  void spread_in_planes(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first, int last,
                        double factor, int begin, int end, Real *density)
  {
    constexpr int NLOWER = MeshStencil<Real>::nlower(ORDER);
    Stencil<Real, ORDER> stencil(mesh);
    for (int i = first; i < last; i++) {
      const int *const point = atoms.point + std::size_t{3} * i;
      const int lowest = point[2] + NLOWER, from = std::max(0, begin - lowest),
                to = std::min(ORDER, end - lowest);
      if (from >= to) continue;
      stencil.go_to(atoms, i);
      const Real charge = static_cast<Real>(factor * atoms.q[i]);
      const bool ends = lowest + to == end && point[1] + NLOWER + ORDER == mesh.hi[1];
      if (to - from == ORDER && !ends)
        stencil.add(charge, density);
      else
        stencil.add_planes(from, to, ends, charge, density);
    }
  }

  template <class Real, int ORDER>
  void ik(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first, int last,
          const Real *const *gradient, double *e)
  {
    Stencil<Real, ORDER> stencil(mesh);
    for (int i = first; i < last; i++) {
      stencil.go_to(atoms, i);
      for (int dim = 0; dim < 3; dim++) e[std::size_t{3} * i + dim] = -stencil.value(gradient[dim]);
    }
  }

  template <class Real, int ORDER>
  void ad(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first, int last,
          const Real *potential, double *e)
  {
    Stencil<Real, ORDER> stencil(mesh);
    for (int i = first; i < last; i++) {
      stencil.go_to(atoms, i);
      stencil.compute_slopes();
      stencil.derivatives(potential, e + std::size_t{3} * i);
    }
  }

  template <class Real, int ORDER>
  void scalars(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first, int last,
               int nfields, const Real *const *fields, double *values)
  {
    Stencil<Real, ORDER> stencil(mesh);
    for (int i = first; i < last; i++) {
      stencil.go_to(atoms, i);
      for (int field = 0; field < nfields; field++)
        values[static_cast<std::size_t>(nfields) * i + field] = stencil.value(fields[field]);
    }
  }

  template <class Real, int ORDER> MeshKernels<Real> kernels()
  {
    return {spread<Real, ORDER>, spread_in_planes<Real, ORDER>, ik<Real, ORDER>, ad<Real, ORDER>,
            scalars<Real, ORDER>};
  }

  template <class Real> MeshKernels<Real> kernels_of(int order)
  {
    switch (order) {
      case 2:
        return kernels<Real, 2>();
      case 3:
        return kernels<Real, 3>();
      case 4:
        return kernels<Real, 4>();
      case 5:
        return kernels<Real, 5>();
      case 6:
        return kernels<Real, 6>();
      case 7:
        return kernels<Real, 7>();
      default:
        return {};
    }
  }

  MeshKernels<double> mesh_kernels_double(int order)
  {
    return kernels_of<double>(order);
  }

  MeshKernels<float> mesh_kernels_float(int order)
  {
    return kernels_of<float>(order);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(mesh_kernels_double);
HWY_EXPORT(mesh_kernels_float);

namespace {

  template <class Real> MeshKernels<Real> best_kernels(int order)
  {
    if constexpr (std::is_same_v<Real, double>)
      return HWY_DYNAMIC_DISPATCH(mesh_kernels_double)(order);
    else
      return HWY_DYNAMIC_DISPATCH(mesh_kernels_float)(order);
  }

}    // namespace

/** As map_atoms(), which comes next. */
void find_fractions(const TriclinicBox &box, const double *x, int first, int last, double *fraction)
{
  const double *const h = box.inverse;
  for (int i = first; i < last; i++) {
    const std::size_t n = std::size_t{3} * i;
    const double dx = x[n] - box.lo[0], dy = x[n + 1] - box.lo[1], dz = x[n + 2] - box.lo[2];
    fraction[n] = h[0] * dx + h[5] * dy + h[4] * dz;
    fraction[n + 1] = h[1] * dy + h[3] * dz;
    fraction[n + 2] = h[2] * dz;
  }
}

/** Compiled as LAMMPS is, with or without fused multiply-add, so that the points are the same. */
template <class Real>
LostAtoms map_atoms(const MeshStencil<Real> &mesh, const double *x, int first, int last, int *point)
{
  constexpr double MOST = 1e9;    // fits an integer
  const int nlower = MeshStencil<Real>::nlower(mesh.order), nupper = mesh.order / 2;
  const double shift = MeshStencil<Real>::OFFSET + (mesh.order % 2 ? 0.5 : 0.0);
  LostAtoms lost;
  for (int i = first; i < last; i++) {
    bool inside = true;
    for (int dim = 0; dim < 3; dim++) {
      const std::size_t n = std::size_t{3} * i + dim;
      const double place = (x[n] - mesh.boxlo[dim]) * mesh.delinv[dim] + shift;
      const double known = std::abs(place) < MOST ? place : 0.0;    // also if it is not a number
      point[n] = static_cast<int>(known) - MeshStencil<Real>::OFFSET;
      inside &= point[n] + nlower >= mesh.lo[dim] && point[n] + nupper < mesh.hi[dim];
    }
    if (inside) continue;
    if (lost.count++ == 0) lost.first = i;
  }
  return lost;
}

template <class Real>
void spread_charges(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first, int last,
                    double factor, Real *density)
{
  best_kernels<Real>(mesh.order).spread(mesh, atoms, first, last, factor, density);
}

template <class Real>
void spread_charges_in_planes(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first,
                              int last, double factor, int begin, int end, Real *density)
{
  best_kernels<Real>(mesh.order)
      .spread_in_planes(mesh, atoms, first, last, factor, begin, end, density);
}

template <class Real>
void interpolate_ik(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first, int last,
                    const Real *const gradient[3], double *e)
{
  best_kernels<Real>(mesh.order).ik(mesh, atoms, first, last, gradient, e);
}

template <class Real>
void interpolate_ad(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first, int last,
                    const Real *potential, double *e)
{
  best_kernels<Real>(mesh.order).ad(mesh, atoms, first, last, potential, e);
}

template <class Real>
void interpolate_scalars(const MeshStencil<Real> &mesh, const MeshAtoms &atoms, int first, int last,
                         int nfields, const Real *const *fields, double *values)
{
  best_kernels<Real>(mesh.order).scalars(mesh, atoms, first, last, nfields, fields, values);
}

#define TOFU_INSTANTIATE(Real)                                                                   \
  template LostAtoms map_atoms(const MeshStencil<Real> &, const double *, int, int, int *);      \
  template void spread_charges(const MeshStencil<Real> &, const MeshAtoms &, int, int, double,   \
                               Real *);                                                          \
  template void spread_charges_in_planes(const MeshStencil<Real> &, const MeshAtoms &, int, int, \
                                         double, int, int, Real *);                              \
  template void interpolate_ik(const MeshStencil<Real> &, const MeshAtoms &, int, int,           \
                               const Real *const *, double *);                                   \
  template void interpolate_ad(const MeshStencil<Real> &, const MeshAtoms &, int, int,           \
                               const Real *, double *);                                          \
  template void interpolate_scalars(const MeshStencil<Real> &, const MeshAtoms &, int, int, int, \
                                    const Real *const *, double *)

TOFU_INSTANTIATE(double);
TOFU_INSTANTIATE(float);

#undef TOFU_INSTANTIATE

}    // namespace TOFU_NS
#endif
