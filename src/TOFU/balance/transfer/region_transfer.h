// SPDX-License-Identifier: GPL-2.0-only
//
// Atoms whose rows a receiver makes, and the atoms around them (ghost region expansion, DPLR paper,
// sec. 3.3), on their way from the donor.
//
// For a half list the coordinates are the donor's, in full precision: the decision which of two
// ranks has the pair of an owned atom and a ghost must be the same as at the donor.  The pair of a
// given atom and a kept one is the receiver's if the kept atom is on the seam, the atoms nearest to
// given ones that have about half of these pairs, else the donor's: the receiver does not need the
// other kept atoms.  Receivers use pair_belongs_to() for a pair of atoms given to two of them.
//
// For full lists the receiver needs the identity of the atoms only: it has their coordinates, or
// gets them.

#ifndef TOFU_BALANCE_REGION_TRANSFER_H
#define TOFU_BALANCE_REGION_TRANSFER_H

#include "transfer_message.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Extent of the seam from the atoms that are given, as a fraction of the cut-off.  The partners of
    an atom that are beyond a plane at distance t, in cut-offs, are in a cap of (1-t)^2 (2+t) pi/3.
    Atoms up to this extent have half of all such partners. */
constexpr double SEAM = 0.225;

/** Whether a half list has a pair in the row of `owner`, where the two rows are made by different
    receivers: about half of the pairs of an atom are.  IDs differ. */
template <class Tag> bool pair_belongs_to(Tag owner, Tag other)
{
  const bool odd = ((owner ^ other) & 1) != 0;
  return (owner < other) != odd;    // without branches on what chance decides
}

/** Atoms that a donor sends, as its own indices. */
struct TransferredRegion {
  const int *given = nullptr;    // [ngiven] whose rows the receiver is to make
  int ngiven = 0;
  std::vector<int> owned;    // owned atoms near those: kept ones on the seam, then those that other
                             // receivers get
  int nseam = 0;             // # of the former
  std::vector<int> ghosts;    // ghosts near the given atoms
  int nnamed = 0;             // # of all these atoms, the first ones, that their source identifies
                              // for the receiver
};

/** An atom on the wire, if its source does not identify it. */
struct RegionAtom {
  std::int64_t id;
  double x[3];
  AtomSource source;
  std::int32_t padding;
};

class RegionWriter {
 public:
  /** Append a transfer to a message.

      \param atoms       of the donor
      \param shift       distance to be added to their positions for the receiver's frame
      \param box_shift   the same in box lengths, carried along
      \param region      which atoms
      \param source_of   atom -> AtomSource, called once for each atom, given ones first
      \param message     its length is a multiple of 8, and remains one */
  template <class Tag, class SourceOf>
  static void write(const DonorAtoms<Tag> &atoms, const std::array<double, 3> &shift,
                    const std::array<int, 3> &box_shift, const TransferredRegion &region,
                    SourceOf &&source_of, std::vector<char> &message)
  {
    append_header(region, shift, box_shift, message);
    Blocks<AtomSource> named(message);
    Blocks<RegionAtom> others(message);
    int nnamed = 0;
    const auto put = [&](int i) {
      if (nnamed < region.nnamed) {
        named.put(source_of(i));
        if (++nnamed == region.nnamed) named.finish();
        return;
      }
      const double *const x = atoms.x + 3 * static_cast<std::size_t>(i);
      others.put({atoms.tag[i], {x[0], x[1], x[2]}, source_of(i), 0});
    };
    for (int k = 0; k < region.ngiven; k++) put(region.given[k]);
    for (int i : region.owned) put(i);
    for (int i : region.ghosts) put(i);
    others.finish();
  }

 private:
  /** Appends items of one type to a message, block by block: if the message grew at once, its new
      part would be cleared first. */
  template <class T> class Blocks {
   public:
    explicit Blocks(std::vector<char> &message) : message_(message) {}
    void put(const T &one)
    {
      block_[n_++] = one;
      if (n_ == BLOCK) append();
    }

    /** The length is a multiple of 8 then. */
    void finish()
    {
      append();
      message_.resize((message_.size() + 7) / 8 * 8);
    }

   private:
    static constexpr int BLOCK = 64;
    void append()
    {
      const auto *const bytes = reinterpret_cast<const char *>(block_);
      message_.insert(message_.end(), bytes, bytes + n_ * sizeof(T));
      n_ = 0;
    }
    std::vector<char> &message_;
    T block_[BLOCK];
    int n_ = 0;
  };

  static void append_header(const TransferredRegion &region, const std::array<double, 3> &shift,
                            const std::array<int, 3> &box_shift, std::vector<char> &message);
};

/** The table has the given atoms first, then others that the donor owns, then its ghosts.  Named
    ones have neither ID nor position there. */
class ReceivedRegion : public ReceivedTable {
 public:
  /** Take a transfer out of a message, which is not needed afterwards.

      \param message   [nbytes] transfer after transfer
      \param nbytes    length of the message
      \param cursor    where the transfer begins; then, where the next one does, or nbytes
      \throws std::runtime_error if it does not fit */
  void read(const char *message, std::size_t nbytes, std::size_t &cursor);

  int natoms() const { return static_cast<int>(table_.size()); }
  int ngiven() const { return ngiven_; }
  int nseam() const { return nseam_; }      // # of given atoms and of those on the seam
  int nowned() const { return nowned_; }    // # of all atoms that the donor owns

  /** Number of atoms, the first ones, of which only the source has come. */
  int nnamed() const { return nnamed_; }

  /** [natoms][3] distance, in the donor's frame and as the donor has it; not of named ones. */
  const double *x() const { return x_.data(); }

 private:
  int ngiven_ = 0, nseam_ = 0, nowned_ = 0, nnamed_ = 0;
  std::vector<double> x_;
};

}    // namespace TOFU_NS

#endif
