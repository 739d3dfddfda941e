// SPDX-License-Identifier: GPL-2.0-only

#include "cell_grid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cell_grid.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compress-inl.h"

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** The atoms of some runs that are near a point.

    Args:
      runs      [nruns]
      point     [3] relative to the grid
      i         name of the atom at that point, which is left out
      limits    [2] squares of the distances up to which all are near, and from which none is
      found     room for all atoms of the runs and one more vector
    Returns: # of atoms found. */
  int near_point(const CellGrid &grid, const CellGrid::Run *runs, int nruns, const float *point,
                 int i, const float *limits, bool upper, int *found, bool &doubtful)
  {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto x = hn::Set(d, point[0]), y = hn::Set(d, point[1]), z = hn::Set(d, point[2]);
    const auto inner = hn::Set(d, limits[0]), outer = hn::Set(d, limits[1]);
    const auto self = hn::Set(di, i);
    const float *const all_x = grid.x(), *const all_y = grid.y(), *const all_z = grid.z();
    const int *const order = grid.order(), *const all = grid.index();
    int *next = found;
    bool some_doubt = false;
    for (const CellGrid::Run *run = runs; run < runs + nruns; run++)
      for (int k = run->begin; k < run->end; k += lanes) {
        const auto dx = hn::Sub(x, hn::LoadU(d, all_x + k));
        const auto dy = hn::Sub(y, hn::LoadU(d, all_y + k));
        const auto dz = hn::Sub(z, hn::LoadU(d, all_z + k));
        const auto rsq = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
        const auto index = hn::LoadU(di, all + k);
        const auto wanted =
            hn::And(upper ? hn::Gt(hn::LoadU(di, order + k), self) : hn::Ne(index, self),
                    hn::FirstN(di, static_cast<std::size_t>(run->end - k)));
        const auto keep = hn::And(hn::RebindMask(di, hn::Lt(rsq, outer)), wanted);
        const auto sure = hn::And(hn::RebindMask(di, hn::Lt(rsq, inner)), wanted);
        if (!hn::AllFalse(di, hn::Xor(keep, sure))) some_doubt = true;
        hn::StoreU(compress(di, index, keep), di, next);    // faster than CompressStore() on some
        next += hn::CountTrue(di, keep);
      }
    doubtful = some_doubt;
    return static_cast<int>(next - found);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(near_point);

/* ---------------------------------------------------------------------- */

void CellGrid::sort(const double *x, int natoms, double cutoff, const char *high, const int *names)
{
  size_cells(x, natoms, cutoff);
  const std::size_t n = natoms;
  cell_.resize(n);
  place_.resize(n);
  index_.resize(n + PADDING);
  for (auto &coordinate : sorted_) coordinate.resize(n + PADDING);
  start_.assign(static_cast<std::size_t>(ncells_[0]) * ncells_[1] * ncells_[2] + 1, 0);

  for (std::size_t i = 0; i < n; i++) {
    const double *xi = x + 3 * i;
    cell_[i] = cell_along(0, xi[0]) +
        ncells_[0] * (cell_along(1, xi[1]) + ncells_[1] * cell_along(2, xi[2]));
    start_[cell_[i] + 1]++;
  }
  for (std::size_t c = 1; c < start_.size(); c++) start_[c] += start_[c - 1];
  for (std::size_t i = 0; i < n; i++) {
    const int k = start_[cell_[i]]++;
    place_[i] = k;
    index_[k] = names ? names[i] : static_cast<int>(i);
    for (int dim = 0; dim < 3; dim++)
      sorted_[dim][k] = static_cast<float>(x[3 * i + dim] - lo_[dim]);
  }
  for (std::size_t c = start_.size() - 1; c > 0; c--) start_[c] = start_[c - 1];
  start_[0] = 0;

  order_.clear();
  if (high) {
    order_.resize(n + PADDING);
    for (std::size_t k = 0; k < n; k++) order_[k] = high[index_[k]] ? INT_MAX : index_[k];
  }
  find_highest();
}

/* ----------------------------------------------------------------------
   where atoms are sorted by place, nearly half of the runs have no higher ones
------------------------------------------------------------------------- */

void CellGrid::find_highest()
{
  const int nx = ncells_[0], ncells = static_cast<int>(start_.size()) - 1;
  const int *const all = order();
  highest_.resize(ncells);
  std::vector<int> of_cell(nx);
  for (int row = 0; row < ncells; row += nx) {
    for (int c = 0; c < nx; c++) {
      int most = -1;
      for (int k = start_[row + c]; k < start_[row + c + 1]; k++) most = std::max(most, all[k]);
      of_cell[c] = most;
    }
    for (int c = 0; c < nx; c++)
      highest_[row + c] = *std::max_element(of_cell.data() + std::max(0, c - reach_),
                                            of_cell.data() + std::min(nx, c + reach_ + 1));
  }
}

/* ----------------------------------------------------------------------
   of four atoms side by side: a comparison has to wait for the one before it
------------------------------------------------------------------------- */

void CellGrid::find_bounds(const double *x, int natoms, double *hi)
{
  constexpr int WAYS = 4, N = 3 * WAYS;
  double lo_of[N], hi_of[N];
  for (int k = 0; k < N; k++) lo_of[k] = hi_of[k] = natoms ? x[k % 3] : 0.0;
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
  for (int dim = 0; dim < 3; dim++) {
    lo_[dim] = lo_of[dim];
    hi[dim] = hi_of[dim];
  }
  for (int k = 3; k < N; k++) {
    lo_[k % 3] = std::min(lo_[k % 3], lo_of[k]);
    hi[k % 3] = std::max(hi[k % 3], hi_of[k]);
  }
}

/* ----------------------------------------------------------------------
   not many more cells than atoms, however empty the space between them is
------------------------------------------------------------------------- */

void CellGrid::size_cells(const double *x, int natoms, double cutoff)
{
  double hi[3];
  find_bounds(x, natoms, hi);
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
    side_[dim] = ncells_[dim] > 1 ? (hi[dim] - lo_[dim]) / ncells_[dim] : 0.0;
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
   rows of cells that are too far away in y and z are passed over
------------------------------------------------------------------------- */

int CellGrid::neighbors(int i, double cutoff, bool upper, std::vector<int> &found,
                        bool &doubtful) const
{
  const int place = place_[i], self = index_[place];
  const float point[3] = {sorted_[0][place], sorted_[1][place], sorted_[2][place]};
  const double reach = cutoff + error_, reachsq = reach * reach;
  const double sure = std::max(0.0, cutoff - error_);
  const float limits[2] = {static_cast<float>(sure * sure), static_cast<float>(reachsq)};
  const int c = cell_[i];
  const int at[3] = {c % ncells_[0], c / ncells_[0] % ncells_[1], c / ncells_[0] / ncells_[1]};

  // how far it is to the cells at each distance, and which ones are near enough

  int lo[3], hi[3];
  for (int dim = 0; dim < 3; dim++) {
    lo[dim] = std::max(0, at[dim] - reach_);
    hi[dim] = std::min(ncells_[dim] - 1, at[dim] + reach_);
  }
  auto gap = [&](int dim, int cell) {
    if (cell == at[dim]) return 0.0;
    const double x = point[dim];
    return cell > at[dim] ? cell * side_[dim] - x : x - (cell + 1) * side_[dim];
  };

  double gapsq[2][2 * MOST_REACH + 1];    // in y, in z
  for (int dim = 1; dim < 3; dim++)
    for (int cell = lo[dim]; cell <= hi[dim]; cell++) {
      const double least = std::max(0.0, gap(dim, cell) - error_);
      gapsq[dim - 1][cell - lo[dim]] = least * least;
    }

  Run runs[(2 * MOST_REACH + 1) * (2 * MOST_REACH + 1)];
  int nruns = 0;
  std::size_t room = PADDING;
  for (int z = lo[2]; z <= hi[2]; z++)
    for (int y = lo[1]; y <= hi[1]; y++) {
      if (gapsq[0][y - lo[1]] + gapsq[1][z - lo[2]] > reachsq) continue;
      const int row = ncells_[0] * (y + ncells_[1] * z);
      const Run run = {start_[row + lo[0]], start_[row + hi[0] + 1]};
      if (run.begin == run.end || (upper && highest_[row + at[0]] <= self)) continue;
      runs[nruns++] = run;
      room += run.end - run.begin;
    }
  if (found.size() < room) found.resize(2 * room);
  return HWY_DYNAMIC_DISPATCH(near_point)(*this, runs, nruns, point, self, limits, upper,
                                          found.data(), doubtful);
}

}    // namespace TOFU_NS
#endif
