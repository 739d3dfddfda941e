// SPDX-License-Identifier: GPL-2.0-only
//
// Vectors of pairs of charges: powers of their distance, and the part of the force that a mesh
// computes.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_MESH_PART_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_MESH_PART_INL_H
#undef TOFU_KERNELS_MESH_PART_INL_H
#else
#define TOFU_KERNELS_MESH_PART_INL_H
#endif

#include "cluster_vectors-inl.h"

#include "kernels/pair/ewald_polynomial.h"

#include <algorithm>
#include <cassert>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Powers of a distance: 1/r^2, and 1/r^3 as the product of two, which a subtraction fuses. */
  struct InversePowers {
    PairVector &r2inv, &factor, &rest;
  };

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

  /** 1/r, to 14 bits. */
  HWY_INLINE PairVector inverse_estimate(PairVector rsq)
  {
    return PairVector{_mm512_rsqrt14_ps(rsq.raw)};
  }

  /** From an estimate y of 1/r with e = r^2 y^2 - 1, at most 1.3e-4: 1/r^2 = y^2 (1 - e), and
      1/r^3 = y^3 (1 - 3/2 e), up to terms with e^2. */
  HWY_INLINE void inverse_powers(PairVector rsq, PairVector y, const InversePowers &powers)
  {
    const PairLanes d;
    const PairVector ysq = hn::Mul(y, y), one = hn::Mul(rsq, ysq);
    powers.r2inv = hn::NegMulAdd(ysq, one, hn::Add(ysq, ysq));
    powers.factor = hn::Mul(y, ysq);
    powers.rest = hn::NegMulAdd(one, hn::Set(d, 1.5F), hn::Set(d, 2.5F));
  }

  /** The part of the mesh, with coefficients in one register for each power of all pieces.

      \param N   coefficients of a piece */
  template <int N> class MeshPart {
   public:
    static bool holds(const EwaldPieces &pieces, const EwaldPolynomial & /*one*/)
    {
      return pieces.n == N;
    }

    MeshPart(const EwaldPieces &pieces, const EwaldPolynomial & /*one*/) :
        scale_(static_cast<float>(pieces.scale))
    {
      assert(pieces.n == N);
      for (int k = 0; k < N; k++) std::copy_n(pieces.c[k], EwaldPieces::NPIECES, c_[k]);
    }

    HWY_INLINE PairVector operator()(PairVector rsq) const
    {
      const PairLanes d;
      const PairVector scale = hn::Set(d, scale_), with_integers = hn::Set(d, 12582912.0F);
      const PairVector sum = hn::MulAdd(rsq, scale, with_integers);    // its lowest bits: the piece
      const PairVector u = hn::MulSub(rsq, scale, hn::Sub(sum, with_integers));
      PairVector part = of_pieces(0, sum);
      for (int k = 1; k < N; k++) part = hn::MulAdd(part, u, of_pieces(k, sum));
      return part;
    }

   private:
    static_assert(EwaldPieces::NPIECES == 2 * MOST_CLUSTER_WIDTH, "pieces are lanes of a vector");

    HWY_ALIGN float c_[N][EwaldPieces::NPIECES] = {};
    float scale_;

    HWY_INLINE PairVector of_pieces(int k, PairVector sum) const
    {
      return PairVector{_mm512_permutexvar_ps(_mm512_castps_si512(sum.raw), _mm512_load_ps(c_[k]))};
    }
  };

  constexpr int USUAL_OF_MESH = 5, MOST_OF_MESH = EwaldPieces::MOST;

#else

#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

  /** 1/r, to 12 bits. */
  HWY_INLINE PairVector inverse_estimate(PairVector rsq)
  {
    return hn::ApproximateReciprocalSqrt(rsq);
  }

  HWY_INLINE PairVector inverse(PairVector rsq, PairVector estimate)
  {
    const PairLanes d;
    const PairVector half = hn::Mul(hn::Mul(hn::Set(d, 0.5F), rsq), estimate);
    return hn::Mul(estimate, hn::NegMulAdd(half, estimate, hn::Set(d, 1.5F)));
  }

#else

  HWY_INLINE PairVector inverse_estimate(PairVector rsq)
  {
    return hn::Div(hn::Set(PairLanes(), 1.0F), hn::Sqrt(rsq));
  }

  HWY_INLINE PairVector inverse(PairVector /*rsq*/, PairVector estimate)
  {
    return estimate;
  }

#endif

  HWY_INLINE void inverse_powers(PairVector rsq, PairVector estimate, const InversePowers &powers)
  {
    powers.factor = inverse(rsq, estimate);
    powers.r2inv = powers.rest = hn::Mul(powers.factor, powers.factor);
  }

  /** The part of the mesh, as one polynomial: even and odd powers by themselves, since in one sum
      each result would wait for twice as many.

      \param N   coefficients */
  template <int N> class MeshPart {
   public:
    static bool holds(const EwaldPieces & /*pieces*/, const EwaldPolynomial &one)
    {
      return one.n <= N;
    }

    MeshPart(const EwaldPieces & /*pieces*/, const EwaldPolynomial &one) :
        scale_(static_cast<float>(one.scale))
    {
      std::copy_backward(one.c, one.c + one.n, c_ + N);
    }

    HWY_INLINE PairVector operator()(PairVector rsq) const
    {
      const PairLanes d;
      const PairVector u = hn::MulSub(rsq, hn::Set(d, scale_), hn::Set(d, 1.0F)),
                       usq = hn::Mul(u, u);
      PairVector first = hn::Set(d, c_[0]), second = hn::Set(d, c_[1]);
      for (int k = 2; k < N; k += 2) first = hn::MulAdd(first, usq, hn::Set(d, c_[k]));
      for (int k = 3; k < N; k += 2) second = hn::MulAdd(second, usq, hn::Set(d, c_[k]));
      return N % 2 ? hn::MulAdd(second, u, first) : hn::MulAdd(first, u, second);
    }

   private:
    float c_[N] = {};
    float scale_;
  };

  constexpr int USUAL_OF_MESH = 13, MOST_OF_MESH = EwaldPolynomial::MOST;

#endif

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
