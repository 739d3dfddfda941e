/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Members of CommP2PRDMA, for its source files only.

#ifndef LMP_COMM_P2P_RDMA_IMPL_H
#define LMP_COMM_P2P_RDMA_IMPL_H

#include "comm_p2p_rdma.h"

#include "appended_ghosts-inl.h"
#include "halo/border_bins.h"
#include "halo/halo_exchange.h"
#include "halo/halo_plan.h"
#include "halo/rank_map.h"
#include "halo/tile_borders.h"
#include "halo/tiled_plan.h"
#include "p2p_settings.h"
#include "p2p/places/placed_grid.h"
#include "transport/node_watch.h"
#include "transport/transport.h"

#include "error.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

/** Functions of this style that AppendedGhosts needs. */
class CommP2PRDMA::AppendedHost final : public AppendedGhosts::Host {
 public:
  explicit AppendedHost(CommP2PRDMA &style_in) : style(style_in) {}
  TOFU_NS::HaloPlan &plan() override;
  TOFU_NS::HaloExchange &halo() override;
  const std::vector<int> &linked_ranks() const override;
  bool can_ask(int receiver, int owner) const override;
  void send_messages(const Messages &out, Messages &in) override;
  void receive_messages() override;
  double *packing_buffer(int natoms) override;
  void plan_has_changed() override;
  void ghosts_were_appended() override;

 private:
  CommP2PRDMA &style;
};

struct CommP2PRDMA::Impl {
  static constexpr int EXTRA = 1024;    // doubles that every packing buffer has to spare

  enum Phase { EXCHANGE, BORDERS, FORWARD, REVERSE, STYLES, WORK, NPHASES };

  explicit Impl(const TOFU_NS::P2PSettings &s) : settings(s), grid(settings.place) {}

  TOFU_NS::P2PSettings settings;
  TOFU_NS::PlacedGrid grid;

  // assignment of regions to ranks

  TOFU_NS::HaloGeometry geometry;
  std::unique_ptr<TOFU_NS::RankMap> ranks;                // nullptr: the grid is new
  TOFU_NS::Pattern pattern = TOFU_NS::Pattern::DIRECT;    // of the plan; not AUTO
  TOFU_NS::HaloPlan plan;
  bool half = false;             // ghosts come from upper neighbors only
  std::string shell;             // text about it for the log
  std::string told_transport;    // text about the backends for the log
  std::vector<double> cut;       // [nkinds][3] ghost cut-off per kind of atom and dimension
  bool ghosts_rest = false;      // ghosts are not read between reverse_comm() and the next step
  std::vector<int> linked;       // signature of the plan that the transport was made for
  std::vector<int> peers;        // linked ranks, ascending: neighbors of the plan and others
  std::vector<int> hops;         // [npeers] how many sub-boxes away

  // the same for a tiled layout

  struct TiledLayout {
    std::unique_ptr<TOFU_NS::Tiles> tiles;    // nullptr: not known yet
    TOFU_NS::TiledGeometry geometry;
    bigint nlayouts = 0;            // how many there have been
    std::vector<double> planned;    // what the last plan was made of; the same on all ranks
    int nlinked = 0;                // how often links were made for such layouts
    std::vector<int> signature;     // of the last of them
    bool complete = false;          // whether all ranks have links to all others
    TOFU_NS::TileBorders borders;
  } tiled;

  int nghost = 0;                // ghosts of the pattern, without those appended
  double densest = 0.0;          // atoms per box, in the densest sub-box
  bool check_capacity = true;    // sizes may have changed: look whether slots are large enough
  bool all_near = false;         // in the next exchange() no atom goes to a rank without a link
  bool ready = false;            // borders() has been called for this plan

  // ranks that hand work to each other

  struct Partners {
    RanksOf of;                                   // nullptr: none
    bool reach = false;                           // links to all ranks that send them ghosts, too
    std::vector<int> signature;                   // in short
    std::map<int, std::vector<int>> neighbors;    // of each partner, ascending
    std::map<int, std::vector<char>> *expected = nullptr;    // on their way here, by rank
    std::map<int, const std::vector<char> *> held;           // not sent yet, by rank
  } partners;
  std::unique_ptr<AppendedHost> appended_host;
  std::unique_ptr<AppendedGhosts> appended;

  // links to the peers; the transport uses the bootstrap until its end

  std::unique_ptr<TOFU_NS::Bootstrap> bootstrap;
  std::unique_ptr<TOFU_NS::NodeWatch> watch;
  std::unique_ptr<TOFU_NS::Transport> transport;
  TOFU_NS::ConnectReport report;
  std::unique_ptr<TOFU_NS::CommTeam> team;    // nullptr: one thread does it all
  TOFU_NS::HaloExchange halo;
  TOFU_NS::BorderBins bins;

  // scratch memory; grows, never shrinks

  struct Incoming {    // data that borders() brings for one swap
    int natoms;
    const double *data;    // in a slot, until the end of the stage; nullptr: of this rank itself
  };
  std::vector<double> buffer;                   // packing
  std::vector<double *> ghost_velocities;       // of the step at hand
  std::vector<Incoming> incoming;               // [nswaps]
  std::vector<std::vector<double>> outgoing;    // [npeers] atoms that leave
  std::vector<int> destination;                 // [nlocal] rank each atom belongs to, -1 none
  std::vector<std::vector<int>> leaving;        // [parts] atoms that belong to others, ascending
  int nfirst = 0, nlast = 0;                    // staged: atoms that this round may forward

  const double *registered_x = nullptr;    // where offered ghosts may land

  struct Statistics {
    std::array<double, NPHASES> seconds{};    // since the last init()
    std::array<bigint, NPHASES> ncalls{};
    bigint nconnects = 0;      // since the style was chosen
    bigint nregistered = 0;    // regions registered since then
    bigint narrays = 0;        // registrations of x and f since then
    bigint nfar = 0;           // exchanges with atoms that moved beyond all neighbors
    bigint nasked = 0;         // exchanges that asked all ranks whether there are such atoms
  } statistics;

  /** Whether positions land in x and forces leave from f. */
  bool lands() const { return settings.landing && transport && transport->takes_arrays(); }

  double *room(std::size_t ndoubles)
  {
    if (buffer.size() < ndoubles) buffer.resize(ndoubles + ndoubles / 2);
    return buffer.data();
  }

  /** Append the number of values in the packing buffer, then the values. */
  void put_counted(TOFU_NS::Link &link, int nvalues) const
  {
    const std::int64_t count = nvalues;
    link.append(&count, sizeof(count));
    link.append(buffer.data(), nvalues * sizeof(double));
  }
};

/* ----------------------------------------------------------------------
   every call from LAMMPS passes here: its time is added to a phase, and a
   failure that the transport cannot repair becomes an error of this rank
------------------------------------------------------------------------- */

template <class Work> void CommP2PRDMA::guarded(int phase, Work work)
{
  using Clock = std::chrono::steady_clock;
  if (phase != Impl::WORK) receive_messages();    // they have been sent before
  const auto start = Clock::now();
  try {
    work();
  } catch (const TOFU_NS::TransportError &failure) {
    if (impl->transport) impl->transport->mark_broken();
    error->one(FLERR, "comm_style p2p_rdma: {}", failure.what());
  }
  impl->statistics.seconds[phase] += std::chrono::duration<double>(Clock::now() - start).count();
  impl->statistics.ncalls[phase]++;
}

/* ----------------------------------------------------------------------
   values that a pack routine makes of the owned atoms of each swap go to the
   ghosts.  A routine may pack less than nsize values per atom, so their number
   travels in front of them

     n = pack(natoms, list, buffer, pbc_flag, pbc)
     unpack(natoms, first, buffer)
------------------------------------------------------------------------- */

template <class Pack, class Unpack>
void CommP2PRDMA::forward_packed(int phase, int nsize, Pack pack, Unpack unpack)
{
  if (!impl->ready) return;
  TOFU_NS::HaloExchange &halo = impl->halo;
  const std::size_t size = std::max(nsize, maxforward);

  auto pack_swap = [&](int i) {
    TOFU_NS::HaloSwap &swap = impl->plan.swaps[i];
    double *buffer = impl->room(size * halo.nsent(i) + Impl::EXTRA);
    return pack(halo.nsent(i), halo.sent(i), buffer, swap.pbc_flag, swap.pbc);
  };
  auto put = [&](int i, TOFU_NS::Link &link) {
    impl->put_counted(link, pack_swap(i));
  };
  auto get = [&](int i, const std::byte *&cursor) {
    unpack(halo.nghosts(i), halo.first_ghost(i), get_counted(cursor));
  };
  auto self = [&](int i) {
    pack_swap(i);
    unpack(halo.nghosts(i), halo.first_ghost(i), impl->buffer.data());
  };
  guarded(phase, [&]() {
    halo.forward(TOFU_NS::ReadOrder::FIXED, TOFU_NS::Callbacks::SERIAL, put, get, self);
  });
}

/* ----------------------------------------------------------------------
   the same from ghosts to owners

     n = pack(natoms, first, buffer)
     unpack(natoms, list, buffer)
------------------------------------------------------------------------- */

template <class Pack, class Unpack>
void CommP2PRDMA::reverse_packed(int phase, int nsize, Pack pack, Unpack unpack)
{
  if (!impl->ready) return;
  TOFU_NS::HaloExchange &halo = impl->halo;
  const std::size_t size = std::max(nsize, maxreverse);

  auto pack_swap = [&](int i) {
    double *buffer = impl->room(size * halo.nghosts(i) + Impl::EXTRA);
    return pack(halo.nghosts(i), halo.first_ghost(i), buffer);
  };
  auto put = [&](int i, TOFU_NS::Link &link) {
    impl->put_counted(link, pack_swap(i));
  };
  auto get = [&](int i, const std::byte *&cursor) {
    unpack(halo.nsent(i), halo.sent(i), get_counted(cursor));
  };
  auto self = [&](int i) {
    pack_swap(i);
    unpack(halo.nsent(i), halo.sent(i), impl->buffer.data());
  };
  guarded(phase, [&]() { halo.reverse(TOFU_NS::Callbacks::SERIAL, put, get, self); });
}

}    // namespace LAMMPS_NS

#endif
