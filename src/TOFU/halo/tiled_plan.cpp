// SPDX-License-Identifier: GPL-2.0-only

#include "tiled_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace TOFU_NS {

namespace {

  // fractions are compared with this tolerance where the exact comparison follows, and distances
  // below it are those of sub-boxes that touch

  constexpr double TOLERANCE = 1e-9;

  using Shift = std::array<int, 3>;    // box lengths

  /** An image of another rank's sub-box, or of this rank's own, near this rank's sub-box. */
  struct Image {
    int rank;
    Shift shift;                  // of the image, seen from this rank
    Shift order;                  // the same, seen from the lower of the two ranks
    double gapsq;                 // distance between the sub-boxes, squared
    double centersq;              // distance between their centers, squared
    bool upper;                   // the image is an upper neighbor of this rank
    std::array<double, 3> gap;    // distance along each dimension
  };

  Shift opposite(const Shift &shift)
  {
    return {-shift[0], -shift[1], -shift[2]};
  }

  template <class Vector> bool is_upper(const Vector &way)
  {
    for (int dim = 2; dim > 0; dim--)
      if (way[dim] != 0) return way[dim] > 0;
    return way[0] > 0;
  }

  TileBox shifted(const TiledGeometry &geometry, int rank, const Shift &shift)
  {
    TileBox box = geometry.sub_box(rank);
    for (int dim = 0; dim < 3; dim++) {
      box.lo[dim] += shift[dim] * geometry.box.prd[dim];
      box.hi[dim] += shift[dim] * geometry.box.prd[dim];
    }
    return box;
  }

  /** Both ranks compute this from the same numbers, hence the bits are the same. */
  Image make_image(const TiledGeometry &geometry, int me, int rank, const Shift &shift)
  {
    const bool mine_is_first = me != rank ? me < rank : is_upper(shift);
    Image image{rank, shift, mine_is_first ? shift : opposite(shift), 0.0, 0.0, false, {}};
    const TileBox a = geometry.sub_box(mine_is_first ? me : rank);
    const TileBox b = shifted(geometry, mine_is_first ? rank : me, image.order);
    std::array<double, 3> way{};
    for (int dim = 0; dim < geometry.box.dimension; dim++) {
      const double gap = std::max(a.lo[dim] - b.hi[dim], b.lo[dim] - a.hi[dim]);
      image.gap[dim] = gap > TOLERANCE * geometry.box.prd[dim] ? gap : 0.0;
      image.gapsq += image.gap[dim] * image.gap[dim];
      way[dim] = 0.5 * (b.lo[dim] + b.hi[dim]) - 0.5 * (a.lo[dim] + a.hi[dim]);
      image.centersq += way[dim] * way[dim];
    }
    if (image.centersq == 0.0) way[0] = 1.0;    // sub-boxes without a volume
    image.upper = is_upper(way) == mine_is_first;
    return image;
  }

  bool is_before(const Image &a, const Image &b)
  {
    if (a.gapsq != b.gapsq) return a.gapsq < b.gapsq;
    if (a.centersq != b.centersq) return a.centersq < b.centersq;
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.order != b.order ? a.order < b.order : a.shift < b.shift;
  }

  /** All images within `factor` cut-offs along each dimension, this rank itself excluded. */
  std::vector<Image> find_images(const TiledGeometry &geometry, int me, double factor)
  {
    TileBox wanted = geometry.tiles->of(me);
    Shift first{}, last{};
    for (int dim = 0; dim < 3; dim++) {
      const double cut = factor * geometry.box.cutghost[dim] / geometry.box.prd[dim] + TOLERANCE;
      const bool is_flat = dim >= geometry.box.dimension;
      wanted.lo[dim] -= is_flat ? 1.0 : cut;
      wanted.hi[dim] += is_flat ? 1.0 : cut;
      if (is_flat || !geometry.box.periodicity[dim]) continue;
      first[dim] = static_cast<int>(std::ceil(wanted.lo[dim] - 1.0));
      last[dim] = static_cast<int>(std::floor(wanted.hi[dim]));
    }

    std::vector<Image> images;
    std::vector<int> found;
    Shift shift;
    for (shift[2] = first[2]; shift[2] <= last[2]; shift[2]++)
      for (shift[1] = first[1]; shift[1] <= last[1]; shift[1]++)
        for (shift[0] = first[0]; shift[0] <= last[0]; shift[0]++) {
          TileBox box = wanted;
          for (int dim = 0; dim < 3; dim++) {
            box.lo[dim] -= shift[dim];
            box.hi[dim] -= shift[dim];
          }
          found.clear();
          geometry.tiles->find_overlapping(box, found);
          for (const int rank : found) {
            if (rank == me && shift == Shift{}) continue;
            const Image image = make_image(geometry, me, rank, shift);
            bool is_near = true;
            for (int dim = 0; dim < geometry.box.dimension; dim++)
              is_near = is_near && image.gap[dim] <= factor * geometry.box.cutghost[dim];
            if (is_near) images.push_back(image);
          }
        }
    return images;
  }

  /** Volume of the part of a sub-box that is within the cut-off of another one, in boxes. */
  double near_fraction(const HaloGeometry &geometry, const TileBox &box, const TileBox &other)
  {
    double fraction = 1.0;
    for (int dim = 0; dim < geometry.dimension; dim++) {
      const double lo = std::max(box.lo[dim], other.lo[dim] - geometry.cutghost[dim]);
      const double hi = std::min(box.hi[dim], other.hi[dim] + geometry.cutghost[dim]);
      fraction *= std::max(hi - lo, 0.0) / geometry.prd[dim];
    }
    return fraction;
  }

  /** What a receiver wants has no end at a boundary that is not periodic: an atom may be beyond. */
  TileBox without_outer_faces(const TiledGeometry &geometry, int rank, TileBox box)
  {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const TileBox &fraction = geometry.tiles->of(rank);
    for (int dim = 0; dim < 3; dim++) {
      const bool is_flat = dim >= geometry.box.dimension;
      if (geometry.box.periodicity[dim] && !is_flat) continue;
      if (is_flat || fraction.lo[dim] <= 0.0) box.lo[dim] = -infinite;
      if (is_flat || fraction.hi[dim] >= 1.0) box.hi[dim] = infinite;
    }
    return box;
  }

  enum class Part { ALL, DOWN, UP };    // of the swaps

  void add_swap(const TiledGeometry &geometry, int me, const Image &image, Part part,
                HaloPlan &plan)
  {
    const TileBox mine = geometry.sub_box(me), other = shifted(geometry, image.rank, image.shift);
    const bool own = image.rank == me;    // then it is sent to, and comes from, the other side
    HaloSwap swap;
    if (part == Part::ALL || image.upper == (part == Part::UP)) {
      swap.sendproc = image.rank;
      swap.sent_fraction = near_fraction(geometry.box, mine, other);
    }
    if (part == Part::ALL || (image.upper != own) == (part == Part::DOWN)) {
      swap.recvproc = image.rank;
      swap.received_fraction = near_fraction(geometry.box, other, mine);
    }
    if (swap.sendproc < 0 && swap.recvproc < 0) return;
    for (int dim = 0; dim < 3; dim++) swap.pbc[dim] = -image.shift[dim];
    swap.finish_pbc();
    (part == Part::UP ? plan.upward : plan.swaps).push_back(swap);
    (part == Part::UP ? plan.upward_receivers : plan.receivers)
        .push_back(without_outer_faces(geometry, image.rank, other));
  }

}    // namespace

/* ---------------------------------------------------------------------- */

TileBox TiledGeometry::sub_box(int rank) const
{
  const TileBox &fraction = tiles->of(rank);
  TileBox bounds;
  for (int dim = 0; dim < 3; dim++) {
    bounds.lo[dim] = box.boxlo[dim] + box.prd[dim] * fraction.lo[dim];
    bounds.hi[dim] = fraction.hi[dim] < 1.0 ? box.boxlo[dim] + box.prd[dim] * fraction.hi[dim]
                                            : box.boxhi[dim];
  }
  return bounds;
}

/* ---------------------------------------------------------------------- */

int TiledGeometry::locate(const double *x) const
{
  TileBox near;
  for (int dim = 0; dim < 3; dim++) {
    const double fraction = (x[dim] - box.boxlo[dim]) / box.prd[dim];
    near.lo[dim] = fraction - TOLERANCE;
    near.hi[dim] = fraction + TOLERANCE;
  }
  std::vector<int> found;
  tiles->find_overlapping(near, found);
  for (const int rank : found) {
    const TileBox bounds = sub_box(rank);
    bool inside = true;
    for (int dim = 0; dim < box.dimension; dim++)
      inside = inside && x[dim] >= bounds.lo[dim] && x[dim] < bounds.hi[dim];
    if (inside) return rank;
  }
  return -1;
}

/* ---------------------------------------------------------------------- */

int TiledGeometry::nearest(const double *x) const
{
  double inside[3];
  for (int dim = 0; dim < 3; dim++)
    inside[dim] =
        std::min(std::max(x[dim], box.boxlo[dim]), std::nextafter(box.boxhi[dim], box.boxlo[dim]));
  return std::max(locate(inside), 0);
}

/* ---------------------------------------------------------------------- */

double TiledGeometry::fraction(int rank) const
{
  const TileBox &box_of_rank = tiles->of(rank);
  double volume = 1.0;
  for (int dim = 0; dim < 3; dim++) volume *= box_of_rank.hi[dim] - box_of_rank.lo[dim];
  return volume;
}

/* ----------------------------------------------------------------------
   with a cut-off of 0 there are no ghosts, but atoms change owner
------------------------------------------------------------------------- */

HaloPlan tiled_plan(const TiledGeometry &geometry, int me, bool half)
{
  std::vector<Image> images = find_images(geometry, me, 1.0);
  std::sort(images.begin(), images.end(), is_before);

  HaloPlan plan;
  plan.half = half;
  const auto &cut = geometry.box.cutghost;
  if (cut[0] > 0.0 || cut[1] > 0.0 || cut[2] > 0.0)
    for (const Image &image : images) {
      add_swap(geometry, me, image, half ? Part::DOWN : Part::ALL, plan);
      if (half) add_swap(geometry, me, image, Part::UP, plan);
    }
  plan.stages.push_back(
      HaloPlan::make_stage(plan.swaps, 0, static_cast<int>(plan.swaps.size()), me));
  plan.neighbors = tiled_neighbors(geometry, me, 1.0);
  plan.hops.assign(plan.neighbors.size(), 1);
  return plan;
}

/* ---------------------------------------------------------------------- */

std::vector<int> tiled_neighbors(const TiledGeometry &geometry, int me, double factor)
{
  std::vector<int> ranks;
  for (const Image &image : find_images(geometry, me, factor))
    if (image.rank != me) ranks.push_back(image.rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}    // namespace TOFU_NS
