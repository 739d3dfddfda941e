// SPDX-License-Identifier: GPL-2.0-only
//
// AtomMatcher: identifies the atoms of transfers among the atoms of their receiver.
//
// Most atoms are identified by their source, rank, swap and place (halo/ghost_sources.h).  The
// others are found by ID and position, since a receiver may have several images of an atom.  The
// receiver has to request the atoms that it lacks.

#ifndef TOFU_BALANCE_ATOM_MATCHER_H
#define TOFU_BALANCE_ATOM_MATCHER_H

#include "transfer_message.h"

#include <array>
#include <climits>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** An atom that a receiver lacks. */
struct MissingAtom {
  TableAtom atom;
  std::array<int, 3> box_shift;    // of the transfer
  int transfer;                    // the first one that names it
};

/** Finds the atoms of transfers among those of their receiver. */
class AtomMatcher {
 public:
  using Tables = std::vector<const ReceivedTable *>;

  /** Two atoms are the same image of the same atom if their IDs are equal and their positions
      agree.  Tag is std::int32_t or std::int64_t.

      \param transfers   of all donors
      \param natoms      # of atoms of the receiver, ghosts included
      \param tag         [natoms] of the receiver, owned atoms and ghosts
      \param x           [natoms][3] distance
      \param tolerance   distance by which a coordinate may differ, larger than rounding to float
                         does and much smaller than the box
      \param index_of    (transfer, source) -> index of the atom; ~number if it comes with the
                         rows, and has this number among all that do; UNKNOWN if it must be
                         searched for
      \param nextra      # of atoms that come with the rows
      \param local       [transfers][table] index of the atom, or ~w: w < nextra comes with the
                         rows, others are missing()[w-nextra] */
  template <class Tag, class IndexOf>
  void match(const Tables &transfers, int natoms, const Tag *tag, const double *x, double tolerance,
             IndexOf &&index_of, int nextra, std::vector<std::vector<int>> &local)
  {
    bool all_known = true;
    local.resize(transfers.size());
    for (std::size_t p = 0; p < transfers.size(); p++) {
      local[p].clear();
      for (const TableAtom &atom : transfers[p]->table()) {
        local[p].push_back(index_of(static_cast<int>(p), atom.source));
        all_known &= local[p].back() != UNKNOWN;
      }
    }
    missing_.clear();
    if (!all_known) find(transfers, natoms, tag, x, tolerance, nextra, local);
  }

  static constexpr int UNKNOWN = INT_MIN;

  /** Atoms that the receiver of the last match() lacks, each once, in the order of the transfers
      and their tables. */
  const std::vector<MissingAtom> &missing() const { return missing_; }

  /** Replace the entries ~w of `local` by the atoms that were lacking or came with the rows.

      \param ghost   [nextra+missing] their indices now
      \param local   result of match(); afterwards all entries are indices */
  static void set_missing(const std::vector<int> &ghost, std::vector<std::vector<int>> &local);

 private:
  struct Entry {
    std::int64_t id;
    float x[3];
    int next;    // with the same ID, -1: none
    int atom;    // as in local, or UNKNOWN
  };

  void list_entries(const Tables &transfers, const std::vector<std::vector<int>> &local);
  template <class Tag>
  void find(const Tables &transfers, int natoms, const Tag *tag, const double *x, double tolerance,
            int nextra, std::vector<std::vector<int>> &local);
  void hash();
  int &slot_of(std::int64_t id);
  void list_missing(const Tables &transfers, double tolerance, int nextra);
  int find_missing(const Entry &entry, double tolerance);

  std::vector<Entry> entries_;               // of all tables
  std::vector<int> slots_;                   // first entry of an ID, -1: free
  std::vector<std::uint64_t> filter_;        // a bit for each hash value that occurs
  int slot_shift_ = 0, filter_shift_ = 0;    // how many bits of a hash value are not used
  std::vector<MissingAtom> missing_;
};

}    // namespace TOFU_NS

#endif
