// SPDX-License-Identifier: GPL-2.0-only

#include "donation.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
      const double gap =
          std::max(std::max(box.lo[dim] - fraction[dim], fraction[dim] - box.hi[dim]), 0.0);
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
  if (!candidates.work) {
    choose_of_equals(candidates, receivers);
    return;
  }
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

/* ----------------------------------------------------------------------
   each atom has a work of 1: all that are nearer than the last one go, and of
   those as far away as that one, the first
------------------------------------------------------------------------- */

void Donation::choose_of_equals(const DonationCandidates &candidates,
                                const std::vector<DonationReceiver> &receivers)
{
  constexpr double GIVEN = std::numeric_limits<double>::infinity();
  const int natoms = candidates.natoms;
  squares_.assign(natoms, 0.0);
  images_.assign(natoms, 0);
  std::int64_t nleft = natoms;
  for (std::size_t receiver = 0; receiver < receivers.size(); receiver++) {
    const std::vector<ReceiverImage> &images = receivers[receiver].images;
    for (int n = 0; n < natoms; n++) {
      if (squares_[n] == GIVEN) continue;
      squares_[n] = nearest(candidates, n, images, images_[n]);
    }
    const auto amount = std::max<std::int64_t>(0, std::min(receivers[receiver].amount, nleft));
    if (amount == 0) continue;
    nleft -= amount;

    sorted_ = squares_;
    std::nth_element(sorted_.begin(), sorted_.begin() + (amount - 1), sorted_.end());
    const double last = sorted_[amount - 1];
    std::int64_t nlast = amount -
        std::count_if(sorted_.begin(), sorted_.begin() + amount,
                      [&](double square) { return square < last; });
    chosen_.clear();
    for (int n = 0; n < natoms; n++) {
      if (!(squares_[n] < last) && !(squares_[n] == last && nlast-- > 0)) continue;
      chosen_.push_back(n);
      squares_[n] = GIVEN;
    }
    for (int image = 0; image < static_cast<int>(images.size()); image++) {
      const int first = static_cast<int>(atoms_.size());
      for (int n : chosen_)
        if (images_[n] == image) atoms_.push_back(n);
      const int given = static_cast<int>(atoms_.size()) - first;
      if (given > 0) gifts_.push_back({static_cast<int>(receiver), image, first, given});
    }
  }
}

/* ----------------------------------------------------------------------
   square of the distance from the nearest image.  A place that is not a number
   is far away
------------------------------------------------------------------------- */

double Donation::nearest(const DonationCandidates &candidates, int n,
                         const std::vector<ReceiverImage> &images, int &image)
{
  const double *const fraction = candidates.fractions + 3 * static_cast<std::size_t>(n);
  double least = std::numeric_limits<double>::max();
  image = 0;
  for (int k = 0; k < static_cast<int>(images.size()); k++) {
    const double square = distsq(fraction, images[k].box, candidates.lengths);
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
