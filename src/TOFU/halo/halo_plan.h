// SPDX-License-Identifier: GPL-2.0-only
//
// HaloPlan: the regions that ranks send to each other.  Pure geometry and counting: no atoms, no
// messages.
//
// There are two patterns.  DIRECT: every rank sends to every rank that lies within the cut-off, in
// one stage; one non-zero shift (dx,dy,dz) in the grid of ranks is one swap.  STAGED: the pattern
// of comm_style brick, where x, y and z follow one another and corners are forwarded.  Swaps that
// go to the same rank in the same stage travel in one message.
//
// Swaps are ordered by shell distance |dx|+|dy|+|dz|.  Packing, the order of ghosts and the order
// in which returning forces are summed all follow that fixed order, so that nothing depends on
// which message arrives first; and the nearest image of an atom has the lowest ghost index,
// which Atom::map() relies on.
//
// The half shell has the swaps that go down.  Those that go up are known to the plan, too: they
// bring the few atoms that bonds name (partner_borders.h), behind the swaps of the pattern.
//
// Sub-boxes of HaloGeometry are a grid; for others there is tiled_plan.h.

#ifndef TOFU_HALO_HALO_PLAN_H
#define TOFU_HALO_HALO_PLAN_H

#include "rank_map.h"
#include "tiles.h"

#include <array>
#include <vector>

namespace TOFU_NS {

/** Data of the decomposition that the plan needs.  Lengths are in box units, or fractions of the
    box for a triclinic one, the same for all members. */
struct HaloGeometry {
  int dimension = 3;
  bool uniform = true;    // all sub-boxes have the same size
  std::array<int, 3> periodicity{1, 1, 1};
  std::array<int, 3> procgrid{1, 1, 1};             // # of ranks per dimension
  std::array<int, 3> myloc{0, 0, 0};                // this rank in the grid
  std::array<const double *, 3> split{};            // [procgrid[d]+1] fractions 0 ... 1
  std::array<double, 3> boxlo{}, boxhi{}, prd{};    // distance, or 0, 1, 1
  std::array<double, 3> cutghost{};                 // ghost cut-off

  double sub_lo(int dim, int loc) const;    // bounds of a sub-box, bitwise as Domain has them
  double sub_hi(int dim, int loc) const;

  /** Location along one dimension that owns this coordinate, -1 if none. */
  int locate(int dim, double coord) const;

  /** Largest distance of an atom from this rank's sub-box, per dimension, at which it is in this
      sub-box or in one that touches it.  Infinite if the dimension has no other sub-boxes, 0
      without ghosts. */
  std::array<double, 3> distance_covered_by_adjacent() const;
};

/** One region that goes to one rank, and its counterpart that comes from the opposite side. */
struct HaloSwap {
  std::array<int, 3> offset{};        // shift in the grid from sender to receiver
  int sendproc = -1;                  // rank that gets my region, may be this rank; -1 none
  int recvproc = -1;                  // rank whose region I get, may be this rank; -1 none
  int pbc_flag = 0;                   // 1 if the region crosses a periodic boundary
  int pbc[6] = {0, 0, 0, 0, 0, 0};    // box lengths added to what I send, then yz, xz, xy
  double sent_fraction = 0.0;         // volume of the region that I send, ghosts that I forward
  double received_fraction = 0.0;     // included, and of the one that I get; parts of the box

  /** Set the members that the first three elements of pbc determine. */
  void finish_pbc();
};

/** All swaps of one stage between this rank and one peer, in the plan's order on both sides. */
struct HaloPeer {
  int rank;
  std::vector<int> sends, recvs;    // indices of swaps
};

/** Swaps that may be under way at the same time. */
struct HaloStage {
  int first = 0, last = 0;        // swaps first ... last-1
  std::vector<int> self;          // those from this rank to itself
  std::vector<HaloPeer> peers;    // ascending rank
};

using HaloReach = std::array<int, 3>;

class HaloPlan {
 public:
  /** The cost of direct() and staged() grows with the square of the largest number of ranks along
      one dimension, and not with the number of all ranks.

      \param geometry   of the decomposition
      \param me         this rank
      \param ranks      which rank lives where
      \param half       ghosts come from upper neighbors only: those whose shift from this rank
                        is positive in z, else in y, else in x.  Of two ranks, or of a rank and
                        its own image, exactly one then has the other's atoms as ghosts. */
  static HaloPlan direct(const HaloGeometry &geometry, int me, const RankMap &ranks,
                         bool half = false);
  static HaloPlan staged(const HaloGeometry &geometry, int me, const RankMap &ranks);

  /** The member `neighbors` of the plan of another rank. */
  static std::vector<int> neighbors_of(const HaloGeometry &geometry, int rank,
                                       const RankMap &ranks);

  /** Largest distance in sub-boxes that ghosts of any rank come from, per dimension. */
  static HaloReach reach_of(const HaloGeometry &geometry);

  std::vector<HaloSwap> swaps;
  std::vector<HaloStage> stages;

  /** All other ranks with which this rank exchanges messages in the direct pattern; ascending.  The
      relation is symmetric. */
  std::vector<int> neighbors;

  /** [neighbors.size()] shortest distance of each neighbor, in sub-boxes. */
  std::vector<int> hops;

  /** True if every rank of the grid is a neighbor of every other. */
  bool complete = false;

  /** Equal for plans that link the same ranks.  It is the same on all ranks, as it is computed from
      data that all ranks have. */
  std::vector<int> signature;

  /** Bounds of the receivers' sub-boxes, in this rank's coordinates.  An atom with coordinate x is
      sent to the receiver m sub-boxes above if x >= above[dim][m-1] - cut, and to the one m below
      if x <= below[dim][m-1] + cut. */
  std::array<std::vector<double>, 3> above, below;

  /** [nswaps] sub-box of the receiver of each swap, in this rank's coordinates, with faces at
      infinity where all atoms are sent.  Only for a tiled layout, which has no offsets; else
      empty. */
  std::vector<TileBox> receivers;

  /** Whether swaps are those of the half shell. */
  bool half = false;

  /** Of the half shell: the swaps of the other half, in the same order on both sides, which are no
      part of `swaps` and `stages`; and what `receivers` is for them. */
  std::vector<HaloSwap> upward;
  std::vector<TileBox> upward_receivers;

  /** Whether a stage forwards ghosts of the stages before: the pattern is the staged one. */
  bool forwards = false;

  /** Square of the distance from the receiver's sub-box beyond which an atom is not sent although
      each coordinate is within the cut-off; 0: no such limit.  It rounds the edges and corners of
      the ghost region. */
  double corner_cutsq = 0.0;

  /** A stage of the swaps [first, last). */
  static HaloStage make_stage(const std::vector<HaloSwap> &swaps, int first, int last, int me);

  /** Add swaps of bonded partners behind those of the pattern, which has one stage: they become
      part of it.  Those of before, and all appended swaps, are dropped.  Between two ranks both
      sides must name them in the same order. */
  void add_partners(const std::vector<HaloSwap> &partners, int me);

  /** Drop all swaps behind those of the pattern.

      \return   whether there were some */
  bool drop_partners();

  /** Append swaps beyond the pattern, in place of those that were appended before.  Between two
      ranks both sides must name them in the same order.

      \param direct      swaps of atoms that the sender owns; they become part of the last stage
      \param forwarded   swaps of ghosts of the sender; they become one more stage behind the last
      \param me          this rank */
  void append(const std::vector<HaloSwap> &direct, const std::vector<HaloSwap> &forwarded, int me);

  /** Drop all appended swaps. */
  void drop_appended();

  bool has_appended() const { return !pattern_.empty(); }

 private:
  void set_fractions(const HaloGeometry &geometry);

  std::vector<HaloStage> pattern_;    // stages without appended swaps; empty: nothing is appended
  std::vector<HaloStage> without_partners_;    // stages without partners; empty: there are none
};

}    // namespace TOFU_NS

#endif
