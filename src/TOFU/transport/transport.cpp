// SPDX-License-Identifier: GPL-2.0-only

#include "transport.h"

#include "base/relax.h"
#include "deal.h"
#include "handshake.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <sched.h>
#include <thread>

namespace TOFU_NS {

namespace {

  using Clock = std::chrono::steady_clock;

  constexpr double PATIENCE_AT_END = 10.0;        // seconds
  constexpr double PATIENCE_WITH_BROKEN = 1.0;    // when a call has failed: a peer may be lost

  double seconds_since(Clock::time_point start)
  {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

}    // namespace

/* ----------------------------------------------------------------------
   a wait: spin first, since the peer is usually a few microseconds away, soon
   with pauses, which leave the core's units to the other hardware thread if
   the peer runs there; after about a millisecond yield between looks, since the
   peer may need this very core; every 50 ms make sure that it still exists
------------------------------------------------------------------------- */

class Transport::WaitPolicy {
 public:
  /** All awaited links are in one lane. */
  WaitPolicy(Transport &transport, const int *awaited, std::size_t nawaited, const char *what) :
      transport_(transport), awaited_(awaited), nawaited_(nawaited), what_(what),
      lane_(transport.lane_of(awaited[0]))
  {
  }

  ~WaitPolicy()
  {
    if (nlooks_ > 0) transport_.lanes_[lane_].seconds_waited += seconds_since(start_);
  }

  /** To be called after an unsuccessful look; returns when it is time for the next one. */
  void pause()
  {
    static constexpr unsigned SPIN = 20000, SPIN_CROWDED = 50;
    static constexpr unsigned EAGER = 200;    // looks before this rank makes room for a sibling
    static constexpr unsigned BEFORE_NAPS = 50;
    static constexpr unsigned PROGRESS_EVERY = 16, CLOCK_EVERY = 256;

    if (nlooks_++ == 0) start_ = last_check_ = Clock::now();
    if (nlooks_ % PROGRESS_EVERY == 0) transport_.progress(lane_);

    if (transport_.nap_ > 0.0 && nlooks_ > BEFORE_NAPS) {
      transport_.progress(lane_);
      std::this_thread::sleep_for(std::chrono::duration<double>(transport_.nap_));
      if (seconds_since(last_check_) > 0.05) check_peers();
      return;
    }
    if (nlooks_ < (transport_.crowded_ ? SPIN_CROWDED : SPIN)) {
      relax();
      for (int i = 0; i < 4 && nlooks_ > EAGER; i++) relax();
      return;
    }
    sched_yield();
    if (nlooks_ % CLOCK_EVERY == 0 && seconds_since(last_check_) > 0.05) check_peers();
  }

 private:
  void check_peers()
  {
    last_check_ = Clock::now();
    for (std::size_t i = 0; i < nawaited_; i++) {
      const int index = awaited_[i];
      transport_.links_[index]->channel().check_peer();
      const ProcessWatch &watch = transport_.watches_[index];
      if (!watch.ended()) continue;
      if (suspect_ != index) {
        suspect_ = index;    // its last message may have come in the meantime: look once more
        return;
      }
      throw TransportError(describe(index) + "; that rank's process " +
                           std::to_string(watch.process().pid) +
                           " has ended, so the run cannot go on");
    }
    suspect_ = -1;
    if (!warned_ && seconds_since(start_) > transport_.options_.warn_seconds) {
      warned_ = true;
      if (transport_.options_.warn) transport_.options_.warn(describe(awaited_[0]));
    }
  }

  std::string describe(int index) const
  {
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%.1f", seconds_since(start_));
    return "rank " + std::to_string(transport_.me_) + " has waited " + seconds + " s for " + what_ +
        " from rank " + std::to_string(transport_.links_[index]->peer()) + "; transport " +
        transport_.links_[index]->channel().name();
  }

  Transport &transport_;
  const int *awaited_;    // [nawaited_] indices of links
  std::size_t nawaited_;
  const char *what_;
  const int lane_;
  Clock::time_point start_, last_check_;
  unsigned nlooks_ = 0;
  int suspect_ = -1;
  bool warned_ = false;
};

/* ---------------------------------------------------------------------- */

Transport::Transport(Bootstrap &bootstrap, const void *comm, const TransportOptions &options,
                     const BackendTable &backends) :
    bootstrap_(bootstrap),
    comm_(comm), backends_(backends), options_(options), me_(bootstrap.rank()),
    crowded_(bootstrap.ranks_on_node() * options.nlanes >
             static_cast<int>(std::thread::hardware_concurrency())),
    lanes_(options.nlanes)
{
  for (std::size_t lane = 0; lane < lanes_.size(); lane++)
    lanes_[lane].shuffle_state = lane + me_ + options.shuffle_seed;
}

/* ---------------------------------------------------------------------- */

Transport::~Transport()
{
  for (auto &link : links_) link->channel().start_close();

  // all in turn, since one may need what another does; a peer that never comes is not waited for

  std::vector<int> open(all_links_);
  const double patience = broken_ ? PATIENCE_WITH_BROKEN : PATIENCE_AT_END;
  const auto start = Clock::now();
  while (!open.empty() && seconds_since(start) < patience) {
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](int index) {
                                return links_[index]->channel().closed() || watches_[index].ended();
                              }),
               open.end());
    if (!open.empty()) sched_yield();
  }
}

/* ---------------------------------------------------------------------- */

ConnectReport Transport::connect(const std::vector<int> &peers,
                                 const std::vector<std::size_t> &capacities,
                                 const std::vector<int> &hops)
{
  std::vector<double> costs;
  for (std::size_t i = 0; i < peers.size(); i++)
    costs.push_back(message_cost(static_cast<double>(capacities[i]), hops.empty() ? 1 : hops[i]));
  const std::vector<int> endpoints = deal(costs, std::max(options_.nendpoints, nlanes()));

  std::vector<HandshakePeer> made(peers.size());
  for (std::size_t i = 0; i < peers.size(); i++) {
    made[i].rank = peers[i];
    made[i].send_capacity = capacities[i];
    made[i].endpoint = endpoints[i] % options_.nendpoints;
  }
  ConnectReport report;
  const BackendResources resources = {bootstrap_, comm_, options_};
  Handshake(resources, backends_, made, report).run();

  try {
    for (std::size_t i = 0; i < made.size(); i++)
      if (made[i].channel) add_link(made[i], endpoints[i] % nlanes());
  } catch (const std::bad_alloc &) {
    report.error = "rank " + std::to_string(me_) + " has too little memory for its links";
  }
  return report;
}

/* ---------------------------------------------------------------------- */

void Transport::add_link(HandshakePeer &made, int dealt)
{
  const int index = npeers();
  const int lane = made.row->any_thread ? dealt : 0;
  CreditWaiter &waiter = *this;
  links_.push_back(
      std::make_unique<Link>(me_, made.rank, std::move(made.channel), options_.link, waiter));
  lane_of_.push_back(lane);
  lanes_[lane].links.push_back(index);
  all_links_.push_back(index);
  capacities_.push_back(made.send_capacity);
  watches_.emplace_back(made.identity);
}

/* ---------------------------------------------------------------------- */

int Transport::find(int rank) const
{
  const auto place =
      std::lower_bound(links_.begin(), links_.end(), rank,
                       [](const std::unique_ptr<Link> &link, int r) { return link->peer() < r; });
  if (place == links_.end() || (*place)->peer() != rank) return -1;
  return static_cast<int>(place - links_.begin());
}

/* ---------------------------------------------------------------------- */

const Message &Transport::wait(int index, MessageKind kind)
{
  if (const Message *message = poll(index, kind)) return *message;

  WaitPolicy patience(*this, &index, 1, message_kind_name(kind));
  while (true) {
    patience.pause();
    if (const Message *message = poll(index, kind)) return *message;
  }
}

/* ---------------------------------------------------------------------- */

int Transport::wait_any(std::vector<int> &pending, MessageKind kind)
{
  auto look = [&]() {
    for (std::size_t i = 0; i < pending.size(); i++) {
      if (!poll(pending[i], kind)) continue;
      const int index = pending[i];
      pending.erase(pending.begin() + i);
      return index;
    }
    return -1;
  };

  int index = look();
  if (index >= 0) return index;

  WaitPolicy patience(*this, pending.data(), pending.size(), message_kind_name(kind));
  while (index < 0) {
    patience.pause();
    index = look();
  }
  return index;
}

/* ---------------------------------------------------------------------- */

const Message *Transport::poll(int index, MessageKind kind)
{
  if (options_.shuffle_seed && hold_back(lane_of_[index])) return nullptr;
  const Message *message = links_[index]->try_receive();
  if (message && message->kind != kind)
    throw TransportError("rank " + std::to_string(me_) + " expected a " + message_kind_name(kind) +
                         " message from rank " + std::to_string(links_[index]->peer()) +
                         " and got a " + message_kind_name(message->kind) +
                         " message: the ranks disagree about the order of calls");
  return message;
}

/* ----------------------------------------------------------------------
   with a seed, three of four looks find nothing: messages are read late and in
   an order that does not depend on the time at which they were sent
------------------------------------------------------------------------- */

bool Transport::hold_back(int lane)
{
  std::uint64_t &state = lanes_[lane].shuffle_state;
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (state >> 33) % 4 != 0;
}

/* ---------------------------------------------------------------------- */

void Transport::wait_for_credit(Link &link)
{
  const int awaited = find(link.peer());
  WaitPolicy patience(*this, &awaited, 1, "room for a message");
  while (!link.has_credit()) {
    for (int other : served_with(lane_of_[awaited])) links_[other]->drain();
    if (link.has_credit()) return;
    patience.pause();
  }
}

/* ---------------------------------------------------------------------- */

const std::vector<int> &Transport::served_with(int lane) const
{
  return concurrent_ ? lanes_[lane].links : all_links_;
}

/* ---------------------------------------------------------------------- */

void Transport::progress(int lane)
{
  for (int index : served_with(lane)) {
    links_[index]->channel().progress();
    links_[index]->join_fragments();
  }
}

/* ---------------------------------------------------------------------- */

double Transport::seconds_waited() const
{
  double longest = 0.0;
  for (const Lane &lane : lanes_) longest = std::max(longest, lane.seconds_waited);
  return longest;
}

/* ---------------------------------------------------------------------- */

void Transport::settle(int lane)
{
  for (int index : lane == ALL_LANES ? all_links_ : lanes_[lane].links) {
    Channel &channel = links_[index]->channel();
    if (channel.settled()) continue;
    WaitPolicy patience(*this, &index, 1, "the departure of a message");
    while (!channel.settled()) patience.pause();
  }
}

/* ---------------------------------------------------------------------- */

bool Transport::takes_arrays() const
{
  return std::any_of(links_.begin(), links_.end(),
                     [](const std::unique_ptr<Link> &link) { return link->arrays() != nullptr; });
}

/* ---------------------------------------------------------------------- */

int Transport::set_arrays(const ArrayMemory &landing, const ArrayMemory &source)
{
  const auto set_all = [this](const ArrayMemory &to, const ArrayMemory &from) {
    int n = 0;
    for (auto &link : links_)
      if (ArrayAccess *arrays = link->arrays()) n += arrays->set_arrays(to, from);
    return n;
  };
  if (no_arrays_) return 0;
  try {
    return set_all(landing, source);
  } catch (const TransportError &failure) {
    no_arrays_ = true;
    set_all({}, {});    // none that could go stale
    if (options_.warn)
      options_.warn("positions and forces are copied on their way through the network: " +
                    std::string(failure.what()));
    return 0;
  }
}

/* ---------------------------------------------------------------------- */

void Transport::expect_all_alive() const
{
  for (std::size_t i = 0; i < links_.size(); i++)
    if (watches_[i].ended())
      throw TransportError("the process " + std::to_string(watches_[i].process().pid) +
                           " of rank " + std::to_string(links_[i]->peer()) +
                           " has ended, which rank " + std::to_string(me_) + " waits for");
}

/* ---------------------------------------------------------------------- */

LinkCounters Transport::counters() const
{
  LinkCounters sum;
  for (const auto &link : links_) {
    const LinkCounters &one = link->counters();
    sum.nmessages += one.nmessages;
    sum.nbytes += one.nbytes;
    sum.nfragmented += one.nfragmented;
    sum.nlone_credits += one.nlone_credits;
    sum.ncredit_waits += one.ncredit_waits;
    sum.nlanded += one.nlanded;
    sum.nbytes_in_place += one.nbytes_in_place;
  }
  return sum;
}

/* ---------------------------------------------------------------------- */

void Transport::reset_counters()
{
  for (auto &link : links_) link->reset_counters();
  for (Lane &lane : lanes_) lane.seconds_waited = 0.0;
}

}    // namespace TOFU_NS
