// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of neighbor lists on their way from a donor to a receiver, who computes them (neighbor-list
// forwarding, DPLR paper, sec. 3.3).
//
// A parcel has a table of the atoms that its rows name, and rows of places in that table.  Rows travel as
// the donor's build has made them, so that it does not matter which rule says whose row a pair is in:
// half, full, exclusions, special bonds.  The receiver finds the atoms of the table among its own by ID
// and position, since an atom may be there as several images; those it lacks it has to get.

#ifndef TOFU_BALANCE_ROW_PARCEL_H
#define TOFU_BALANCE_ROW_PARCEL_H

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Where an atom can be got from; what the numbers mean is the business of whoever fills them. */
struct AtomSource {
  std::int32_t rank, code, place;
};

/** An atom that rows name. */
struct TableAtom {
  std::int64_t id;
  float x[3];    // distance, in the receiver's frame
  AtomSource source;
};

/** Owned atoms and ghosts of a donor.  Tag is std::int32_t or std::int64_t. */
template <class Tag> struct DonorAtoms {
  int natoms;
  const Tag *tag;     // [natoms]
  const double *x;    // [natoms][3] distance
};

/** What goes of one neighbor list.  An entry of a row names an atom in its low 29 bits; those above, the
    kind of special bond, travel unchanged. */
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

class ParcelWriter {
 public:
  /** Append a parcel to a message.

      Args:
        atoms       of the donor
        shift       distance to be added to their positions for the receiver's frame
        boxes       the same in box lengths, carried along
        lists       rows to give, the lists in the same order on all ranks
        source_of   atom -> AtomSource, asked once for each atom of the table
        message     its length is a multiple of 8, and remains one */
  template <class Tag, class SourceOf>
  void write(const DonorAtoms<Tag> &atoms, const std::array<double, 3> &shift,
             const std::array<int, 3> &boxes, const std::vector<DonorRows> &lists,
             SourceOf &&source_of, std::vector<char> &message)
  {
    number_atoms(atoms.natoms, lists);
    TableAtom *to = append(boxes, lists, message);
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
  TableAtom *append(const std::array<int, 3> &boxes, const std::vector<DonorRows> &lists,
                    std::vector<char> &message) const;
  char *put_list(const DonorRows &rows, char *to) const;

  std::vector<char> is_named_;    // [natoms] all 0 between calls
  std::vector<int> place_;        // [natoms] in the table, of those that are named
  std::vector<int> named_;        // [table] atoms, ascending
};

class ReceivedParcel {
 public:
  /** Take a parcel out of a message, which is not needed afterwards.

      Args:
        message   [nbytes] as written by a ParcelWriter, parcel after parcel
        cursor    where the parcel begins; then, where the next one does, or nbytes
      Throws std::runtime_error if it does not fit */
  void read(const char *message, std::size_t nbytes, std::size_t &cursor);

  /** What the donor's coordinates differ by from those of the receiver, in box lengths. */
  const std::array<int, 3> &boxes() const { return boxes_; }

  const std::vector<TableAtom> &table() const { return table_; }
  int nlists() const { return static_cast<int>(lists_.size()); }

  /** Put atoms of the receiver into the rows.

      Args:
        local   [table] indices of the atoms of the table */
  void make_rows(const std::vector<int> &local);

  /** What make_rows() has made for a list; valid until it or read() is called again. */
  ReceivedRows rows(int list);

 private:
  struct List {
    int nrows;
    std::size_t row, entry;    // where its rows begin in the arrays of all lists
  };

  void read_list(class ParcelReader &);
  void check_places(const class ParcelReader &, const List &) const;

  std::array<int, 3> boxes_{};
  std::vector<TableAtom> table_;
  std::vector<List> lists_;
  std::vector<int> owners_, entries_;    // of all lists, with places in the table
  std::vector<int> numneigh_;            // of all lists
  std::vector<int> atoms_, row_;         // owners_ and entries_ with atoms of the receiver
};

/** An atom that a receiver lacks. */
struct WantedAtom {
  TableAtom atom;
  std::array<int, 3> boxes;    // of the parcel
  int parcel;                  // the first one that names it
};

/** Finds the atoms of parcels among those of their receiver. */
class AtomMatcher {
 public:
  /** Two atoms are the same image of the same atom if their IDs are equal and their positions
      agree.  Tag is std::int32_t or std::int64_t.

      Args:
        tag         [natoms] of the receiver, owned atoms and ghosts
        x           [natoms][3] distance
        tolerance   distance by which a coordinate may differ, larger than rounding to float does and
                    much smaller than the box
        known       (parcel, source) -> index of the atom; ~number if it comes with the rows, and has this
                    number among all that do; UNKNOWN if it has to be looked for
        nshipped    # of atoms that come with the rows
        local       [parcels][table] index of the atom, or ~w: w < nshipped comes with the rows, others
                    are wanted()[w-nshipped] */
  template <class Tag, class Known>
  void match(const std::vector<ReceivedParcel> &parcels, int natoms, const Tag *tag,
             const double *x, double tolerance, Known &&known, int nshipped,
             std::vector<std::vector<int>> &local)
  {
    bool all_known = true;
    local.resize(parcels.size());
    for (std::size_t p = 0; p < parcels.size(); p++) {
      local[p].clear();
      for (const TableAtom &atom : parcels[p].table()) {
        local[p].push_back(known(static_cast<int>(p), atom.source));
        all_known &= local[p].back() != UNKNOWN;
      }
    }
    wanted_.clear();
    if (!all_known) find(parcels, natoms, tag, x, tolerance, nshipped, local);
  }

  static constexpr int UNKNOWN = INT_MIN;

  /** What the receiver of the last match() lacks, each once, in the order of the parcels and their
      tables. */
  const std::vector<WantedAtom> &wanted() const { return wanted_; }

  /** Put in the atoms that were lacking or are shipped.

      Args:
        ghost   [nshipped+wanted] their indices now
        local   as match() has left it; then all are indices */
  static void put_in(const std::vector<int> &ghost, std::vector<std::vector<int>> &local);

 private:
  struct Entry {
    std::int64_t id;
    float x[3];
    int next;    // with the same ID, -1: none
    int atom;    // as in local, or UNKNOWN
  };

  void list_entries(const std::vector<ReceivedParcel> &parcels,
                    const std::vector<std::vector<int>> &local);
  template <class Tag>
  void find(const std::vector<ReceivedParcel> &parcels, int natoms, const Tag *tag, const double *x,
            double tolerance, int nshipped, std::vector<std::vector<int>> &local);
  void hash();
  int &slot_of(std::int64_t id);
  void want(const std::vector<ReceivedParcel> &parcels, double tolerance, int nshipped);
  int find_wanted(const Entry &entry, double tolerance);

  std::vector<Entry> entries_;               // of all tables
  std::vector<int> slots_;                   // first entry of an ID, -1: free
  std::vector<std::uint64_t> filter_;        // a bit for each hash value that occurs
  int slot_shift_ = 0, filter_shift_ = 0;    // how many bits of a hash value are not used
  std::vector<WantedAtom> wanted_;
};

}    // namespace TOFU_NS

#endif
