// SPDX-License-Identifier: GPL-2.0-only

#include "handshake.h"

#include "transport_error.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>
#include <thread>

namespace TOFU_NS {

namespace {

  // a slot of an MPI message is counted in int

  constexpr std::size_t CAPACITY_LIMIT = std::size_t(1) << 28;

  std::size_t usable_capacity(std::size_t wanted)
  {
    return std::min(round_to_lines(std::max(wanted, Link::BLOCK)), CAPACITY_LIMIT);
  }

  /** First message of a rank: its size is the same in all builds, so that two different builds can
      detect each other. */
  struct Greeting {
    char magic[8];
    std::uint64_t protocol;
  };

  constexpr char MAGIC[8] = {'T', 'O', 'F', 'U', 'r', 'd', 'm', 'a'};
  constexpr std::uint64_t PROTOCOL = 5;    // to be raised when the meaning of messages changes

  constexpr std::chrono::seconds PATIENCE_WITH_CONTACT{10};

  std::string name_of(int rank)
  {
    return "rank " + std::to_string(rank);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

Handshake::Handshake(const BackendResources &resources, const BackendTable &table,
                     std::vector<HandshakePeer> &peers, ConnectReport &report) :
    resources_(resources),
    bootstrap_(resources.bootstrap), self_(ProcessIdentity::self()), options_(resources.options),
    table_(table), peers_(peers), report_(report)
{
  for (HandshakePeer &peer : peers_) peer.send_capacity = usable_capacity(peer.send_capacity);
  for (const BackendRow &row : table_) {
    use_of(row);
    if (row.reach == Reach::LAST_RESORT) report_.last_resort = row.title;
  }
}

/* ---------------------------------------------------------------------- */

void Handshake::run()
{
  std::vector<std::unique_ptr<Backend>> backends;    // made by all ranks, before any failure
  for (const BackendRow &row : table_) backends.push_back(row.make(resources_));
  if (!greet()) return;
  swap_offers();
  refuse_other_nodes();
  for (std::size_t n = 0; n < table_.size(); n++)
    if (backends[n]) attempt(table_[n], *backends[n]);
  warn_of_fallbacks();
  report_unserved();
}

/* ---------------------------------------------------------------------- */

BackendUse &Handshake::use_of(const BackendRow &row)
{
  for (BackendUse &use : report_.uses)
    if (use.name == row.name) return use;
  report_.uses.emplace_back();
  report_.uses.back().name = row.name;
  report_.uses.back().title = row.title;
  return report_.uses.back();
}

/* ----------------------------------------------------------------------
   Args:
     mine     [peers.size() * nbytes]
     theirs   [peers.size() * nbytes] gets the blocks of the peers
------------------------------------------------------------------------- */

void Handshake::swap_bytes(const Peers &peers, const void *mine, void *theirs, std::size_t nbytes)
{
  std::vector<int> ranks;
  for (const std::size_t i : peers) ranks.push_back(peers_[i].rank);
  if (nbytes) bootstrap_.exchange(ranks, mine, theirs, nbytes);
}

/* ---------------------------------------------------------------------- */

template <class Block>
std::vector<Block> Handshake::swap(const Peers &peers, const std::vector<Block> &mine)
{
  std::vector<Block> theirs(mine.size());
  swap_bytes(peers, mine.data(), theirs.data(), sizeof(Block));
  return theirs;
}

/* ----------------------------------------------------------------------
   Args:
     why   why this rank could not; gets the reason of a peer that could not, where this rank could
   Returns: [npeers] whether this rank and that peer both could
------------------------------------------------------------------------- */

std::vector<bool> Handshake::both_opened(const Peers &peers, const std::vector<bool> &opened,
                                         std::string &why)
{
  std::vector<Verdict> mine(peers.size());
  for (std::size_t k = 0; k < peers.size(); k++) {
    mine[k].opened = opened[k];
    if (!opened[k]) std::snprintf(mine[k].why, sizeof(mine[k].why), "%s", why.c_str());
  }
  const std::vector<Verdict> theirs = swap(peers, mine);
  std::vector<bool> both;
  for (std::size_t k = 0; k < peers.size(); k++) {
    both.push_back(opened[k] && theirs[k].opened);
    if (!theirs[k].opened && theirs[k].why[0] != '\0' && why.empty())
      why = name_of(peers_[peers[k]].rank) + ": " + theirs[k].why;
  }
  return both;
}

/* ----------------------------------------------------------------------
   a rank that has too little memory must not leave its peers alone
------------------------------------------------------------------------- */

template <class Work> void Handshake::within_memory(std::string &why, Work work)
{
  try {
    work();
  } catch (const std::bad_alloc &) {
    why = name_of(bootstrap_.rank()) + " has too little memory for the slots of its " +
        std::to_string(peers_.size()) + " peers; use fewer or smaller slots, or more nodes";
  }
}

/* ----------------------------------------------------------------------
   both sides of a pair come to the same decision, and the caller makes it that
   of all
------------------------------------------------------------------------- */

bool Handshake::greet()
{
  std::uint64_t nbytes = sizeof(Offer);
  for (const BackendRow &row : table_) nbytes += row.address_bytes;
  Greeting mine{{}, PROTOCOL << 32 | nbytes};
  std::memcpy(mine.magic, MAGIC, sizeof(MAGIC));
  Peers all(peers_.size());
  std::iota(all.begin(), all.end(), 0);
  const auto theirs = swap(all, std::vector<Greeting>(all.size(), mine));
  bool same = true;
  for (const std::size_t i : all) {
    if (std::memcmp(&theirs[i], &mine, sizeof(mine)) == 0) continue;
    same = false;
    report_.error = name_of(peers_[i].rank) + " runs another build of TOFU than " +
        name_of(bootstrap_.rank()) + "; start the same program on all ranks";
  }
  return same;
}

/* ---------------------------------------------------------------------- */

void Handshake::swap_offers()
{
  Peers all(peers_.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<Offer> mine(peers_.size(), {self_, local_networks(), bootstrap_.node(), 0});
  for (const std::size_t i : all) mine[i].capacity = peers_[i].send_capacity;
  theirs_ = swap(all, mine);
  for (const std::size_t i : all) peers_[i].identity = theirs_[i].identity;
}

/* ----------------------------------------------------------------------
   a user who names a backend that serves a node only means all pairs
------------------------------------------------------------------------- */

void Handshake::refuse_other_nodes()
{
  for (const BackendRow &row : table_) {
    if (options_.backend != row.name || row.reach != Reach::NODE) continue;
    for (std::size_t i = 0; i < peers_.size() && report_.error.empty(); i++)
      if (!is_meant_for(row, i))
        report_.error = "transport " + options_.backend + " cannot serve " +
            name_of(bootstrap_.rank()) + " and " + name_of(peers_[i].rank) +
            ", which are on different nodes; use transport auto";
  }
}

/* ----------------------------------------------------------------------
   the same on both sides of a pair, since both know both nodes
------------------------------------------------------------------------- */

bool Handshake::is_meant_for(const BackendRow &row, std::size_t i) const
{
  const bool same_node = theirs_[i].node == bootstrap_.node();
  if (row.reach == Reach::NODE && !same_node) return false;
  if (options_.backend == "auto") return row.reach == (same_node ? Reach::NODE : Reach::NETWORK);
  return options_.backend == row.name;
}

/* ---------------------------------------------------------------------- */

bool Handshake::is_for(const BackendRow &row, std::size_t i) const
{
  return row.reach == Reach::LAST_RESORT || is_meant_for(row, i);
}

/* ---------------------------------------------------------------------- */

Handshake::Peers Handshake::unserved_by_others(const BackendRow &row) const
{
  Peers result;
  for (std::size_t i = 0; i < peers_.size(); i++)
    if (is_for(row, i) && !peers_[i].channel) result.push_back(i);
  return result;
}

/* ----------------------------------------------------------------------
   the reason of a later attempt of the same name is the better one
------------------------------------------------------------------------- */

void Handshake::attempt(const BackendRow &row, Backend &backend)
{
  const Peers peers = unserved_by_others(row);
  if (peers.empty()) return;
  std::string why;
  try_to_serve(row, backend, peers, why);

  BackendUse &use = use_of(row);
  if (!why.empty()) use.reason = why;
  for (const std::size_t i : peers) {
    if (!peers_[i].channel) continue;
    peers_[i].row = &row;
    if (!row.any_thread) report_.nmain_thread++;
    use.npeers++;
    use.detail = backend.detail();
  }
  const RegisteredMemory registered = backend.registered();
  report_.nregistered += registered.nregions;
  report_.nbytes_registered += registered.nbytes;
}

/* ---------------------------------------------------------------------- */

void Handshake::try_to_serve(const BackendRow &row, Backend &backend, const Peers &peers,
                             std::string &why)
{
  const std::vector<bool> opened = both_opened(peers, open_channels(row, backend, peers, why), why);
  backend.all_opened();
  const std::vector<bool> both =
      both_opened(peers, make_contact(peers, opened, row, backend.detail(), why), why);
  for (std::size_t k = 0; k < peers.size(); k++)
    if (!both[k]) peers_[peers[k]].channel.reset();
}

/* ----------------------------------------------------------------------
   Returns: [npeers] whether this rank has a channel to what the peer has
------------------------------------------------------------------------- */

std::vector<bool> Handshake::open_channels(const BackendRow &row, Backend &backend,
                                           const Peers &peers, std::string &why)
{
  std::vector<PeerNeed> needs;
  for (const std::size_t i : peers) needs.push_back(need_of(i));
  std::vector<std::byte> mine(peers.size() * row.address_bytes);
  bool ready = false;
  within_memory(why, [&]() { ready = backend.prepare(needs, mine.data(), why); });
  if (!ready) std::fill(mine.begin(), mine.end(), std::byte(0));

  std::vector<std::byte> theirs(mine.size());
  swap_bytes(peers, mine.data(), theirs.data(), row.address_bytes);
  std::vector<bool> opened(peers.size());
  for (std::size_t k = 0; ready && k < peers.size(); k++) {
    std::string reason;
    within_memory(reason, [&]() {
      peers_[peers[k]].channel = backend.open(k, theirs.data() + k * row.address_bytes, reason);
    });
    opened[k] = peers_[peers[k]].channel != nullptr;
    if (!opened[k] && why.empty()) why = reason;
  }
  return opened;
}

/* ---------------------------------------------------------------------- */

PeerNeed Handshake::need_of(std::size_t i) const
{
  return {peers_[i].rank,
          peers_[i].endpoint,
          options_.link.nslots,
          peers_[i].send_capacity,
          static_cast<std::size_t>(theirs_[i].capacity),
          theirs_[i].identity.host == self_.host,
          theirs_[i].networks};
}

/* ----------------------------------------------------------------------
   a first write each way, so that what cannot work shows while there is a choice.  Providers move
   messages only while they are called, so a rank that has reached its peers goes on until it has
   also heard from all of them

   Returns: [npeers] whether something went there and came from there
------------------------------------------------------------------------- */

std::vector<bool> Handshake::make_contact(const Peers &peers, const std::vector<bool> &opened,
                                          const BackendRow &row, const std::string &detail,
                                          std::string &why)
{
  using Clock = std::chrono::steady_clock;
  std::vector<bool> reached(peers.size());
  std::vector<std::size_t> open;    // indices in peers
  for (std::size_t k = 0; k < peers.size(); k++)
    if (opened[k]) open.push_back(k);
  for (const std::size_t k : open) {
    try {
      peers_[peers[k]].channel->start_contact();
    } catch (const TransportError &) {
    }    // in_contact() says it again
  }

  const auto start = Clock::now();
  while (!open.empty() && Clock::now() - start < PATIENCE_WITH_CONTACT) {
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](std::size_t k) {
                                const Contact contact = poll_contact(peers[k], why);
                                reached[k] = contact == Contact::MADE;
                                return contact != Contact::AWAITED;
                              }),
               open.end());
    if (!open.empty()) std::this_thread::yield();
  }
  if (!open.empty() && why.empty())
    why = name_of(bootstrap_.rank()) + " and " + name_of(peers_[peers[open[0]]].rank) +
        " could not reach each other within " + std::to_string(PATIENCE_WITH_CONTACT.count()) +
        " s; " + row.title + " " + detail;
  return reached;
}

/* ---------------------------------------------------------------------- */

Handshake::Contact Handshake::poll_contact(std::size_t i, std::string &why)
{
  try {
    return peers_[i].channel->in_contact() ? Contact::MADE : Contact::AWAITED;
  } catch (const TransportError &failure) {
    if (why.empty()) why = failure.what();
    return Contact::IMPOSSIBLE;
  }
}

/* ----------------------------------------------------------------------
   of pairs that should not need the last resort
------------------------------------------------------------------------- */

void Handshake::warn_of_fallbacks()
{
  for (const BackendRow &row : table_) {
    BackendUse &use = use_of(row);
    if (row.reach == Reach::LAST_RESORT || use.nfallback) continue;
    for (std::size_t i = 0; i < peers_.size(); i++) {
      if (!is_meant_for(row, i) || (peers_[i].row && peers_[i].row->reach == row.reach)) continue;
      if (use.reason.empty()) use.reason = name_of(peers_[i].rank) + " could not use " + row.title;
      use.nfallback++;
    }
    if (use.nfallback == 0) use.reason.clear();    // a later attempt has served all
    if (use.nfallback && options_.backend == row.name && row.reach == Reach::NODE &&
        report_.error.empty())
      report_.error = "transport " + use.name + " failed: " + use.reason + "; use transport auto";
  }
}

/* ---------------------------------------------------------------------- */

void Handshake::report_unserved()
{
  for (std::size_t i = 0; i < peers_.size(); i++) {
    if (peers_[i].channel) continue;
    std::string why;
    for (const BackendRow &row : table_)
      if (why.empty() && is_for(row, i)) why = use_of(row).reason;
    report_.error = "no transport serves " + name_of(bootstrap_.rank()) + " and " +
        name_of(peers_[i].rank) + (why.empty() ? "" : ": " + why);
  }
}

}    // namespace TOFU_NS
