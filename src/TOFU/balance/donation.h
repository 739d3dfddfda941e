// SPDX-License-Identifier: GPL-2.0-only
//
// Donation: which of its atoms a rank gives to whom.  Each receiver gets the atoms nearest to its
// sub-box, as the atoms around those are the likeliest to be its ghosts already (DPLR paper, sec. 3.3:
// the ghost regions are to overlap as far as possible).

#ifndef TOFU_BALANCE_DONATION_H
#define TOFU_BALANCE_DONATION_H

#include "sub_box.h"

#include <array>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** A receiver's sub-box as the donor sees it, perhaps through periodic boundaries. */
struct ReceiverImage {
  std::array<int, 3> boxes;    // to be added to the donor's coordinates for the receiver's frame
  SubBox box;                  // fractions; below 0 or above 1 beyond a boundary
};

/** The images that are the nearest one to some place in the donor's sub-box: at least one, and in each
    dimension another where some places are nearer to it round the box.  By x, then y, then z. */
std::vector<ReceiverImage> receiver_images(const SubBox &donor, const SubBox &receiver,
                                           const std::array<int, 3> &periodicity);

/** The image that is the nearest one to a place; the first of several.

    Args:
      fraction   the place, as fractions of the box
      lengths    of the box, distance */
const ReceiverImage &nearest_image(const std::vector<ReceiverImage> &images,
                                   const std::array<double, 3> &fraction,
                                   const std::array<double, 3> &lengths);

/** Atoms that may be given. */
struct DonationCandidates {
  int natoms = 0;
  const int *atoms = nullptr;            // [natoms] indices, each once; fastest if ascending
  const double *fractions = nullptr;     // [natoms][3] position as fractions of the box
  const std::int64_t *work = nullptr;    // [natoms] of each atom's rows, not negative
  std::array<double, 3> lengths{};       // of the box, distance; a tilt is not looked at
};

struct DonationReceiver {
  std::int64_t amount;                  // of work that it is to get
  std::vector<ReceiverImage> images;    // at least one
};

/** What goes to one image of one receiver. */
struct Gift {
  int receiver, image;    // indices
  int first, natoms;      // in Donation::atoms()
};

class Donation {
 public:
  /** Choose for one receiver after the other, of what those before have left.  A receiver gets the
      nearest atoms until their work comes as near to the amount as it can, which is within half of the
      work of one atom; everything, if there is less.  Atoms without work are not given.  Of atoms at
      the same distance the one with the lower index goes first.  O(candidates) per receiver. */
  void choose(const DonationCandidates &candidates, const std::vector<DonationReceiver> &receivers);

  /** The same where each atom costs 1, receiver by receiver, who has one image.

      Args:
        natoms   that may be given, with indices 0, 1, 2 ... */
  void begin(int natoms);

  /** Args:
        receiver   index
        amount     # of atoms
        squares    [natoms] of their distances from the receiver's sub-box */
  void give_nearest(int receiver, std::int64_t amount, const double *squares);

  /** By receiver, then image; those that get nothing are left out.  Valid until the next choose(). */
  const std::vector<Gift> &gifts() const { return gifts_; }

  /** Indices of the atoms of all gifts, ascending in each of them. */
  const std::vector<int> &atoms() const { return atoms_; }

 private:
  struct Candidate {
    int atom, image;    // the receiver's image that is the nearest
    int place;          // among the candidates
    bool chosen;
    std::int64_t work;
  };
  struct Distance {
    double sq;    // from that image of the receiver's sub-box
    int left;     // index in left_, whose order is that of the atoms
  };

  double find_last(const double *squares, int natoms, std::int64_t amount, std::int64_t &nlast);
  static double nearest(const DonationCandidates &candidates, int n,
                        const std::vector<ReceiverImage> &images, int &image);
  void measure(const DonationCandidates &candidates, const DonationReceiver &receiver);
  int select(std::int64_t amount);
  void give(int receiver, int nimages, int n);

  std::vector<Candidate> left_;         // not given yet, atoms ascending
  std::vector<Distance> distances_;     // of them
  int natoms_ = 0;                      // that may be given
  std::vector<double> left_squares_;    // [natoms] of distances of those that are left
  std::vector<double> bucket_;          // those among which the last one to be given is
  std::vector<int> nin_;                // # of them in each bucket
  std::vector<Gift> gifts_;
  std::vector<int> atoms_;
};

}    // namespace TOFU_NS

#endif
