// SPDX-License-Identifier: GPL-2.0-only

#include "near_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/neighbor/near_rows.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/select-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Append the near neighbors of a row, without the kinds of special bonds.

    Returns: # of them. */
  int near_neighbors(const double *rows, int i, double reachsq, const int *entries, int n,
                     int nspecial, int *found)
  {
    const double *const own = rows + 4 * static_cast<std::size_t>(i);
    int *end = found;
    for (int k = 0; k < nspecial; k++) {
      const int j = static_cast<int>(entries[k] & NEIGHBOR_MASK);
      const double *const other = rows + 4 * static_cast<std::size_t>(j);
      const double delx = own[0] - other[0], dely = own[1] - other[1], delz = own[2] - other[2];
      if (delx * delx + dely * dely + delz * delz < reachsq) *end++ = j;
    }
    end = append_near(rows, own, reachsq, entries + nspecial, n - nspecial, end);
    return static_cast<int>(end - found);
  }

  bool is_one_beyond(const double *rows, const double *held, int n, double allowed)
  {
    const DoublesUpTo<8> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    HWY_ALIGN int index[hn::MaxLanes(decltype(d)())];
    for (int begin = 0; begin < n; begin += lanes) {
      for (int k = 0; k < lanes; k++) index[k] = std::min(begin + k, n - 1);
      auto x = hn::Zero(d), y = x, z = x, w = x, held_x = x, held_y = x, held_z = x, held_w = x;
      load_rows(d, rows, index, 4, x, y, z, w);
      load_rows(d, held, index, 4, held_x, held_y, held_z, held_w);
      x = hn::Sub(x, held_x);
      y = hn::Sub(y, held_y);
      z = hn::Sub(z, held_z);
      const auto distancesq = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z)));
      if (!hn::AllTrue(d, hn::Le(distancesq, hn::Set(d, allowed))))
        return true;    // or not a number
    }
    return false;
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(near_neighbors);
HWY_EXPORT(is_one_beyond);

void NearRows::reset(int nparts, int natoms, double reach, double skin)
{
  reach_ = reach;
  allowed_ = 0.25 * skin * skin;
  arenas_.resize(nparts);
  for (RowArena &arena : arenas_) arena.reset();
  if (first_.size() < static_cast<std::size_t>(natoms)) {
    first_.resize(natoms);
    nneighbors_.resize(natoms);
  }
  held_.room(4 * static_cast<std::size_t>(natoms));
}

void NearRows::fill(int part, const PairRows &list, const PairAtoms &atoms, int first, int last)
{
  RowArena &arena = arenas_[part];
  for (int n = first; n < last; n++) {
    const int i = list.atoms[n], size = list.nneighbors[i];
    const int *const entries = list.first[i];
    int *const row = arena.row(size, entries[size]);
    first_[i] = row;
    nneighbors_[i] = HWY_DYNAMIC_DISPATCH(near_neighbors)(atoms.rows, i, reach_ * reach_, entries,
                                                          size, list.nspecial[i], row);
    std::fill_n(row + nneighbors_[i], ROW_PADDING, entries[size]);
    arena.shorten(row, nneighbors_[i]);
  }
}

void NearRows::hold(const PairAtoms &atoms, int first, int last)
{
  std::copy(atoms.rows + 4 * static_cast<std::size_t>(first),
            atoms.rows + 4 * static_cast<std::size_t>(last),
            held_.data() + 4 * static_cast<std::size_t>(first));
}

bool NearRows::moved(const PairAtoms &atoms, int first, int last) const
{
  if (first >= last) return false;
  return HWY_DYNAMIC_DISPATCH(is_one_beyond)(atoms.rows + 4 * static_cast<std::size_t>(first),
                                             held_.data() + 4 * static_cast<std::size_t>(first),
                                             last - first, allowed_);
}

double NearRows::nbytes() const
{
  double bytes = static_cast<double>(held_.nbytes());
  for (const RowArena &arena : arenas_) bytes += arena.nbytes();
  return bytes + static_cast<double>(first_.capacity() * (sizeof(int *) + sizeof(int)));
}

}    // namespace TOFU_NS
#endif
