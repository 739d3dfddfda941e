// SPDX-License-Identifier: GPL-2.0-only

#include "cluster_search.h"

#include "cluster_near.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <numeric>

using namespace TOFU_NS;

static constexpr double LARGEST = 1e12;    // coordinate; atoms beyond have no pairs

namespace {

bool is_somewhere(const double *x)
{
  return std::fabs(x[0]) < LARGEST && std::fabs(x[1]) < LARGEST && std::fabs(x[2]) < LARGEST;
}

}    // namespace

/* ---------------------------------------------------------------------- */

void ClusterSearch::sort(const AtomsToSearch &from, int width, std::vector<std::int32_t> &clusters)
{
  from_ = from;
  width_ = width;
  find_box();
  x_.room(4 * static_cast<std::size_t>(from.natoms));
  owners_.atoms.resize(from.last - from.first);
  std::iota(owners_.atoms.begin(), owners_.atoms.end(), from.first);
  for (int i : owners_.atoms) keep_place(i);
  const int first_ghost = std::min(from.natoms, std::max(from.last, from.first_ghost));
  find_others(from.last, first_ghost, others_);
  find_others(first_ghost, from.natoms, ghosts_);

  const float width_of_columns = side();
  clusters_ = &clusters;
  clusters.clear();
  const auto make_clusters = [&](Group &group) {
    group.columns.sort(group.atoms, x_.data(), width_of_columns, width, clusters);
  };
  make_clusters(owners_);
  nown_ = static_cast<int>(clusters.size()) / width;
  make_clusters(others_);
  make_clusters(ghosts_);
  fill_places(clusters);
  candidates_.own = AtomColumns::NO_ATOM;
}

/* ---------------------------------------------------------------------- */

void ClusterSearch::find_box()
{
  double lo[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, hi[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
  for (int i = from_.first; i < from_.last; i++) {
    const double *const xi = from_.x + 3 * static_cast<std::size_t>(i);
    if (!is_somewhere(xi)) continue;
    for (int dim = 0; dim < 3; dim++) {
      lo[dim] = std::min(lo[dim], xi[dim]);
      hi[dim] = std::max(hi[dim], xi[dim]);
    }
  }
  double widest = 0.0;
  for (int dim = 0; dim < 3; dim++) {
    corner_[dim] = lo[dim] <= hi[dim] ? lo[dim] : 0.0;
    size_[dim] = lo[dim] <= hi[dim] ? hi[dim] - lo[dim] : 0.0;
    widest = std::max(widest, size_[dim]);
  }
  margin_ = static_cast<float>(4.0 * FLT_EPSILON * (widest + from_.cutoff));
  reach_ = static_cast<float>(from_.cutoff) + 2.0F * margin_;
}

/* ---------------------------------------------------------------------- */

void ClusterSearch::keep_place(int i)
{
  const double *const xi = from_.x + 3 * static_cast<std::size_t>(i);
  float *const to = x_.data() + 4 * static_cast<std::size_t>(i);
  const bool somewhere = is_somewhere(xi);
  for (int dim = 0; dim < 3; dim++)
    to[dim] = somewhere ? static_cast<float>(xi[dim] - corner_[dim]) : NAN;
}

/* ---------------------------------------------------------------------- */

void ClusterSearch::find_others(int first, int last, Group &group)
{
  const double reachsq = static_cast<double>(reach_) * reach_;
  group.atoms.clear();
  for (int i = first; i < last; i++) {
    const double *const xi = from_.x + 3 * static_cast<std::size_t>(i);
    double gapsq = 0.0;
    for (int dim = 0; dim < 3; dim++) {
      const double place = xi[dim] - corner_[dim],
                   gap = std::max(0.0, std::max(-place, place - size_[dim]));
      gapsq += gap * gap;
    }
    if (!(gapsq <= reachsq)) continue;
    group.atoms.push_back(i);
    keep_place(i);
  }
}

/* ----------------------------------------------------------------------
   edge of a cube that has as many atoms as a cluster, by the cells of half a
   cut-off that have any owner: the box may be empty in parts
------------------------------------------------------------------------- */

float ClusterSearch::side()
{
  const double most = 16.0 * static_cast<double>(owners_.atoms.size() + 1);
  double edge = 0.5 * from_.cutoff, count[3];
  for (;; edge *= 1.5) {
    for (int dim = 0; dim < 3; dim++) count[dim] = std::floor(size_[dim] / edge) + 1.0;
    if (count[0] * count[1] * count[2] <= most) break;
  }
  const int n[3] = {static_cast<int>(count[0]), static_cast<int>(count[1]),
                    static_cast<int>(count[2])};
  occupied_.assign(static_cast<std::size_t>(n[0]) * n[1] * n[2], 0);
  const float inverse = static_cast<float>(1.0 / edge);
  for (int i : owners_.atoms) {
    const float *const xi = x_.data() + 4 * static_cast<std::size_t>(i);
    if (!std::isfinite(xi[0])) continue;
    int at[3];
    for (int dim = 0; dim < 3; dim++)
      at[dim] = std::min(static_cast<int>(xi[dim] * inverse), n[dim] - 1);
    occupied_[at[0] + static_cast<std::size_t>(n[0]) * (at[1] + n[1] * at[2])] = 1;
  }

  // the cells at the ends of the box are not all in it

  double cell = 1.0;
  for (int dim = 0; dim < 3; dim++) cell *= std::max(size_[dim] / n[dim], 0.5 * edge);
  const double volume =
      cell * static_cast<double>(std::count(occupied_.begin(), occupied_.end(), 1));
  const double side = std::cbrt(width_ * volume / static_cast<double>(owners_.atoms.size() + 1));
  return side > 0.0 ? static_cast<float>(side) : 1.0F;
}

/* ---------------------------------------------------------------------- */

void ClusterSearch::fill_places(const std::vector<std::int32_t> &clusters)
{
  const std::size_t n = clusters.size() / width_, width = width_;
  float *const places = places_.room(3 * clusters.size());
  bottom_.resize(n);
  top_.resize(n);
  for (std::size_t c = 0; c < n; c++) {
    float *const to = places + 3 * width * c;
    float bottom = INFINITY, top = -INFINITY;
    for (std::size_t k = 0; k < width; k++) {
      const std::int32_t i = clusters[width * c + k];
      const float *const xi = x_.data() + 4 * static_cast<std::size_t>(std::max(i, 0));
      for (std::size_t dim = 0; dim < 3; dim++)
        to[width * dim + k] = i == AtomColumns::NO_ATOM ? NAN : xi[dim];
      bottom = std::min(bottom, to[2 * width + k]);    // NaN does not count
      top = std::max(top, to[2 * width + k]);
    }
    bottom_[c] = bottom;
    top_[c] = top;
  }
}

/* ---------------------------------------------------------------------- */

ClusterSearch::Found ClusterSearch::find(int owners)
{
  const int own = owners * OWNERS_OF_CLUSTER / width_;
  if (own != candidates_.own) find_candidates(own);
  ClusterEntry *const entries = entries_.room(bottom_.size() + 1);
  int n = near_clusters({places_.data(), width_}, owners, candidates_.clusters.data(),
                        candidates_.nowned, reach_ * reach_, entries);
  if (n && entries[0].cluster == own) entries[0].pairs &= later_owners(owners);
  const int nothing = n && entries[0].pairs == 0 ? 1 : 0;
  if (candidates_.n > candidates_.nowned) n = add_ghosts(owners, n);
  return {entries + nothing, n - nothing};
}

/* ----------------------------------------------------------------------
   for all owners in a cluster, which is the first of those that it may be near
------------------------------------------------------------------------- */

void ClusterSearch::find_candidates(int own)
{
  candidates_.own = own;
  candidates_.clusters.resize(bottom_.size() + 1);
  candidates_.n = candidates_.nowned = 0;
  Box box;
  if (!box_of(own, box)) return;
  candidates_.clusters[candidates_.n++] = own;
  add_candidates(owners_.columns, box, -INFINITY);
  add_candidates(others_.columns, box, -INFINITY);
  candidates_.nowned = candidates_.n;
  if (!ghosts_.atoms.empty()) add_candidates(ghosts_.columns, box, box.lo[2] - same_height());
}

/* ----------------------------------------------------------------------
   heights that differ less may be in another order
------------------------------------------------------------------------- */

float ClusterSearch::same_height() const
{
  return from_.by_height ? 2.0F * margin_ : INFINITY;
}

/* ---------------------------------------------------------------------- */

int ClusterSearch::add_ghosts(int owners, int n)
{
  const int ncandidates = candidates_.n - candidates_.nowned;
  if (static_cast<int>(doubts_.size()) <= ncandidates) doubts_.resize(2 * ncandidates + 1);
  ClusterEntry *const entries = entries_.data() + n;
  const int nfound = near_higher_clusters(
      {places_.data(), width_}, owners, candidates_.clusters.data() + candidates_.nowned,
      ncandidates, reach_ * reach_, same_height(), entries, doubts_.data());
  int nkept = 0;
  for (int k = 0; k < nfound; k++) {
    entries[nkept] = entries[k];
    if (doubts_[k]) entries[nkept].pairs = without_pairs_of_others(owners, entries[k], doubts_[k]);
    nkept += entries[nkept].pairs != 0;
  }
  return n + nkept;
}

/* ---------------------------------------------------------------------- */

std::uint32_t ClusterSearch::without_pairs_of_others(int owners, ClusterEntry entry,
                                                     std::uint32_t doubts) const
{
  const std::int32_t *const owner = clusters_->data() + owners * OWNERS_OF_CLUSTER,
                            *const ghost = clusters_->data() + entry.cluster * width_;
  for (int k = 0; k < OWNERS_OF_CLUSTER * width_; k++)
    if (doubts >> k & 1 && !from_.has_pair(owner[k / width_], ghost[k % width_]))
      entry.pairs &= ~(1U << k);
  return entry.pairs;
}

/* ---------------------------------------------------------------------- */

bool ClusterSearch::box_of(int cluster, Box &box) const
{
  const std::size_t width = width_;
  const float *x = places_.data() + 3 * width * cluster;
  for (std::size_t dim = 0; dim < 3; dim++, x += width) {
    box.lo[dim] = INFINITY;
    box.hi[dim] = -INFINITY;
    for (std::size_t k = 0; k < width; k++) {
      box.lo[dim] = std::min(box.lo[dim], x[k]);
      box.hi[dim] = std::max(box.hi[dim], x[k]);
    }
  }
  return box.lo[0] <= box.hi[0];
}

/* ----------------------------------------------------------------------
   clusters of columns that are near a box, as far as their heights are, but for
   those that are lower than a floor, and those that come before that of the box
------------------------------------------------------------------------- */

void ClusterSearch::add_candidates(const AtomColumns &columns, const Box &box, float floor)
{
  const float reach = reach_ + margin_, reachsq = reach * reach;
  int lo[2], hi[2];
  for (int dim = 0; dim < 2; dim++) {
    lo[dim] = columns.along(dim, box.lo[dim] - reach);
    hi[dim] = columns.along(dim, box.hi[dim] + reach);
  }
  const auto gapsq = [&](int dim, int column) {
    const float gap = std::max(columns.begin(dim, column) - box.hi[dim],
                               box.lo[dim] - columns.begin(dim, column + 1)) -
        margin_;
    return gap > 0.0F ? gap * gap : 0.0F;
  };
  const int *const first = columns.first_clusters();
  const int next = candidates_.own + 1;
  const float *const bottom = bottom_.data(), *const top = top_.data();
  int *const candidates = candidates_.clusters.data();
  int n = candidates_.n;
  for (int y = lo[1]; y <= hi[1]; y++) {
    const float rest = reachsq - gapsq(1, y);
    for (int x = lo[0]; x <= hi[0]; x++) {
      const float heightsq = rest - gapsq(0, x);
      const int column = y * columns.n(0) + x;
      if (!(heightsq >= 0.0F) || first[column + 1] <= next) continue;
      const float height = std::sqrt(heightsq), lowest = std::max(box.lo[2] - height, floor),
                  highest = box.hi[2] + height;
      for (int c = std::max(first[column], next); c < first[column + 1]; c++) {
        candidates[n] = c;
        n += static_cast<int>(top[c] >= lowest) & static_cast<int>(bottom[c] <= highest);
      }
    }
  }
  candidates_.n = n;
}

/* ----------------------------------------------------------------------
   pairs of owners with those of their own cluster that come later
------------------------------------------------------------------------- */

std::uint32_t ClusterSearch::later_owners(int owners) const
{
  const unsigned width = width_, all = (1U << width) - 1;
  std::uint32_t pairs = 0;
  for (unsigned k = 0; k < OWNERS_OF_CLUSTER; k++) {
    const unsigned place = (static_cast<unsigned>(owners) * OWNERS_OF_CLUSTER + k) % width;
    pairs |= (all << (place + 1) & all) << (k * width);
  }
  return pairs;
}

/* ---------------------------------------------------------------------- */

double ClusterSearch::nbytes() const
{
  const std::size_t ints = owners_.atoms.capacity() + others_.atoms.capacity() +
      ghosts_.atoms.capacity() + candidates_.clusters.capacity() + doubts_.capacity();
  return owners_.columns.nbytes() + others_.columns.nbytes() + ghosts_.columns.nbytes() +
      static_cast<double>(x_.nbytes() + places_.nbytes() + entries_.nbytes() + ints * sizeof(int) +
                          occupied_.capacity() +
                          (bottom_.capacity() + top_.capacity()) * sizeof(float));
}
