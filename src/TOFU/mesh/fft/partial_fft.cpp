// SPDX-License-Identifier: GPL-2.0-only

#include "partial_fft.h"

#include "base/aligned_array.h"
#include "brick_grid.h"
#include "kernels/mesh/partial_dft.h"
#include "mesh/exchange/mesh_exchange.h"
#include "mesh/exchange/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace TOFU_NS {

namespace {

  using Order = std::array<int, 3>;    // dimensions as forward() takes them; the first has the half

  /** # of points that there are of a dimension in the spectrum. */
  int spectrum_length(int n, bool half)
  {
    return half ? n / 2 + 1 : n;
  }

  /** [nranks+1] as even as possible. */
  std::vector<int> even_cuts(int n, int nranks)
  {
    std::vector<int> cuts;
    for (int p = 0; p <= nranks; p++)
      cuts.push_back(static_cast<int>(static_cast<long long>(p) * n / nranks));
    return cuts;
  }

  /* ----------------------------------------------------------------------
     to[c][b][a][run] = from[a][b][c][run]
  ------------------------------------------------------------------------- */

  template <class Real>
  void reverse_axes(const Real *from, std::size_t na, std::size_t nb, std::size_t nc,
                    std::size_t run, Real *to)
  {
    for (std::size_t c = 0; c < nc; c++)
      for (std::size_t b = 0; b < nb; b++) {
        const Real *const column = from + (b * nc + c) * run;
        const std::size_t stride = nb * nc * run;
        if (run == 1)
          for (std::size_t a = 0; a < na; a++) *to++ = column[a * stride];
        else
          for (std::size_t a = 0; a < na; a++) to = std::copy_n(column + a * stride, run, to);
      }
  }

  template <class Real> void scale_copy(const Real *from, std::size_t n, Real factor, Real *to)
  {
    for (std::size_t i = 0; i < n; i++) to[i] = factor * from[i];
  }

  /* ----------------------------------------------------------------------
     work and messages of the rank that has most, for one field; 16 products
     in the time that a number takes to travel, or to find its place among
     ghost points if x is not fastest in the brick (see PartialFft).  The
     dimensions after the first have complex numbers, of half the points
  ------------------------------------------------------------------------- */

  double cost_of(const Order &order, const std::array<int, 3> &npoints, const BrickGrid &grid)
  {
    std::array<double, 3> length;
    for (int dim = 0; dim < 3; dim++) length[dim] = grid.longest(dim);
    double cost = order[1] == 0 ? 0.0 : 16.0 * length[0] * length[1] * length[2];
    for (int dim : order) {
      const bool half = dim == order[0];
      const int n = npoints[dim], noutputs = spectrum_length(n, half), nranks = grid.length(dim);
      const double lines = length[0] * length[1] * length[2] / length[dim];
      const double products = (half ? 2.0 : 4.0) * (n / 2 + 1) * length[dim] * lines;
      const int longest = (noutputs + nranks - 1) / nranks;
      const double sent = 2.0 * (noutputs - noutputs / nranks) * lines;
      cost += products + 16.0 * sent;
      length[dim] = longest;
    }
    return cost;
  }

  Order cheapest_order(const std::array<int, 3> &npoints, const BrickGrid &grid)
  {
    Order order{0, 1, 2}, best = order;
    while (std::next_permutation(order.begin(), order.end()))
      if (cost_of(order, npoints, grid) < cost_of(best, npoints, grid)) best = order;
    return best;
  }

  /* ----------------------------------------------------------------------
     part of one dimension that a rank has: its points before the transform, its
     outputs after it
  ------------------------------------------------------------------------- */

  template <class Real> class Axis {
   public:
    Axis(int dim, int n, bool half, const BrickGrid &grid, int me, const PartialOptions &options,
         double forward_factor, double backward_factor) :
        points_(grid.cuts(dim)),
        outputs_(even_cuts(spectrum_length(n, half), grid.length(dim))), at_(grid.place(me)[dim]),
        forward_(half ? PartialDftKind::REAL_TO_HALF : PartialDftKind::FORWARD, n, points_[at_],
                 npoints(), forward_factor),
        backward_(half ? PartialDftKind::HALF_TO_REAL : PartialDftKind::BACKWARD, n, outputs_[at_],
                  noutputs(), backward_factor)
    {
      const ReductionRow row{grid.row(grid.place(me), dim), at_};
      if (row.ranks.size() > 1)
        row_sum_ = make_row_sum<Real>(options.reduce, options.scale, dim, options.chain, row);
    }

    int first_output() const { return outputs_[at_]; }
    int npoints() const { return points_[at_ + 1] - points_[at_]; }
    int noutputs() const { return outputs_[at_ + 1] - outputs_[at_]; }

    void add_traffic(std::size_t nlines_forward, std::size_t nlines_backward,
                     std::vector<std::size_t> &nbytes) const
    {
      if (!row_sum_) return;
      row_sum_->add_traffic(outputs_.data(), forward_.row_out(nlines_forward), nbytes);
      row_sum_->add_traffic(points_.data(), backward_.row_out(nlines_backward), nbytes);
    }

    void bind(Transport &transport)
    {
      if (row_sum_) row_sum_->bind(transport);
    }

    /** Rows of this rank's points to rows of its outputs, which are valid until the next call. */
    const Real *forward(std::size_t nlines, const Real *in, ReductionMark &mark)
    {
      return run(forward_, outputs_, nlines, in, mark);
    }
    const Real *backward(std::size_t nlines, const Real *in, ReductionMark &mark)
    {
      return run(backward_, points_, nlines, in, mark);
    }

    /** Reduce the mark alone. */
    void share_mark(ReductionMark &mark)
    {
      if (row_sum_) row_sum_->sum(outputs_.data(), 0, nullptr, nullptr, mark);
    }

   private:
    const Real *run(const PartialDft<Real> &dft, const std::vector<int> &cuts, std::size_t nlines,
                    const Real *in, ReductionMark &mark)
    {
      const std::size_t nvalues = dft.row_out(nlines);
      Real *const partial = partial_.room(dft.noutputs() * nvalues);
      dft.run(nlines, in, partial);
      if (!row_sum_) return partial;
      Real *const sums = sums_.room((cuts[at_ + 1] - cuts[at_]) * nvalues);
      row_sum_->sum(cuts.data(), nvalues, partial, sums, mark);
      return sums;
    }

    std::vector<int> points_, outputs_;    // [nranks of the row + 1] where their shares begin
    int at_;                               // place of this rank in the row
    PartialDft<Real> forward_, backward_;
    std::unique_ptr<RowSum<Real>> row_sum_;    // none if this rank has all
    AlignedArray<Real> partial_, sums_;
  };

  /* ----------------------------------------------------------------------
     factors that make what travels unitary, for the dimensions in the order
     of the transform.  Whole ones do without, and leave theirs to the next
     that is cut; the product is to be undone, before the transform if that is
     back, so that what travels is of the size of density and fields
  ------------------------------------------------------------------------- */

  std::array<double, 3> unitary_factors(const Order &order, const std::array<int, 3> &npoints,
                                        const BrickGrid &grid)
  {
    std::array<double, 3> factor{1.0, 1.0, 1.0};    // by dimension
    double points = 1.0;
    for (int dim : order) {
      points *= npoints[dim];
      if (grid.length(dim) == 1) continue;
      factor[dim] = 1.0 / std::sqrt(points);
      points = 1.0;
    }
    return factor;
  }

  double product(const std::array<double, 3> &factor)
  {
    return factor[0] * factor[1] * factor[2];
  }

  /* ----------------------------------------------------------------------
     arrays between the dimensions a, b, c in the order of forward(), slowest
     first, [2] real and imaginary part:

       forward   [a][c][b] real, [a'][2][c][b], [b][c][a'][2], [b'][c][a'][2],
                 [c][b'][a'][2], [c'][b'][a'][2]
       inverse   the same backwards, with [fields] beside c or b'
  ------------------------------------------------------------------------- */

  template <class Real> class PartialFft final : public DistributedFft<Real> {
   public:
    PartialFft(const MeshGeometry &geometry, const PartialOptions &options, const BrickGrid &grid);

    const char *name() const override { return "partial"; }
    int half_dim() const override { return order_[0]; }
    const MeshLayout &spectrum() const override { return spectrum_; }
    void add_traffic(int nfields, std::vector<std::size_t> &nbytes) const override;
    void bind(Transport &transport) override;
    void forward(const Real *density, Real *spectrum, const Parts &) override;
    void inverse(int nfields, Real *const *spectra, Real *const *fields, const Parts &) override;

   private:
    void transform(const Real *brick, Real *spectrum, ReductionMark &mark);
    void transform_back(int nfields, Real *const *spectra, Real *bricks, ReductionMark &mark);
    void agree(int first, int second, ReductionMark &mark);
    [[noreturn]] void complain(const ReductionMark &mark) const;

    int me_;
    PartialOptions options_;
    Order order_;
    std::array<int, 3> nranks_;    // along dimensions
    bool marked_;                  // messages have marks
    std::size_t nbrick_;           // points of this rank
    double forward_undo_ = 1.0, backward_start_ = 1.0, backward_end_ = 1.0;
    MeshLayout spectrum_;
    std::vector<std::unique_ptr<Axis<Real>>>
        axes_;    // [3] in order_; none if this rank has no points
    std::unique_ptr<MeshExchange> to_brick_, to_boxes_;
    std::vector<int>
        mark_receivers_;      // ranks without points that get the agreement from this one
    int mark_sender_ = -1;    // for a rank without points: the rank from which it gets that
    Transport *transport_ = nullptr;
    AlignedArray<Real> brick_, rows_;
    std::vector<const Real *> bricks_;    // [nfields]
  };

  /* ---------------------------------------------------------------------- */

  template <class Real>
  PartialFft<Real>::PartialFft(const MeshGeometry &geometry, const PartialOptions &options,
                               const BrickGrid &grid) :
      me_(geometry.me),
      options_(options),
      order_(cheapest_order(geometry.npoints, grid)), nranks_{grid.length(0), grid.length(1),
                                                              grid.length(2)},
      marked_(options.reduce == ReduceType::INT32 && grid.busy().size() > 1),
      nbrick_(geometry.bricks[geometry.me].npoints())
  {
    std::vector<MeshLayout> bricks, boxes;
    for (const MeshBox &brick : geometry.bricks)
      bricks.push_back({brick, {order_[1], order_[2], order_[0]}});
    for (const MeshBox &box : geometry.boxes) boxes.push_back({box, {0, 1, 2}});
    to_brick_ = std::make_unique<MeshExchange>(me_, geometry.npoints, boxes, bricks);
    to_boxes_ = std::make_unique<MeshExchange>(me_, geometry.npoints, bricks, boxes);

    const std::size_t nbusy = grid.busy().size();
    for (std::size_t i = 0; i < grid.idle().size() && marked_; i++) {
      const int idle = grid.idle()[i], sender = grid.busy()[i % nbusy];
      if (idle == me_) mark_sender_ = sender;
      if (sender == me_) mark_receivers_.push_back(idle);
    }
    if (nbrick_ == 0) return;

    std::array<double, 3> forward{1.0, 1.0, 1.0}, backward = forward;
    if (marked_) {
      forward = unitary_factors(order_, geometry.npoints, grid);
      backward = unitary_factors({order_[2], order_[1], order_[0]}, geometry.npoints, grid);
    }
    forward_undo_ = 1.0 / product(forward);
    if (marked_)
      backward_start_ = std::sqrt(static_cast<double>(whole_mesh(geometry.npoints).npoints()));
    backward_end_ = 1.0 / (backward_start_ * product(backward));
    spectrum_.order = order_;
    for (int dim : order_) {
      axes_.push_back(std::make_unique<Axis<Real>>(dim, geometry.npoints[dim], dim == order_[0],
                                                   grid, me_, options, forward[dim],
                                                   backward[dim]));
      const Axis<Real> &axis = *axes_.back();
      spectrum_.box.lo[dim] = axis.first_output();
      spectrum_.box.hi[dim] = axis.first_output() + axis.noutputs();
    }
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void PartialFft<Real>::add_traffic(int nfields, std::vector<std::size_t> &nbytes) const
  {
    to_brick_->add_traffic(sizeof(Real), nbytes);
    to_boxes_->add_traffic(nfields * sizeof(Real), nbytes);
    const auto raise = [&](int rank) {
      nbytes[rank] = std::max(nbytes[rank], sizeof(ReductionMark));
    };
    std::for_each(mark_receivers_.begin(), mark_receivers_.end(), raise);
    if (mark_sender_ >= 0) raise(mark_sender_);
    if (axes_.empty()) return;
    const Axis<Real> &a = *axes_[0], &b = *axes_[1], &c = *axes_[2];
    const std::size_t lines_a = static_cast<std::size_t>(b.npoints()) * c.npoints(),
                      lines_b = static_cast<std::size_t>(a.noutputs()) * c.npoints(),
                      lines_c = static_cast<std::size_t>(a.noutputs()) * b.noutputs();
    a.add_traffic(lines_a, nfields * lines_a, nbytes);
    b.add_traffic(lines_b, nfields * lines_b, nbytes);
    c.add_traffic(lines_c, nfields * lines_c, nbytes);
  }

  /* ---------------------------------------------------------------------- */

  template <class Real> void PartialFft<Real>::bind(Transport &transport)
  {
    transport_ = &transport;
    to_brick_->bind(transport);
    to_boxes_->bind(transport);
    for (auto &axis : axes_) axis->bind(transport);
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void PartialFft<Real>::forward(const Real *density, Real *spectrum, const Parts &)
  {
    Real *const brick = brick_.room(nbrick_);
    std::fill_n(brick, nbrick_, Real(0));
    to_brick_->add(1, 1, &density, &brick);

    ReductionMark mark;
    if (!axes_.empty()) transform(brick, spectrum, mark);
    agree(0, 1, mark);
    transport_->settle(Transport::ALL_LANES);
    if (mark.set()) complain(mark);
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void PartialFft<Real>::inverse(int nfields, Real *const *spectra, Real *const *fields,
                                 const Parts &)
  {
    Real *const bricks = brick_.room(nfields * nbrick_);
    ReductionMark mark;
    if (!axes_.empty()) transform_back(nfields, spectra, bricks, mark);
    agree(1, 2, mark);
    transport_->settle(Transport::ALL_LANES);
    if (mark.set()) complain(mark);

    bricks_.resize(nfields);
    for (int field = 0; field < nfields; field++) bricks_[field] = bricks + field * nbrick_;
    to_boxes_->copy(nfields, 1, bricks_.data(), fields);
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void PartialFft<Real>::transform(const Real *brick, Real *spectrum, ReductionMark &mark)
  {
    Axis<Real> &a = *axes_[0], &b = *axes_[1], &c = *axes_[2];
    const std::size_t b_points = b.npoints(), c_points = c.npoints(), run = 2 * a.noutputs(),
                      b_outputs = b.noutputs(), nlines = b_outputs * a.noutputs();

    const Real *done = a.forward(c_points * b_points, brick, mark);
    Real *rows = rows_.room(std::max(b_points, b_outputs) * c_points * run);
    reverse_axes(done, run, c_points, b_points, 1, rows);
    done = b.forward(c_points * a.noutputs(), rows, mark);
    reverse_axes(done, b_outputs, 1, c_points, run, rows);
    done = c.forward(nlines, rows, mark);
    scale_copy(done, 2 * nlines * c.noutputs(), static_cast<Real>(forward_undo_), spectrum);
  }

  /* ---------------------------------------------------------------------- */

  template <class Real>
  void PartialFft<Real>::transform_back(int nfields, Real *const *spectra, Real *bricks,
                                        ReductionMark &mark)
  {
    Axis<Real> &a = *axes_[0], &b = *axes_[1], &c = *axes_[2];
    const std::size_t a_points = a.npoints(), b_points = b.npoints(), c_points = c.npoints(),
                      b_outputs = b.noutputs(), c_outputs = c.noutputs(), run = 2 * a.noutputs(),
                      plane = b_outputs * run;

    Real *rows =
        rows_.room(nfields * run *
                   std::max({c_outputs * b_outputs, b_outputs * c_points, c_points * b_points}));
    for (std::size_t k = 0; k < c_outputs; k++)
      for (int field = 0; field < nfields; field++)
        scale_copy(spectra[field] + k * plane, plane, static_cast<Real>(backward_start_),
                   rows + (k * nfields + field) * plane);
    const Real *done = c.backward(nfields * plane / 2, rows, mark);
    reverse_axes(done, c_points, nfields, b_outputs, run, rows);
    done = b.backward(nfields * c_points * a.noutputs(), rows, mark);
    reverse_axes(done, b_points, nfields * c_points, run, 1, rows);
    const std::size_t lines = c_points * b_points;
    done = a.backward(nfields * lines, rows, mark);
    for (std::size_t r = 0; r < a_points; r++)
      for (int field = 0; field < nfields; field++)
        scale_copy(done + (r * nfields + field) * lines, lines, static_cast<Real>(backward_end_),
                   bricks + (field * a_points + r) * lines);
  }

  /* ----------------------------------------------------------------------
     all ranks along the last dimension have a mark that one of them set there;
     these are the two others
  ------------------------------------------------------------------------- */

  template <class Real> void PartialFft<Real>::agree(int first, int second, ReductionMark &mark)
  {
    if (!marked_) return;
    if (mark_sender_ >= 0) {
      const int link = transport_->find(mark_sender_);
      const Message &message = transport_->wait(link, MessageKind::MESH);
      mark = *reinterpret_cast<const ReductionMark *>(message.data);
      transport_->link(link).release();
      return;
    }
    axes_[first]->share_mark(mark);
    axes_[second]->share_mark(mark);
    for (int idle : mark_receivers_) {
      Link &link = transport_->link(transport_->find(idle));
      link.open(MessageKind::MESH);
      link.append(&mark, sizeof(mark));
      link.close();
    }
  }

  /* ---------------------------------------------------------------------- */

  template <class Real> void PartialFft<Real>::complain(const ReductionMark &mark) const
  {
    char text[512];
    const Quantizer quantizer(options_.scale, nranks_[mark.place]);
    if (std::isfinite(mark.value))
      std::snprintf(
          text, sizeof(text),
          "rank %d has the value %.6g to be summed over %d ranks in dimension %c of the FFT; "
          "in int32 with scale %g values have to be below %.6g: use a scale of at most %.2g, "
          "or reduce float or double",
          mark.rank, mark.value, nranks_[mark.place], "xyz"[mark.place], options_.scale,
          quantizer.limit(), 0.98 * options_.scale * quantizer.limit() / std::fabs(mark.value));
    else
      std::snprintf(text, sizeof(text),
                    "rank %d has the value %g to be summed in dimension %c of the FFT, which int32 "
                    "cannot hold: charges or positions are not finite",
                    mark.rank, mark.value, "xyz"[mark.place]);
    throw std::runtime_error(text);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Real>
std::unique_ptr<DistributedFft<Real>>
make_partial_fft(const MeshGeometry &geometry, const PartialOptions &options, std::string &why_not)
{
  const BrickGrid grid(geometry);
  why_not = grid.why_not();
  if (options.reduce == ReduceType::INT32 && !(options.scale > 0.0 && std::isfinite(options.scale)))
    why_not = "the scale of int32 is " + std::to_string(options.scale) + ", but must be positive";
  if (!why_not.empty()) return nullptr;
  return std::make_unique<PartialFft<Real>>(geometry, options, grid);
}

template std::unique_ptr<DistributedFft<double>>
make_partial_fft(const MeshGeometry &, const PartialOptions &, std::string &);
template std::unique_ptr<DistributedFft<float>>
make_partial_fft(const MeshGeometry &, const PartialOptions &, std::string &);

}    // namespace TOFU_NS
