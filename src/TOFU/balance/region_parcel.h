// SPDX-License-Identifier: GPL-2.0-only
//
// Atoms whose rows a receiver makes, and the atoms around them (ghost region expansion, DPLR paper,
// sec. 3.3), on their way from the donor.
//
// Coordinates are the donor's, in full precision: whether a pair is within the cut-off, and which of two
// ranks has it in a half list, must come out as at the donor.  A half list has the pair of two atoms that
// the donor owns once, if all that make rows of one of them go by pair_belongs_to().

#ifndef TOFU_BALANCE_REGION_PARCEL_H
#define TOFU_BALANCE_REGION_PARCEL_H

#include "parcel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Whether a half list has a pair in the row of `owner`, where the two rows are made by different ranks: about
    half of the pairs of an atom are.  IDs differ. */
template <class Tag> bool pair_belongs_to(Tag owner, Tag other)
{
  const bool odd = ((owner ^ other) & 1) != 0;
  return (owner < other) != odd;    // without branches on what chance decides
}

/** What a donor sends, indices of its atoms. */
struct DonatedRegion {
  const int *given = nullptr;    // [ngiven] whose rows the receiver is to make
  int ngiven = 0;
  std::vector<int> owned;     // others that the donor owns, near those
  std::vector<int> ghosts;    // its ghosts near those
};

class RegionWriter {
 public:
  /** Append a parcel to a message.

      Args:
        atoms       of the donor
        shift       distance to be added to their positions for the receiver's frame
        boxes       the same in box lengths, carried along
        source_of   atom -> AtomSource, asked once for each atom
        message     its length is a multiple of 8, and remains one */
  template <class Tag, class SourceOf>
  static void write(const DonorAtoms<Tag> &atoms, const std::array<double, 3> &shift,
                    const std::array<int, 3> &boxes, const DonatedRegion &region,
                    SourceOf &&source_of, std::vector<char> &message)
  {
    char *to = append(region, shift, boxes, message);
    const auto put = [&](int i) {
      const double *const x = atoms.x + 3 * static_cast<std::size_t>(i);
      const RegionAtom atom{atoms.tag[i], {x[0], x[1], x[2]}, source_of(i), 0};
      to = put_in_parcel(&atom, 1, to);
    };
    for (int n = 0; n < region.ngiven; n++) put(region.given[n]);
    for (int i : region.owned) put(i);
    for (int i : region.ghosts) put(i);
  }

 private:
  friend class ReceivedRegion;
  struct RegionAtom {
    std::int64_t id;
    double x[3];
    AtomSource source;
    std::int32_t padding;
  };
  static char *append(const DonatedRegion &region, const std::array<double, 3> &shift,
                      const std::array<int, 3> &boxes, std::vector<char> &message);
};

/** The table has the given atoms first, then others that the donor owns, then its ghosts. */
class ReceivedRegion : public ReceivedTable {
 public:
  /** Take a parcel out of a message, which is not needed afterwards.

      Args:
        message   [nbytes] parcel after parcel
        cursor    where the parcel begins; then, where the next one does, or nbytes
      Throws std::runtime_error if it does not fit */
  void read(const char *message, std::size_t nbytes, std::size_t &cursor);

  int natoms() const { return static_cast<int>(table_.size()); }
  int ngiven() const { return ngiven_; }
  int nowned() const { return nowned_; }    // given atoms and others that the donor owns

  /** [natoms][3] distance, in the donor's frame and as the donor has it. */
  const double *x() const { return x_.data(); }

 private:
  int ngiven_ = 0, nowned_ = 0;
  std::vector<double> x_;
};

}    // namespace TOFU_NS

#endif
