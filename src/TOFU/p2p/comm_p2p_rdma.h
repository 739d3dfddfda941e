// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Ghost exchange with every neighbor at once, by one-sided messages.

   comm_style brick passes ghosts on in three stages to six ranks; this style
   sends them straight to all ranks within the cut-off (26 and more), over a
   transport that writes into the receiver's memory.  It gives the same
   ghosts, in an order of its own, wherever brick works.

   With "layout tiled" it serves the layouts of recursive bisection as well.
   Then its public member "style" is TILED, which the commands balance and fix
   balance read; it is derived from CommBrick with either value.

   Li, Zhao, Guo, et al., "Enhance the Strong Scaling of LAMMPS on Fugaku",
   SC'23: peer-to-peer pattern, message combine, registered buffers.
------------------------------------------------------------------------- */

#ifndef LMP_COMM_P2P_RDMA_H
#define LMP_COMM_P2P_RDMA_H

#include "comm_p2p_styles.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace TOFU_NS {
struct P2PSettings;
class Tiles;
}    // namespace TOFU_NS

namespace LAMMPS_NS {

class CommP2PRDMA : public CommP2PStyles {
 public:
  CommP2PRDMA(class LAMMPS *, class Comm *oldcomm, const TOFU_NS::P2PSettings &);
  ~CommP2PRDMA() override;

  void init() override;
  void set_proc_grid(int outflag = 1) override;
  void setup() override;
  void exchange() override;
  void borders() override;
  using CommP2PStyles::forward_comm;
  void forward_comm(int dummy = 0) override;
  using CommP2PStyles::reverse_comm;
  void reverse_comm() override;

  void coord2proc_setup() override;
  int coord2proc(double *, int &, int &, int &) override;

  /** As CommBrick::extract(), and "tofu/p2p_rdma": this object, which brick does not have; its
      GhostExchange and its PlacedGrid. */
  void *extract(const char *, int &) override;
  double memory_usage() override;

  /** For info comm of a LAMMPS with packaging/upstream/comm-styles.patch, where it overrides. */
  virtual const char *style_name() const { return "p2p/rdma"; }

  /** Write to screen and log what has been exchanged since the last init().  Collective. */
  void print_statistics();

  /** How the user wants messages to travel. */
  const TOFU_NS::P2PSettings &settings() const;

  /** The current style if it is this one, else nullptr. */
  static CommP2PRDMA *find(class Comm *);

  // for ranks that compute rows of neighbor lists for each other

  using RanksOf = std::function<std::vector<int>(int)>;

  /** Link every rank to its partners as well, from the next setup() on; nullptr: no more.
      Arguments as of PartnerLinks::set(). */
  void set_partners(const RanksOf &partners_of, bool with_senders_to_partners,
                    const std::vector<int> &signature);

  /** The sub-boxes of all ranks as fractions of the box if they are no grid, else nullptr; valid
      until the next setup().  Collective if they have changed since the last setup(). */
  const TOFU_NS::Tiles *tiles();

  /** Ghosts beyond the pattern, which partners send each other. */
  class AppendedGhosts &appended_ghosts();

  /** # of ghosts of the last borders(), without those appended since. */
  int nghost_of_pattern() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl;

  Exchange exchange_of_styles() override;
  void update_sizes();
  std::vector<double> ghost_cutoffs() const;
  std::pair<const double *, const double *> slab_of(int swap) const;
};

}    // namespace LAMMPS_NS

#endif
