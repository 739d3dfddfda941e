// SPDX-License-Identifier: GPL-2.0-only

#include "environment.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/deep/environment.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/select-inl.h"

#include <algorithm>
#include <iterator>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  using D8 = DoublesUpTo<8>;
  constexpr int BLOCK = EmbeddingRows::BLOCK, NCOEFFICIENTS = EmbeddingRows::NCOEFFICIENTS;

  /** Neighbors within the cut-off, in the order of the row.

    Returns: # of them. */
  int neighbors_within(const double *rows, int i, double cutoffsq, const int *entries, int n,
                       int *found)
  {
    const double *const own = rows + 4 * static_cast<std::size_t>(i);
    return static_cast<int>(append_near(rows, own, cutoffsq, entries, n, found) - found);
  }

  // ------------------------------------------------------------------------- rows of neighbors

  /** What factors are multiplied by.

      \param w   of the rows */
  template <class V> HWY_INLINE V weights_of_factors(const EnvironmentModel &model, V s, V w)
  {
    const hn::DFromV<V> d;
    const V one = hn::Set(d, 1.0);
    if (!model.smooth) return one;
    if (model.switch_distance == 0.0) return w;
    const V t = hn::Max(hn::NegMulAdd(s, hn::Set(d, model.switch_distance), one), hn::Zero(d));
    return hn::NegMulAdd(hn::Mul(t, t), t, one);
  }

  /** Their derivatives by the distance r.

      \param slope   s' */
  template <class V>
  HWY_INLINE V slopes_of_weights(const EnvironmentModel &model, V r, V s, V slope)
  {
    const hn::DFromV<V> d;
    if (model.switch_distance == 0.0) return hn::MulAdd(slope, r, s);    // w' = r s' + s
    const V distance = hn::Set(d, model.switch_distance);
    const V t = hn::Max(hn::NegMulAdd(s, distance, hn::Set(d, 1.0)), hn::Zero(d));
    return hn::Mul(hn::Mul(hn::Set(d, 3.0), distance), hn::Mul(hn::Mul(t, t), slope));
  }

  /** Of a group of slots with the same type: all that depends on the places of the atoms.  Slots
      behind the last one are changed, too. */
  void describe_neighbors(const EnvironmentModel &model, const double *atom_rows, int center,
                          int pair, int begin, int end, EnvironmentBatch &batch)
  {
    const D8 d;
    const hn::Rebind<std::int32_t, D8> d32;
    using V = hn::Vec<D8>;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const double *const own = atom_rows + 4 * static_cast<std::size_t>(center);
    const double *const average = model.average + 4 * pair,
                        *const inverse = model.inverse_deviation + 4 * pair;
    const EmbeddingRows &table = model.tables[pair];
    const V one = hn::Set(d, 1.0), x0 = hn::Set(d, own[0]), y0 = hn::Set(d, own[1]),
            z0 = hn::Set(d, own[2]);
    const double width = 1.0 / model.transition;
    const V inner = hn::Set(d, model.inner), inverse_width = hn::Set(d, width);
    HWY_ALIGN std::int32_t places[hn::MaxLanes(D8())];

    for (int k = begin; k < end; k += lanes) {
      V x = x0, y = y0, z = z0, type = x0;
      load_rows(d, atom_rows, batch.atoms.data() + k, 4, x, y, z, type);
      x = hn::Sub(x, x0);
      y = hn::Sub(y, y0);
      z = hn::Sub(z, z0);
      const V r = hn::Sqrt(hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z))));
      const V rinv = hn::Div(one, r);

      // w = u^3 (-6 u^2 + 15 u - 10) + 1, w' = -30 u^2 (u - 1)^2 / transition

      const V u = hn::Max(hn::Zero(d), hn::Min(one, hn::Mul(hn::Sub(r, inner), inverse_width)));
      const V uu = hn::Mul(u, u), u1 = hn::Sub(u, one);
      const V cubic =
          hn::MulAdd(hn::MulAdd(hn::Set(d, -6.0), u, hn::Set(d, 15.0)), u, hn::Set(d, -10.0));
      const V w = hn::MulAdd(hn::Mul(uu, u), cubic, one);
      const V wslope = hn::Mul(hn::Mul(hn::Set(d, -30.0 * width), uu), hn::Mul(u1, u1));
      const V s = hn::Mul(w, rinv), slope = hn::Mul(hn::Sub(wslope, s), rinv);
      const V ux = hn::Mul(x, rinv), uy = hn::Mul(y, rinv), uz = hn::Mul(z, rinv);
      hn::StoreU(ux, d, batch.fields[EnvironmentBatch::UX].data() + k);
      hn::StoreU(uy, d, batch.fields[EnvironmentBatch::UY].data() + k);
      hn::StoreU(uz, d, batch.fields[EnvironmentBatch::UZ].data() + k);
      hn::StoreU(r, d, batch.fields[EnvironmentBatch::R].data() + k);
      hn::StoreU(s, d, batch.fields[EnvironmentBatch::S].data() + k);
      hn::StoreU(slope, d, batch.fields[EnvironmentBatch::SLOPE].data() + k);

      const V r0 = hn::Mul(hn::Sub(s, hn::Set(d, average[0])), hn::Set(d, inverse[0]));
      const V rx = hn::Mul(hn::Sub(hn::Mul(s, ux), hn::Set(d, average[1])), hn::Set(d, inverse[1]));
      const V ry = hn::Mul(hn::Sub(hn::Mul(s, uy), hn::Set(d, average[2])), hn::Set(d, inverse[2]));
      const V rz = hn::Mul(hn::Sub(hn::Mul(s, uz), hn::Set(d, average[3])), hn::Set(d, inverse[3]));
      hn::StoreU(r0, d, batch.fields[EnvironmentBatch::ARGUMENT].data() + k);
      if (model.factors)
        hn::StoreU(weights_of_factors(model, s, w), d,
                   batch.fields[EnvironmentBatch::WEIGHT].data() + k);
      hn::StoreInterleaved4(model.radial ? one : r0, rx, ry, rz, d,
                            batch.components.data() + 4 * static_cast<std::size_t>(k));

      // -1: beyond the table

      const V lower = hn::Set(d, table.lower), middle = hn::Set(d, table.middle);
      const V nshort = hn::Set(d, table.nshort);
      const V close = hn::Floor(hn::Mul(hn::Sub(r0, lower), hn::Set(d, 1.0 / table.interval)));
      const V far = hn::Floor(hn::Mul(hn::Sub(r0, middle), hn::Set(d, 1.0 / table.long_interval)));
      const auto is_close = hn::Lt(r0, middle);
      const V at_close = hn::Min(close, hn::Sub(nshort, one));
      const V at = hn::IfThenElse(is_close, at_close, hn::Add(far, nshort));
      const V begin_close = hn::MulAdd(at_close, hn::Set(d, table.interval), lower);
      const V begin_far = hn::MulAdd(far, hn::Set(d, table.long_interval), middle);
      const auto inside = hn::And(hn::Ge(r0, lower), hn::Lt(r0, hn::Set(d, table.upper)));
      hn::StoreU(
          hn::IfThenElseZero(inside, hn::Sub(r0, hn::IfThenElse(is_close, begin_close, begin_far))),
          d, batch.fields[EnvironmentBatch::OFFSET].data() + k);
      hn::Store(hn::DemoteTo(d32, hn::IfThenElse(inside, at, hn::Set(d, -1.0))), d32, places);
      for (int lane = 0; lane < lanes; lane++)
        batch.rows[k + lane] = places[lane] < 0 ? nullptr
                                                : table.rows +
                static_cast<std::size_t>(places[lane]) * NCOEFFICIENTS * model.padded_width;
    }
  }

  // -------------------------------------------------------------------------------- T and D

  /** Sums T of one vector of columns, or of two that are neighbors in memory.

      \param column    the first
      \param factors   [padded_width] of the types of the neighbors, if they have any */
  template <int NVECTORS, bool HAS_FACTORS>
  HWY_INLINE void sum_columns(const EnvironmentBatch &batch, int begin, int end, int column,
                              const double *factors, double *sums, int padded_width)
  {
    const D8 d;
    using V = hn::Vec<D8>;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto place = [](int k) {
      return (k / BLOCK) * BLOCK * NCOEFFICIENTS + k % BLOCK;
    };
    const int first = place(column), second = place(column + lanes);
    double *const to = sums + column;
    V a0 = hn::Load(d, to), a1 = hn::Load(d, to + padded_width),
      a2 = hn::Load(d, to + 2 * padded_width), a3 = hn::Load(d, to + 3 * padded_width);
    V b0 = hn::Zero(d), b1 = b0, b2 = b0, b3 = b0;
    if constexpr (NVECTORS == 2) {
      b0 = hn::Load(d, to + lanes);
      b1 = hn::Load(d, to + padded_width + lanes);
      b2 = hn::Load(d, to + 2 * padded_width + lanes);
      b3 = hn::Load(d, to + 3 * padded_width + lanes);
    }
    const double *const offsets = batch.fields[EnvironmentBatch::OFFSET].data(),
                        *const weights = batch.fields[EnvironmentBatch::WEIGHT].data();
    V factor = hn::Zero(d), other_factor = factor, weight = factor;
    if constexpr (HAS_FACTORS) factor = hn::Load(d, factors + column);
    if constexpr (HAS_FACTORS && NVECTORS == 2)
      other_factor = hn::Load(d, factors + column + lanes);
    for (int k = begin; k < end; k++) {
      const double *const row = batch.rows[k] + first;
      const double *const r = batch.components.data() + 4 * static_cast<std::size_t>(k);
      const V t = hn::Set(d, offsets[k]);
      V g = hn::Load(d, row + 5 * BLOCK);
      for (int c = 4; c >= 0; c--) g = hn::MulAdd(g, t, hn::Load(d, row + c * BLOCK));
      if constexpr (HAS_FACTORS) {
        weight = hn::Set(d, weights[k]);
        g = hn::MulAdd(g, hn::Mul(weight, factor), g);
      }
      a0 = hn::MulAdd(hn::Set(d, r[0]), g, a0);
      a1 = hn::MulAdd(hn::Set(d, r[1]), g, a1);
      a2 = hn::MulAdd(hn::Set(d, r[2]), g, a2);
      a3 = hn::MulAdd(hn::Set(d, r[3]), g, a3);
      if constexpr (NVECTORS == 2) {
        const double *const other = batch.rows[k] + second;
        g = hn::Load(d, other + 5 * BLOCK);
        for (int c = 4; c >= 0; c--) g = hn::MulAdd(g, t, hn::Load(d, other + c * BLOCK));
        if constexpr (HAS_FACTORS) g = hn::MulAdd(g, hn::Mul(weight, other_factor), g);
        b0 = hn::MulAdd(hn::Set(d, r[0]), g, b0);
        b1 = hn::MulAdd(hn::Set(d, r[1]), g, b1);
        b2 = hn::MulAdd(hn::Set(d, r[2]), g, b2);
        b3 = hn::MulAdd(hn::Set(d, r[3]), g, b3);
      }
    }
    hn::Store(a0, d, to);
    hn::Store(a1, d, to + padded_width);
    hn::Store(a2, d, to + 2 * padded_width);
    hn::Store(a3, d, to + 3 * padded_width);
    if constexpr (NVECTORS == 2) {
      hn::Store(b0, d, to + lanes);
      hn::Store(b1, d, to + padded_width + lanes);
      hn::Store(b2, d, to + 2 * padded_width + lanes);
      hn::Store(b3, d, to + 3 * padded_width + lanes);
    }
  }

  template <bool HAS_FACTORS>
  void sum_all_columns(const EnvironmentBatch &batch, int begin, int end, const double *factors,
                       double *sums, int n)
  {
    const int lanes = static_cast<int>(hn::Lanes(D8()));
    int column = 0;
    for (; column + 2 * lanes <= n; column += 2 * lanes)
      sum_columns<2, HAS_FACTORS>(batch, begin, end, column, factors, sums, n);
    if (column < n) sum_columns<1, HAS_FACTORS>(batch, begin, end, column, factors, sums, n);
  }

  /** What some neighbors of one center add to T times the number of slots.

      \param factors   [padded_width] of their type, or nullptr */
  void sum_neighbors(const EnvironmentModel &model, const EnvironmentBatch &batch, int begin,
                     int end, const double *factors, double *sums)
  {
    if (factors)
      sum_all_columns<true>(batch, begin, end, factors, sums, model.padded_width);
    else
      sum_all_columns<false>(batch, begin, end, factors, sums, model.padded_width);
  }

  /** D of one center; what is behind it stays, but is read and written. */
  void square_sums(const EnvironmentModel &model, const double *sums, double *to)
  {
    const D8 d;
    using V = hn::Vec<D8>;
    const int lanes = static_cast<int>(hn::Lanes(d)), n = model.padded_width;
    for (int b = 0; b < model.axis; b++) {
      const V t0 = hn::Set(d, sums[b]), t1 = hn::Set(d, sums[n + b]),
              t2 = hn::Set(d, sums[2 * n + b]), t3 = hn::Set(d, sums[3 * n + b]);
      for (int a = b; a < model.width; a += lanes) {
        V v = hn::Mul(t0, hn::LoadU(d, sums + a));
        v = hn::MulAdd(t1, hn::LoadU(d, sums + n + a), v);
        v = hn::MulAdd(t2, hn::LoadU(d, sums + 2 * n + a), v);
        v = hn::MulAdd(t3, hn::LoadU(d, sums + 3 * n + a), v);
        if (a + lanes > model.width)
          v = hn::IfThenElse(hn::FirstN(d, model.width - a), v, hn::LoadU(d, to + a - b));
        hn::StoreU(v, d, to + a - b);
      }
      to += model.width - b;
    }
  }

  // -------------------------------------------------------------------------------- gradients

  /** Gradients of T of one center, added to; entries behind the last column get 0.

      \param of_d   gradients of D */
  void differentiate_square(const EnvironmentModel &model, const double *sums, const double *of_d,
                            double *gradients)
  {
    const D8 d;
    using V = hn::Vec<D8>;
    const int lanes = static_cast<int>(hn::Lanes(d)), n = model.padded_width;
    for (int b = 0; b < model.axis; b++) {
      const V t0 = hn::Set(d, sums[b]), t1 = hn::Set(d, sums[n + b]),
              t2 = hn::Set(d, sums[2 * n + b]), t3 = hn::Set(d, sums[3 * n + b]);
      V own0 = hn::Zero(d), own1 = own0, own2 = own0, own3 = own0;
      for (int a = b; a < model.width; a += lanes) {
        V g = hn::LoadU(d, of_d + a - b);
        if (a + lanes > model.width) g = hn::IfThenElseZero(hn::FirstN(d, model.width - a), g);
        double *const to = gradients + a;
        own0 = hn::MulAdd(g, hn::LoadU(d, sums + a), own0);
        own1 = hn::MulAdd(g, hn::LoadU(d, sums + n + a), own1);
        own2 = hn::MulAdd(g, hn::LoadU(d, sums + 2 * n + a), own2);
        own3 = hn::MulAdd(g, hn::LoadU(d, sums + 3 * n + a), own3);
        hn::StoreU(hn::MulAdd(g, t0, hn::LoadU(d, to)), d, to);
        hn::StoreU(hn::MulAdd(g, t1, hn::LoadU(d, to + n)), d, to + n);
        hn::StoreU(hn::MulAdd(g, t2, hn::LoadU(d, to + 2 * n)), d, to + 2 * n);
        hn::StoreU(hn::MulAdd(g, t3, hn::LoadU(d, to + 3 * n)), d, to + 3 * n);
      }
      gradients[b] += hn::GetLane(hn::SumOfLanes(d, own0));
      gradients[n + b] += hn::GetLane(hn::SumOfLanes(d, own1));
      gradients[2 * n + b] += hn::GetLane(hn::SumOfLanes(d, own2));
      gradients[3 * n + b] += hn::GetLane(hn::SumOfLanes(d, own3));
      of_d += model.width - b;
    }
  }

  /** Gradient of the components of one neighbor from those of T.

      \param weight    of the factors; becomes its gradient
      \param factors   [padded_width], if HAS_FACTORS */
  template <bool HAS_FACTORS>
  HWY_INLINE void differentiate_neighbor(const double *row, double offset, double *components,
                                         const double *gradients, int padded_width, bool radial,
                                         double &weight, const double *factors)
  {
    const D8 d;
    using V = hn::Vec<D8>;
    const int lanes = static_cast<int>(hn::Lanes(d)), n = padded_width;
    const V t = hn::Set(d, offset), r0 = hn::Set(d, components[0]), r1 = hn::Set(d, components[1]),
            r2 = hn::Set(d, components[2]), r3 = hn::Set(d, components[3]);
    V e0 = hn::Zero(d), e1 = e0, e2 = e0, e3 = e0, through_net = e0, through_weight = e0;
    for (int begin = 0; begin < n; begin += BLOCK, row += BLOCK * NCOEFFICIENTS)
      for (int k = 0; k < BLOCK; k += lanes) {
        const double *const dt = gradients + begin + k, *const c = row + k;

        // the polynomial and its derivative by Horner's scheme

        V g = hn::Load(d, c + 5 * BLOCK), slope = g;
        g = hn::MulAdd(g, t, hn::Load(d, c + 4 * BLOCK));
        slope = hn::MulAdd(slope, t, g);
        g = hn::MulAdd(g, t, hn::Load(d, c + 3 * BLOCK));
        slope = hn::MulAdd(slope, t, g);
        g = hn::MulAdd(g, t, hn::Load(d, c + 2 * BLOCK));
        slope = hn::MulAdd(slope, t, g);
        g = hn::MulAdd(g, t, hn::Load(d, c + BLOCK));
        slope = hn::MulAdd(slope, t, g);
        g = hn::MulAdd(g, t, hn::Load(d, c));

        const V t0 = hn::Load(d, dt), t1 = hn::Load(d, dt + n), t2 = hn::Load(d, dt + 2 * n),
                t3 = hn::Load(d, dt + 3 * n);
        const V of_g = hn::MulAdd(r0, t0, hn::MulAdd(r1, t1, hn::MulAdd(r2, t2, hn::Mul(r3, t3))));
        if constexpr (HAS_FACTORS) {
          const V factor = hn::Load(d, factors + begin + k);
          const V by_weight = hn::Mul(hn::Set(d, weight), factor);
          through_weight = hn::MulAdd(hn::Mul(g, factor), of_g, through_weight);
          g = hn::MulAdd(g, by_weight, g);
          slope = hn::MulAdd(slope, by_weight, slope);
        }
        e0 = hn::MulAdd(g, t0, e0);
        e1 = hn::MulAdd(g, t1, e1);
        e2 = hn::MulAdd(g, t2, e2);
        e3 = hn::MulAdd(g, t3, e3);
        through_net = hn::MulAdd(slope, of_g, through_net);
      }
    if (!radial) through_net = hn::Add(through_net, e0);
    components[0] = hn::GetLane(hn::SumOfLanes(d, through_net));
    components[1] = hn::GetLane(hn::SumOfLanes(d, e1));
    components[2] = hn::GetLane(hn::SumOfLanes(d, e2));
    components[3] = hn::GetLane(hn::SumOfLanes(d, e3));
    if constexpr (HAS_FACTORS) weight = hn::GetLane(hn::SumOfLanes(d, through_weight));
  }

  template <bool HAS_FACTORS>
  void differentiate_range(const EnvironmentModel &model, EnvironmentBatch &batch, int begin,
                           int end, const double *factors, const double *gradients)
  {
    const double *const offsets = batch.fields[EnvironmentBatch::OFFSET].data();
    double *const weights = batch.fields[EnvironmentBatch::WEIGHT].data();
    for (int k = begin; k < end; k++)
      differentiate_neighbor<HAS_FACTORS>(
          batch.rows[k], offsets[k], batch.components.data() + 4 * static_cast<std::size_t>(k),
          gradients, model.padded_width, model.radial, weights[k], factors);
  }

  /** Components and weights of some neighbors of one center become their gradients.

      \param factors   [padded_width] of their type, or nullptr */
  void differentiate_neighbors(const EnvironmentModel &model, EnvironmentBatch &batch, int begin,
                               int end, const double *factors, const double *gradients)
  {
    if (factors)
      differentiate_range<true>(model, batch, begin, end, factors, gradients);
    else
      differentiate_range<false>(model, batch, begin, end, factors, gradients);
  }

  /** Gradients by the place of each neighbor, in UX, UY, UZ; what was there goes, times the
      distance, to R, S, SLOPE. */
  void differentiate_places(const EnvironmentModel &model, int pair, int begin, int end,
                            EnvironmentBatch &batch)
  {
    const D8 d;
    using V = hn::Vec<D8>;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const double *const inverse = model.inverse_deviation + 4 * pair;
    const double share = 1.0 / model.nslots;
    const V scale0 = hn::Set(d, share * inverse[0]), scale1 = hn::Set(d, share * inverse[1]),
            scale2 = hn::Set(d, share * inverse[2]), scale3 = hn::Set(d, share * inverse[3]);
    const double *const of_weights = batch.fields[EnvironmentBatch::WEIGHT].data();
    const V scale = hn::Set(d, share);
    double *const ux = batch.fields[EnvironmentBatch::UX].data(),
                  *const uy = batch.fields[EnvironmentBatch::UY].data(),
                  *const uz = batch.fields[EnvironmentBatch::UZ].data(),
                  *const r = batch.fields[EnvironmentBatch::R].data(),
                  *const s = batch.fields[EnvironmentBatch::S].data(),
                  *const slopes = batch.fields[EnvironmentBatch::SLOPE].data();
    for (int k = begin; k < end; k += lanes) {
      const auto valid = hn::FirstN(d, end - k);
      V e0 = hn::Zero(d), e1 = e0, e2 = e0, e3 = e0;
      hn::LoadInterleaved4(d, batch.components.data() + 4 * static_cast<std::size_t>(k), e0, e1, e2,
                           e3);
      const V x = hn::LoadU(d, ux + k), y = hn::LoadU(d, uy + k), z = hn::LoadU(d, uz + k);
      const V distance = hn::LoadU(d, r + k), slope = hn::LoadU(d, slopes + k);
      const V g = hn::Div(hn::LoadU(d, s + k), distance);
      e0 = hn::Mul(e0, scale0);
      e1 = hn::Mul(e1, scale1);
      e2 = hn::Mul(e2, scale2);
      e3 = hn::Mul(e3, scale3);

      // s/r e + u (e0 s' + (e.u) (s' - s/r)), where g = s/r and e has its components times x/r

      const V along = hn::MulAdd(e1, x, hn::MulAdd(e2, y, hn::Mul(e3, z)));
      V radial = hn::MulAdd(e0, slope, hn::Mul(along, hn::Sub(slope, g)));
      if (model.smooth) {
        const V wslope = slopes_of_weights(model, distance, hn::LoadU(d, s + k), slope);
        radial = hn::MulAdd(hn::Mul(scale, hn::LoadU(d, of_weights + k)), wslope, radial);
      }
      const V vx = hn::MulAdd(g, e1, hn::Mul(radial, x)),
              vy = hn::MulAdd(g, e2, hn::Mul(radial, y)),
              vz = hn::MulAdd(g, e3, hn::Mul(radial, z));
      hn::StoreU(hn::IfThenElse(valid, hn::Mul(x, distance), distance), d, r + k);
      hn::StoreU(hn::IfThenElse(valid, hn::Mul(y, distance), hn::LoadU(d, s + k)), d, s + k);
      hn::StoreU(hn::IfThenElse(valid, hn::Mul(z, distance), slope), d, slopes + k);
      hn::StoreU(hn::IfThenElse(valid, vx, x), d, ux + k);
      hn::StoreU(hn::IfThenElse(valid, vy, y), d, uy + k);
      hn::StoreU(hn::IfThenElse(valid, vz, z), d, uz + k);
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(neighbors_within);
HWY_EXPORT(describe_neighbors);
HWY_EXPORT(sum_neighbors);
HWY_EXPORT(square_sums);
HWY_EXPORT(differentiate_square);
HWY_EXPORT(differentiate_neighbors);
HWY_EXPORT(differentiate_places);

static constexpr int BLOCK = EmbeddingRows::BLOCK;
static constexpr double RADIAL_SCALE = 0.2;

/** Of neighbors of one center the nearest by distances in single precision, then by number, as
    TensorFlow's models do.

    Returns: whether there are more than slots. */
static bool keep_nearest(std::vector<int> &list, int nslots, const double *atom_rows, int center)
{
  if (list.size() <= static_cast<std::size_t>(nslots)) return false;
  const double *const own = atom_rows + 4 * static_cast<std::size_t>(center);
  const auto distancesq = [&](int j) {
    const double *const other = atom_rows + 4 * static_cast<std::size_t>(j);
    const double x = other[0] - own[0], y = other[1] - own[1], z = other[2] - own[2];
    return static_cast<float>(x * x + y * y + z * z);
  };
  std::nth_element(list.begin(), list.begin() + nslots, list.end(), [&](int a, int b) {
    const float first = distancesq(a), second = distancesq(b);
    return first < second || (first == second && a < b);
  });
  list.resize(nslots);
  std::sort(list.begin(), list.end());
  return true;
}

/** Neighbors by type, those that fit into the slots; true if there are more.

    \param nempty   [nsections()] slots without a neighbor */
static bool sort_by_type(const EnvironmentModel &model, const double *atom_rows, int center,
                         int nnear, const EmbeddingRows *tables, EnvironmentBatch &batch,
                         int *nempty)
{
  const auto type_of = [&](int j) {
    const double number = atom_rows[4 * static_cast<std::size_t>(j) + 3];
    return number < 0.0 || number >= model.ntypes ? -1 : static_cast<int>(number);
  };
  const auto takes_slot = [&](int type) {
    return type >= 0 && (model.left_out_take_slots || tables[type].rows);
  };
  for (auto &list : batch.of_type) list.clear();
  std::vector<int> &all = batch.of_all_types;
  all.clear();
  const int *const near = batch.near.data();
  std::copy_if(near, near + nnear, std::back_inserter(all),
               [&](int j) { return takes_slot(type_of(j)); });
  bool overflow = false;
  if (model.shared_slots) {
    overflow = keep_nearest(all, model.selected[0], atom_rows, center);
    nempty[0] = model.selected[0] - static_cast<int>(all.size());
  }
  for (int j : all) batch.of_type[type_of(j)].push_back(j);
  for (int type = 0; type < model.ntypes; type++) {
    std::vector<int> &list = batch.of_type[type];
    if (!model.shared_slots) {
      overflow |= keep_nearest(list, model.selected[type], atom_rows, center);
      nempty[type] = model.selected[type] - static_cast<int>(list.size());
    }
    if (!tables[type].rows) list.clear();
  }
  return overflow;
}

static void grow(EnvironmentBatch &batch, int nslots)
{
  // arrays forget what they have when they grow, so that there is room for all before the first

  batch.atoms.room(nslots);
  for (auto &field : batch.fields) field.room(nslots);
  batch.components.room(4 * static_cast<std::size_t>(nslots));
  if (batch.rows.size() < static_cast<std::size_t>(nslots)) batch.rows.resize(nslots);
}

void find_environments(const EnvironmentModel &model, const PairJob &job, EnvironmentBatch &batch)
{
  const double cutoffsq = model.cutoff * model.cutoff;
  const EmbeddingRows *const tables =
      model.tables + static_cast<std::size_t>(batch.type) * model.ntypes;
  int longest = 0;
  for (int c = 0; c < batch.ncenters; c++)
    longest = std::max(longest, job.list.nneighbors[batch.centers[c]]);
  const int most = (std::min(model.nslots, longest) / BLOCK + 2) * BLOCK;
  grow(batch, batch.ncenters * most + BLOCK);
  batch.begins.assign(batch.ncenters + 1, 0);
  batch.counts.assign(static_cast<std::size_t>(batch.ncenters) * model.ntypes, 0);
  batch.nempty.assign(static_cast<std::size_t>(batch.ncenters) * model.nsections(), 0);
  batch.of_type.resize(model.ntypes);
  batch.beyond.clear();
  batch.noverflows = 0;

  int next = 0;
  for (int c = 0; c < batch.ncenters; c++) {
    const int i = batch.centers[c], nentries = job.list.nneighbors[i];
    const int *const entries = job.list.first[i];
    const int nnear = HWY_DYNAMIC_DISPATCH(neighbors_within)(
        job.atoms.rows, i, cutoffsq, entries, nentries, batch.near.room(nentries + 2 * BLOCK));
    batch.noverflows +=
        sort_by_type(model, job.atoms.rows, i, nnear, tables, batch,
                     batch.nempty.data() + static_cast<std::size_t>(c) * model.nsections());

    const int begin = next, far = entries[nentries];
    batch.begins[c] = begin;
    for (const auto &list : batch.of_type) {
      std::copy(list.begin(), list.end(), batch.atoms.data() + next);
      next += static_cast<int>(list.size());
    }
    std::fill_n(batch.atoms.data() + next, BLOCK, far);
    int from = begin;
    for (int type = 0; type < model.ntypes; type++) {
      const int n = static_cast<int>(batch.of_type[type].size());
      batch.counts[static_cast<std::size_t>(c) * model.ntypes + type] = n;
      HWY_DYNAMIC_DISPATCH(describe_neighbors)
      (model, job.atoms.rows, i, batch.type * model.ntypes + type, from, from + n, batch);
      from += n;
    }
    for (int k = begin; k < next; k++)
      if (!batch.rows[k]) batch.beyond.push_back(k);
    next = (next + BLOCK - 1) / BLOCK * BLOCK;
  }
  batch.begins[batch.ncenters] = next;
}

/** Call a function for the neighbors of a center that have the same factors, all of them if there
    are none.

    \param function   gets begin, end, factors */
template <class F>
static void for_ranges(const EnvironmentModel &model, const EnvironmentBatch &batch, int c,
                       F &&function)
{
  const int *const counts = batch.counts.data() + static_cast<std::size_t>(c) * model.ntypes;
  int begin = batch.begins[c], end = begin;
  for (int type = 0; type < model.ntypes; type++) {
    end += counts[type];
    if (!model.factors || begin == end) continue;
    const std::size_t pair = static_cast<std::size_t>(batch.type) * model.ntypes + type;
    function(begin, end, model.factors + pair * model.padded_width);
    begin = end;
  }
  if (!model.factors) function(begin, end, nullptr);
}

/** # of neighbors of a center. */
static int count_of(const EnvironmentModel &model, const EnvironmentBatch &batch, int c)
{
  int n = 0;
  for (int type = 0; type < model.ntypes; type++)
    n += batch.counts[static_cast<std::size_t>(c) * model.ntypes + type];
  return n;
}

void contract_environments(const EnvironmentModel &model, EnvironmentBatch &batch, double *to,
                           int stride)
{
  const std::size_t n = model.padded_width;
  double *const all = batch.sums.room(4 * n * batch.ncenters + BLOCK);
  std::fill_n(all + 4 * n * batch.ncenters, BLOCK, 0.0);    // is multiplied by 0
  for (int c = 0; c < batch.ncenters; c++) {
    double *const sums = all + 4 * n * c;
    std::fill_n(sums, 4 * n, 0.0);
    const int nsections = model.nsections();
    for (int section = 0; section < nsections; section++) {
      const double nempty = batch.nempty[static_cast<std::size_t>(c) * nsections + section];
      const double *const empty =
          model.empty + 4 * n * (static_cast<std::size_t>(batch.type) * nsections + section);
      for (std::size_t k = 0; k < 4 * n; k++) sums[k] += nempty * empty[k];
    }
    for_ranges(model, batch, c, [&](int begin, int end, const double *factors) {
      HWY_DYNAMIC_DISPATCH(sum_neighbors)(model, batch, begin, end, factors, sums);
    });
    const double share = 1.0 / model.nslots;
    for (std::size_t k = 0; k < 4 * n; k++) sums[k] *= share;
    double *const values = to + static_cast<std::size_t>(c) * stride;
    if (model.radial)
      for (int a = 0; a < model.width; a++) values[a] = RADIAL_SCALE * sums[a];
    else
      HWY_DYNAMIC_DISPATCH(square_sums)(model, sums, values);
  }
}

/** Forces of one center and its neighbors from gradients by places. */
static void add_forces(const EnvironmentBatch &batch, int c, int begin, int end, bool virial,
                       const CenterForces &forces, const CentroidVirials &centroids,
                       PairTally &tally)
{
  const double *const vx = batch.fields[EnvironmentBatch::UX].data(),
                      *const vy = batch.fields[EnvironmentBatch::UY].data(),
                      *const vz = batch.fields[EnvironmentBatch::UZ].data(),
                      *const x = batch.fields[EnvironmentBatch::R].data(),
                      *const y = batch.fields[EnvironmentBatch::S].data(),
                      *const z = batch.fields[EnvironmentBatch::SLOPE].data();
  double sum[3] = {0.0, 0.0, 0.0}, v[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  for (int k = begin; k < end; k++) {
    forces.subtract(batch.atoms.data()[k], vx[k], vy[k], vz[k]);
    sum[0] += vx[k];
    sum[1] += vy[k];
    sum[2] += vz[k];
  }
  forces.subtract(batch.centers[c], -sum[0], -sum[1], -sum[2]);
  if (virial) {
    for (int k = begin; k < end; k++) {
      v[0] += vx[k] * x[k];
      v[1] += vy[k] * y[k];
      v[2] += vz[k] * z[k];
      v[3] += vy[k] * x[k];
      v[4] += vz[k] * x[k];
      v[5] += vz[k] * y[k];
    }
    for (int k = 0; k < 6; k++) tally.virial[k] -= v[k];
  }
  if (centroids.rows)
    for (int k = begin; k < end; k++) {
      double *const to = centroids.rows[batch.atoms.data()[k]];
      to[0] -= vx[k] * x[k];
      to[1] -= vy[k] * y[k];
      to[2] -= vz[k] * z[k];
      to[3] -= vy[k] * x[k];
      to[4] -= vz[k] * x[k];
      to[5] -= vz[k] * y[k];
      to[6] -= vx[k] * y[k];
      to[7] -= vx[k] * z[k];
      to[8] -= vy[k] * z[k];
    }
}

void add_environment_forces(const EnvironmentModel &model, EnvironmentBatch &batch,
                            const double *gradients, int stride, const double *of_sums,
                            const PairJob &job, const CenterForces &forces,
                            const CentroidVirials &centroids, PairTally &tally)
{
  const std::size_t n = model.padded_width;
  double *const dt = batch.gradients.room(4 * n + BLOCK);
  std::fill_n(dt + 4 * n, BLOCK, 0.0);
  for (int c = 0; c < batch.ncenters; c++) {
    const int begin = batch.begins[c], end = begin + count_of(model, batch, c);
    if (of_sums)
      std::copy_n(of_sums + 4 * n * c, 4 * n, dt);
    else
      std::fill_n(dt, 4 * n, 0.0);
    const double *const of_values = gradients + static_cast<std::size_t>(c) * stride;
    if (model.radial)
      for (int a = 0; a < model.width; a++) dt[a] += RADIAL_SCALE * of_values[a];
    else
      HWY_DYNAMIC_DISPATCH(differentiate_square)
    (model, batch.sums.data() + 4 * n * c, of_values, dt);
    for_ranges(model, batch, c, [&](int first, int last, const double *factors) {
      HWY_DYNAMIC_DISPATCH(differentiate_neighbors)(model, batch, first, last, factors, dt);
    });
    int from = begin;
    for (int type = 0; type < model.ntypes; type++) {
      const int count = batch.counts[static_cast<std::size_t>(c) * model.ntypes + type];
      HWY_DYNAMIC_DISPATCH(differentiate_places)
      (model, batch.type * model.ntypes + type, from, from + count, batch);
      from += count;
    }
    add_forces(batch, c, begin, end, job.tallies != Tallies::NONE, forces, centroids, tally);
  }
}

double EnvironmentBatch::nbytes() const
{
  double bytes = static_cast<double>(atoms.nbytes() + components.nbytes() + sums.nbytes() +
                                     gradients.nbytes() + near.nbytes());
  for (const auto &field : fields) bytes += static_cast<double>(field.nbytes());
  return bytes + static_cast<double>(rows.capacity() * sizeof(const double *));
}

}    // namespace TOFU_NS
#endif
