// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of neighbor lists on their way from a donor to a receiver, which computes them
// (neighbor-list forwarding, DPLR paper, sec. 3.3).
//
// A transfer has a table of the atoms that its rows name, and rows of places in that table.  Rows
// travel as the donor's build has made them, so that the rule which assigns pairs to rows does not
// matter: half, full, exclusions, special bonds.  The receiver finds the atoms of the table among
// its own by the ranks that can send them, else by ID and position, since it may have several
// images of an atom.  It has to request the atoms that it lacks.

#ifndef TOFU_BALANCE_ROW_TRANSFER_H
#define TOFU_BALANCE_ROW_TRANSFER_H

#include "transfer_message.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Rows of one neighbor list that a donor gives.  An entry of a row names an atom in its low 29
    bits; the bits above, the kind of special bond, travel unchanged. */
struct DonorRows {
  std::vector<int> atoms;               // owners of the rows
  const int *const *first = nullptr;    // [natoms] begin of the row of each atom
  const int *numneigh = nullptr;        // [natoms] entries in the row
};

/** Rows of one neighbor list at the receiver. */
struct ReceivedRows {
  int nrows;
  const int *atoms;       // [nrows] owner of each row
  const int *numneigh;    // [nrows] entries in each row
  int *entries;           // row after row
};

class TransferWriter {
 public:
  /** Append a transfer to a message.

      \param atoms       of the donor
      \param shift       distance to be added to their positions for the receiver's frame
      \param box_shift   the same in box lengths, carried along
      \param lists       rows to give, the lists in the same order on all ranks
      \param source_of   atom -> AtomSource, called once for each atom of the table
      \param message     its length is a multiple of 8, and remains one */
  template <class Tag, class SourceOf>
  void write(const DonorAtoms<Tag> &atoms, const std::array<double, 3> &shift,
             const std::array<int, 3> &box_shift, const std::vector<DonorRows> &lists,
             SourceOf &&source_of, std::vector<char> &message)
  {
    number_atoms(atoms.natoms, lists);
    TableAtom *to = append(box_shift, lists, message);
    for (int i : named_) {
      TableAtom atom{atoms.tag[i], {}, source_of(i)};
      for (int dim = 0; dim < 3; dim++)
        atom.x[dim] =
            static_cast<float>(atoms.x[3 * static_cast<std::size_t>(i) + dim] + shift[dim]);
      *to++ = atom;
    }
  }

 private:
  void number_atoms(int natoms, const std::vector<DonorRows> &lists);
  TableAtom *append(const std::array<int, 3> &box_shift, const std::vector<DonorRows> &lists,
                    std::vector<char> &message) const;
  char *put_list(const DonorRows &rows, char *to) const;

  std::vector<char> is_named_;    // [natoms] all 0 between calls
  std::vector<int> place_;        // [natoms] in the table, of those that are named
  std::vector<int> named_;        // [table] atoms, ascending
};

class ReceivedTransfer : public ReceivedTable {
 public:
  /** Take a transfer out of a message, which is not needed afterwards.

      \param message   [nbytes] as written by a TransferWriter, transfer after transfer
      \param nbytes    length of the message
      \param cursor    where the transfer begins; then, where the next one does, or nbytes
      \throws std::runtime_error if it does not fit */
  void read(const char *message, std::size_t nbytes, std::size_t &cursor);

  int nlists() const { return static_cast<int>(lists_.size()); }

  /** Put atoms of the receiver into the rows.

      \param local   [table] indices of the atoms of the table */
  void make_rows(const std::vector<int> &local);

  /** Rows that make_rows() has made for a list; valid until make_rows() or read() is called
      again. */
  ReceivedRows rows(int list);

 private:
  struct List {
    int nrows;
    std::size_t row, entry;    // where its rows begin in the arrays of all lists
  };

  void read_list(TransferReader &);
  void check_places(const TransferReader &, const List &) const;

  std::vector<List> lists_;
  std::vector<int> owners_, entries_;    // of all lists, with places in the table
  std::vector<int> numneigh_;            // of all lists
  std::vector<int> atoms_, row_;         // owners_ and entries_ with atoms of the receiver
};

}    // namespace TOFU_NS

#endif
