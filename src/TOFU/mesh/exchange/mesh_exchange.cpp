// SPDX-License-Identifier: GPL-2.0-only

#include "mesh_exchange.h"

#include <cstring>
#include <type_traits>

namespace TOFU_NS {

namespace {

  /** Shifts by whole meshes after which one interval may meet the other. */
  std::vector<int> shifts(int lo, int hi, int target_lo, int target_hi, int n)
  {
    std::vector<int> found;
    if (lo >= hi || target_lo >= target_hi) return found;
    int first = (target_lo - (hi - 1)) / n - 1;
    while (hi - 1 + first * n < target_lo) first++;
    for (int k = first; lo + k * n < target_hi; k++) found.push_back(k);
    return found;
  }

  /** Dimensions of a part, that of its rows first: x, which is often contiguous, unless rows would
      be so short that each costs more than its points. */
  std::array<int, 3> dims_by_row(const std::array<int, 3> &length)
  {
    constexpr int SHORT = 6;
    const int longest =
        static_cast<int>(std::max_element(length.begin(), length.end()) - length.begin());
    const int row = length[0] < SHORT ? longest : 0;
    return {row, row == 0 ? 1 : 0, row == 2 ? 1 : 2};
  }

  /** row(first, stride, length) for all rows of points of a part. */
  template <class Part, class Row> void for_rows(const Part &part, Row &&row)
  {
    for (int c = 0; c < part.length[2]; c++)
      for (int b = 0; b < part.length[1]; b++)
        row(part.first + c * part.stride[2] + b * part.stride[1], part.stride[0], part.length[0]);
  }

  /** As many points as fit into a block of Link::reserve(). */
  template <class Real> int points_of_block(int width)
  {
    return static_cast<int>(Link::BLOCK / (width * sizeof(Real)));
  }

  template <bool ADD, class Real> inline void put(Real &target, Real value)
  {
    if constexpr (ADD)
      target += value;
    else
      target = value;
  }

  template <bool ADD, int WIDTH, class Real>
  void move_points(const Real *from, std::ptrdiff_t from_stride, Real *to, std::ptrdiff_t to_stride,
                   int n)
  {
    for (int i = 0; i < n; i++)
      for (int w = 0; w < WIDTH; w++)
        put<ADD>(to[i * to_stride * WIDTH + w], from[i * from_stride * WIDTH + w]);
  }

  /** A row of points of one or two numbers. */
  template <bool ADD, class Real>
  void move_row(const Real *from, std::ptrdiff_t from_stride, Real *to, std::ptrdiff_t to_stride,
                int n, int width)
  {
    if (from_stride != 1 || to_stride != 1) {
      if (width == 1)
        move_points<ADD, 1>(from, from_stride, to, to_stride, n);
      else
        move_points<ADD, 2>(from, from_stride, to, to_stride, n);
    } else if (ADD) {
      for (int i = 0; i < n * width; i++) put<ADD>(to[i], from[i]);
    } else {
      std::memcpy(to, from, n * width * sizeof(Real));
    }
  }

}    // namespace

/* ---------------------------------------------------------------------- */

MeshExchange::MeshExchange(int me, const std::array<int, 3> &npoints,
                           const std::vector<MeshLayout> &sources,
                           const std::vector<MeshLayout> &targets) :
    me_(me),
    npoints_(npoints), identity_(sources == targets)
{
  own_from_.rank = own_to_.rank = me;
  const int nranks = static_cast<int>(sources.size());
  for (int rank = 0; rank < nranks; rank++) {
    Traffic sent{rank, -1, {}, 0}, received{rank, -1, {}, 0};
    if (rank == me) {
      add_parts(sources[me], targets[me], &own_from_, &own_to_);
      continue;
    }
    add_parts(sources[me], targets[rank], &sent, nullptr);
    add_parts(sources[rank], targets[me], nullptr, &received);
    if (sent.npoints) sends_.push_back(std::move(sent));
    if (received.npoints) receives_.push_back(std::move(received));
  }
}

/* ----------------------------------------------------------------------
   all images of the source in the target, in an order that is the same on both sides
------------------------------------------------------------------------- */

void MeshExchange::add_parts(const MeshLayout &source, const MeshLayout &target, Traffic *sent,
                             Traffic *received) const
{
  std::array<std::vector<int>, 3> shift;
  for (int dim = 0; dim < 3; dim++)
    shift[dim] = shifts(source.box.lo[dim], source.box.hi[dim], target.box.lo[dim],
                        target.box.hi[dim], npoints_[dim]);
  for (int kz : shift[2])
    for (int ky : shift[1])
      for (int kx : shift[0]) {
        const std::array<int, 3> by{kx * npoints_[0], ky * npoints_[1], kz * npoints_[2]};
        MeshBox image = source.box;
        for (int dim = 0; dim < 3; dim++) {
          image.lo[dim] += by[dim];
          image.hi[dim] += by[dim];
        }
        const MeshBox common = intersection(image, target.box);
        if (common.empty()) continue;
        std::array<int, 3> before = common.lo;
        for (int dim = 0; dim < 3; dim++) before[dim] -= by[dim];
        const std::array<int, 3> length{common.length(0), common.length(1), common.length(2)};
        const std::array<int, 3> dims = dims_by_row(length);
        const auto by_row = [&](const auto &of) {
          return std::remove_cv_t<std::remove_reference_t<decltype(of)>>{of[dims[0]], of[dims[1]],
                                                                         of[dims[2]]};
        };
        if (sent) {
          sent->parts.push_back({source.offset(before), by_row(length), by_row(source.strides())});
          sent->npoints += common.npoints();
        }
        if (received) {
          received->parts.push_back(
              {target.offset(common.lo), by_row(length), by_row(target.strides())});
          received->npoints += common.npoints();
        }
      }
}

/* ---------------------------------------------------------------------- */

void MeshExchange::add_traffic(std::size_t nbytes_of_point, std::vector<std::size_t> &nbytes) const
{
  for (const Traffic &one : sends_)
    nbytes[one.rank] = std::max(nbytes[one.rank], one.npoints * nbytes_of_point);
  for (const Traffic &one : receives_)
    nbytes[one.rank] = std::max(nbytes[one.rank], static_cast<std::size_t>(1));
}

/* ---------------------------------------------------------------------- */

void MeshExchange::bind(Transport &transport)
{
  transport_ = &transport;
  for (Traffic &one : sends_) one.link = transport.find(one.rank);
  for (Traffic &one : receives_) one.link = transport.find(one.rank);
}

/* ---------------------------------------------------------------------- */

template <class Real>
void MeshExchange::copy(int nfields, int width, const Real *const *from, Real *const *to)
{
  run<Real, false>(nfields, width, from, to);
}

template <class Real>
void MeshExchange::add(int nfields, int width, const Real *const *from, Real *const *to)
{
  run<Real, true>(nfields, width, from, to);
}

/* ----------------------------------------------------------------------
   messages to ranks above this one go first, so that not all send to rank 0
   at once
------------------------------------------------------------------------- */

template <class Real, bool ADD>
void MeshExchange::run(int nfields, int width, const Real *const *from, Real *const *to)
{
  const auto above = std::find_if(sends_.begin(), sends_.end(),
                                  [&](const Traffic &one) { return one.rank > me_; });
  for (auto one = above; one != sends_.end(); ++one) send(*one, nfields, width, from);
  for (auto one = sends_.begin(); one != above; ++one) send(*one, nfields, width, from);

  bool own_done = false;
  for (const Traffic &one : receives_) {
    if (one.rank > me_ && !own_done) {
      move_own<Real, ADD>(nfields, width, from, to);
      own_done = true;
    }
    receive<Real, ADD>(one, nfields, width, to);
  }
  if (!own_done) move_own<Real, ADD>(nfields, width, from, to);
  if (!sends_.empty()) transport_->settle(Transport::ALL_LANES);
}

/* ---------------------------------------------------------------------- */

template <class Real>
void MeshExchange::send(const Traffic &traffic, int nfields, int width, const Real *const *from)
{
  const int most = points_of_block<Real>(width);
  Link &link = transport_->link(traffic.link);
  link.open(MessageKind::MESH);
  for (int field = 0; field < nfields; field++)
    for (const Part &part : traffic.parts)
      for_rows(part, [&](std::ptrdiff_t first, std::ptrdiff_t stride, int length) {
        for (int done = 0; done < length; done += most) {
          const int n = std::min(most, length - done);
          const std::size_t nbytes = n * width * sizeof(Real);
          move_row<false>(from[field] + (first + done * stride) * width, stride,
                          reinterpret_cast<Real *>(link.reserve(nbytes)), 1, n, width);
          link.commit(nbytes);
        }
      });
  link.close();
}

/* ---------------------------------------------------------------------- */

template <class Real, bool ADD>
void MeshExchange::receive(const Traffic &traffic, int nfields, int width, Real *const *to)
{
  const Message &message = transport_->wait(traffic.link, MessageKind::MESH);
  auto values = reinterpret_cast<const Real *>(message.data);
  for (int field = 0; field < nfields; field++)
    for (const Part &part : traffic.parts)
      for_rows(part, [&](std::ptrdiff_t first, std::ptrdiff_t stride, int length) {
        move_row<ADD>(values, 1, to[field] + first * width, stride, length, width);
        values += static_cast<std::ptrdiff_t>(length) * width;
      });
  transport_->link(traffic.link).release();
}

/* ---------------------------------------------------------------------- */

template <class Real, bool ADD>
void MeshExchange::move_own(int nfields, int width, const Real *const *from, Real *const *to) const
{
  for (int field = 0; field < nfields; field++)
    for (std::size_t p = 0; p < own_from_.parts.size(); p++) {
      const Part &source = own_from_.parts[p], &target = own_to_.parts[p];
      for (int c = 0; c < source.length[2]; c++)
        for (int b = 0; b < source.length[1]; b++)
          move_row<ADD>(
              from[field] + (source.first + c * source.stride[2] + b * source.stride[1]) * width,
              source.stride[0],
              to[field] + (target.first + c * target.stride[2] + b * target.stride[1]) * width,
              target.stride[0], source.length[0], width);
    }
}

/* ---------------------------------------------------------------------- */

template void MeshExchange::copy(int, int, const double *const *, double *const *);
template void MeshExchange::copy(int, int, const float *const *, float *const *);
template void MeshExchange::add(int, int, const double *const *, double *const *);
template void MeshExchange::add(int, int, const float *const *, float *const *);

}    // namespace TOFU_NS
