/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Members of FixRingBalance, for its source files only.

#ifndef LMP_FIX_RING_BALANCE_IMPL_H
#define LMP_FIX_RING_BALANCE_IMPL_H

#include "fix_ring_balance.h"

#include "balance/atom_matcher.h"
#include "balance/gain_trial.h"
#include "balance/receiver_image.h"
#include "balance/region_finder.h"
#include "balance/region_transfer.h"
#include "balance/ring_plan.h"
#include "balance/row_transfer.h"
#include "balance/transfer_selection.h"
#include "halo/ghost_sources.h"
#include "lammps/ring_neigh_list.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

struct FixRingBalance::Impl {
  enum class Mode { GHOST, FORWARD, AUTO };    // rank that sends the ghosts that a receiver lacks
  enum class Weight { ATOMS, NEIGHBORS, TIME };

  static constexpr bigint NO_LISTS = -1;    // none built since init()

  struct Settings {
    bigint nevery = 0;
    double thresh = 1.0;
    Mode mode = Mode::AUTO;
    Weight weight = Weight::ATOMS;
    TOFU_NS::RingDirection direction = TOFU_NS::RingDirection::BOTH;
    bool level_node = false;
    bool rest = false;        // if it is not possible, or does not pay
    std::string ring_file;    // empty: serpentine
  };

  // work of rows in units: rows, or the atoms in them; plans may count in nanoseconds

  struct Work {
    std::vector<std::int64_t> of_row;    // [nlocal]
    double per_unit = 1.0;               // units of plans per unit of this rank's rows
    std::int64_t units = 0;              // of the rows that this rank computes now
    bigint last_step = 0;                // when that began
    double units_done = 0.0;             // since the last decision
    double seconds_before = 0.0;         // of the timer then
  };

  struct Giving {    // on the way out
    TOFU_NS::BoxMetric metric{};
    std::vector<std::vector<double>> squares;      // [receivers] and more, [atoms] of distances
    std::vector<int> receivers;                    // ranks, ascending
    std::vector<TOFU_NS::ReceiverImage> images;    // of receivers
    TOFU_NS::TransferSelection selection;
    TOFU_NS::TransferWriter writer;
    TOFU_NS::RegionFinder finder;
    TOFU_NS::TransferredRegion region;       // of the transfer being packed
    std::vector<int> elsewhere;              // owned atoms in it that another receiver gets
    std::vector<int> strangers;              // ghosts in it that the receiver may not know by name
    std::vector<char> in_transfer;           // [nlocal] and more, all 0 between transfers
    std::vector<TOFU_NS::DonorRows> rows;    // [nlists] of the transfer being packed
    std::map<int, std::vector<char>> out;
    std::vector<char> given;    // [nlocal+nghost] whether another rank computes the row
    std::vector<char>
        seam;    // [nlocal] whether it is on the seam, see region_transfer.h, unless given
  };

  struct Taking {    // on the way in
    std::map<int, std::vector<char>> in;
    std::optional<AppendedGhosts::Sent> sent;           // on its way
    std::vector<TOFU_NS::ReceivedTransfer> received;    // rows, or
    std::vector<TOFU_NS::ReceivedRegion> regions;       // atoms to make rows from
    TOFU_NS::AtomMatcher::Tables tables;                // [ntransfers] of these or those
    std::vector<int> donors;                            // [ntransfers] rank that each is from
    TOFU_NS::KnownSources known;
    TOFU_NS::AtomMatcher matcher;
    std::vector<std::vector<int>> local;    // [ntransfers][table]
  };

  Settings settings;
  Work work;
  Giving giving;
  Taking taking;

  TOFU_NS::RankRing ring;
  std::vector<int> node_of_rank;                 // [nprocs]
  std::vector<std::vector<int>> partners;        // [nprocs] ascending
  std::map<int, std::array<int, 3>> place_of;    // in the grid, of this rank's partners

  // the decision, the same on all ranks, and when the next one is due

  std::vector<TOFU_NS::Transfer> transfers;
  bigint next_decision = -1;
  TOFU_NS::GainTrial trial;
  std::string off;    // why it is not possible

  // pair styles, and the lists that they have got

  struct Rows {
    class Pair *pair;
    class NeighList *stock;          // Neighbor's
    class NPairThreadpool *build;    // makes its rows, if receivers make some of them
    std::unique_ptr<RingNeighList> own;
  };
  std::vector<Rows> lists;
  std::vector<std::vector<char>> has_row;    // [nlists][nlocal]
  bool lists_are_read = false;               // Neighbor's, by code that has not asked for one
  bigint ncalls = NO_LISTS;                  // of Neighbor, when rows were handed over
  bool begun =
      false;    // before lists are built: receivers make the rows of atoms, which are under way

  // results

  struct Counts {
    std::int64_t owned = 0, computed = 0, given = 0, received = 0, extra_ghosts = 0;
  };
  static constexpr int NCOUNTS = 5;
  Counts counts;
  std::vector<Counts> all_counts;    // [nprocs] if gathered
  bool gathered = false;
  bigint natoms_handed = 0, nrows_handed = 0, ndecisions = 0;
  std::vector<double> computing_rank;    // [nmax]
};

}    // namespace LAMMPS_NS

#endif
