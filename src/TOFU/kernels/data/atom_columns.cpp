// SPDX-License-Identifier: GPL-2.0-only

#include "atom_columns.h"

#include <algorithm>
#include <cmath>

using namespace TOFU_NS;

namespace {

const float *place_of(const float *x, int i)
{
  return x + 4 * static_cast<std::size_t>(i);
}

}    // namespace

/* ---------------------------------------------------------------------- */

void AtomColumns::sort(const std::vector<int> &atoms, const float *x, float side, int width,
                       std::vector<std::int32_t> &clusters)
{
  size_columns(atoms, x, side);
  place_atoms(atoms, x);
  const auto fill = [&] {
    while (clusters.size() % width) clusters.push_back(NO_ATOM);
  };
  const std::size_t ncolumns = start_.size() - 1;
  first_.resize(ncolumns + 1);
  for (std::size_t c = 0; c < ncolumns; c++) {
    const auto begin = heights_.begin() + start_[c], end = heights_.begin() + start_[c + 1];
    first_[c] = static_cast<int>(clusters.size() / width);
    std::sort(begin, end, [](const Height &a, const Height &b) {
      return a.z < b.z || (a.z == b.z && a.atom < b.atom);
    });
    for (auto one = begin; one < end; one++) {
      if (one > begin && one->z > (one - 1)->z + 2.0F * side) fill();
      clusters.push_back(one->atom);
    }
    fill();
  }
  first_[ncolumns] = static_cast<int>(clusters.size() / width);
}

/* ----------------------------------------------------------------------
   over the smallest rectangle around atoms; those whose place is no finite number
   do not count
------------------------------------------------------------------------- */

void AtomColumns::size_columns(const std::vector<int> &atoms, const float *x, float side)
{
  float lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
  for (int i : atoms) {
    const float *const xi = place_of(x, i);
    if (!(std::isfinite(xi[0]) && std::isfinite(xi[1]) && std::isfinite(xi[2]))) continue;
    for (int dim = 0; dim < 2; dim++) {
      lo[dim] = std::min(lo[dim], xi[dim]);
      hi[dim] = std::max(hi[dim], xi[dim]);
    }
  }
  const float most = 16.0F * static_cast<float>(atoms.size() + 1);
  float size[2], count[2];
  for (int dim = 0; dim < 2; dim++) {
    lo_[dim] = lo[dim] <= hi[dim] ? lo[dim] : 0.0F;
    size[dim] = lo[dim] <= hi[dim] ? hi[dim] - lo[dim] : 0.0F;
  }
  for (;; side *= 1.5F) {
    for (int dim = 0; dim < 2; dim++)
      count[dim] = std::max(1.0F, std::floor(size[dim] / side + 0.5F));
    if (count[0] * count[1] <= most) break;
  }
  for (int dim = 0; dim < 2; dim++) {
    n_[dim] = static_cast<int>(count[dim]);
    side_[dim] = size[dim] / count[dim];
    inverse_[dim] = n_[dim] > 1 ? count[dim] / size[dim] : 0.0F;
  }
}

/* ---------------------------------------------------------------------- */

void AtomColumns::place_atoms(const std::vector<int> &atoms, const float *x)
{
  start_.assign(static_cast<std::size_t>(n_[0]) * n_[1] + 1, 0);
  column_.resize(atoms.size());
  heights_.resize(atoms.size());
  for (std::size_t k = 0; k < atoms.size(); k++) {
    const float *const xi = place_of(x, atoms[k]);
    column_[k] = along(1, xi[1]) * n_[0] + along(0, xi[0]);
    start_[column_[k]]++;
  }
  int sum = 0;
  for (int &start : start_) {
    sum += start;
    start = sum;    // behind the last of the column, until its atoms are placed
  }
  for (std::size_t k = atoms.size(); k-- > 0;) {
    const float z = place_of(x, atoms[k])[2];
    heights_[--start_[column_[k]]] = {std::isfinite(z) ? z : 0.0F, atoms[k]};
  }
}
