// SPDX-License-Identifier: GPL-2.0-only
//
// Forces are along distances r of before the step.  With a multiplier l for each, the distances of
// after the step are
//
//   s'[c] = s[c] + sum over d of w[c][d] l[d] r[d]
//
// with s of after the step without constraints, and w[c][d] the sum of the inverse masses of the
// atoms that c and d share, with the sign of their direction.  |s'[c]| = length[c] is, for all c at
// once, a linear equation for l with a quadratic correction, which is computed from the l before
// until they stay the same.
//
// Numbers of the clusters of a vector are in small arrays: there are no arrays of vectors whose
// length the compiler does not know.

#include "shake_clusters.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/motion/shake_clusters.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/rows-inl.h"

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  using ClusterD = DoublesUpTo<ClusterColumns::BLOCK>;
  using ClusterV = hn::Vec<ClusterD>;
  using ClusterMask = hn::Mask<ClusterD>;

  struct Lanes {
    HWY_ALIGN double value[hn::MaxLanes(ClusterD())];

    HWY_INLINE ClusterV v() const { return hn::Load(ClusterD(), value); }
    HWY_INLINE void operator=(ClusterV v) { hn::Store(v, ClusterD(), value); }
  };

  template <int NATOMS_, int NLENGTHS_> struct Shape {
    static constexpr int NATOMS = NATOMS_, NLENGTHS = NLENGTHS_;
    static constexpr bool IS_TRIANGLE = NATOMS == NLENGTHS;

    static constexpr int first(int c) { return IS_TRIANGLE && c == 2 ? 1 : 0; }
    static constexpr int second(int c) { return IS_TRIANGLE && c == 2 ? 2 : c + 1; }
    static constexpr int sign(int a, int c)
    {
      return a == first(c) ? 1 : (a == second(c) ? -1 : 0);
    }
  };

  template <class Shape> class ClusterLoop {
   public:
    ClusterLoop(const ClusterColumns &clusters, const ClusterStep &step, ClusterSums &sums) :
        clusters_(clusters), step_(step), sums_(sums)
    {
    }

    void blocks(int first, int last)
    {
      V vxx = hn::Zero(D()), vyy = vxx, vzz = vxx, vxy = vxx, vxz = vxx, vyz = vxx;
      const int lanes = static_cast<int>(hn::Lanes(D()));
      const int end = std::min(last * ClusterColumns::BLOCK, clusters_.size());
      for (int k = first * ClusterColumns::BLOCK; k < end; k += lanes) {
        const int n = std::min(lanes, end - k);
        find_distances(k);
        solve(k, n);
        find_forces();
        add_forces(k, n);
        if (step_.tallied) add_virial(k, n, vxx, vyy, vzz, vxy, vxz, vyz);
      }
      if (!step_.tallied) return;
      const D d;
      sums_.virial[0] += sum_of(d, vxx);
      sums_.virial[1] += sum_of(d, vyy);
      sums_.virial[2] += sum_of(d, vzz);
      sums_.virial[3] += sum_of(d, vxy);
      sums_.virial[4] += sum_of(d, vxz);
      sums_.virial[5] += sum_of(d, vyz);
    }

   private:
    using D = ClusterD;
    using V = ClusterV;
    static constexpr int NATOMS = Shape::NATOMS, N = Shape::NLENGTHS;
    static constexpr int NPAIRS = N * (N + 1) / 2;

    const ClusterColumns &clusters_;
    const ClusterStep &step_;
    ClusterSums &sums_;
    Lanes r_[N][3], s_[N][3];
    Lanes multiplier_[N];    // at the end force by distance
    Lanes force_[NATOMS][3];

    static HWY_INLINE V dot(const Lanes *a, const Lanes *b)
    {
      return hn::MulAdd(a[0].v(), b[0].v(),
                        hn::MulAdd(a[1].v(), b[1].v(), hn::Mul(a[2].v(), b[2].v())));
    }

    // the place of a pair c <= d

    static constexpr int pair(int c, int d) { return c * N - c * (c + 1) / 2 + d; }

    HWY_INLINE void find_distances(int k)
    {
      differences(step_.x, k, r_);
      differences(step_.moved, k, s_);
    }

    HWY_INLINE void differences(const double *rows, int k, Lanes (*to)[3])
    {
      const D d;
      Lanes at[NATOMS][3];
      for (int a = 0; a < NATOMS; a++) {
        V x, y, z;
        load_rows3(d, rows, clusters_.atoms(a) + k, x, y, z);
        at[a][0] = x;
        at[a][1] = y;
        at[a][2] = z;
      }
      for (int c = 0; c < N; c++)
        for (int i = 0; i < 3; i++)
          to[c][i] = hn::Sub(at[Shape::first(c)][i].v(), at[Shape::second(c)][i].v());
    }

    /** w[c][d] */
    HWY_INLINE void find_weights(int k, Lanes (*w)[N])
    {
      const D d;
      for (int c = 0; c < N; c++)
        for (int e = 0; e < N; e++) {
          V sum = hn::Zero(d);
          for (int a = 0; a < NATOMS; a++) {
            const int sign = Shape::sign(a, c) * Shape::sign(a, e);
            if (sign == 0) continue;
            const V inverse_mass = hn::LoadU(d, clusters_.inverse_mass(a) + k);
            sum = sign > 0 ? hn::Add(sum, inverse_mass) : hn::Sub(sum, inverse_mass);
          }
          w[c][e] = sum;
        }
    }

    HWY_INLINE void solve(int k, int n)
    {
      Lanes w[N][N];
      find_weights(k, w);
      if constexpr (N == 1)
        solve_quadratic(k, n, w[0][0].v());
      else
        iterate(k, n, w);
      const V by_shift = hn::Set(D(), 1.0 / step_.force_to_shift);
      for (int c = 0; c < N; c++) multiplier_[c] = hn::Mul(multiplier_[c].v(), by_shift);
    }

    /** How many of the first n lanes are in the mask. */
    static HWY_INLINE int count(ClusterMask mask, int n)
    {
      const D d;
      return static_cast<int>(hn::CountTrue(d, hn::And(mask, hn::FirstN(d, n))));
    }

    /** Of the two solutions the one that is nearer to 0. */
    HWY_INLINE void solve_quadratic(int k, int n, V w)
    {
      const D d;
      const V a = hn::Mul(hn::Mul(w, w), dot(r_[0], r_[0]));
      const V b = hn::Mul(hn::Mul(hn::Set(d, 2.0), w), dot(s_[0], r_[0]));
      const V c = hn::Sub(dot(s_[0], s_[0]), hn::LoadU(d, clusters_.length_squared(0) + k));
      V determinant = hn::NegMulAdd(hn::Mul(hn::Set(d, 4.0), a), c, hn::Mul(b, b));
      const auto negative = hn::Lt(determinant, hn::Zero(d));
      if (HWY_UNLIKELY(!hn::AllFalse(d, negative))) {
        sums_.nnegative += count(negative, n);
        determinant = hn::IfThenZeroElse(negative, determinant);
      }
      const V root = hn::Sqrt(determinant), half = hn::Div(hn::Set(d, 0.5), a);
      const V plus = hn::Mul(hn::Sub(root, b), half),
              minus = hn::Mul(hn::Sub(hn::Neg(root), b), half);
      multiplier_[0] = hn::IfThenElse(hn::Le(hn::Abs(plus), hn::Abs(minus)), plus, minus);
    }

    HWY_INLINE void iterate(int k, int n, const Lanes (*w)[N])
    {
      const D d;
      Lanes inverse[N][N], missing[N], quadratic[N][NPAIRS];
      invert(n, w, inverse);
      for (int c = 0; c < N; c++) {
        missing[c] = hn::Sub(hn::LoadU(d, clusters_.length_squared(c) + k), dot(s_[c], s_[c]));
        multiplier_[c] = hn::Zero(d);
      }
      for (int e = 0; e < N; e++)
        for (int g = e; g < N; g++) {
          V product = dot(r_[e], r_[g]);
          if (e != g) product = hn::Add(product, product);
          for (int c = 0; c < N; c++)
            quadratic[c][pair(e, g)] = hn::Mul(hn::Mul(w[c][e].v(), w[c][g].v()), product);
        }

      auto going_on = hn::FirstN(d, n);
      for (int i = 0; i < step_.most_iterations && !hn::AllFalse(d, going_on); i++)
        going_on = improve(inverse, missing, quadratic, going_on);
    }

    /** The linear equations' matrix 2 w[c][d] s[c] r[d], inverted. */
    HWY_INLINE void invert(int n, const Lanes (*w)[N], Lanes (*inverse)[N])
    {
      const D d;
      Lanes m[N][N];
      for (int c = 0; c < N; c++)
        for (int e = 0; e < N; e++)
          m[c][e] = hn::Mul(hn::Mul(hn::Set(d, 2.0), w[c][e].v()), dot(s_[c], r_[e]));

      V determinant;
      if constexpr (N == 2) {
        determinant = hn::MulSub(m[0][0].v(), m[1][1].v(), hn::Mul(m[0][1].v(), m[1][0].v()));
        inverse[0][0] = m[1][1].v();
        inverse[0][1] = hn::Neg(m[0][1].v());
        inverse[1][0] = hn::Neg(m[1][0].v());
        inverse[1][1] = m[0][0].v();
      } else {
        for (int c = 0; c < N; c++)
          for (int e = 0; e < N; e++) {    // cofactor of the transposed matrix, signs by rotation
            const int c1 = (e + 1) % N, c2 = (e + 2) % N, e1 = (c + 1) % N, e2 = (c + 2) % N;
            inverse[c][e] =
                hn::MulSub(m[c1][e1].v(), m[c2][e2].v(), hn::Mul(m[c1][e2].v(), m[c2][e1].v()));
          }
        determinant = hn::MulAdd(
            m[0][0].v(), inverse[0][0].v(),
            hn::MulAdd(m[0][1].v(), inverse[1][0].v(), hn::Mul(m[0][2].v(), inverse[2][0].v())));
      }
      const auto unsolvable = hn::Eq(determinant, hn::Zero(d));
      if (HWY_UNLIKELY(!hn::AllFalse(d, unsolvable))) sums_.nunsolvable += count(unsolvable, n);
      const V factor = hn::Div(hn::Set(d, 1.0), determinant);
      for (int c = 0; c < N; c++)
        for (int e = 0; e < N; e++) inverse[c][e] = hn::Mul(inverse[c][e].v(), factor);
    }

    /** New multipliers in lanes that have not arrived yet.

        \return   those that go on; lanes on the way to infinity stop */
    HWY_INLINE ClusterMask improve(const Lanes (*inverse)[N], const Lanes *missing,
                                   const Lanes (*quadratic)[NPAIRS], ClusterMask going_on)
    {
      const D d;
      Lanes products[NPAIRS], right_hand_side[N];
      for (int e = 0; e < N; e++)
        for (int g = e; g < N; g++)
          products[pair(e, g)] = hn::Mul(multiplier_[e].v(), multiplier_[g].v());
      for (int c = 0; c < N; c++) {
        V sum = missing[c].v();
        for (int p = 0; p < NPAIRS; p++)
          sum = hn::NegMulAdd(quadratic[c][p].v(), products[p].v(), sum);
        right_hand_side[c] = sum;
      }

      auto changed = hn::FirstN(d, 0), too_large = changed;
      for (int c = 0; c < N; c++) {
        V now = hn::Mul(inverse[c][0].v(), right_hand_side[0].v());
        for (int e = 1; e < N; e++)
          now = hn::MulAdd(inverse[c][e].v(), right_hand_side[e].v(), now);
        const V before = multiplier_[c].v();
        changed =
            hn::Or(changed, hn::Gt(hn::Abs(hn::Sub(now, before)), hn::Set(d, step_.tolerance)));
        too_large = hn::Or(too_large, hn::Gt(hn::Abs(now), hn::Set(d, 1e150)));
        multiplier_[c] = hn::IfThenElse(going_on, now, before);
      }
      return hn::And(going_on, hn::AndNot(too_large, changed));
    }

    HWY_INLINE void find_forces()
    {
      for (int a = 0; a < NATOMS; a++)
        for (int i = 0; i < 3; i++) {
          V sum = hn::Zero(D());
          for (int c = 0; c < N; c++) {
            if (Shape::sign(a, c) > 0) sum = hn::MulAdd(multiplier_[c].v(), r_[c][i].v(), sum);
            if (Shape::sign(a, c) < 0) sum = hn::NegMulAdd(multiplier_[c].v(), r_[c][i].v(), sum);
          }
          force_[a][i] = sum;
        }
    }

    HWY_INLINE void add_forces(int k, int n)
    {
      for (int a = 0; a < NATOMS; a++) {
        const int *const atoms = clusters_.atoms(a) + k;
        for (int lane = 0; lane < n; lane++) {
          if (atoms[lane] >= step_.nlocal) continue;
          double *const f = step_.f + std::size_t{3} * atoms[lane];
          for (int i = 0; i < 3; i++) f[i] += force_[a][i].value[lane];
        }
      }
    }

    HWY_INLINE V virial(int i, int j) const
    {
      V sum = hn::Zero(D());
      for (int c = 0; c < N; c++)
        sum = hn::MulAdd(hn::Mul(multiplier_[c].v(), r_[c][i].v()), r_[c][j].v(), sum);
      return sum;
    }

    HWY_INLINE void add_virial(int k, int n, V &vxx, V &vyy, V &vzz, V &vxy, V &vxz, V &vyz)
    {
      const D d;
      Lanes v[6];
      v[0] = virial(0, 0);
      v[1] = virial(1, 1);
      v[2] = virial(2, 2);
      v[3] = virial(0, 1);
      v[4] = virial(0, 2);
      v[5] = virial(1, 2);
      if (step_.vatom) add_to_atoms(k, n, v);
      const V share = hn::IfThenElseZero(hn::FirstN(d, n), hn::LoadU(d, clusters_.share() + k));
      vxx = hn::MulAdd(share, v[0].v(), vxx);
      vyy = hn::MulAdd(share, v[1].v(), vyy);
      vzz = hn::MulAdd(share, v[2].v(), vzz);
      vxy = hn::MulAdd(share, v[3].v(), vxy);
      vxz = hn::MulAdd(share, v[4].v(), vxz);
      vyz = hn::MulAdd(share, v[5].v(), vyz);
    }

    HWY_NOINLINE void add_to_atoms(int k, int n, const Lanes *v)
    {
      for (int lane = 0; lane < n; lane++)
        for (int a = 0; a < NATOMS; a++) {
          const int atom = clusters_.atoms(a)[k + lane];
          if (atom >= step_.nlocal) continue;
          for (int c = 0; c < 6; c++) step_.vatom[atom][c] += v[c].value[lane] / NATOMS;
        }
    }
  };

  void constrain_clusters(const ClusterColumns &clusters, const ClusterStep &step, int first,
                          int last, ClusterSums &sums)
  {
    switch (clusters.shape()) {
      case ClusterShape::BOND:
        return ClusterLoop<Shape<2, 1>>(clusters, step, sums).blocks(first, last);
      case ClusterShape::TWO_BONDS:
        return ClusterLoop<Shape<3, 2>>(clusters, step, sums).blocks(first, last);
      case ClusterShape::THREE_BONDS:
        return ClusterLoop<Shape<4, 3>>(clusters, step, sums).blocks(first, last);
      case ClusterShape::TRIANGLE:
        return ClusterLoop<Shape<3, 3>>(clusters, step, sums).blocks(first, last);
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

int ClusterColumns::natoms() const
{
  return shape_ == ClusterShape::BOND ? 2 : (shape_ == ClusterShape::THREE_BONDS ? 4 : 3);
}

int ClusterColumns::nlengths() const
{
  return shape_ == ClusterShape::TRIANGLE ? 3 : natoms() - 1;
}

void ClusterColumns::add(const int *atoms)
{
  added_.resize(static_cast<std::size_t>(MOST_ATOMS) * (n_ + 1));
  std::copy_n(atoms, natoms(), added_.begin() + static_cast<std::ptrdiff_t>(MOST_ATOMS) * n_);
  n_++;
}

void ClusterColumns::finish()
{
  atoms_.resize(MOST_ATOMS * stride());
  numbers_.resize((MOST_ATOMS + MOST_LENGTHS + 1) * stride());
  for (int a = 0; a < natoms(); a++)
    for (std::size_t k = 0; k < stride(); k++)
      atoms_[a * stride() + k] = atom(std::min(static_cast<int>(k), n_ - 1), a);
}

void ClusterColumns::set(int cluster, const double *inverse_mass, const double *length,
                         double share)
{
  const std::size_t end = cluster == n_ - 1 ? stride() : cluster + 1;
  for (std::size_t k = cluster; k < end; k++) {
    for (int a = 0; a < natoms(); a++) numbers_[a * stride() + k] = inverse_mass[a];
    for (int c = 0; c < nlengths(); c++)
      numbers_[(MOST_ATOMS + c) * stride() + k] = length[c] * length[c];
    numbers_[(MOST_ATOMS + MOST_LENGTHS) * stride() + k] = share;
  }
}

std::size_t ClusterColumns::memory_usage() const
{
  return (added_.capacity() + atoms_.capacity()) * sizeof(int) +
      numbers_.capacity() * sizeof(double);
}

TOFU_EXPORT(void, constrain_clusters,
            (const ClusterColumns &clusters, const ClusterStep &step, int first, int last,
             ClusterSums &sums),
            (clusters, step, first, last, sums));

}    // namespace TOFU_NS
#endif
