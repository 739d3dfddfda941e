// SPDX-License-Identifier: GPL-2.0-only
//
// GhostSources: the sources from which the receiver of rows gets the atoms that the rows name, as
// known to the donor of the rows.
//
// The donor has the list of its own atoms that the receiver has as ghosts, since it sends them; it
// sends the others with the rows.  A ghost of the donor is owned by a third rank.  The receiver
// requests it from its owner (ghost_request.h), or the donor forwards it.

#ifndef TOFU_HALO_GHOST_SOURCES_H
#define TOFU_HALO_GHOST_SOURCES_H

#include "ghost_request.h"
#include "halo_plan.h"
#include "send_lists.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** Places of owned atoms in a list; its memory is reused. */
class AtomPlaces {
 public:
  void begin(int nlocal)
  {
    for (int i : atoms_) places_[i] = -1;
    atoms_.clear();
    if (static_cast<int>(places_.size()) < nlocal) places_.resize(nlocal, -1);
  }

  /** Append an atom unless the list has it.

      \return   place of the atom */
  int put(int i)
  {
    int &place = places_[i];
    if (place < 0) {
      place = static_cast<int>(atoms_.size());
      atoms_.push_back(i);
    }
    return place;
  }

  const int *places() const { return places_.data(); }    // [nlocal] -1: not in the list
  const std::vector<int> &atoms() const { return atoms_; }

 private:
  std::vector<int> places_, atoms_;
};

/** Owned atoms that go to a receiver in addition to the swaps of the pattern. */
struct ExtraSwap {
  std::array<int, 3> box_shift;    // box lengths to be added
  const AtomPlaces *places;
  int nrows;    // atoms up to the last whose row the receiver computes

  /** Local indices, in the order of places. */
  const std::vector<int> &atoms() const { return places->atoms(); }
};

class GhostSources {
 public:
  /** Source of an atom, with the codes of a GhostRequest.  If `rank` is the donor, the code of a
      swap stands for an atom that the donor sends to the receiver by it.  If `rank` is another
      rank, the code of a swap stands for an atom that this rank sends to the donor by it. */
  struct Source {
    int rank, code, place;
  };

  /** Codes from here downwards: the place-th atom of extra swap EXTRA - code of the donor. */
  static constexpr int EXTRA = GhostRequest::GHOST - 1;

  /** Begin the sources for another receiver.  The plan has nothing appended.  With the staged
      pattern there are no extra swaps: other ranks forward the donor's atoms to the receiver, and
      the donor has no list of the atoms that the receiver has.

      \param plan        with the swaps
      \param lists       atoms that the swaps send; it and the plan must live as long as this object
                         is used
      \param firstrecv   [nswaps] index of the first ghost that each swap brings, ascending
      \param nlocal      # of owned atoms
      \param nall        # of owned atoms and ghosts
      \param me          this rank
      \param receiver    another rank
      \param is_linked   owner -> whether the receiver has a link to it, and can request atoms */
  void begin(const HaloPlan &plan, const SendLists &lists, const std::vector<int> &firstrecv,
             int nlocal, int nall, int me, int receiver, const std::function<bool(int)> &is_linked);

  /** Set the shift, in box lengths, from the donor's coordinates to the receiver's. */
  void set_frame(const std::array<int, 3> &box_shift);

  /** Source of local atom i; it is in one extra swap at most. */
  Source of(int i)
  {
    const int swap = i < nlocal_ ? OWNED_SWAP : swap_of_[i - nlocal_];
    Origin &origin = origins_[swap];
    switch (origin.kind) {
      case Origin::MINE: {
        const int owned = origin.sent ? origin.sent[i - origin.first] : i;
        if (origin.place_sent && origin.place_sent[owned] >= 0)
          return {me_, sent_[origin.sent_by].code, origin.place_sent[owned]};
        if (!adds_) return {me_, GhostRequest::OWNED, owned};
        if (origin.extra_swap < 0) origin.extra_swap = extra_swap_for(origin.box_shift);
        return {me_, EXTRA - origin.extra_swap, extra_atoms_[origin.extra_swap].put(owned)};
      }
      case Origin::OWNER:
        return {origin.owner, origin.code, i - origin.first};
      default:
        forwards_ = true;
        return {me_, GhostRequest::GHOST, i};
    }
  }

  /** Source of owned atom i whose row the receiver computes and returns forces for. */
  Source of_row(int i);

  /** Whether this rank owns atom i and sends it, or is going to send it, to the receiver: then the
      source alone identifies the atom. */
  bool names(int i) const
  {
    return adds_ && (i < nlocal_ || origins_[swap_of_[i - nlocal_]].kind == Origin::MINE);
  }

  const std::vector<ExtraSwap> &extra_swaps() const { return extra_swaps_; }

  /** A swap to the receiver that has atoms of of_row(), and its code. */
  struct SwapWithRows {
    int swap, code;
  };
  std::vector<SwapWithRows> swaps_with_rows() const;

  /** Whether some source is a ghost that this rank has to forward to the receiver. */
  bool forwards() const { return forwards_; }

 private:
  static constexpr int OWNED_SWAP = 0;    // the origins of ghosts follow

  struct Origin {
    enum Kind {
      MINE,        // the donor owns the atoms
      OWNER,       // the receiver requests the atoms from their owner
      FORWARDED    // the donor forwards them
    };
    Kind kind;
    int owner, code, first;
    const int *sent = nullptr;    // MINE: owned atom of each ghost; nullptr: itself

    // MINE: box lengths from the owned atom to this rank's image, and to the receiver's; places
    // among the atoms of the swap that sends it

    std::array<int, 3> pbc{}, box_shift{};
    const int *place_sent = nullptr;      // [nlocal] among the atoms sent, -1: not sent
    int sent_by = -1, extra_swap = -1;    // in sent_ and in extra_swaps_
  };

  struct Sent {    // a swap to the receiver
    std::array<int, 3> pbc;
    int swap, code;
    bool listed = false, has_rows = false;
  };

  void find_origins(const HaloPlan &plan, const SendLists &lists, const std::vector<int> &firstrecv,
                    int nall, int receiver, const std::function<bool(int)> &is_linked);
  void find_sent(const HaloPlan &plan, int receiver);
  const int *places_in(std::size_t sent);
  int extra_swap_for(const std::array<int, 3> &box_shift);

  const SendLists *lists_ = nullptr;
  int me_ = -1, nlocal_ = 0;
  bool adds_ = false, forwards_ = false;
  std::vector<Origin> origins_;           // [1+nswaps]
  std::vector<std::uint16_t> swap_of_;    // [nghost] in origins_
  std::vector<Sent> sent_;                // each displacement once
  std::deque<AtomPlaces> listed_;         // [sent_] and more, of those that are listed
  std::vector<ExtraSwap> extra_swaps_;
  std::deque<AtomPlaces> extra_atoms_;    // [extra_swaps_] and more
};

/** Maps the sources of a donor to local atoms of the receiver, by swap and place, without reading
    the atoms. */
class KnownSources {
 public:
  /** \param plan,lists,firstrecv   of the receiver, must live as long as it is used
      \param nlocal                 # of its owned atoms
      \param me                     the receiver
      \param donor                  its rank
      \param box_shift              box lengths to be added to the donor's coordinates for the
                                    receiver's */
  void begin(const HaloPlan &plan, const SendLists &lists, const std::vector<int> &firstrecv,
             int nlocal, int me, int donor, const std::array<int, 3> &box_shift);

  /** Local index of an atom, -1 if swap and place do not give it. */
  int find(int rank, int code, int place)
  {
    if (last_ == ways_.size() || ways_[last_].rank != rank || ways_[last_].code != code)
      last_ = way(rank, code);
    const Way &way = ways_[last_];
    if (way.first < 0) return way.list ? way.list[place] : -1;
    if (!way.list) return way.first + place;
    const int image = way.image[way.list[place]];
    return image < 0 ? -1 : way.first + image;
  }

 private:
  /** Where the atoms of a source are here: ghosts that follow each other from `first` on, owned
      atoms in `list`, or with both the ghosts that are images of these owned atoms; with neither
      they are not known. */
  struct Way {
    int rank, code;
    int first = -1;
    const int *list = nullptr;
    const int *image = nullptr;    // [nlocal] index of the ghost less `first`, -1: none
  };
  std::size_t way(int rank, int code);
  void find_images(Way &way, const std::array<int, 3> &box_shift);

  const HaloPlan *plan_ = nullptr;
  const SendLists *lists_ = nullptr;
  const std::vector<int> *firstrecv_ = nullptr;
  int nlocal_ = 0, me_ = -1, donor_ = -1;
  std::array<int, 3> box_shift_{};
  std::vector<Way> ways_;
  std::deque<AtomPlaces> images_;    // [nimages_] and more, of owned atoms that are ghosts here
  std::size_t nimages_ = 0;
  std::size_t last_ = 0;
};

}    // namespace TOFU_NS

#endif
