// SPDX-License-Identifier: GPL-2.0-only
//
// DonorSelection: the owned atoms whose rows a donor hands over, by receiver, and the atoms around
// them that a receiver needs to build these rows itself.
//
//   begin()                       positions and box of the donor
//   give_atoms(), give_rows()     once for each receiver
//   mark_given()                  flags of all given atoms
//   mark_seam(), region_of()      if receivers build the rows, region_of() for each transfer
//
// A receiver gets all atoms near one image of its sub-box, the one nearest to the center of the
// donor's atoms, even if it is on several sides of the donor: where given atoms border on kept
// atoms, the receiver needs these as ghosts.

#ifndef TOFU_BALANCE_DONOR_SELECTION_H
#define TOFU_BALANCE_DONOR_SELECTION_H

#include "balance/sub_box.h"
#include "receiver_image.h"
#include "region_finder.h"
#include "region_transfer.h"
#include "transfer_selection.h"

#include <array>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Atoms of a donor when neighbor lists are built. */
struct DonorState {
  BoxMetric metric{};
  std::array<int, 3> periodicity{};
  int nlocal = 0, nghost = 0;
  const double *x = nullptr;    // [nlocal+nghost][3] distance
};

class DonorSelection {
 public:
  /** No atom is given.  Positions must live until the last call of region_of(). */
  void begin(const DonorState &);

  /** Before lists are built: give a receiver the atoms that are nearest to its sub-box.  Each atom
      costs a unit.

      \param rank     of the receiver, greater than that of the last one
      \param box      its sub-box
      \param amount   # of atoms; all that are left, if there are fewer */
  void give_atoms(int rank, const SubBox &box, std::int64_t amount);

  /** After lists are built: give a receiver the rows of the nearest atoms, up to an amount of work.

      \param rank     of the receiver, greater than that of the last one
      \param box      its sub-box
      \param amount   units of work; all that are left, if there are fewer
      \param work     [nlocal] units of each row; an atom without a row has 0 */
  void give_rows(int rank, const SubBox &box, std::int64_t amount, const std::int64_t *work);

  void mark_given();

  /** Mark kept atoms on the seam (region_transfer.h), after give_atoms().

      \param cutoff     of neighbor lists, distance
      \param all_kept   mark all kept atoms: receivers need all nearby atoms of a full list */
  void mark_seam(double cutoff, bool all_kept);

  /** Atoms around those of a transfer, after mark_seam().  Ghosts that their source identifies come
      before the others.

      \param transfer    one of those given
      \param cutoff      that of mark_seam()
      \param by_source   the receiver needs no positions of atoms that their source identifies
      \param identifies  atom -> whether its source alone identifies it for the receiver
      \return            valid until the next call */
  template <class Identifies>
  const TransferredRegion &region_of(const SelectedTransfer &transfer, double cutoff,
                                     bool by_source, Identifies &&identifies)
  {
    find_region(transfer, cutoff);
    unidentified_ghosts_.clear();
    for (int i : finder_.atoms())
      if (i >= state_.nlocal) (identifies(i) ? region_.ghosts : unidentified_ghosts_).push_back(i);
    const std::size_t nidentified = region_.ngiven + region_.owned.size() + region_.ghosts.size();
    region_.nnamed = by_source && identifies(0) ? static_cast<int>(nidentified) : 0;
    region_.ghosts.insert(region_.ghosts.end(), unidentified_ghosts_.begin(),
                          unidentified_ghosts_.end());
    return region_;
  }

  /** Transfers by receiver, without those of no atoms. */
  const std::vector<SelectedTransfer> &transfers() const { return selection_.transfers(); }
  const int *atoms_of(const SelectedTransfer &transfer) const
  {
    return selection_.atoms().data() + transfer.first;
  }
  std::size_t ngiven() const { return selection_.atoms().size(); }
  int rank_of(const SelectedTransfer &transfer) const { return ranks_[transfer.receiver]; }

  /** Box lengths to be added to the donor's coordinates for the receiver's frame. */
  const std::array<int, 3> &box_shift_of(const SelectedTransfer &transfer) const
  {
    return images_[transfer.receiver].box_shift;
  }

  const std::vector<char> &given() const { return given_; }    // [nlocal+nghost]
  const std::vector<char> &seam() const { return seam_; }      // [nlocal], not of given atoms

 private:
  void add_receiver(int rank, const SubBox &box, int natoms);
  void find_center();
  void find_region(const SelectedTransfer &transfer, double cutoff);

  DonorState state_;
  std::array<double, 3> center_{};              // of owned atoms, fractions of the box
  std::vector<int> ranks_;                      // [nreceivers] ascending
  std::vector<ReceiverImage> images_;           // [nreceivers]
  std::vector<std::vector<double>> squares_;    // [nreceivers] and more, [atoms] of distances
  TransferSelection selection_;
  std::vector<char> given_, seam_;
  RegionFinder finder_;
  TransferredRegion region_;                // of the last call of region_of()
  std::vector<int> given_elsewhere_;        // owned atoms in it that another receiver gets
  std::vector<int> unidentified_ghosts_;    // in it
  std::vector<char> in_transfer_;           // [nlocal] and more, all 0 between calls
};

}    // namespace TOFU_NS

#endif
