/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef FIX_CLASS
// clang-format off
FixStyle(ring/balance,FixRingBalance);
FixStyle(ring_balance,FixRingBalance);
// clang-format on
#else

#ifndef LMP_FIX_RING_BALANCE_H
#define LMP_FIX_RING_BALANCE_H

#include "fix.h"

#include "p2p/appended_ghosts.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {
class GhostSources;
struct TransferredRegion;
struct DonorRows;
struct SelectedTransfer;
struct ReceiverImage;
struct SubBox;
}    // namespace TOFU_NS

namespace LAMMPS_NS {

/** Lets ranks with few atoms compute rows of the neighbor lists of ranks with many (DPLR paper,
    sec. 3.3).  Atoms stay with their owners.  Rows computed elsewhere have the same pairs in them,
    some perhaps in the row of the other atom; forces return to the owners as those on ghosts do. */
class FixRingBalance : public Fix {
 public:
  FixRingBalance(class LAMMPS *, int, char **);
  ~FixRingBalance() override;

  int setmask() override;
  void init() override;
  void setup_pre_neighbor() override;
  void pre_neighbor() override;
  void min_pre_neighbor() override;
  void setup_post_neighbor() override;
  void post_neighbor() override;
  void min_post_neighbor() override;
  void setup_pre_force(int) override;
  void pre_force(int) override;
  void min_pre_force(int) override;
  void post_run() override;

  double compute_scalar() override;
  double compute_vector(int) override;
  double compute_array(int, int) override;
  double memory_usage() override;
  void grow_arrays(int) override;
  void copy_arrays(int, int, int) override;
  void set_arrays(int) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl;

  void parse(int narg, char **arg);
  std::string objection() const;
  void object(const std::string &reason);
  void make_ring();
  void find_partners();

  void find_lists();
  bool receivers_make_rows();
  void begin_hand_over();
  void hand_over();
  void hand_over_late();
  void send_bodies();
  void keep_all();
  void weigh_rows();
  void decide();
  void plan_transfers();
  void go_on_with_trial();
  void rest_unless_it_pays();
  double nanoseconds_per_unit();
  void send_transfers();
  void select_transfers();
  std::array<double, 3> find_center();
  void select_transfer(std::int64_t amount);
  TOFU_NS::SubBox sub_box_of(int rank) const;
  TOFU_NS::ReceiverImage image_of(int rank, const std::array<double, 3> &center) const;
  void pack_transfers_for(int receiver, AppendedGhosts::Offer &, std::vector<char> &message);
  const std::vector<TOFU_NS::DonorRows> &rows_of(const TOFU_NS::SelectedTransfer &);
  void find_seam();
  const TOFU_NS::TransferredRegion &region_of(const TOFU_NS::SelectedTransfer &,
                                              const TOFU_NS::GhostSources &);
  void unpack_transfers(AppendedGhosts::Received &);
  template <class Received>
  void read_transfers(std::vector<Received> &, AppendedGhosts::Received &);
  void get_ghosts(AppendedGhosts::Received &);
  void install_lists();
  void add_received_rows();
  void make_received_rows();
  void count_units();
  void restore_lists();
  void note_computing_ranks();
  void gather_statistics();
};

}    // namespace LAMMPS_NS

#endif
#endif
