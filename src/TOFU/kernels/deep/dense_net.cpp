// SPDX-License-Identifier: GPL-2.0-only

#include "dense_net.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/deep/dense_net.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/rows-inl.h"

#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <cmath>

#ifndef TOFU_KERNELS_DENSE_NET_LAYER
#define TOFU_KERNELS_DENSE_NET_LAYER

namespace TOFU_NS {

/** Weights are in panels of as many columns as PANEL vectors have, one row of a panel behind the
    other; columns behind the last one are 0. */
template <class T> struct PackedNet<T>::Layer {
  int ninputs = 0, noutputs = 0;
  int input_stride = 0, output_stride = 0;
  const T *forward = nullptr, *backward = nullptr;    // weights, and their transpose
  std::vector<T> biases, timesteps;                   // [output_stride]
  Activation activation;
  bool residual = false;
};

/** What the kernels need of a layer. */
template <class T> struct ActivationJob {
  const T *biases, *timesteps;
  int noutputs, stride;
  Activation activation;
};

}    // namespace TOFU_NS

#endif

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  constexpr int PANEL = 3;    // vectors
  constexpr int PANEL_BYTES =
      24576;    // of a panel that stay in the first cache while rows pass by

  constexpr int AHEAD = 16;    // rows of a panel that are requested before they are needed

  template <class T> using WideUpTo64Bytes = hn::CappedTag<T, 64 / sizeof(T)>;

  template <class T> int panel_columns()
  {
    return PANEL * static_cast<int>(hn::Lanes(WideUpTo64Bytes<T>()));
  }
  int panel_columns_double()
  {
    return panel_columns<double>();
  }
  int panel_columns_float()
  {
    return panel_columns<float>();
  }

  // -------------------------------------------------------------------------- products of matrices

  /** The same vector, in a register: GCC otherwise reads it from memory for each product, and reads
      take longer than products then. */
  template <class V> HWY_INLINE V in_register(V v)
  {
#if HWY_ARCH_X86 && HWY_COMPILER_GCC_ACTUAL
    asm("" : "+v"(v.raw));    // NOLINT(hicpp-no-assembler): no instruction
#endif
    return v;
  }

  /** Some rows of a product, one to four, in some columns and over some of the inner index.  The
      sums are the same for all numbers of rows.

      \param a       [NROWS] begins of the rows of the left factor
      \param panel   [ninner][PANEL vectors] of the right factor
      \param c       [NROWS] begins of the rows of the product, which are added to unless it is the
                     first piece of the inner index */
  template <int NROWS, bool PREFETCHES, class T>
  HWY_INLINE void multiply_rows(const T *const *a, const T *panel, int ninner, bool first,
                                T *const *c)
  {
    const WideUpTo64Bytes<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t n = hn::Lanes(d);
    V c00 = hn::Zero(d), c01 = c00, c02 = c00, c10 = c00, c11 = c00, c12 = c00;
    V c20 = c00, c21 = c00, c22 = c00, c30 = c00, c31 = c00, c32 = c00;
    const auto load = [&](const T *from, V &c0, V &c1, V &c2) HWY_ATTR {
      c0 = hn::Load(d, from);
      c1 = hn::Load(d, from + n);
      c2 = hn::Load(d, from + 2 * n);
    };
    if (!first) {
      load(c[0], c00, c01, c02);
      if constexpr (NROWS > 1) load(c[1], c10, c11, c12);
      if constexpr (NROWS > 2) load(c[2], c20, c21, c22);
      if constexpr (NROWS > 3) load(c[3], c30, c31, c32);
    }
    const T *const a0 = a[0], *const a1 = a[NROWS > 1 ? 1 : 0], *const a2 = a[NROWS > 2 ? 2 : 0],
                   *const a3 = a[NROWS > 3 ? 3 : 0];
    for (int k = 0; k < ninner; k++, panel += PANEL * n) {
      if constexpr (PREFETCHES)
        for (int k_line = 0; k_line < PANEL; k_line++)
          hwy::Prefetch(panel + AHEAD * PANEL * n + k_line * n);
      V b0 = c00, b1 = c00, b2 = c00;
      load(panel, b0, b1, b2);
      b0 = in_register(b0);
      b1 = in_register(b1);
      b2 = in_register(b2);
      const auto add = [&](T factor, V &c0, V &c1, V &c2) HWY_ATTR {
        const V x = hn::Set(d, factor);
        c0 = hn::MulAdd(x, b0, c0);
        c1 = hn::MulAdd(x, b1, c1);
        c2 = hn::MulAdd(x, b2, c2);
      };
      add(a0[k], c00, c01, c02);
      if constexpr (NROWS > 1) add(a1[k], c10, c11, c12);
      if constexpr (NROWS > 2) add(a2[k], c20, c21, c22);
      if constexpr (NROWS > 3) add(a3[k], c30, c31, c32);
    }
    const auto store = [&](V c0, V c1, V c2, T *to) HWY_ATTR {
      hn::Store(c0, d, to);
      hn::Store(c1, d, to + n);
      hn::Store(c2, d, to + 2 * n);
    };
    store(c00, c01, c02, c[0]);
    if constexpr (NROWS > 1) store(c10, c11, c12, c[1]);
    if constexpr (NROWS > 2) store(c20, c21, c22, c[2]);
    if constexpr (NROWS > 3) store(c30, c31, c32, c[3]);
  }

  template <bool PREFETCHES, class T>
  HWY_INLINE void multiply_some_rows(int nrows, const T *const *a, const T *panel, int ninner,
                                     bool first, T *const *c)
  {
    switch (nrows) {
      case 1:
        return multiply_rows<1, PREFETCHES>(a, panel, ninner, first, c);
      case 2:
        return multiply_rows<2, PREFETCHES>(a, panel, ninner, first, c);
      case 3:
        return multiply_rows<3, PREFETCHES>(a, panel, ninner, first, c);
      default:
        return multiply_rows<4, PREFETCHES>(a, panel, ninner, first, c);
    }
  }

  /** c = a w; all rows begin on a boundary of vectors.

      \param a   [nrows][a_stride]
      \param w   panels of ninner rows
      \param c   [nrows][c_stride], a multiple of the columns of a panel */
  template <class T>
  void multiply(const T *a, int a_stride, int nrows, int ninner, const T *w, T *c, int c_stride)
  {
    const int columns = panel_columns<T>();
    const int piece = std::max(1, PANEL_BYTES / static_cast<int>(columns * sizeof(T)));
    for (int column = 0; column < c_stride; column += columns) {
      const T *const panel = w + static_cast<std::size_t>(column) * ninner;
      for (int k = 0; k < ninner; k += piece)
        for (int row = 0; row < nrows; row += 4) {
          const T *from[4];
          T *to[4];
          for (int i = 0; i < 4; i++) {
            const std::size_t r = std::min(row + i, nrows - 1);
            from[i] = a + r * a_stride + k;
            to[i] = c + r * c_stride + column;
          }
          const T *const own = panel + static_cast<std::size_t>(k) * columns;
          const int n = std::min(piece, ninner - k);
          if (row)
            multiply_some_rows<false>(nrows - row, from, own, n, k == 0, to);
          else
            multiply_some_rows<true>(nrows, from, own, n, k == 0, to);
        }
    }
  }
  void multiply_doubles(const double *a, int a_stride, int nrows, int ninner, const double *w,
                        double *c, int c_stride)
  {
    multiply(a, a_stride, nrows, ninner, w, c, c_stride);
  }
  void multiply_floats(const float *a, int a_stride, int nrows, int ninner, const float *w,
                       float *c, int c_stride)
  {
    multiply(a, a_stride, nrows, ninner, w, c, c_stride);
  }

  // --------------------------------------------------------------------------------- activations

  constexpr double FLAT = 40.0;    // beyond it sigmoid and tanh do not change any more

  template <class D, class V> HWY_INLINE V limited(D d, V x)
  {
    return hn::Max(hn::Min(x, hn::Set(d, FLAT)), hn::Set(d, -FLAT));
  }
  template <class D, class V> HWY_INLINE V tanh_of(D d, V x)
  {
    const V one = hn::Set(d, 1.0), limit = limited(d, x), e = hn::Exp(d, hn::Add(limit, limit));
    return hn::Div(hn::Sub(e, one), hn::Add(e, one));
  }
  template <class D, class V> HWY_INLINE V sigmoid_of(D d, V x)
  {
    const V one = hn::Set(d, 1.0);
    return hn::Div(one, hn::Add(one, hn::Exp(d, hn::Neg(limited(d, x)))));
  }
  template <class D, class V> HWY_INLINE void silu_of(D d, V x, V &y, V &slope)
  {
    const V s = sigmoid_of(d, x);
    y = hn::Mul(x, s);
    slope = hn::MulAdd(y, hn::Sub(hn::Set(d, 1.0), s), s);
  }

  /** Value and derivative of one kind of activation. */
  template <Activation::Kind KIND> struct Activate {
    double threshold, slope_there, value_there;

    template <class D, class V> HWY_INLINE void operator()(D d, V x, V &y, V &slope) const
    {
      const V zero = hn::Zero(d), one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
      if constexpr (KIND == Activation::LINEAR) {
        y = x;
        slope = one;
      } else if constexpr (KIND == Activation::TANH) {
        y = tanh_of(d, x);
        slope = hn::NegMulAdd(y, y, one);
      } else if constexpr (KIND == Activation::RELU) {
        y = hn::Max(x, zero);
        slope = hn::IfThenElseZero(hn::Gt(x, zero), one);
      } else if constexpr (KIND == Activation::RELU6) {
        const V six = hn::Set(d, 6.0);
        y = hn::Min(hn::Max(x, zero), six);
        slope = hn::IfThenElseZero(hn::And(hn::Gt(x, zero), hn::Lt(x, six)), one);
      } else if constexpr (KIND == Activation::GELU) {
        const V c = hn::Set(d, 0.79788456080286535588), cubic = hn::Set(d, 0.044715);
        const V squared = hn::Mul(x, x);
        const V t = tanh_of(d, hn::Mul(hn::Mul(c, x), hn::MulAdd(cubic, squared, one)));
        const V inner = hn::Mul(c, hn::MulAdd(hn::Set(d, 3.0 * 0.044715), squared, one));
        y = hn::Mul(hn::Mul(half, x), hn::Add(one, t));
        slope = hn::MulAdd(hn::Mul(hn::Mul(half, x), hn::NegMulAdd(t, t, one)), inner,
                           hn::Mul(half, hn::Add(one, t)));
      } else if constexpr (KIND == Activation::SOFTPLUS) {
        const V e = hn::Exp(d, hn::Neg(hn::Abs(limited(d, x))));
        y = hn::Add(hn::Max(x, zero), hn::Log1p(d, e));
        slope = sigmoid_of(d, x);
      } else if constexpr (KIND == Activation::SIGMOID) {
        y = sigmoid_of(d, x);
        slope = hn::Mul(y, hn::Sub(one, y));
      } else {
        silu_of(d, x, y, slope);
        if constexpr (KIND == Activation::SILUT) {
          const V limit = hn::Set(d, threshold), steep = hn::Set(d, slope_there);
          const auto beyond = hn::Ge(x, limit);
          const V t = tanh_of(d, hn::Mul(steep, hn::Sub(x, limit)));
          y = hn::IfThenElse(beyond, hn::Add(t, hn::Set(d, value_there)), y);
          slope = hn::IfThenElse(beyond, hn::Mul(steep, hn::NegMulAdd(t, t, one)), slope);
        }
      }
    }
  };

  /** sums[nrows][stride] become values; slopes get the derivatives. */
  template <Activation::Kind KIND, class T>
  void activate_kind(const ActivationJob<T> &job, int nrows, T *sums, T *slopes)
  {
    const WideUpTo64Bytes<T> d;
    using V = hn::Vec<decltype(d)>;
    const double at = job.activation.threshold, s = 1.0 / (1.0 + std::exp(-at));
    const Activate<KIND> activate{at, s + at * s * (1.0 - s), at * s};
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int row = 0; row < nrows; row++) {
      T *const own = sums + static_cast<std::size_t>(row) * job.stride;
      T *const own_slopes = slopes + static_cast<std::size_t>(row) * job.stride;
      for (int k = 0; k < job.noutputs; k += lanes) {
        V y = hn::Zero(d), slope = y;
        activate(d, hn::Add(hn::Load(d, own + k), hn::LoadU(d, job.biases + k)), y, slope);
        const V t = hn::LoadU(d, job.timesteps + k);
        hn::Store(hn::Mul(t, y), d, own + k);
        hn::Store(hn::Mul(t, slope), d, own_slopes + k);
      }
    }
  }

  template <class T> void activate(const ActivationJob<T> &job, int nrows, T *sums, T *slopes)
  {
    switch (job.activation.kind) {
      case Activation::LINEAR:
        return activate_kind<Activation::LINEAR>(job, nrows, sums, slopes);
      case Activation::TANH:
        return activate_kind<Activation::TANH>(job, nrows, sums, slopes);
      case Activation::RELU:
        return activate_kind<Activation::RELU>(job, nrows, sums, slopes);
      case Activation::RELU6:
        return activate_kind<Activation::RELU6>(job, nrows, sums, slopes);
      case Activation::GELU:
        return activate_kind<Activation::GELU>(job, nrows, sums, slopes);
      case Activation::SOFTPLUS:
        return activate_kind<Activation::SOFTPLUS>(job, nrows, sums, slopes);
      case Activation::SIGMOID:
        return activate_kind<Activation::SIGMOID>(job, nrows, sums, slopes);
      case Activation::SILU:
        return activate_kind<Activation::SILU>(job, nrows, sums, slopes);
      case Activation::SILUT:
        return activate_kind<Activation::SILUT>(job, nrows, sums, slopes);
    }
  }
  void activate_doubles(const ActivationJob<double> &job, int nrows, double *sums, double *slopes)
  {
    activate(job, nrows, sums, slopes);
  }
  void activate_floats(const ActivationJob<float> &job, int nrows, float *sums, float *slopes)
  {
    activate(job, nrows, sums, slopes);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(panel_columns_double);
HWY_EXPORT(panel_columns_float);
HWY_EXPORT(multiply_doubles);
HWY_EXPORT(multiply_floats);
HWY_EXPORT(activate_doubles);
HWY_EXPORT(activate_floats);

static int columns_of(double)
{
  return HWY_DYNAMIC_DISPATCH(panel_columns_double)();
}
static int columns_of(float)
{
  return HWY_DYNAMIC_DISPATCH(panel_columns_float)();
}
static void multiply_matrices(const double *a, int a_stride, int nrows, int ninner, const double *w,
                              double *c, int c_stride)
{
  HWY_DYNAMIC_DISPATCH(multiply_doubles)(a, a_stride, nrows, ninner, w, c, c_stride);
}
static void multiply_matrices(const float *a, int a_stride, int nrows, int ninner, const float *w,
                              float *c, int c_stride)
{
  HWY_DYNAMIC_DISPATCH(multiply_floats)(a, a_stride, nrows, ninner, w, c, c_stride);
}
static void activate_rows(const ActivationJob<double> &job, int nrows, double *sums, double *slopes)
{
  HWY_DYNAMIC_DISPATCH(activate_doubles)(job, nrows, sums, slopes);
}
static void activate_rows(const ActivationJob<float> &job, int nrows, float *sums, float *slopes)
{
  HWY_DYNAMIC_DISPATCH(activate_floats)(job, nrows, sums, slopes);
}

static int rounded_up(int n, int multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

/** Panels of a matrix whose element is get(row, column), to `next`, which moves behind them. */
template <class T, class Get>
static const T *pack(int nrows, int ncolumns, int width, T *&next, Get get)
{
  const T *const begin = next;
  for (int column = 0; column < ncolumns; column += width)
    for (int row = 0; row < nrows; row++)
      for (int k = column; k < column + width; k++)
        *next++ = k < ncolumns ? static_cast<T>(get(row, k)) : T(0);
  return begin;
}

template <class T> PackedNet<T>::PackedNet(const DenseNet &net)
{
  // all in one block, which is large enough for huge pages

  const int width = columns_of(T());
  std::size_t nweights = 0;
  for (const DenseLayer &from : net)
    nweights += static_cast<std::size_t>(from.ninputs) * rounded_up(from.noutputs, width) +
        static_cast<std::size_t>(from.noutputs) * rounded_up(from.ninputs, width);
  T *next = weights_.room(nweights);
  for (const DenseLayer &from : net) {
    layers_.push_back(std::make_unique<Layer>());
    Layer &to = *layers_.back();
    to.ninputs = from.ninputs;
    to.noutputs = from.noutputs;
    to.input_stride = rounded_up(from.ninputs, width);
    to.output_stride = rounded_up(from.noutputs, width);
    const auto weight = [&](int input, int output) {
      return from.weights[static_cast<std::size_t>(input) * from.noutputs + output];
    };
    to.forward = pack(from.ninputs, from.noutputs, width, next, weight);
    to.backward = pack(from.noutputs, from.ninputs, width, next,
                       [&](int output, int input) { return weight(input, output); });
    to.biases.assign(to.output_stride, T(0));
    to.timesteps.assign(to.output_stride, T(1));
    std::copy(from.biases.begin(), from.biases.end(), to.biases.begin());
    std::copy(from.timesteps.begin(), from.timesteps.end(), to.timesteps.begin());
    to.activation = from.activation;
    to.residual = from.residual == DenseLayer::Residual::ONCE;
  }
}

template <class T> PackedNet<T>::~PackedNet() = default;

template <class T> int PackedNet<T>::ninputs() const
{
  return layers_.front()->ninputs;
}
template <class T> int PackedNet<T>::noutputs() const
{
  return layers_.back()->noutputs;
}
template <class T> int PackedNet<T>::stride_of_inputs() const
{
  return layers_.front()->input_stride;
}
template <class T> int PackedNet<T>::stride_of_outputs() const
{
  return layers_.back()->output_stride;
}

template <class T> double PackedNet<T>::nbytes() const
{
  return static_cast<double>(weights_.nbytes());
}

/** Begin of the rows of each layer in an array with the outputs of all. */
template <class T>
static std::vector<std::size_t> begins_of_layers(const PackedNet<T> &net, int nrows)
{
  std::vector<std::size_t> begins{0};
  for (const auto &layer : net.layers())
    begins.push_back(begins.back() + static_cast<std::size_t>(nrows) * layer->output_stride);
  return begins;
}

template <class T>
const T *evaluate_net(const PackedNet<T> &net, const T *inputs, int nrows, NetWorkspace<T> &work)
{
  const std::vector<std::size_t> begins = begins_of_layers(net, nrows);
  T *const values = work.values.room(begins.back()),
           *const slopes = work.slopes.room(begins.back());
  const T *from = inputs;
  for (std::size_t l = 0; l < net.layers().size(); l++) {
    const auto &layer = *net.layers()[l];
    T *const to = values + begins[l];
    multiply_matrices(from, layer.input_stride, nrows, layer.ninputs, layer.forward, to,
                      layer.output_stride);
    activate_rows({layer.biases.data(), layer.timesteps.data(), layer.noutputs, layer.output_stride,
                   layer.activation},
                  nrows, to, slopes + begins[l]);
    if (layer.residual)
      for (std::size_t k = 0; k < begins[l + 1] - begins[l]; k++) to[k] += from[k];
    from = to;
  }
  return from;
}

template <class T>
void differentiate_net(const PackedNet<T> &net, const T *output_gradients, int nrows,
                       NetWorkspace<T> &work, T *input_gradients)
{
  const std::vector<std::size_t> begins = begins_of_layers(net, nrows);
  const std::size_t widest = [&] {
    std::size_t most = 0;
    for (const auto &layer : net.layers()) most = std::max<std::size_t>(most, layer->output_stride);
    return most * nrows;
  }();
  const T *const slopes = work.slopes.data();
  T *const sums = work.gradients.room(3 * widest);    // of a layer's sums, and two for values
  T *values[2] = {sums + widest, sums + 2 * widest};
  const T *from = output_gradients;
  for (std::size_t l = net.layers().size(); l-- > 0;) {
    const auto &layer = *net.layers()[l];
    const std::size_t n = begins[l + 1] - begins[l];
    for (std::size_t k = 0; k < n; k++) sums[k] = from[k] * slopes[begins[l] + k];
    T *const to = l ? values[l % 2] : input_gradients;
    multiply_matrices(sums, layer.output_stride, nrows, layer.noutputs, layer.backward, to,
                      layer.input_stride);
    if (layer.residual)
      for (std::size_t k = 0; k < n; k++) to[k] += from[k];
    from = to;
  }
}

template class PackedNet<double>;
template class PackedNet<float>;
template const double *evaluate_net(const PackedNet<double> &, const double *, int,
                                    NetWorkspace<double> &);
template const float *evaluate_net(const PackedNet<float> &, const float *, int,
                                   NetWorkspace<float> &);
template void differentiate_net(const PackedNet<double> &, const double *, int,
                                NetWorkspace<double> &, double *);
template void differentiate_net(const PackedNet<float> &, const float *, int, NetWorkspace<float> &,
                                float *);

}    // namespace TOFU_NS
#endif
