// SPDX-License-Identifier: GPL-2.0-only
//
// RingRanks: the ring of a run, and for each rank its partners, to which it may hand rows.

#ifndef LMP_RING_RANKS_H
#define LMP_RING_RANKS_H

#include "pointers.h"

#include "balance/rank_ring.h"
#include "balance/sub_box.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class RingRanks : protected Pointers {
 public:
  explicit RingRanks(LAMMPS *lmp) : Pointers(lmp) {}

  /** In init(), with comm_style p2p/rdma in use.  Collective. */
  void make(const struct RingSettings &);

  const TOFU_NS::RankRing &ring() const { return order; }
  const std::vector<int> &node_of_rank() const { return nodes; }                    // [nprocs]
  const std::vector<int> &partners_of(int rank) const { return partners[rank]; }    // ascending

  /** Numbers that differ when partners do; the same on all ranks. */
  std::vector<int> signature(bool level_node) const;

  /** Sub-box of a partner of this rank, which fix balance may have moved since make(). */
  TOFU_NS::SubBox sub_box_of(int rank) const;

 private:
  TOFU_NS::RankRing order;
  std::vector<int> nodes;
  std::vector<std::vector<int>> partners;             // [nprocs]
  std::map<int, std::array<int, 3>> place_in_grid;    // of partners of this rank

  TOFU_NS::RankRing read_order(const std::string &file) const;
  void find_places();
};

}    // namespace LAMMPS_NS

#endif
