// SPDX-License-Identifier: GPL-2.0-only

#include "transfer_selection.h"

#include <algorithm>
#include <limits>

namespace TOFU_NS {

static constexpr double GIVEN = std::numeric_limits<double>::infinity();    // square of a distance

/* ---------------------------------------------------------------------- */

void TransferSelection::begin(int natoms)
{
  transfers_.clear();
  atoms_.clear();
  natoms_ = natoms;
}

/* ---------------------------------------------------------------------- */

const double *TransferSelection::leave_out_given(const double *squares)
{
  if (atoms_.empty()) return squares;
  left_squares_.assign(squares, squares + natoms_);
  for (int i : atoms_) left_squares_[i] = GIVEN;
  return left_squares_.data();
}

/* ----------------------------------------------------------------------
   all atoms nearer than the last one are given, and of those as far away as
   that one, the first ones
------------------------------------------------------------------------- */

void TransferSelection::give_nearest(int receiver, std::int64_t amount, const double *squares)
{
  const int natoms = natoms_, first = static_cast<int>(atoms_.size());
  amount = std::max<std::int64_t>(0, std::min<std::int64_t>(amount, natoms - first));
  if (amount == 0) return;
  squares = leave_out_given(squares);

  std::int64_t nlast;
  const double last = find_last(squares, amount, nlast);
  atoms_.resize(first + natoms);
  int *const chosen = atoms_.data() + first;
  int nchosen = 0;
  for (int i = 0; i < natoms; i++) {    // without branches on what chance decides
    const bool is_last = squares[i] == last && nlast > 0;
    nlast -= is_last;
    chosen[nchosen] = i;
    nchosen += (squares[i] < last) | is_last;
  }
  atoms_.resize(first + nchosen);
  transfers_.push_back({receiver, first, nchosen});
}

/* ----------------------------------------------------------------------
   squares are counted in buckets of equal width, and only those in the bucket
   of the last atom to be given are sorted.  Atoms that have been given are
   infinitely far away, and counted in the last bucket

   Returns: square of the distance of the last one to be given
     nlast = how many as far away as that one are to be given
------------------------------------------------------------------------- */

double TransferSelection::find_last(const double *squares, std::int64_t amount, std::int64_t &nlast)
{
  const int natoms = natoms_;
  static constexpr int NBUCKETS = 1024;
  double lo = std::numeric_limits<double>::max(), hi = 0.0;
  for (int i = 0; i < natoms; i++) {
    lo = std::min(lo, squares[i]);
    hi = std::max(hi, squares[i] < GIVEN ? squares[i] : 0.0);
  }
  const double width = (hi - lo) / NBUCKETS;
  const double scale = width > std::numeric_limits<double>::min() ? 1.0 / width : 0.0;
  const auto bucket_of = [&](double square) {
    return static_cast<int>(std::min((std::min(square, hi) - lo) * scale, NBUCKETS - 1.0));
  };
  nin_.assign(NBUCKETS, 0);
  for (int i = 0; i < natoms; i++) nin_[bucket_of(squares[i])]++;

  int bucket = 0;
  nlast = amount;
  while (nin_[bucket] < nlast) nlast -= nin_[bucket++];
  bucket_.clear();
  for (int i = 0; i < natoms; i++)
    if (bucket_of(squares[i]) == bucket) bucket_.push_back(squares[i]);
  std::nth_element(bucket_.begin(), bucket_.begin() + (nlast - 1), bucket_.end());
  const double last = bucket_[nlast - 1];
  nlast -= std::count_if(bucket_.begin(), bucket_.begin() + nlast,
                         [&](double square) { return square < last; });
  return last;
}

/* ---------------------------------------------------------------------- */

void TransferSelection::give_by_work(int receiver, std::int64_t amount, const double *squares,
                                     const std::int64_t *work)
{
  squares = leave_out_given(squares);
  candidates_.clear();
  for (int i = 0; i < natoms_; i++)
    if (work[i] > 0 && squares[i] < GIVEN) candidates_.push_back({squares[i], i});

  const int nchosen = select(amount, work);
  if (nchosen == 0) return;
  const int first = static_cast<int>(atoms_.size());
  for (int n = 0; n < nchosen; n++) atoms_.push_back(candidates_[n].atom);
  std::sort(atoms_.begin() + first, atoms_.end());
  transfers_.push_back({receiver, first, nchosen});
}

/* ----------------------------------------------------------------------
   bring the nearest candidates to the front; the function returns how many of
   them make up the amount.  The range of the search is halved every time, hence
   O(n) in all
------------------------------------------------------------------------- */

int TransferSelection::select(std::int64_t amount, const std::int64_t *work)
{
  const auto nearer = [](const Distance &a, const Distance &b) {
    return a.sq < b.sq || (a.sq == b.sq && a.atom < b.atom);
  };
  if (candidates_.empty()) return 0;

  // the atom with which the amount is reached, or the last one, is in first ... last-1

  const auto begin = candidates_.begin();
  std::size_t first = 0, last = candidates_.size();
  while (last - first > 1) {
    const std::size_t middle = first + (last - first) / 2;
    std::nth_element(begin + first, begin + middle, begin + last, nearer);
    std::int64_t sum = 0;
    for (std::size_t n = first; n < middle; n++) sum += work[candidates_[n].atom];
    if (sum >= amount) {
      last = middle;
    } else {
      first = middle;
      amount -= sum;
    }
  }
  return static_cast<int>(2 * amount > work[candidates_[first].atom] ? first + 1 : first);
}

}    // namespace TOFU_NS
