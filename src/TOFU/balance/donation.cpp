// SPDX-License-Identifier: GPL-2.0-only

#include "donation.h"

#include <algorithm>
#include <cmath>

namespace TOFU_NS {

namespace {

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

  double distsq(const double *fraction, const SubBox &box, const std::array<double, 3> &lengths)
  {
    double sum = 0.0;
    for (int dim = 0; dim < 3; dim++) {
      const double gap = std::max({box.lo[dim] - fraction[dim], fraction[dim] - box.hi[dim], 0.0});
      sum += gap * lengths[dim] * gap * lengths[dim];
    }
    return sum;
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
    return distsq(fraction.data(), a.box, lengths) < distsq(fraction.data(), b.box, lengths);
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
  uniform_ = candidates.work == nullptr;
  left_.reserve(candidates.natoms);
  for (int n = 0; n < candidates.natoms; n++) {
    const std::int64_t work = uniform_ ? 1 : candidates.work[n];
    if (work > 0) left_.push_back({candidates.atoms ? candidates.atoms[n] : n, 0, n, false, work});
  }
  const auto before = [](const Candidate &a, const Candidate &b) {
    return a.atom < b.atom;
  };
  if (candidates.atoms && !std::is_sorted(left_.begin(), left_.end(), before))
    std::sort(left_.begin(), left_.end(), before);

  for (std::size_t n = 0; n < receivers.size(); n++) {
    measure(candidates, receivers[n]);
    const std::int64_t amount = receivers[n].amount;
    give(static_cast<int>(n), static_cast<int>(receivers[n].images.size()),
         uniform_ ? select_nearest(amount) : select(amount));
  }
}

/* ---------------------------------------------------------------------- */

void Donation::measure(const DonationCandidates &candidates, const DonationReceiver &receiver)
{
  distances_.clear();
  for (Candidate &candidate : left_) {
    const double *fraction = candidates.fractions + 3 * static_cast<std::size_t>(candidate.place);
    double nearest = distsq(fraction, receiver.images[0].box, candidates.lengths);
    candidate.image = 0;
    for (std::size_t n = 1; n < receiver.images.size(); n++) {
      const double d = distsq(fraction, receiver.images[n].box, candidates.lengths);
      if (d >= nearest) continue;
      nearest = d;
      candidate.image = static_cast<int>(n);
    }
    distances_.push_back({nearest, static_cast<int>(distances_.size())});
  }
}

/* ---------------------------------------------------------------------- */

bool Donation::nearer(const Distance &a, const Distance &b)
{
  return a.sq < b.sq || (a.sq == b.sq && a.left < b.left);
}

/* ----------------------------------------------------------------------
   bring the nearest candidates to the front; how many of them make up the
   amount.  What is searched is halved every time, hence O(n) in all
------------------------------------------------------------------------- */

int Donation::select(std::int64_t amount)
{
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
   the same where each has a work of 1
------------------------------------------------------------------------- */

int Donation::select_nearest(std::int64_t n)
{
  const auto size = static_cast<std::int64_t>(distances_.size());
  n = std::max<std::int64_t>(0, std::min(n, size));
  if (0 < n && n < size)
    std::nth_element(distances_.begin(), distances_.begin() + n, distances_.end(), nearer);
  return static_cast<int>(n);
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
