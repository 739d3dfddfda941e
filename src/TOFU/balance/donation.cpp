// SPDX-License-Identifier: GPL-2.0-only

#include "donation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace TOFU_NS {

namespace {

  constexpr double GIVEN = std::numeric_limits<double>::infinity();    // square of a distance

  /** First and last image in one dimension.  The nearest to a coordinate is that whose center is. */
  std::array<int, 2> images_along(int dim, const SubBox &donor, const SubBox &receiver)
  {
    const double center = 0.5 * (receiver.lo[dim] + receiver.hi[dim]);
    const int first = static_cast<int>(std::floor(center - donor.hi[dim] + 0.5));
    const int last = static_cast<int>(std::ceil(center - donor.lo[dim] - 0.5));
    return {first, std::max(first, last)};
  }

  ReceiverImage image_of(const SubBox &receiver, const std::array<int, 3> &boxes)
  {
    ReceiverImage image{boxes, receiver};
    for (int dim = 0; dim < 3; dim++) {
      image.box.lo[dim] -= boxes[dim];
      image.box.hi[dim] -= boxes[dim];
    }
    return image;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

std::vector<ReceiverImage> receiver_images(const SubBox &donor, const SubBox &receiver,
                                           const std::array<int, 3> &periodicity)
{
  std::array<std::array<int, 2>, 3> range{};
  for (int dim = 0; dim < 3; dim++)
    if (periodicity[dim]) range[dim] = images_along(dim, donor, receiver);

  std::vector<ReceiverImage> images;
  for (int z = range[2][0]; z <= range[2][1]; z++)
    for (int y = range[1][0]; y <= range[1][1]; y++)
      for (int x = range[0][0]; x <= range[0][1]; x++)
        images.push_back(image_of(receiver, {x, y, z}));
  return images;
}

/* ---------------------------------------------------------------------- */

const ReceiverImage &nearest_image(const std::vector<ReceiverImage> &images,
                                   const std::array<double, 3> &fraction,
                                   const std::array<double, 3> &lengths)
{
  const auto nearer = [&](const ReceiverImage &a, const ReceiverImage &b) {
    return square_from(fraction.data(), a.box, lengths) <
        square_from(fraction.data(), b.box, lengths);
  };
  return *std::min_element(images.begin(), images.end(), nearer);
}

/* ---------------------------------------------------------------------- */

void Donation::choose(const DonationCandidates &candidates,
                      const std::vector<DonationReceiver> &receivers)
{
  gifts_.clear();
  atoms_.clear();
  left_.clear();
  if (receivers.empty()) return;
  for (int n = 0; n < candidates.natoms; n++)
    if (candidates.work[n] > 0)
      left_.push_back({candidates.atoms[n], 0, n, false, candidates.work[n]});
  const auto before = [](const Candidate &a, const Candidate &b) {
    return a.atom < b.atom;
  };
  if (!std::is_sorted(left_.begin(), left_.end(), before))
    std::sort(left_.begin(), left_.end(), before);

  for (std::size_t n = 0; n < receivers.size(); n++) {
    measure(candidates, receivers[n]);
    give(static_cast<int>(n), static_cast<int>(receivers[n].images.size()),
         select(receivers[n].amount));
  }
}

/* ---------------------------------------------------------------------- */

void Donation::begin(int natoms)
{
  gifts_.clear();
  atoms_.clear();
  natoms_ = natoms;
}

/* ----------------------------------------------------------------------
   all that are nearer than the last one go, and of those as far away as that
   one, the first
------------------------------------------------------------------------- */

void Donation::give_nearest(int receiver, std::int64_t amount, const double *squares)
{
  const int natoms = natoms_, first = static_cast<int>(atoms_.size());
  amount = std::max<std::int64_t>(0, std::min<std::int64_t>(amount, natoms - first));
  if (amount == 0) return;
  if (first > 0) {
    left_squares_.assign(squares, squares + natoms);
    for (int i : atoms_) left_squares_[i] = GIVEN;
    squares = left_squares_.data();
  }

  std::int64_t nlast;
  const double last = find_last(squares, natoms, amount, nlast);
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
  gifts_.push_back({receiver, 0, first, nchosen});
}

/* ----------------------------------------------------------------------
   squares are counted in buckets of equal width, and only those in the bucket
   that matters are sorted.  What has been given is infinitely far away, and
   counted in the last one

   Returns: square of the distance of the last one to be given
     nlast = how many as far away as that one are to be given
------------------------------------------------------------------------- */

double Donation::find_last(const double *squares, int natoms, std::int64_t amount,
                           std::int64_t &nlast)
{
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

/* ----------------------------------------------------------------------
   square of the distance from the nearest image
------------------------------------------------------------------------- */

double Donation::nearest(const DonationCandidates &candidates, int n,
                         const std::vector<ReceiverImage> &images, int &image)
{
  const double *const fraction = candidates.fractions + 3 * static_cast<std::size_t>(n);
  double least = square_from(fraction, images[0].box, candidates.lengths);
  image = 0;
  for (int k = 1; k < static_cast<int>(images.size()); k++) {
    const double square = square_from(fraction, images[k].box, candidates.lengths);
    if (!(square < least)) continue;
    least = square;
    image = k;
  }
  return least;
}

/* ---------------------------------------------------------------------- */

void Donation::measure(const DonationCandidates &candidates, const DonationReceiver &receiver)
{
  distances_.clear();
  for (Candidate &candidate : left_)
    distances_.push_back({nearest(candidates, candidate.place, receiver.images, candidate.image),
                          static_cast<int>(distances_.size())});
}

/* ----------------------------------------------------------------------
   bring the nearest candidates to the front; how many of them make up the
   amount.  What is searched is halved every time, hence O(n) in all
------------------------------------------------------------------------- */

int Donation::select(std::int64_t amount)
{
  const auto nearer = [](const Distance &a, const Distance &b) {
    return a.sq < b.sq || (a.sq == b.sq && a.left < b.left);
  };
  if (left_.empty()) return 0;

  // the atom with which the amount is reached, or the last one, is in first ... last-1

  const auto begin = distances_.begin();
  std::size_t first = 0, last = distances_.size();
  while (last - first > 1) {
    const std::size_t middle = first + (last - first) / 2;
    std::nth_element(begin + first, begin + middle, begin + last, nearer);
    std::int64_t work = 0;
    for (std::size_t n = first; n < middle; n++) work += left_[distances_[n].left].work;
    if (work >= amount) {
      last = middle;
    } else {
      first = middle;
      amount -= work;
    }
  }
  return static_cast<int>(2 * amount > left_[distances_[first].left].work ? first + 1 : first);
}

/* ----------------------------------------------------------------------
   the first n go, image by image
------------------------------------------------------------------------- */

void Donation::give(int receiver, int nimages, int n)
{
  if (n == 0) return;
  std::vector<int> next(nimages + 1, 0);    // in atoms_, where the next of an image goes
  for (int k = 0; k < n; k++) {
    Candidate &candidate = left_[distances_[k].left];
    candidate.chosen = true;
    next[candidate.image + 1]++;
  }
  const int first = static_cast<int>(atoms_.size());
  for (int image = 0; image < nimages; image++) {
    if (next[image + 1] > 0)
      gifts_.push_back({receiver, image, first + next[image], next[image + 1]});
    next[image + 1] += next[image];
  }

  atoms_.resize(first + n);
  std::size_t nleft = 0;
  for (const Candidate &candidate : left_)
    if (candidate.chosen)
      atoms_[first + next[candidate.image]++] = candidate.atom;
    else
      left_[nleft++] = candidate;
  left_.resize(nleft);
}

}    // namespace TOFU_NS
