// SPDX-License-Identifier: GPL-2.0-only
//
// TransferSender, the donor's side: selects the atoms that this rank gives, and packs their rows,
// or the atoms from which receivers build the rows.

#ifndef LMP_TRANSFER_SENDER_H
#define LMP_TRANSFER_SENDER_H

#include "pointers.h"

#include "balance/transfer/donor_selection.h"
#include "balance/transfer/row_transfer.h"
#include "p2p/appended_ghosts.h"

#include <cstdint>
#include <vector>

namespace LAMMPS_NS {

class TransferSender : protected Pointers {
 public:
  explicit TransferSender(LAMMPS *lmp) : Pointers(lmp) {}

  /** Give nothing. */
  void clear() { selected.begin({}); }

  /** Select the atoms of the transfers from this rank.

      \param work   [nlocal] units of each row; nullptr: lists are not built yet, receivers build
                    the rows */
  void select(const class RingDecision &, const class RingRanks &,
              const std::vector<std::int64_t> *work);

  /** Send a message to each receiver of the plan, with or without atoms.

      \param forward   this rank forwards the ghosts that a receiver lacks, else their owners send
                       them
      \param in        messages from donors, filled in when those that are sent here have come */
  AppendedGhosts::Sent send(AppendedGhosts::Offer, const RingDecision &, const class RowLists &,
                            bool forward, AppendedGhosts::Messages &in);

  const TOFU_NS::DonorSelection &selection() const { return selected; }
  double memory_usage() const;

 private:
  bool receivers_build = false;
  TOFU_NS::DonorSelection selected;
  TOFU_NS::TransferWriter writer;
  std::vector<TOFU_NS::DonorRows> rows;    // [nlists] of the transfer that is being packed
  AppendedGhosts::Messages out;

  void pack(int receiver, const RowLists &, bool forward, AppendedGhosts::Offer &,
            std::vector<char> &message);
  const std::vector<TOFU_NS::DonorRows> &rows_of(const TOFU_NS::SelectedTransfer &,
                                                 const RowLists &);
};

}    // namespace LAMMPS_NS

#endif
