/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Ghost exchange with every neighbor at once, by one-sided messages.

   comm_style brick passes ghosts on in three stages to six ranks; this style
   sends them straight to all ranks within the cut-off (26 and more), over a
   transport that writes into the receiver's memory.  It gives the same
   ghosts, in an order of its own, wherever brick works.

   With "layout tiled" it serves the layouts of recursive bisection as well.
   Then its public member "style" is TILED, which the commands balance and fix
   balance ask for; it is derived from CommBrick with either value.

   Li, Zhao, Guo, et al., "Enhance the Strong Scaling of LAMMPS on Fugaku",
   SC'23: peer-to-peer pattern, message combine, registered buffers.
------------------------------------------------------------------------- */

#ifndef LMP_COMM_P2P_RDMA_H
#define LMP_COMM_P2P_RDMA_H

#include "comm_brick.h"

#include "base/parts.h"
#include "lammps/ghost_exchange.h"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace TOFU_NS {
class Link;
struct GhostLanding;
struct HaloStage;
struct P2PSettings;
struct TileBox;
class Tiles;
}    // namespace TOFU_NS

namespace LAMMPS_NS {

class CommP2PRDMA : public CommBrick, public GhostExchange {
 public:
  static constexpr const char *STATISTICS = "P2P_RDMA_STATS";    // fix that prints them

  CommP2PRDMA(class LAMMPS *, class Comm *oldcomm, const TOFU_NS::P2PSettings &);
  ~CommP2PRDMA() override;

  void init() override;
  void set_proc_grid(int outflag = 1) override;
  void setup() override;
  void forward_comm(int dummy = 0) override;
  void reverse_comm() override;
  void exchange() override;
  void borders() override;

  void coord2proc_setup() override;
  int coord2proc(double *, int &, int &, int &) override;

  void forward_comm(class Pair *, int size = 0) override;
  void reverse_comm(class Pair *, int size = 0) override;
  void forward_comm(class Bond *, int size = 0) override;
  void reverse_comm(class Bond *, int size = 0) override;
  void forward_comm(class Fix *, int size = 0) override;
  void reverse_comm(class Fix *, int size = 0) override;
  void reverse_comm_variable(class Fix *) override;
  void forward_comm(class Compute *, int size = 0) override;
  void reverse_comm(class Compute *, int size = 0) override;
  void forward_comm(class Dump *, int size = 0) override;
  void reverse_comm(class Dump *, int size = 0) override;

  void forward_comm_array(int, double **) override;

  /** As CommBrick::extract(), and "tofu/p2p_rdma": this object, which tells it from brick; its
      GhostExchange and its PlacedGrid. */
  void *extract(const char *, int &) override;
  double memory_usage() override;

  /** For info comm of a LAMMPS with packaging/upstream/comm-styles.patch, where it overrides. */
  virtual const char *style_name() const { return "p2p_rdma"; }

  /** Write to screen and log what has been exchanged since the last init().  Collective. */
  void print_statistics();

  bool half_shell() const override;    // chosen by init()

  /** How the user wants messages to travel. */
  const TOFU_NS::P2PSettings &settings() const;

  /** The current style if it is this one, else nullptr. */
  static CommP2PRDMA *find(class Comm *);

  // for ranks that compute rows of neighbor lists for each other

  using RanksOf = std::function<std::vector<int>(int)>;

  /** Link every rank to its partners as well, from the next setup() on; nullptr: no more.

      \param partners_of   ranks beside a rank, which each have it among theirs; the same function
                           on all ranks, it must live as long as it is set
      \param reach         link also to all that send ghosts to partners
      \param signature     numbers that differ when the partners do; the same on all ranks */
  void set_partners(const RanksOf &partners_of, bool reach, const std::vector<int> &signature);

  /** The sub-boxes of all ranks as fractions of the box if they are no grid, else nullptr; valid
      until the next setup().  Collective if they have changed since the last setup(). */
  const TOFU_NS::Tiles *tiles();

  /** Ghosts beyond the pattern, which partners send each other. */
  class AppendedGhosts &appended_ghosts();

  int nghost_of_pattern() const override;
  void reverse_comm_of_rows() override;
  bool knows_rows() const override;
  double reach_of_links() const override;
  void expect_near_atoms() override;

 private:
  struct Impl;    // plan, transport, buffers: everything that is not LAMMPS
  Impl *impl;

  void choose_pattern(bool half, double advantage);
  void choose_shell();
  void expect_cutghost();
  void compute_cutghost();
  bool is_tiled() const { return layout == LAYOUT_TILED; }
  void make_plan();
  void find_links();
  void find_links_of_tiles();
  void choose_peers_of_tiles(const std::vector<int> &wanted, const std::vector<int> &before);
  std::vector<double> basis_of_tiled_plan() const;
  bool has_tiled_plan() const;
  std::vector<int> neighbors_of(int rank) const;
  std::map<int, int> wanted_links();
  void set_geometry();    // collective if a tiled layout is new
  void learn_tiles();
  void check_tiles(const std::vector<TOFU_NS::TileBox> &) const;
  void set_cutoffs();
  void connect_peers();
  bool slots_are_too_small(const std::vector<int> &peers);
  std::string brief_statistics();
  std::string all_statistics();
  void tell_report();
  void tell_transport();
  void measure_density();
  double own_fraction() const;
  void grow_arrays();
  void register_arrays();
  TOFU_NS::GhostLanding landing_of_ghosts() const;
  std::size_t message_bytes(int rank, double safety) const;
  std::size_t work_bytes(double safety) const;
  void add_statistics_fix();
  void tell_overridden() const;

  std::array<int, 3> place_in_grid(const double *x) const;
  int owner_in_grid(const double *x) const;
  void exchange_as_brick();
  bool is_beyond_adjacent(const double *x) const;
  void clear_map();
  void find_destinations();
  void migrate_far_atoms();
  void migrate_all();
  void pack_leaving_atoms();
  void swap_leaving_atoms();

  using Messages = std::map<int, std::vector<char>>;    // by rank
  class AppendedHost;
  void send_messages(const Messages &out, Messages &in);
  void receive_messages();
  void send_message(int rank, const std::vector<char> &bytes);

  void list_border_atoms();
  void list_border_atoms_staged(int stage);
  void swap_borders(int stage);
  int pack_border_of(int i, int first, int n, double *values);
  void unpack_border_of(int i, int first, int n, const double *packed);
  std::size_t border_size_of(int i) const;
  void copy_own_borders(const TOFU_NS::HaloStage &);
  void unpack_borders(const TOFU_NS::HaloStage &);
  void forward_atoms();
  void forward_positions(const std::vector<double *> &vectors);
  TOFU_NS::Parts parts_of_pool() const;    // one if threads of this style have its processors
  TOFU_NS::Parts parts_for_images(int nimages) const;
  std::array<std::array<double, 3>, 3> image_shifts() const;
  void make_images(int swap, const std::array<std::array<double, 3>, 3> &box, double *x,
                   const std::vector<double *> &vectors);
  void return_images(int swap, double *f) const;
  void finish_borders();
  void check_borders();
  const double *shift_of(int swap, double *shift) const;
  void put_forces(TOFU_NS::Link &, int swap, int n);
  void get_forces(int swap, int n, const std::byte *&cursor);

  template <class Pack, class Unpack>
  void forward_packed(int phase, int nsize, Pack pack, Unpack unpack);
  template <class Pack, class Unpack>
  void reverse_packed(int phase, int nsize, Pack pack, Unpack unpack);
  template <class Style> void forward_style(Style *style, int nsize);
  template <class Style> void reverse_style(Style *style, int nsize);
  template <class Work> void guarded(int phase, Work);
};

}    // namespace LAMMPS_NS

#endif
