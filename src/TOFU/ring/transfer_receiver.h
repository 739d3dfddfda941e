// SPDX-License-Identifier: GPL-2.0-only
//
// TransferReceiver, the receiver's side: reads what donors send, appends the ghosts that this rank
// lacks, and puts the received rows into the lists of pair styles, or builds them there.

#ifndef LMP_TRANSFER_RECEIVER_H
#define LMP_TRANSFER_RECEIVER_H

#include "pointers.h"

#include "balance/ring_plan.h"
#include "balance/transfer/atom_matcher.h"
#include "balance/transfer/region_transfer.h"
#include "balance/transfer/row_transfer.h"
#include "halo/ghost_sources.h"
#include "p2p/appended_ghosts.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace LAMMPS_NS {

class TransferReceiver : protected Pointers {
 public:
  explicit TransferReceiver(LAMMPS *lmp) : Pointers(lmp) {}

  /** Drop what has been received: no donor sends to this rank. */
  void clear();

  /** Where messages from donors arrive; must not be read before receive(). */
  AppendedGhosts::Messages &messages() { return in; }

  /** Messages are on their way: start of what receive() completes. */
  void expect(AppendedGhosts::Sent &&messages) { sent.emplace(std::move(messages)); }

  /** Wait for the messages, and append the ghosts that rows need and this rank lacks.  Collective.

      \param transfers   of the plan
      \param as_atoms    this rank is to build the rows
      \return            # of ghosts that were appended */
  std::int64_t receive(const std::vector<TOFU_NS::Transfer> &transfers, bool as_atoms);

  /** Add the received rows to the lists of pair styles.

      \return   # of atoms with such rows */
  std::int64_t add_rows(const class RowLists &);

  /** Build the rows of received atoms and add them.

      \param gives   this rank itself has given atoms
      \return        # of atoms */
  std::int64_t build_rows(const RowLists &, bool gives);

  double memory_usage() const;

 private:
  AppendedGhosts::Messages in;    // by donor
  std::optional<AppendedGhosts::Sent> sent;
  std::vector<TOFU_NS::ReceivedTransfer> received;    // [ntransfers] of rows, or none
  std::vector<TOFU_NS::ReceivedRegion> regions;       // [ntransfers] of atoms to build rows from
  TOFU_NS::AtomMatcher::Tables tables;                // [ntransfers] of the one or the other
  std::vector<int> donors;                            // [ntransfers] rank that each is from
  TOFU_NS::KnownSources known_sources;
  TOFU_NS::AtomMatcher matcher;
  std::vector<std::vector<int>> local;    // [ntransfers][table] indices here

  template <class Received>
  void read_transfers(std::vector<Received> &, AppendedGhosts::Received &);
  void match_atoms(AppendedGhosts::Received &);
};

}    // namespace LAMMPS_NS

#endif
