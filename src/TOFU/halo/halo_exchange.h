// SPDX-License-Identifier: GPL-2.0-only
//
// HaloExchange: runs a HaloPlan over a Transport.
//
// Forward carries owner -> ghost, reverse ghost -> owner.  All regions between two ranks in one
// stage travel in one message, in the plan's order.  Everything is sent before anything is awaited.
// The callbacks define the meaning of the bytes.
//
// Positions may be written directly into the receiver's array (transport/landing.h).  The offer for
// that travels with a message of forces, after which its sender does not read its ghosts any more.
// It is valid for the next forward only.  Without an offer the message goes to a slot; the received
// positions are the same.

#ifndef TOFU_HALO_HALO_EXCHANGE_H
#define TOFU_HALO_HALO_EXCHANGE_H

#include "halo_plan.h"
#include "self_images.h"
#include "send_lists.h"
#include "transport/comm_team.h"
#include "transport/transport.h"

#include <cstring>
#include <utility>
#include <vector>

namespace TOFU_NS {

/** Whether the callbacks for different swaps may be called by different threads at once. */
enum class Callbacks { SERIAL, CONCURRENT };

/** Order in which the messages of a stage are read. */
enum class ReadOrder {
  ARRIVAL,    // order of arrival; only where the regions do not overlap
  FIXED       // order of the plan: sums do not depend on timing
};

/** Whether forward() may use what reverse() has offered, and where ghosts are to land. */
struct GhostLanding {
  bool wanted = false;          // on all ranks alike
  const double *x = nullptr;    // [natoms][3] registered; nullptr: no offers this time
};

class HaloExchange {
 public:
  /** The arguments must live as long as the object is used.

      \param plan        with the swaps
      \param transport   with a link to each peer of the plan
      \param team        a member per lane of the transport; nullptr: the caller serves all lanes */
  void bind(HaloPlan *plan, Transport *transport, CommTeam *team = nullptr);

  HaloPlan &plan() { return *plan_; }
  const HaloPlan &plan() const { return *plan_; }

  /** The plan has other swaps than before, with the same ranks or others that are linked. */
  void plan_has_changed() { bind(plan_, transport_, team_); }

  // ---- atoms and ghosts of the swaps: begin(); lists and set_ghosts() for the pattern; any number
  //      of append(); count_atoms()

  /** Clear all swaps. */
  void begin(int nswaps);

  /** Lists to be filled, one for each swap of the pattern, with owned atoms, and in the staged
      pattern also ghosts. */
  SendLists &new_lists() { return lists_; }

  /** Set the ghosts that a swap of the pattern has brought.

      \param swap      number in the plan
      \param nghosts   # of its ghosts
      \param first     index of the first of its ghosts */
  void set_ghosts(int swap, int nghosts, int first);

  /** Append one more swap behind all others; the caller appends it to the plan, too. */
  void append(const std::vector<int> &sent, int nghosts, int first);

  /** Set the atoms whose rows a receiver computes for their owner.

      \param sent       [nswaps] # of atoms that the swap sends, up to the last with such a row
      \param received   [nswaps] # of ghosts that it brings, likewise */
  void set_rows(std::vector<int> sent, std::vector<int> received);

  /** To be called when the swaps are complete: counts atoms per message, finds the sources of swaps
      of this rank with itself, and drops all offers. */
  void count_atoms();

  const SendLists &lists() const { return lists_; }
  const std::vector<int> &first_ghosts() const { return first_; }    // [nswaps]

  /** [nsent(swap)] atoms that a swap sends; not const, as AtomVec's routines want it. */
  int *sent(int swap) { return lists_.list(swap); }
  const int *sent(int swap) const { return lists_.list(swap); }
  int nsent(int swap) const { return lists_.count(swap); }
  int nghosts(int swap) const { return nghosts_[swap]; }
  int first_ghost(int swap) const { return first_[swap]; }
  int nrows_sent(int swap) const { return rows_sent_[swap]; }
  int nrows_received(int swap) const { return rows_received_[swap]; }

  /** Effect of swaps of this rank with itself on positions and forces. */
  const SelfImages &self_images() const { return self_images_; }

  // ---- messages

  /** \param order       in which messages are read
      \param callbacks   whether they may be called by several threads at a time
      \param put         put(swap, link): append what this swap sends
      \param get         get(swap, cursor): consume what this swap brings, advance the cursor
      \param self        self(swap): copy what a swap of this rank to itself brings
      \param landing     if wanted, get() is not called for messages that land in the array

      With concurrent callbacks each lane is served by its member of the team. */
  template <class Put, class Get, class Self>
  void forward(ReadOrder order, Callbacks callbacks, Put &&put, Get &&get, Self &&self,
               const GhostLanding &landing = {});

  /** Send from ghosts to owners, stages in reverse; messages are read in fixed order.  With
      concurrent callbacks the lanes send and wait; only the caller reads, since sums depend on the
      order.

      \param callbacks   whether they may be called by several threads at a time
      \param put         as in forward(), for ghosts
      \param get         as in forward(), for owners
      \param self        as in forward()
      \param landing     if wanted, offers travel with the messages */
  template <class Put, class Get, class Self>
  void reverse(Callbacks callbacks, Put &&put, Get &&get, Self &&self,
               const GhostLanding &landing = {});

  /** As reverse(), for the ghosts whose rows this rank computes for their owners, with plans of one
      stage; put() and get() use nrows_received() and nrows_sent(). */
  template <class Put, class Get> void reverse_rows(Callbacks callbacks, Put &&put, Get &&get);

  /** One stage of borders(), in which the receiver gets the numbers of ghosts.  Reading is split:
      `get` is called for every message of the stage before `finish()` unpacks, and messages are
      released after that, so that ghosts can be stored in the plan's order. */
  template <class Put, class Get, class Finish>
  void borders(const HaloStage &stage, Put &&put, Get &&get, Finish &&finish);

  /** Link of a rank in the transport. */
  int link_of(int rank) const { return transport_->find(rank); }

 private:
  struct Traffic {    // one peer in one stage
    int link, lane;
    int nsend = 0, nrecv = 0;              // atoms in all swaps together
    int nsend_rows = 0, nrecv_rows = 0;    // of them, up to the last ones with rows
    Landing offer;                         // of the peer, for the next forward

    bool is_in(int which) const { return which == Transport::ALL_LANES || which == lane; }
  };

  struct Counts {    // of atoms in the messages of a stage
    int Traffic::*nsend, Traffic::*nrecv;
  };

  template <class Put, class Get, class Self>
  void reverse_stage(std::size_t s, Callbacks callbacks, Counts counts, Put &&put, Get &&get,
                     Self &&self);
  template <class Work> void for_lanes(Callbacks callbacks, Work &&work);
  template <class Read> void read_as_they_arrive(const std::vector<Traffic> &traffic, Read &&read);
  Landing make_offer(const ArrayAccess &arrays, const HaloPeer &peer, const double *x) const;

  SendLists lists_;
  std::vector<int> nghosts_, first_;              // [nswaps]
  std::vector<int> rows_sent_, rows_received_;    // [nswaps] or empty: no rank has others' rows
  SelfImages self_images_;
  HaloPlan *plan_ = nullptr;
  Transport *transport_ = nullptr;
  CommTeam *team_ = nullptr;
  std::vector<std::vector<Traffic>> traffic_;    // [nstages][npeers of the stage]
  std::vector<int> pending_;                     // links still awaited
};

/* ---------------------------------------------------------------------- */

inline void HaloExchange::bind(HaloPlan *plan, Transport *transport, CommTeam *team)
{
  plan_ = plan;
  transport_ = transport;
  team_ = team;
  traffic_.clear();
  for (const HaloStage &stage : plan->stages) {
    traffic_.emplace_back();
    for (const HaloPeer &peer : stage.peers) {
      const int link = transport->find(peer.rank);
      traffic_.back().push_back({link, transport->lane_of(link)});
    }
  }
}

/* ---------------------------------------------------------------------- */

inline void HaloExchange::begin(int nswaps)
{
  lists_.clear();
  nghosts_.assign(nswaps, 0);
  first_.assign(nswaps, 0);
  rows_sent_.clear();
  rows_received_.clear();
}

/* ---------------------------------------------------------------------- */

inline void HaloExchange::set_ghosts(int swap, int nghosts, int first)
{
  nghosts_[swap] = nghosts;
  first_[swap] = first;
}

/* ---------------------------------------------------------------------- */

inline void HaloExchange::append(const std::vector<int> &sent, int nghosts, int first)
{
  for (int i : sent) lists_.add(i);
  lists_.finish_swap();
  nghosts_.push_back(nghosts);
  first_.push_back(first);
}

/* ---------------------------------------------------------------------- */

inline void HaloExchange::set_rows(std::vector<int> sent, std::vector<int> received)
{
  rows_sent_ = std::move(sent);
  rows_received_ = std::move(received);
}

/* ---------------------------------------------------------------------- */

inline void HaloExchange::count_atoms()
{
  const bool few_atoms = !first_.empty() && first_[0] <= SelfImages::FEW_ATOMS;
  self_images_.build(*plan_, lists_, first_, few_atoms);
  for (std::size_t s = 0; s < traffic_.size(); s++)
    for (std::size_t p = 0; p < traffic_[s].size(); p++) {
      Traffic &traffic = traffic_[s][p];
      traffic.nsend = traffic.nrecv = traffic.nsend_rows = traffic.nrecv_rows = 0;
      traffic.offer = Landing();
      for (int swap : plan_->stages[s].peers[p].sends) {
        traffic.nsend += lists_.count(swap);
        traffic.nsend_rows += rows_sent_.empty() ? 0 : rows_sent_[swap];
      }
      for (int swap : plan_->stages[s].peers[p].recvs) {
        traffic.nrecv += nghosts_[swap];
        traffic.nrecv_rows += rows_received_.empty() ? 0 : rows_received_[swap];
      }
    }
}

/* ----------------------------------------------------------------------
   where the ghosts of one message are; swaps that follow each other are one
   place.  Nothing if there are too many places for one message
------------------------------------------------------------------------- */

inline Landing HaloExchange::make_offer(const ArrayAccess &arrays, const HaloPeer &peer,
                                        const double *x) const
{
  ArrayPieces pieces;
  int end = -1;
  for (int swap : peer.recvs) {
    if (nghosts_[swap] == 0) continue;
    const std::size_t nbytes = nghosts_[swap] * 3 * sizeof(double);
    if (first_[swap] == end) {
      pieces.pieces[pieces.npieces - 1].nbytes += nbytes;
    } else {
      if (pieces.npieces == Landing::MAX_PLACES) return {};
      pieces.pieces[pieces.npieces++] = {x + 3 * static_cast<std::size_t>(first_[swap]), nbytes};
    }
    end = first_[swap] + nghosts_[swap];
  }
  return arrays.make_offer(pieces);
}

/* ----------------------------------------------------------------------
   do work(lane) for all lanes: by the team, or one after the other by the
   caller, which then serves all lanes while it waits
------------------------------------------------------------------------- */

template <class Work> void HaloExchange::for_lanes(Callbacks callbacks, Work &&work)
{
  if (!team_ || callbacks == Callbacks::SERIAL) {
    work(Transport::ALL_LANES);
    return;
  }
  const Transport::Concurrent concurrent(*transport_);
  team_->run(work, [&](int lane) { transport_->progress(lane); });
}

/* ----------------------------------------------------------------------
   the counts are the same on both sides: a message without atoms is not sent
------------------------------------------------------------------------- */

template <class Put, class Get, class Self>
void HaloExchange::forward(ReadOrder order, Callbacks callbacks, Put &&put, Get &&get, Self &&self,
                           const GhostLanding &landing)
{
  for (std::size_t s = 0; s < traffic_.size(); s++) {
    const HaloStage &stage = plan_->stages[s];
    std::vector<Traffic> &traffic = traffic_[s];

    for_lanes(callbacks, [&](int lane) {
      for (std::size_t p = 0; p < traffic.size(); p++) {
        if (!traffic[p].nsend || !traffic[p].is_in(lane)) continue;
        Link &link = transport_->link(traffic[p].link);
        const bool lands = landing.wanted && traffic[p].offer.nplaces > 0 &&
            traffic[p].nsend * 3 * sizeof(double) <= link.channel().send_capacity();
        link.open(MessageKind::FORWARD, lands ? &traffic[p].offer : nullptr);
        for (int swap : stage.peers[p].sends) put(swap, link);
        link.close();
        if (landing.wanted) traffic[p].offer = Landing();
      }

      if (lane <= 0)
        for (int swap : stage.self) self(swap);

      auto read = [&](std::size_t p) {
        const Message &message = transport_->wait(traffic[p].link, MessageKind::FORWARD);
        const std::byte *cursor = message.data;
        if (!message.landed)
          for (int swap : stage.peers[p].recvs) get(swap, cursor);
        transport_->link(traffic[p].link).release();
      };
      if (order == ReadOrder::FIXED || lane != Transport::ALL_LANES) {
        for (std::size_t p = 0; p < traffic.size(); p++)
          if (traffic[p].nrecv && traffic[p].is_in(lane)) read(p);
      } else {
        read_as_they_arrive(traffic, read);
      }
      transport_->settle(lane);
    });
  }
}

/* ---------------------------------------------------------------------- */

template <class Read>
void HaloExchange::read_as_they_arrive(const std::vector<Traffic> &traffic, Read &&read)
{
  pending_.clear();
  for (const Traffic &one : traffic)
    if (one.nrecv) pending_.push_back(one.link);
  while (!pending_.empty()) {
    const int link = transport_->wait_any(pending_, MessageKind::FORWARD);
    std::size_t p = 0;
    while (traffic[p].link != link) p++;
    read(p);
  }
}

/* ---------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   the counts are the same on both sides: a message without atoms is not sent

     put(traffic, peer, link), self(), get(traffic, peer, cursor)
------------------------------------------------------------------------- */

template <class Put, class Get, class Self>
void HaloExchange::reverse_stage(std::size_t s, Callbacks callbacks, Counts counts, Put &&put,
                                 Get &&get, Self &&self)
{
  const HaloStage &stage = plan_->stages[s];
  std::vector<Traffic> &traffic = traffic_[s];

  for_lanes(callbacks, [&](int lane) {
    for (std::size_t p = 0; p < traffic.size(); p++) {
      if (!(traffic[p].*counts.nrecv) || !traffic[p].is_in(lane)) continue;
      Link &link = transport_->link(traffic[p].link);
      link.open(MessageKind::REVERSE);
      put(traffic[p], stage.peers[p], link);
      link.close();
    }
    if (lane == Transport::ALL_LANES) return;
    for (const Traffic &one : traffic)
      if (one.*counts.nsend && one.is_in(lane)) transport_->wait(one.link, MessageKind::REVERSE);
  });

  self();

  for (std::size_t p = 0; p < traffic.size(); p++) {
    if (!(traffic[p].*counts.nsend)) continue;
    const Message &message = transport_->wait(traffic[p].link, MessageKind::REVERSE);
    get(traffic[p], stage.peers[p], message.data);
    transport_->link(traffic[p].link).release();
  }
  transport_->settle(Transport::ALL_LANES);
}

/* ---------------------------------------------------------------------- */

template <class Put, class Get, class Self>
void HaloExchange::reverse(Callbacks callbacks, Put &&put, Get &&get, Self &&self,
                           const GhostLanding &landing)
{
  const auto takes_offers = [&](const Traffic &traffic) {
    return landing.wanted && transport_->link(traffic.link).takes_offers();
  };
  const auto put_all = [&](const Traffic &traffic, const HaloPeer &peer, Link &link) {
    if (takes_offers(traffic)) {
      const Landing offer = landing.x ? make_offer(*link.arrays(), peer, landing.x) : Landing();
      link.append(&offer, sizeof(offer));
    }
    for (int swap : peer.recvs) put(swap, link);
  };
  const auto get_all = [&](Traffic &traffic, const HaloPeer &peer, const std::byte *cursor) {
    if (takes_offers(traffic)) {
      std::memcpy(&traffic.offer, cursor, sizeof(Landing));
      cursor += sizeof(Landing);
    }
    for (int swap : peer.sends) get(swap, cursor);
  };
  for (std::size_t s = traffic_.size(); s-- > 0;)
    reverse_stage(s, callbacks, {&Traffic::nsend, &Traffic::nrecv}, put_all, get_all, [&]() {
      for (int swap : plan_->stages[s].self) self(swap);
    });
}

/* ---------------------------------------------------------------------- */

template <class Put, class Get>
void HaloExchange::reverse_rows(Callbacks callbacks, Put &&put, Get &&get)
{
  const auto put_all = [&](const Traffic &, const HaloPeer &peer, Link &link) {
    for (int swap : peer.recvs) put(swap, link);
  };
  const auto get_all = [&](const Traffic &, const HaloPeer &peer, const std::byte *cursor) {
    for (int swap : peer.sends) get(swap, cursor);
  };
  reverse_stage(0, callbacks, {&Traffic::nsend_rows, &Traffic::nrecv_rows}, put_all, get_all,
                []() {});
}

/* ---------------------------------------------------------------------- */

template <class Put, class Get, class Finish>
void HaloExchange::borders(const HaloStage &stage, Put &&put, Get &&get, Finish &&finish)
{
  for (const HaloPeer &peer : stage.peers) {
    if (peer.sends.empty()) continue;
    Link &link = transport_->link(link_of(peer.rank));
    link.open(MessageKind::BORDERS);
    for (int swap : peer.sends) put(swap, link);
    link.close();
  }
  for (const HaloPeer &peer : stage.peers) {
    if (peer.recvs.empty()) continue;
    const Message &message = transport_->wait(link_of(peer.rank), MessageKind::BORDERS);
    const std::byte *cursor = message.data;
    for (int swap : peer.recvs) get(swap, cursor);
  }
  finish();
  for (const HaloPeer &peer : stage.peers)
    if (!peer.recvs.empty()) transport_->link(link_of(peer.rank)).release();
  transport_->settle(Transport::ALL_LANES);
}

}    // namespace TOFU_NS

#endif
