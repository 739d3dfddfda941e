// SPDX-License-Identifier: GPL-2.0-only

#include "pencil_plan.h"

#include "mesh/exchange/exchange_cost.h"

#include <limits>
#include <tuple>

namespace TOFU_NS {

namespace {

  // on average over one field forward and three fields back

  constexpr int NFIELDS = 2;
  constexpr double MICROSECONDS_OF_POINT = 5e-3;

  struct PencilGrid {
    int a, b, c;
    int p, q;
    std::vector<int> cell_of;    // [nranks] i + p * j, -1 for a rank without pencils

    int ncells() const { return p * q; }
  };

  void set_part(MeshBox &box, int dim, int npoints, int nparts, int part)
  {
    box.lo[dim] = static_cast<int>(static_cast<std::ptrdiff_t>(npoints) * part / nparts);
    box.hi[dim] = static_cast<int>(static_cast<std::ptrdiff_t>(npoints) * (part + 1) / nparts);
  }

  /** Pencils of a stage (0, 1, 2) of a mesh of so many points. */
  MeshBox pencils(const PencilGrid &grid, const std::array<int, 3> &npoints, int stage, int cell)
  {
    const int i = cell % grid.p, j = cell / grid.p;
    MeshBox box = whole_mesh(npoints);
    if (stage > 0) set_part(box, grid.a, npoints[grid.a], grid.p, i);
    if (stage == 0) set_part(box, grid.b, npoints[grid.b], grid.p, i);
    if (stage == 2) set_part(box, grid.b, npoints[grid.b], grid.q, j);
    if (stage < 2) set_part(box, grid.c, npoints[grid.c], grid.q, j);
    return box;
  }

  std::vector<MeshLayout> layouts_of(const PencilGrid &grid, const std::array<int, 3> &npoints,
                                     int stage, const std::array<int, 3> &order)
  {
    std::vector<MeshLayout> layouts;
    for (int cell : grid.cell_of)
      layouts.push_back({cell < 0 ? MeshBox{} : pencils(grid, npoints, stage, cell), order});
    return layouts;
  }

  /** The first dimension is not fastest in memory, so that lines lie side by side (HalfFft). */
  std::array<int, 3> first_order(const PencilGrid &grid)
  {
    if (grid.a == 0) return {1, 0, 2};
    return {0, 1, 2};
  }

  std::vector<int> parts_met(const MeshBox &brick, int dim, int npoints, int nparts)
  {
    std::vector<int> met;
    MeshBox box;
    for (int part = 0; part < nparts; part++) {
      set_part(box, dim, npoints, nparts, part);
      if (box.lo[dim] < brick.hi[dim] && box.hi[dim] > brick.lo[dim]) met.push_back(part);
    }
    return met;
  }

  /** Each cell goes to the rank that has most of it, the largest share first. */
  std::vector<int> deal_cells(const PencilGrid &grid, const MeshGeometry &geometry)
  {
    const int nranks = static_cast<int>(geometry.bricks.size());
    std::vector<std::tuple<std::ptrdiff_t, int, int>> shares;    // - points, rank, cell
    for (int rank = 0; rank < nranks; rank++) {
      const MeshBox &brick = geometry.bricks[rank];
      for (int j : parts_met(brick, grid.c, geometry.npoints[grid.c], grid.q))
        for (int i : parts_met(brick, grid.b, geometry.npoints[grid.b], grid.p)) {
          const int cell = i + grid.p * j;
          const MeshBox common = intersection(brick, pencils(grid, geometry.npoints, 0, cell));
          if (!common.empty())
            shares.emplace_back(-static_cast<std::ptrdiff_t>(common.npoints()), rank, cell);
        }
    }
    std::sort(shares.begin(), shares.end());
    std::vector<int> cell_of(nranks, -1);
    std::vector<char> dealt(grid.ncells(), 0);
    for (const auto &[npoints, rank, cell] : shares)
      if (cell_of[rank] < 0 && !dealt[cell]) {
        cell_of[rank] = cell;
        dealt[cell] = 1;
      }
    int rank = 0;
    for (int cell = 0; cell < grid.ncells(); cell++) {
      if (dealt[cell]) continue;
      while (cell_of[rank] >= 0) rank++;
      cell_of[rank] = cell;
    }
    return cell_of;
  }

  /** Real numbers of the rank that has most, in the stage where it has most. */
  double size_of_cell(const PencilGrid &grid, const std::array<int, 3> &npoints)
  {
    const auto most = [](int n, int nparts) {
      return static_cast<double>((n + nparts - 1) / nparts);
    };
    const int na = npoints[grid.a], nb = npoints[grid.b], nc = npoints[grid.c], nhalf = na / 2 + 1;
    return std::max({na * most(nb, grid.p) * most(nc, grid.q),
                     2 * most(nhalf, grid.p) * nb * most(nc, grid.q),
                     2 * most(nhalf, grid.p) * most(nb, grid.q) * nc});
  }

  /** Microseconds of everything but the exchange from bricks to pencils and back. */
  double cost_of_grid(const PencilGrid &grid, const std::array<int, 3> &npoints,
                      std::size_t nbytes_of_real)
  {
    const double size = size_of_cell(grid, npoints);
    double cost = MICROSECONDS_OF_POINT * size;
    for (int nranks : {grid.p, grid.q})
      if (nranks > 1)
        cost += MICROSECONDS_OF_ROUND + MICROSECONDS_OF_MESSAGE * (nranks - 1) +
            MICROSECONDS_OF_BYTE * NFIELDS * nbytes_of_real * size * (nranks - 1) / nranks;
    return cost;
  }

  double cost_of_first(const PencilGrid &grid, const MeshGeometry &geometry,
                       std::size_t nbytes_of_real)
  {
    return exchange_cost(geometry.npoints, layouts_xyz(geometry.boxes),
                         layouts_of(grid, geometry.npoints, 0, first_order(grid)),
                         NFIELDS * nbytes_of_real);
  }

  /** All grids of an order of dimensions that leave no cell empty. */
  std::vector<PencilGrid> grids_of(int a, int b, int c, const std::array<int, 3> &npoints,
                                   int nranks)
  {
    std::vector<PencilGrid> grids;
    for (int p = 1; p <= std::min({nranks, npoints[b], npoints[a] / 2 + 1}); p++)
      grids.push_back({a, b, c, p, std::min({nranks / p, npoints[b], npoints[c]}), {}});
    return grids;
  }

  /** Of equal ones the first: lines along y lie side by side in memory, and near enough for the
      cache. */
  PencilGrid best_grid(const MeshGeometry &geometry, std::size_t nbytes_of_real)
  {
    constexpr int ORDERS[6][3] = {{1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {0, 1, 2}, {0, 2, 1}};
    const int nranks = static_cast<int>(geometry.bricks.size());
    PencilGrid best{};
    double least = std::numeric_limits<double>::max();
    for (const auto &[a, b, c] : ORDERS)
      for (PencilGrid &grid : grids_of(a, b, c, geometry.npoints, nranks)) {
        double cost = cost_of_grid(grid, geometry.npoints, nbytes_of_real);
        if (cost >= least) continue;
        grid.cell_of = deal_cells(grid, geometry);
        cost += cost_of_first(grid, geometry, nbytes_of_real);
        if (cost >= least) continue;
        least = cost;
        best = grid;
      }
    return best;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

PencilPlan plan_pencils(const MeshGeometry &geometry, std::size_t nbytes_of_real)
{
  const PencilGrid grid = best_grid(geometry, nbytes_of_real);
  std::array<int, 3> nhalf = geometry.npoints;
  nhalf[grid.a] = nhalf[grid.a] / 2 + 1;

  PencilPlan plan{grid.a, layouts_of(grid, geometry.npoints, 0, first_order(grid)), {}};
  plan.stages.push_back({{grid.a}, layouts_of(grid, nhalf, 0, first_order(grid))});
  if (grid.p > 1) plan.stages.push_back({{}, layouts_of(grid, nhalf, 1, {0, 1, 2})});
  auto &with_b = plan.stages.back().dims;
  with_b.insert(with_b.begin(), grid.b);
  if (grid.q > 1) plan.stages.push_back({{}, layouts_of(grid, nhalf, 2, {0, 1, 2})});
  auto &with_c = plan.stages.back().dims;
  with_c.insert(with_c.begin(), grid.c);
  return plan;
}

}    // namespace TOFU_NS
