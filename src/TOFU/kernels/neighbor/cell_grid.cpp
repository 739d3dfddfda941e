// SPDX-License-Identifier: GPL-2.0-only

#include "cell_grid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/neighbor/cell_grid.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/simd/compress-inl.h"

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  using D = hn::ScalableTag<float>;
  using DI = hn::RebindToSigned<D>;
  using Mask = hn::Mask<DI>;

  /** Without ghosts that are lower than the point.

      \param keep       those that are near
      \param dz         how far they are below the point
      \param doubtful   lanes that have been so close to its height that they may be lower */
  HWY_INLINE Mask without_lower_ghosts(const CellGrid::Wanted &wanted, Mask keep, hn::Vec<DI> index,
                                       hn::Vec<D> dz, Mask &doubtful)
  {
    const D d;
    const DI di;
    const auto same = hn::Set(d, wanted.same_height);
    const Mask owned = hn::Lt(index, hn::Set(di, wanted.first_ghost));
    const Mask not_lower = hn::RebindMask(di, hn::Le(dz, same)),
               not_higher = hn::RebindMask(di, hn::Ge(dz, hn::Neg(same)));
    const Mask kept = hn::And(keep, hn::Or(owned, not_lower));
    doubtful = hn::Or(doubtful, hn::And(kept, hn::AndNot(owned, not_higher)));
    return kept;
  }

  /** The atoms of some runs that are near a point.

      \param UPPER   only higher ones
      \return   # of atoms found. */
  template <bool UPPER>
  HWY_INLINE int add_runs(const CellGrid &grid, const CellGrid::Run *runs, int nruns,
                          const CellGrid::Wanted &wanted, int *found, CellGrid::Doubts &doubts)
  {
    const D d;
    const DI di;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto x = hn::Set(d, wanted.point[0]), y = hn::Set(d, wanted.point[1]),
               z = hn::Set(d, wanted.point[2]);
    const auto inner = hn::Set(d, wanted.limits[0]), outer = hn::Set(d, wanted.limits[1]);
    const auto self = hn::Set(di, wanted.self);
    const float *const all_x = grid.x(), *const all_y = grid.y(), *const all_z = grid.z();
    const int *const order = grid.order(), *const all = grid.index();
    int *next = found;
    Mask distance = hn::FirstN(di, 0), height = distance;    // lanes that have been doubtful
    const auto add = [&](const CellGrid::Run &run, auto some_ghosts) HWY_ATTR {
      const int end = run.end;
      for (int k = run.begin; k < end; k += lanes) {
        const auto dx = hn::Sub(x, hn::LoadU(d, all_x + k));
        const auto dy = hn::Sub(y, hn::LoadU(d, all_y + k));
        const auto dz = hn::Sub(z, hn::LoadU(d, all_z + k));
        const auto rsq = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
        const auto index = hn::LoadU(di, all + k);
        Mask keep = UPPER ? hn::Gt(hn::LoadU(di, order + k), self) : hn::Ne(index, self);
        keep = hn::And(keep, hn::FirstN(di, static_cast<std::size_t>(end - k)));
        keep = hn::And(keep, hn::RebindMask(di, hn::Lt(rsq, outer)));
        if constexpr (some_ghosts.value)
          keep = without_lower_ghosts(wanted, keep, index, dz, height);
        distance = hn::Or(distance, hn::AndNot(hn::RebindMask(di, hn::Lt(rsq, inner)), keep));
        hn::StoreU(compress(di, index, keep), di, next);    // faster than CompressStore() on some
        next += hn::CountTrue(di, keep);
      }
    };
    for (const CellGrid::Run *run = runs; run < runs + nruns; run++)
      if (UPPER && run->highest >= wanted.first_ghost)
        add(*run, std::true_type());
      else
        add(*run, std::false_type());
    doubts = {!hn::AllFalse(di, distance), !hn::AllFalse(di, height)};
    return static_cast<int>(next - found);
  }

  int near_point(const CellGrid &grid, const CellGrid::Run *runs, int nruns,
                 const CellGrid::Wanted &wanted, int *found, CellGrid::Doubts &doubts)
  {
    return wanted.upper ? add_runs<true>(grid, runs, nruns, wanted, found, doubts)
                        : add_runs<false>(grid, runs, nruns, wanted, found, doubts);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(near_point);

static constexpr int TOO_FEW = 1000;    // atoms of a part that are not worth a fork

/* ---------------------------------------------------------------------- */

void CellGrid::sort(const Atoms &atoms, double cutoff, const Parts &all_parts)
{
  const Parts parts = all_parts.for_work(atoms.natoms, TOO_FEW);
  first_ghost_ = atoms.first_ghost;
  size_cells(find_bounds(atoms, parts), atoms.natoms, cutoff);
  count_atoms(atoms, parts);
  find_starts(parts);
  place_atoms(atoms, parts);
  if (!atoms.names) find_highest(atoms.high != nullptr, parts);
}

/* ---------------------------------------------------------------------- */

void CellGrid::count_atoms(const Atoms &atoms, const Parts &parts)
{
  const std::size_t ncells = static_cast<std::size_t>(ncells_[0]) * ncells_[1] * ncells_[2];
  cell_.resize(atoms.natoms);
  next_.resize(parts.n());
  sums_.resize(parts.n());
  parts.share(atoms.natoms, [&](int part, int first, int last) {
    std::vector<int> &counts = next_[part];
    counts.assign(ncells, 0);
    int *const count = counts.data(), *const cell = cell_.data();
    for (int i = first; i < last; i++) {
      const double *xi = atoms.x + 3 * static_cast<std::size_t>(i);
      const int c = cell_along(0, xi[0]) +
          ncells_[0] * (cell_along(1, xi[1]) + ncells_[1] * cell_along(2, xi[2]));
      cell[i] = c;
      count[c]++;
    }
    sums_[part] = sums_of_ranges(counts, parts.n());
  });
}

/* ----------------------------------------------------------------------
   over the cells whose starts a part finds; those of the last part are before no others
------------------------------------------------------------------------- */

std::vector<int> CellGrid::sums_of_ranges(const std::vector<int> &counts, int nparts)
{
  const int ncells = static_cast<int>(counts.size());
  std::vector<int> sums(nparts);
  for (int part = 0; part < nparts - 1; part++)
    sums[part] =
        std::accumulate(counts.begin() + begin_of_share(part, nparts, ncells, GRAIN),
                        counts.begin() + begin_of_share(part + 1, nparts, ncells, GRAIN), 0);
  return sums;
}

/* ----------------------------------------------------------------------
   the atoms of a cell are in ascending order: those of a part come after those
   of the part before
------------------------------------------------------------------------- */

void CellGrid::find_starts(const Parts &parts)
{
  const int ncells = static_cast<int>(next_[0].size());
  start_.resize(ncells + 1);
  parts.run([&](int part) {
    const int first = begin_of_share(part, parts.n(), ncells, GRAIN),
              last = begin_of_share(part + 1, parts.n(), ncells, GRAIN);
    int start = 0;
    for (const std::vector<int> &sums : sums_)
      start = std::accumulate(sums.begin(), sums.begin() + part, start);
    int *const starts = start_.data();
    for (int c = first; c < last; c++) {
      starts[c] = start;
      for (std::vector<int> &next : next_) start += std::exchange(next[c], start);
    }
    if (part == parts.n() - 1) starts[ncells] = start;
  });
}

/* ---------------------------------------------------------------------- */

void CellGrid::place_atoms(const Atoms &atoms, const Parts &parts)
{
  const std::size_t n = atoms.natoms;
  place_.resize(n);
  index_.resize(n + PADDING);
  for (auto &coordinate : sorted_) coordinate.resize(n + PADDING);
  order_.resize(atoms.high ? n + PADDING : 0);
  parts.share(atoms.natoms, [&](int part, int first, int last) {
    int *const next = next_[part].data();
    int *const place = place_.data(), *const index = index_.data();
    float *const x = sorted_[0].data(), *const y = sorted_[1].data(), *const z = sorted_[2].data();
    for (int i = first; i < last; i++) {
      const int k = next[cell_[i]]++;
      const double *const xi = atoms.x + 3 * static_cast<std::size_t>(i);
      place[i] = k;
      index[k] = atoms.names ? atoms.names[i] : i;
      x[k] = static_cast<float>(xi[0] - lo_[0]);
      y[k] = static_cast<float>(xi[1] - lo_[1]);
      z[k] = static_cast<float>(xi[2] - lo_[2]);
    }
    if (atoms.high)
      for (int i = first; i < last; i++) order_[place_[i]] = atoms.high[i] ? INT_MAX : i;
  });
}

/* ----------------------------------------------------------------------
   where atoms are sorted by place, nearly half of the runs have no higher ones
------------------------------------------------------------------------- */

void CellGrid::find_highest(bool some_high, const Parts &parts)
{
  const int nx = ncells_[0], nrows = ncells_[1] * ncells_[2];
  highest_.resize(start_.size() - 1);
  parts.share(nrows, [&](int, int first, int last) {
    std::vector<int> of_cell(nx + 2 * reach_, -1);    // with empty cells before and behind
    for (int row = first * nx; row < last * nx; row += nx) {
      for (int c = 0; c < nx; c++) of_cell[reach_ + c] = highest_of_cell(row + c, some_high);
      int *const highest = highest_.data() + row;
      std::copy_n(of_cell.data(), nx, highest);
      for (int shift = 1; shift <= 2 * reach_; shift++)
        for (int c = 0; c < nx; c++) highest[c] = std::max(highest[c], of_cell[c + shift]);
    }
  });
}

/* ----------------------------------------------------------------------
   the last one, as long as none counts as higher than it is
------------------------------------------------------------------------- */

int CellGrid::highest_of_cell(int cell, bool some_high) const
{
  const int begin = start_[cell], end = start_[cell + 1];
  if (begin == end) return -1;
  return some_high ? *std::max_element(order_.data() + begin, order_.data() + end)
                   : index_[end - 1];
}

/* ---------------------------------------------------------------------- */

double CellGrid::nbytes() const
{
  std::size_t n = 0;    // numbers of four bytes
  for (const auto *numbers : {&cell_, &start_, &index_, &place_, &order_, &highest_})
    n += numbers->capacity();
  for (const std::vector<int> &numbers : next_) n += numbers.capacity();
  for (const std::vector<float> &coordinate : sorted_) n += coordinate.capacity();
  return 4.0 * static_cast<double>(n);
}

/* ----------------------------------------------------------------------
   no atoms are at 0
------------------------------------------------------------------------- */

CellGrid::Bounds CellGrid::find_bounds(const Atoms &atoms, const Parts &parts)
{
  std::vector<Bounds> of_parts(parts.n());
  parts.share(atoms.natoms, [&](int part, int first, int last) {
    of_parts[part] = bounds_of(atoms.x + 3 * static_cast<std::size_t>(first), last - first);
  });
  Bounds all = of_parts[0];
  for (const Bounds &one : of_parts)
    for (int dim = 0; dim < 3; dim++) {
      all.lo[dim] = std::min(all.lo[dim], one.lo[dim]);
      all.hi[dim] = std::max(all.hi[dim], one.hi[dim]);
    }
  for (int dim = 0; dim < 3; dim++)
    if (all.lo[dim] > all.hi[dim]) all.lo[dim] = all.hi[dim] = 0.0;
  return all;
}

/* ----------------------------------------------------------------------
   of four atoms side by side: a comparison has to wait for the one before it.
   A coordinate that is not a number does not count
------------------------------------------------------------------------- */

CellGrid::Bounds CellGrid::bounds_of(const double *x, int natoms)
{
  constexpr int WAYS = 4, N = 3 * WAYS;
  double lo_of[N], hi_of[N];
  std::fill_n(lo_of, N, DBL_MAX);
  std::fill_n(hi_of, N, -DBL_MAX);
  int i = 0;
  for (; i + WAYS <= natoms; i += WAYS) {
    const double *const xi = x + 3 * static_cast<std::size_t>(i);
    for (int k = 0; k < N; k++) {
      lo_of[k] = std::min(lo_of[k], xi[k]);
      hi_of[k] = std::max(hi_of[k], xi[k]);
    }
  }
  for (; i < natoms; i++)
    for (int dim = 0; dim < 3; dim++) {
      lo_of[dim] = std::min(lo_of[dim], x[3 * static_cast<std::size_t>(i) + dim]);
      hi_of[dim] = std::max(hi_of[dim], x[3 * static_cast<std::size_t>(i) + dim]);
    }
  Bounds bounds;
  std::copy_n(lo_of, 3, bounds.lo.begin());
  std::copy_n(hi_of, 3, bounds.hi.begin());
  for (int k = 3; k < N; k++) {
    bounds.lo[k % 3] = std::min(bounds.lo[k % 3], lo_of[k]);
    bounds.hi[k % 3] = std::max(bounds.hi[k % 3], hi_of[k]);
  }
  return bounds;
}

/* ----------------------------------------------------------------------
   not many more cells than atoms, however empty the space between them is
------------------------------------------------------------------------- */

void CellGrid::size_cells(const Bounds &bounds, int natoms, double cutoff)
{
  const std::array<double, 3> &hi = bounds.hi;
  std::copy(bounds.lo.begin(), bounds.lo.end(), lo_);
  error_ = 0.0;
  for (int dim = 0; dim < 3; dim++)
    error_ = std::max(error_, 4.0 * FLT_EPSILON * (hi[dim] - lo_[dim] + cutoff));

  double volume = 1.0;
  for (int dim = 0; dim < 3; dim++) volume *= std::max(hi[dim] - lo_[dim], cutoff);
  const double reach = cutoff + error_;
  reach_ = best_reach(natoms / volume * reach * reach * reach);
  const double most = 4.0 * natoms + 64.0;
  double side = reach / reach_;
  for (;; side *= 1.5) {
    double product = 1.0;
    for (int dim = 0; dim < 3; dim++) {
      const double n = std::max(1.0, std::floor((hi[dim] - lo_[dim]) / side));
      product *= n;
      ncells_[dim] = n < 1e6 ? static_cast<int>(n) : 1000000;
    }
    if (product <= most) break;
  }
  for (int dim = 0; dim < 3; dim++) {
    side_[dim] = (hi[dim] - lo_[dim]) / ncells_[dim];
    inverse_[dim] = ncells_[dim] > 1 ? ncells_[dim] / (hi[dim] - lo_[dim]) : 0.0;
  }
}

/* ----------------------------------------------------------------------
   small cells leave less to be looked at beyond the cut-off, but vectors half
   empty.  Cost of an atom in vectors: a run costs one more than it fills
------------------------------------------------------------------------- */

int CellGrid::best_reach(double atoms_in_cutoff_cubed)
{
  constexpr double LANES = 16.0;
  int best = 1;
  double least = DBL_MAX;
  for (int reach = 1; reach <= MOST_REACH; reach++) {
    const double ncells = 2.0 * reach + 1.0,
                 per_cell = atoms_in_cutoff_cubed / (reach * reach * reach);
    const double cost = ncells * ncells * (1.0 + std::max(1.0, ncells * per_cell / LANES));
    if (cost < least) {
      least = cost;
      best = reach;
    }
  }
  return best;
}

/* ----------------------------------------------------------------------
   a coordinate that is not a number is in the first cell
------------------------------------------------------------------------- */

int CellGrid::cell_along(int dim, double x) const
{
  const double place = (x - lo_[dim]) * inverse_[dim];
  return place > 0.0 ? static_cast<int>(std::min(place, ncells_[dim] - 1.0)) : 0;
}

/* ----------------------------------------------------------------------
   squared distances of a point to the cells lo to hi of a dimension, at least
------------------------------------------------------------------------- */

void CellGrid::find_gaps(int dim, float x, int lo, int hi, float *gapsq) const
{
  const float side = static_cast<float>(side_[dim]), error = static_cast<float>(error_);
  float below = static_cast<float>(lo) * side - x;
  for (int cell = lo; cell <= hi; cell++, below += side) {
    const float gap = std::max(0.0F, std::max(below, -below - side) - error);
    gapsq[cell - lo] = gap * gap;
  }
}

/* ----------------------------------------------------------------------
   rows of cells that are too far away in y and z are passed over, and those
   without atoms that are wanted.  Which ones cannot be foreseen, so that there
   is no branch

   Args:
     at     [3] cell of the point
     i      atom at the point: only higher ones are wanted, if UPPER
     room   gets as many more as there are atoms in all runs around the point
   Returns: # of runs.
------------------------------------------------------------------------- */

template <bool UPPER>
int CellGrid::find_runs(const int *at, const float *point, float reachsq, int i, Run *runs,
                        std::size_t &room) const
{
  int lo[3], hi[3];
  for (int dim = 0; dim < 3; dim++) {
    lo[dim] = std::max(0, at[dim] - reach_);
    hi[dim] = std::min(ncells_[dim] - 1, at[dim] + reach_);
  }
  float gaps_y[2 * MOST_REACH + 1], gaps_z[2 * MOST_REACH + 1];
  find_gaps(1, point[1], lo[1], hi[1], gaps_y);
  find_gaps(2, point[2], lo[2], hi[2], gaps_z);

  const int nx = ncells_[0], nxy = nx * ncells_[1], ny = hi[1] - lo[1] + 1, nz = hi[2] - lo[2] + 1;
  const int corner = lo[1] * nx + lo[2] * nxy;
  const int *begins = start_.data() + corner + lo[0], *ends = start_.data() + corner + hi[0] + 1;
  const int *highest = UPPER ? highest_.data() + corner + at[0] : nullptr;
  int nruns = 0, natoms = 0;
  for (int z = 0; z < nz; z++) {
    const float rest = reachsq - gaps_z[z];
#pragma GCC unroll 1    // a vector of ends, taken apart again, takes longer
    for (int y = 0; y < ny; y++) {
      const Run run = {begins[y * nx], ends[y * nx], UPPER ? highest[y * nx] : 0};
      const bool near = gaps_y[y] <= rest;
      const bool wanted = UPPER ? run.highest > i : run.begin != run.end;
      runs[nruns] = run;
      natoms += run.end - run.begin;
      nruns += static_cast<int>(near) & static_cast<int>(wanted);
    }
    begins += nxy;
    ends += nxy;
    if (UPPER) highest += nxy;
  }
  room += natoms;
  return nruns;
}

/* ---------------------------------------------------------------------- */

int CellGrid::neighbors(int i, double cutoff, bool upper, std::vector<int> &found,
                        Doubts &doubts) const
{
  const int place = place_[i];
  const double reach = cutoff + error_, sure = std::max(0.0, cutoff - error_);
  const Wanted wanted = {{sorted_[0][place], sorted_[1][place], sorted_[2][place]},
                         {static_cast<float>(sure * sure), static_cast<float>(reach * reach)},
                         static_cast<float>(error_),
                         index_[place],
                         first_ghost_,
                         upper};
  const int c = cell_[i], row = c / ncells_[0], layer = row / ncells_[1];
  const int at[3] = {c - row * ncells_[0], row - layer * ncells_[1], layer};

  Run runs[(2 * MOST_REACH + 1) * (2 * MOST_REACH + 1) + 1];
  std::size_t room = PADDING;
  const int nruns = upper
      ? find_runs<true>(at, wanted.point, wanted.limits[1], wanted.self, runs, room)
      : find_runs<false>(at, wanted.point, wanted.limits[1], wanted.self, runs, room);
  if (found.size() < room) found.resize(2 * room);
  return HWY_DYNAMIC_DISPATCH(near_point)(*this, runs, nruns, wanted, found.data(), doubts);
}

}    // namespace TOFU_NS
#endif
