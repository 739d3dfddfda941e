// SPDX-License-Identifier: GPL-2.0-only
//
// TransferSelection: selects the atoms that a rank gives to each receiver.  Each receiver gets the
// atoms nearest to its sub-box, as the atoms around those are the likeliest to be its ghosts
// already (DPLR paper, sec. 3.3: the ghost regions are to overlap as far as possible).

#ifndef TOFU_BALANCE_TRANSFER_SELECTION_H
#define TOFU_BALANCE_TRANSFER_SELECTION_H

#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Atoms that go to one receiver. */
struct SelectedTransfer {
  int receiver;         // index
  int first, natoms;    // in TransferSelection::atoms()
};

class TransferSelection {
 public:
  /** Begin a new selection: no atom is given.

      \param natoms   that may be given, with indices 0, 1, 2 ... */
  void begin(int natoms);

  /** Give to a receiver the nearest of the atoms that are left; all of them, if there are fewer.
      Of atoms at the same distance the one with the lower index goes first.  O(natoms).

      \param receiver   index, greater than that of the last one
      \param amount     # of atoms
      \param squares    [natoms] of their distances from the receiver's sub-box, finite */
  void give_nearest(int receiver, std::int64_t amount, const double *squares);

  /** As give_nearest() for atoms with different work: gives the nearest atoms, until their work is
      as near to the amount as possible, which is within half of the work of one atom.  Atoms
      without work are not given.

      \param receiver   index, greater than that of the last one
      \param amount     of work
      \param squares    [natoms] of their distances from the receiver's sub-box, finite
      \param work       [natoms] of each atom, not negative */
  void give_by_work(int receiver, std::int64_t amount, const double *squares,
                    const std::int64_t *work);

  /** Transfers by receiver, without receivers that get no atoms.  Valid until the next begin(). */
  const std::vector<SelectedTransfer> &transfers() const { return transfers_; }

  /** Indices of the atoms of all transfers, ascending in each of them. */
  const std::vector<int> &atoms() const { return atoms_; }

 private:
  struct Distance {
    double sq;
    int atom;
  };

  const double *leave_out_given(const double *squares);
  double find_last(const double *squares, std::int64_t amount, std::int64_t &nlast);
  int select(std::int64_t amount, const std::int64_t *work);

  int natoms_ = 0;
  std::vector<double> left_squares_;    // [natoms] of distances of those that are left
  std::vector<double> bucket_;          // those among which the last one to be given is
  std::vector<int> nin_;                // # of them in each bucket
  std::vector<Distance> candidates_;    // with work, to be ordered
  std::vector<SelectedTransfer> transfers_;
  std::vector<int> atoms_;
};

}    // namespace TOFU_NS

#endif
