/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Ghost exchange with every neighbor at once, by one-sided messages.

   comm_style brick passes ghosts on in three stages to six ranks; this style
   sends them straight to all ranks within the cut-off (26 and more), over a
   transport that writes into the receiver's memory.  It gives the same
   ghosts, in an order of its own, wherever brick works.  It does not serve
   tiled layouts.

   Li, Zhao, Guo, et al., "Enhance the Strong Scaling of LAMMPS on Fugaku",
   SC'23: peer-to-peer pattern, message combine, registered buffers.
------------------------------------------------------------------------- */

#ifndef LMP_COMM_P2P_RDMA_H
#define LMP_COMM_P2P_RDMA_H

#include "comm_brick.h"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

namespace TOFU_NS {
class GhostSources;
class KnownSources;
class Link;
struct GhostLanding;
struct GhostWish;
struct HaloSwap;
struct P2PSettings;
}    // namespace TOFU_NS

namespace LAMMPS_NS {

class CommP2PRDMA : public CommBrick {
 public:
  CommP2PRDMA(class LAMMPS *, class Comm *oldcomm, const TOFU_NS::P2PSettings &);
  ~CommP2PRDMA() override;

  void init() override;
  void setup() override;
  void forward_comm(int dummy = 0) override;
  void reverse_comm() override;
  void exchange() override;
  void borders() override;

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

  /** As CommBrick::extract(), and "tofu/p2p_rdma": this object, which tells it from brick. */
  void *extract(const char *, int &) override;
  double memory_usage() override;

  /** Write to screen and log what has been exchanged since the last init().  Collective. */
  void print_statistics();

  /** True if ghosts come from upper neighbors only, so that neighbor lists store all pairs of
      an owned and a ghost atom.  Set by init(), for all runs up to the next one. */
  bool half_shell() const;

  /** How the user wants messages to travel. */
  const TOFU_NS::P2PSettings &settings() const;

  /** The current style if it is this one, else nullptr. */
  static CommP2PRDMA *find(class Comm *);

  // for those who hand work to other ranks

  using RanksOf = std::function<std::vector<int>(int)>;

  struct GhostAsker {
    int rank;
    int donor;    // who gives it rows, -1 if there are several
  };

  /** Link every rank to its partners as well, from the next setup() on; nullptr: no more.

      Args:
        partners_of   ranks beside a rank, which each have it among theirs; the same function on all
                      ranks, it must live as long as it is set
        reach         link also to all who send ghosts to partners
        signature     numbers that differ when the partners do; the same on all ranks */
  void set_partners(const RanksOf &partners_of, bool reach, const std::vector<int> &signature);

  /** Send a message to each of these ranks, get one from each of those; all of them linked.

      Args:
        out   by rank; what else belongs to the message is known to its reader
        in    by rank, filled in */
  void swap_messages(const std::map<int, std::vector<char>> &out,
                     std::map<int, std::vector<char>> &in);

  /** The same in two steps: messages are on their way while this rank does something else, and have
      arrived when receive_messages() returns.  Any other call that communicates receives them first;
      both maps must live until then. */
  void send_messages(const std::map<int, std::vector<char>> &out,
                     std::map<int, std::vector<char>> &in);
  void receive_messages();

  // ghosts beyond the pattern, all ranks together: begin_shipments(); donors sources_for() and, when they
  // know what their rows name, pack_shipments(); a message; receivers find_shipments(); append_ghosts()

  void begin_shipments();

  /** How a receiver of rows gets the atoms that they name.  To be called once for each receiver, in
      ascending order.

      Args:
        forward   true: this rank forwards what others own; false: the owner sends it, if he is linked
                  to the receiver */
  TOFU_NS::GhostSources &sources_for(int receiver, bool forward);

  /** Append what sources_for(receiver) has promised to ship to a message whose length is a multiple
      of 8. */
  void pack_shipments(int receiver, std::vector<char> &message);

  /** Take note of what a donor has shipped; donors in ascending order, messages must remain until
      append_ghosts().

      Returns: length of the message without it */
  std::size_t find_shipments(int donor, const std::vector<char> &message);

  /** Numbers of the first atom of each shipment of a donor among all shipped atoms that this rank
      gets. */
  const int *shipped_ghosts(int donor) const;

  /** Begin to look up other sources of a donor among the atoms of this rank.

      Args:
        boxes   box lengths by which the donor's coordinates differ from this rank's */
  void know_sources(int donor, const std::array<int, 3> &boxes, TOFU_NS::KnownSources &) const;
  int nshipped() const;

  /** Append ghosts to those of the last borders(); they live until the next one.  To be called after
      the neighbor lists have been built, on all ranks.

      Args:
        wishes    [n] what this rank wants beside what is shipped, each atom once
        askers    ranks that may have wishes, the same on all ranks
      Returns: [nshipped()+n] local index of each */
  std::vector<int> append_ghosts(const std::vector<TOFU_NS::GhostWish> &wishes,
                                 const std::vector<GhostAsker> &askers);

  /** # of ghosts without those appended. */
  int nghost_of_pattern() const;

  /** reverse_comm() where no ghost has a force but those whose rows this rank computes for their owner;
      possible if knows_rows(), which is the same on all ranks. */
  void reverse_comm_of_rows();
  bool knows_rows() const;

 private:
  struct Engine;    // plan, transport, buffers: everything that is not LAMMPS
  Engine *engine;

  void choose_pattern(bool half, double advantage);
  void choose_shell();
  void expect_cutghost();
  void find_links();
  std::vector<int> neighbors_of(int rank) const;
  void set_geometry();
  void set_cutoffs();
  void connect_peers();
  void measure_density();
  double own_fraction() const;
  void grow_arrays();
  void register_arrays();
  TOFU_NS::GhostLanding landing_of_ghosts() const;
  std::size_t message_bytes(int rank, double safety) const;
  std::size_t work_bytes(double safety) const;
  void add_statistics_fix();

  void find_destinations();
  void migrate_far_atoms();
  void pack_leaving_atoms();
  void swap_leaving_atoms();

  struct WishGroup;
  struct AppendedSwap;
  std::map<int, std::vector<char>> ask_for_ghosts(const std::vector<WishGroup> &groups,
                                                  const std::vector<GhostAsker> &askers);
  void send_message(int rank, const std::vector<char> &bytes);
  void append_swaps(const std::vector<WishGroup> &groups,
                    const std::map<int, std::vector<char>> &asked);
  AppendedSwap swap_for(int asker, const WishGroup &group) const;
  void append_shipments(std::vector<AppendedSwap> &swaps) const;
  void swap_appended(int before);
  void pack_as_border(const TOFU_NS::HaloSwap &, int n, int *list, std::vector<char> &bytes);
  void unpack_as_ghosts(int n, double *values);
  void count_rows(int nplan);
  void unpack_shipments();
  void finish_appended(int before);

  void list_border_atoms();
  void list_border_atoms_staged(int stage);
  void swap_borders(int stage);
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
