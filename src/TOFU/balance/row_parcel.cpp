// SPDX-License-Identifier: GPL-2.0-only
//
// On the wire, all parts multiples of 8 bytes:
//
//   ParcelHeader, TableAtom[natoms], then for each list
//   ListHeader, owners[nrows], lengths[nrows], entries[nentries], 4 bytes more if their number is odd

#include "row_parcel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

namespace TOFU_NS {

namespace {

  constexpr std::uint32_t MARK = 0x54526f77;             // where a parcel begins
  constexpr std::uint32_t ATOM_BITS = (1u << 29) - 1;    // NEIGHMASK of LAMMPS

  struct ParcelHeader {
    std::uint32_t mark;
    std::int32_t natoms, nlists, boxes[3];
    std::int64_t nbytes;    // of the parcel
  };

  struct ListHeader {
    std::int32_t nrows, nentries;
  };

  static_assert(sizeof(ParcelHeader) == 32 && sizeof(TableAtom) == 32 && sizeof(ListHeader) == 8,
                "no padding on the wire");

  template <class T> char *put(const T *from, std::size_t n, char *to)
  {
    if (n > 0) std::memcpy(to, from, n * sizeof(T));
    return to + n * sizeof(T);
  }

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

  std::uint64_t hash_value(std::int64_t id)
  {
    return static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15u;    // 2^64 by the golden ratio
  }

  /** Smallest number of bits that have at least n values; at least one. */
  int bits_for(std::size_t n)
  {
    int bits = 1;
    while ((std::size_t{1} << bits) < n) bits++;
    return bits;
  }

  template <class Real> bool near(const float *a, const Real *b, double tolerance)
  {
    bool agree = true;
    for (int dim = 0; dim < 3; dim++) agree &= std::fabs(a[dim] - b[dim]) <= tolerance;
    return agree;
  }

}    // namespace

/* ----------------------------------------------------------------------
   every atom that is an owner or named by a row gets a place in the table.
   There are dozens of entries for each atom, hence no branch for an entry
------------------------------------------------------------------------- */

void ParcelWriter::number_atoms(int natoms, const std::vector<DonorRows> &lists)
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
   all of a parcel but the table

   Returns: where that is to be
------------------------------------------------------------------------- */

TableAtom *ParcelWriter::append(const std::array<int, 3> &boxes,
                                const std::vector<DonorRows> &lists,
                                std::vector<char> &message) const
{
  std::size_t nbytes = sizeof(ParcelHeader) + named_.size() * sizeof(TableAtom);
  for (const DonorRows &rows : lists) nbytes += nbytes_of(rows);
  const ParcelHeader header{MARK,
                            static_cast<std::int32_t>(named_.size()),
                            static_cast<std::int32_t>(lists.size()),
                            {boxes[0], boxes[1], boxes[2]},
                            static_cast<std::int64_t>(nbytes)};

  const std::size_t begin = message.size();
  message.resize(begin + nbytes);
  char *const table = put(&header, 1, message.data() + begin);
  char *to = table + named_.size() * sizeof(TableAtom);
  for (const DonorRows &rows : lists) to = put_list(rows, to);
  return reinterpret_cast<TableAtom *>(table);
}

/* ---------------------------------------------------------------------- */

char *ParcelWriter::put_list(const DonorRows &rows, char *to) const
{
  const ListHeader header{static_cast<std::int32_t>(rows.atoms.size()), count_entries(rows)};
  to = put(&header, 1, to);
  for (int i : rows.atoms) to = put(&place_[i], 1, to);
  for (int i : rows.atoms) to = put(&rows.numneigh[i], 1, to);
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
  return header.nentries % 2 ? put(&padding, 1, to) : to;
}

/* ----------------------------------------------------------------------
   takes one part of a parcel after the other
------------------------------------------------------------------------- */

class ParcelReader {
 public:
  ParcelReader(const char *message, std::size_t nbytes, std::size_t begin) :
      message_(message), begin_(begin), at_(begin), end_(nbytes)
  {
  }

  ParcelHeader header()
  {
    ParcelHeader header;
    take("header", 1, &header);
    if (header.mark != MARK) fail("begins with " + std::to_string(header.mark));
    const std::int64_t rest = static_cast<std::int64_t>(end_ - begin_);
    if (header.nbytes < static_cast<std::int64_t>(sizeof header) || header.nbytes > rest ||
        header.nbytes % 8 != 0)
      fail("says that it has " + std::to_string(header.nbytes) + " bytes where " +
           std::to_string(rest) + " are left");
    end_ = begin_ + static_cast<std::size_t>(header.nbytes);
    return header;
  }

  /** Append n of them to an array. */
  template <class T> void append(const char *what, std::int64_t n, std::vector<T> &to)
  {
    check(what, n, sizeof(T));
    const std::size_t size = to.size();
    to.resize(size + static_cast<std::size_t>(n));
    take(what, n, to.data() + size);
  }

  template <class T> void take(const char *what, std::int64_t n, T *to)
  {
    check(what, n, sizeof(T));
    if (n > 0) std::memcpy(to, message_ + at_, n * sizeof(T));
    at_ += n * sizeof(T);
  }

  std::size_t finish() const
  {
    if (at_ != end_) fail("has " + std::to_string(end_ - at_) + " bytes too many");
    return end_;
  }

  [[noreturn]] void fail(const std::string &what) const
  {
    throw std::runtime_error("TOFU: the parcel of neighbor rows at byte " + std::to_string(begin_) +
                             " of a message " + what +
                             "; the message is damaged, or ranks run different versions of TOFU");
  }

 private:
  void check(const char *what, std::int64_t n, std::size_t nbytes) const
  {
    const std::size_t left = end_ - at_;
    if (static_cast<std::uint64_t>(n) > left / nbytes)    // or below 0
      fail("has " + std::to_string(left) + " bytes for " + std::to_string(n) + " times " + what +
           " of " + std::to_string(nbytes));
  }

  const char *message_;
  const std::size_t begin_;
  std::size_t at_, end_;
};

/* ---------------------------------------------------------------------- */

void ReceivedParcel::read(const char *message, std::size_t nbytes, std::size_t &cursor)
{
  table_.clear();
  lists_.clear();
  owners_.clear();
  numneigh_.clear();
  entries_.clear();

  ParcelReader reader(message, nbytes, cursor);
  const ParcelHeader header = reader.header();
  std::copy_n(header.boxes, 3, boxes_.begin());
  reader.append("atom", header.natoms, table_);
  for (int list = 0; list < header.nlists; list++) read_list(reader);
  cursor = reader.finish();
}

/* ---------------------------------------------------------------------- */

void ReceivedParcel::read_list(ParcelReader &reader)
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

void ReceivedParcel::check_places(const ParcelReader &reader, const List &list) const
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

void ReceivedParcel::make_rows(const std::vector<int> &local)
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

ReceivedRows ReceivedParcel::rows(int list)
{
  const List &l = lists_[list];
  return {l.nrows, atoms_.data() + l.row, numneigh_.data() + l.row, row_.data() + l.entry};
}

/* ---------------------------------------------------------------------- */

void AtomMatcher::list_entries(const std::vector<ReceivedParcel> &parcels,
                               const std::vector<std::vector<int>> &local)
{
  entries_.clear();
  for (std::size_t p = 0; p < parcels.size(); p++)
    for (std::size_t k = 0; k < parcels[p].table().size(); k++) {
      const TableAtom &atom = parcels[p].table()[k];
      entries_.push_back({atom.id, {atom.x[0], atom.x[1], atom.x[2]}, -1, local[p][k]});
    }
}

/* ---------------------------------------------------------------------- */

template <class Tag>
void AtomMatcher::find(const std::vector<ReceivedParcel> &parcels, int natoms, const Tag *tag,
                       const double *x, double tolerance, int nshipped,
                       std::vector<std::vector<int>> &local)
{
  list_entries(parcels, local);
  hash();
  for (int i = 0; i < natoms; i++) {
    const std::uint64_t bit = hash_value(tag[i]) >> filter_shift_;
    if (!(filter_[bit / 64] >> bit % 64 & 1)) continue;
    for (int n = slot_of(tag[i]); n >= 0; n = entries_[n].next) {
      Entry &entry = entries_[n];
      if (entry.atom == UNKNOWN && near(entry.x, x + 3 * static_cast<std::size_t>(i), tolerance))
        entry.atom = i;
    }
  }
  want(parcels, tolerance, nshipped);

  std::size_t n = 0;
  for (std::vector<int> &table : local)
    for (int &atom : table) atom = entries_[n++].atom;
}

/* ----------------------------------------------------------------------
   a quarter of the slots and a 32nd of the bits at most are in use, so that
   nearly all atoms that nobody looks for are dismissed after one bit
------------------------------------------------------------------------- */

void AtomMatcher::hash()
{
  const int slot_bits = bits_for(4 * entries_.size()), filter_bits = slot_bits + 3;
  slot_shift_ = 64 - slot_bits;
  filter_shift_ = 64 - filter_bits;
  slots_.assign(std::size_t{1} << slot_bits, -1);
  filter_.assign(((std::size_t{1} << filter_bits) + 63) / 64, 0);

  for (std::size_t n = 0; n < entries_.size(); n++) {
    Entry &entry = entries_[n];
    int &slot = slot_of(entry.id);
    entry.next = slot;
    slot = static_cast<int>(n);
    if (entry.atom != UNKNOWN) continue;    // only for find_wanted()
    const std::uint64_t bit = hash_value(entry.id) >> filter_shift_;
    filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
}

/* ---------------------------------------------------------------------- */

int &AtomMatcher::slot_of(std::int64_t id)
{
  std::size_t slot = hash_value(id) >> slot_shift_;
  while (slots_[slot] >= 0 && entries_[slots_[slot]].id != id)
    slot = (slot + 1) & (slots_.size() - 1);
  return slots_[slot];
}

/* ---------------------------------------------------------------------- */

void AtomMatcher::want(const std::vector<ReceivedParcel> &parcels, double tolerance, int nshipped)
{
  std::size_t n = 0;
  for (std::size_t p = 0; p < parcels.size(); p++)
    for (const TableAtom &atom : parcels[p].table()) {
      Entry &entry = entries_[n++];
      if (entry.atom != UNKNOWN) continue;
      entry.atom = find_wanted(entry, tolerance);
      if (entry.atom != UNKNOWN) continue;
      entry.atom = ~(nshipped + static_cast<int>(wanted_.size()));
      wanted_.push_back({atom, parcels[p].boxes(), static_cast<int>(p)});
    }
}

/* ---------------------------------------------------------------------- */

int AtomMatcher::find_wanted(const Entry &entry, double tolerance)
{
  for (int n = slot_of(entry.id); n >= 0; n = entries_[n].next) {
    const Entry &other = entries_[n];
    if (other.atom < 0 && other.atom != UNKNOWN && near(other.x, entry.x, tolerance))
      return other.atom;
  }
  return UNKNOWN;
}

/* ---------------------------------------------------------------------- */

void AtomMatcher::put_in(const std::vector<int> &ghost, std::vector<std::vector<int>> &local)
{
  for (std::vector<int> &table : local)
    for (int &atom : table)
      if (atom < 0) atom = ghost[~atom];
}

template void AtomMatcher::find(const std::vector<ReceivedParcel> &, int, const std::int32_t *,
                                const double *, double, int, std::vector<std::vector<int>> &);
template void AtomMatcher::find(const std::vector<ReceivedParcel> &, int, const std::int64_t *,
                                const double *, double, int, std::vector<std::vector<int>> &);

}    // namespace TOFU_NS
