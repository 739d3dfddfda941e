// SPDX-License-Identifier: GPL-2.0-only
//
// On the wire, all parts multiples of 8 bytes:
//
//   TransferHeader, TableAtom[natoms], then for each list
//   ListHeader, owners[nrows], lengths[nrows], entries[nentries], 4 bytes more if their number is
//   odd

#include "row_transfer.h"

#include <algorithm>
#include <string>

namespace TOFU_NS {

namespace {

  constexpr std::uint32_t MARK = 0x54526f77;             // where a transfer begins
  constexpr std::uint32_t ATOM_BITS = (1u << 29) - 1;    // NEIGHMASK of LAMMPS

  struct TransferHeader {
    std::uint32_t mark;
    std::int32_t natoms, nlists, box_shift[3];
    std::int64_t nbytes;    // of the transfer
  };

  struct ListHeader {
    std::int32_t nrows, nentries;
  };

  static_assert(sizeof(TransferHeader) == 32 && sizeof(TableAtom) == 32 && sizeof(ListHeader) == 8,
                "no padding on the wire");

  std::int32_t count_entries(const DonorRows &rows)
  {
    std::int32_t n = 0;
    for (int i : rows.atoms) n += rows.numneigh[i];
    return n;
  }

  /** Bytes of a list; owners and lengths are an even number of integers. */
  std::size_t nbytes_of(const DonorRows &rows)
  {
    const std::size_t nentries = count_entries(rows);
    return sizeof(ListHeader) +
        sizeof(std::int32_t) * (2 * rows.atoms.size() + nentries + nentries % 2);
  }

}    // namespace

/* ----------------------------------------------------------------------
   every atom that is an owner or named by a row gets a place in the table.
   There are dozens of entries for each atom, hence no branch for an entry
------------------------------------------------------------------------- */

void TransferWriter::number_atoms(int natoms, const std::vector<DonorRows> &lists)
{
  if (is_named_.size() < static_cast<std::size_t>(natoms)) {
    is_named_.resize(natoms);
    place_.resize(natoms);
  }
  char *const is_named = is_named_.data();
  for (const DonorRows &rows : lists)
    for (int i : rows.atoms) {
      is_named[i] = 1;
      const int *const row = rows.first[i], *const end = row + rows.numneigh[i];
      for (const int *entry = row; entry < end; entry++) is_named[*entry & ATOM_BITS] = 1;
    }

  named_.clear();
  for (int i = 0; i < natoms; i++) {
    if (!is_named[i]) continue;
    is_named[i] = 0;
    place_[i] = static_cast<int>(named_.size());
    named_.push_back(i);
  }
}

/* ----------------------------------------------------------------------
   all of a transfer but the table

   Returns: where that is to be
------------------------------------------------------------------------- */

TableAtom *TransferWriter::append(const std::array<int, 3> &box_shift,
                                  const std::vector<DonorRows> &lists,
                                  std::vector<char> &message) const
{
  std::size_t nbytes = sizeof(TransferHeader) + named_.size() * sizeof(TableAtom);
  for (const DonorRows &rows : lists) nbytes += nbytes_of(rows);
  const TransferHeader header{MARK,
                              static_cast<std::int32_t>(named_.size()),
                              static_cast<std::int32_t>(lists.size()),
                              {box_shift[0], box_shift[1], box_shift[2]},
                              static_cast<std::int64_t>(nbytes)};

  const std::size_t begin = message.size();
  message.resize(begin + nbytes);
  char *const table = put_in_message(&header, 1, message.data() + begin);
  char *to = table + named_.size() * sizeof(TableAtom);
  for (const DonorRows &rows : lists) to = put_list(rows, to);
  return reinterpret_cast<TableAtom *>(table);
}

/* ---------------------------------------------------------------------- */

char *TransferWriter::put_list(const DonorRows &rows, char *to) const
{
  const ListHeader header{static_cast<std::int32_t>(rows.atoms.size()), count_entries(rows)};
  to = put_in_message(&header, 1, to);
  for (int i : rows.atoms) to = put_in_message(&place_[i], 1, to);
  for (int i : rows.atoms) to = put_in_message(&rows.numneigh[i], 1, to);
  const int *const place = place_.data();
  for (int i : rows.atoms) {
    const int *const row = rows.first[i];
    const int n = rows.numneigh[i];
    auto *const entries = reinterpret_cast<std::uint32_t *>(to);
    for (int k = 0; k < n; k++) {
      const std::uint32_t entry = row[k];
      entries[k] = static_cast<std::uint32_t>(place[entry & ATOM_BITS]) | (entry & ~ATOM_BITS);
    }
    to += n * sizeof(std::uint32_t);
  }
  const std::int32_t padding = 0;
  return header.nentries % 2 ? put_in_message(&padding, 1, to) : to;
}

/* ---------------------------------------------------------------------- */

void ReceivedTransfer::read(const char *message, std::size_t nbytes, std::size_t &cursor)
{
  table_.clear();
  lists_.clear();
  owners_.clear();
  numneigh_.clear();
  entries_.clear();

  TransferReader reader(message, nbytes, cursor);
  const TransferHeader header = reader.header<TransferHeader>(MARK);
  std::copy_n(header.box_shift, 3, box_shift_.begin());
  reader.append("atom", header.natoms, table_);
  for (int list = 0; list < header.nlists; list++) read_list(reader);
  cursor = reader.finish();
}

/* ---------------------------------------------------------------------- */

void ReceivedTransfer::read_list(TransferReader &reader)
{
  ListHeader header;
  reader.take("list", 1, &header);
  const List list{header.nrows, owners_.size(), entries_.size()};
  reader.append("owner", header.nrows, owners_);
  reader.append("length", header.nrows, numneigh_);
  reader.append("entry", header.nentries, entries_);
  std::int32_t padding;
  if (header.nentries % 2) reader.take("padding", 1, &padding);
  check_places(reader, list);
  lists_.push_back(list);
}

/* ---------------------------------------------------------------------- */

void ReceivedTransfer::check_places(const TransferReader &reader, const List &list) const
{
  std::uint32_t largest = 0;    // without a branch per entry
  for (std::size_t n = list.row; n < owners_.size(); n++)
    largest = std::max(largest, static_cast<std::uint32_t>(owners_[n]));
  for (std::size_t n = list.entry; n < entries_.size(); n++)
    largest = std::max(largest, static_cast<std::uint32_t>(entries_[n]) & ATOM_BITS);
  if (owners_.size() > list.row && largest >= table_.size())
    reader.fail("names atom " + std::to_string(largest) + " in a table of " +
                std::to_string(table_.size()));

  const std::int64_t nentries = static_cast<std::int64_t>(entries_.size() - list.entry);
  std::int64_t sum = 0;
  for (std::size_t n = list.row; n < numneigh_.size(); n++) {
    if (numneigh_[n] < 0) reader.fail("has a row of " + std::to_string(numneigh_[n]) + " entries");
    sum += numneigh_[n];
  }
  if (sum != nentries)
    reader.fail("has rows of " + std::to_string(sum) + " entries in all, and " +
                std::to_string(nentries) + " entries");
}

/* ---------------------------------------------------------------------- */

void ReceivedTransfer::make_rows(const std::vector<int> &local)
{
  atoms_.resize(owners_.size());
  for (std::size_t n = 0; n < owners_.size(); n++) atoms_[n] = local[owners_[n]];

  row_.resize(entries_.size());
  for (std::size_t n = 0; n < entries_.size(); n++) {
    const std::uint32_t entry = entries_[n];
    row_[n] = local[entry & ATOM_BITS] | static_cast<int>(entry & ~ATOM_BITS);
  }
}

/* ---------------------------------------------------------------------- */

ReceivedRows ReceivedTransfer::rows(int list)
{
  const List &l = lists_[list];
  return {l.nrows, atoms_.data() + l.row, numneigh_.data() + l.row, row_.data() + l.entry};
}

}    // namespace TOFU_NS
