// SPDX-License-Identifier: GPL-2.0-only

#include "handshake.h"

#include "channel_mpi.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
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

  /** What a rank says first: of the same size in all builds, so that two that differ can tell. */
  struct Greeting {
    char magic[8];
    std::uint64_t protocol;
  };

  constexpr char MAGIC[8] = {'T', 'O', 'F', 'U', 'r', 'd', 'm', 'a'};
  constexpr std::uint64_t PROTOCOL = 2;    // to be counted on when what travels changes its meaning

  constexpr std::chrono::seconds PATIENCE_WITH_CONTACT{10};

  std::string name_of(int rank)
  {
    return "rank " + std::to_string(rank);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

Handshake::Handshake(Bootstrap &bootstrap, SharedMemory &shared_memory, MpiBackend *mpi,
                     const TransportOptions &options, std::vector<HandshakePeer> &peers,
                     ConnectReport &report) :
    bootstrap_(bootstrap),
    shared_memory_(shared_memory), mpi_(mpi), options_(options), peers_(peers), report_(report),
    way_(peers.size(), Way::MPI), window_of_(peers.size(), -1)
{
  for (HandshakePeer &peer : peers_) peer.send_capacity = usable_capacity(peer.send_capacity);
}

/* ---------------------------------------------------------------------- */

void Handshake::run()
{
  if (!greet()) return;
  swap_offers();
  choose_ways();
  for (const auto kind : {SharedMemory::Kind::ANONYMOUS, SharedMemory::Kind::NAMED})
    share_memory(kind);
  use_network();
  fall_back();
  for (std::size_t i = 0; i < peers_.size(); i++)
    if (!peers_[i].channel) within_memory(report_.error, [&]() { use_mpi(i); });
  keep_what_both_have();
  if (options_.backend == BackendChoice::SHM && report_.nfallback && report_.error.empty())
    report_.error = "transport shm failed: " + report_.fallback_reason + "; use transport auto";
}

/* ---------------------------------------------------------------------- */

template <class Block>
std::vector<Block> Handshake::swap(const Peers &peers, const std::vector<Block> &mine)
{
  std::vector<int> ranks;
  for (const std::size_t i : peers) ranks.push_back(peers_[i].rank);
  std::vector<Block> theirs(mine.size());
  bootstrap_.exchange(ranks, mine.data(), theirs.data(), sizeof(Block));
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

/* ---------------------------------------------------------------------- */

Handshake::Peers Handshake::unserved(Way way) const
{
  Peers result;
  for (std::size_t i = 0; i < peers_.size(); i++)
    if (way_[i] == way && !peers_[i].channel) result.push_back(i);
  return result;
}

/* ----------------------------------------------------------------------
   both sides of a pair come to the same decision, and the caller makes it that
   of all
------------------------------------------------------------------------- */

bool Handshake::greet()
{
  Greeting mine{{}, PROTOCOL << 32 | (sizeof(Offer) + sizeof(SharedPlace) + sizeof(OfiWindow))};
  std::memcpy(mine.magic, MAGIC, sizeof(MAGIC));
  const Peers all = unserved(Way::MPI);
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
  const Peers all = unserved(Way::MPI);
  for (const HandshakePeer &peer : peers_)
    mine_.push_back(
        {ProcessIdentity::self(), local_networks(), bootstrap_.node(), peer.send_capacity});
  theirs_ = swap(all, mine_);
  for (std::size_t i = 0; i < peers_.size(); i++) peers_[i].identity = theirs_[i].identity;
}

/* ----------------------------------------------------------------------
   the same on both sides of a pair, since both know both nodes
------------------------------------------------------------------------- */

void Handshake::choose_ways()
{
  for (std::size_t i = 0; i < peers_.size(); i++) {
    const bool same_node = theirs_[i].node == bootstrap_.node();
    way_[i] = same_node ? Way::SHM : Way::OFI;
    if (options_.backend == BackendChoice::OFI) way_[i] = Way::OFI;
    if (options_.backend == BackendChoice::MPI) way_[i] = Way::MPI;
    if (options_.backend == BackendChoice::SHM && !same_node) {
      way_[i] = Way::MPI;
      if (report_.error.empty())
        report_.error = "transport shm cannot serve " + name_of(bootstrap_.rank()) + " and " +
            name_of(peers_[i].rank) + ", which are on different nodes; use transport auto";
    }
  }
}

/* ----------------------------------------------------------------------
   with the peers on this node that have no channel yet.  The block can lose
   its name when both sides have mapped what they could
------------------------------------------------------------------------- */

void Handshake::share_memory(SharedMemory::Kind kind)
{
  const Peers peers = unserved(Way::SHM);
  if (peers.empty()) return;
  std::vector<SharedPlace> mine(peers.size());
  std::shared_ptr<SharedBlock> block;
  within_memory(no_shared_memory_, [&]() { block = offer_memory(kind, peers, mine); });

  const std::vector<SharedPlace> theirs = swap(peers, mine);
  std::vector<std::shared_ptr<SharedBlock>> blocks(peers.size());
  std::vector<bool> opened(peers.size());
  for (std::size_t k = 0; k < peers.size(); k++) {
    if (!block || theirs[k].name[0] == '\0') continue;
    within_memory(no_shared_memory_, [&]() {
      blocks[k] = shared_memory_.attach(theirs[k].name, theirs[k].block_bytes, no_shared_memory_);
    });
    opened[k] = blocks[k] != nullptr;
  }

  const std::vector<bool> both = both_opened(peers, opened, no_shared_memory_);
  if (block) block->unlink();
  for (std::size_t k = 0; k < peers.size(); k++) {
    if (!both[k]) continue;
    const std::size_t i = peers[k];
    within_memory(report_.error, [&]() {
      use_shared_memory(i, {blocks[k], theirs[k].offset, peers_[i].send_capacity},
                        {block, mine[k].offset, theirs_[i].capacity});
    });
  }
}

/* ----------------------------------------------------------------------
   one block per rank holds the incoming slots of all these peers
------------------------------------------------------------------------- */

std::shared_ptr<SharedBlock> Handshake::offer_memory(SharedMemory::Kind kind, const Peers &peers,
                                                     std::vector<SharedPlace> &places)
{
  std::size_t nbytes = 0;
  for (std::size_t k = 0; k < peers.size(); k++) {
    places[k].offset = nbytes;
    nbytes += shm_region_bytes(options_.link.nslots, theirs_[peers[k]].capacity);
  }

  static std::atomic<std::uint64_t> generation{0};    // a process may hold several transports
  char label[64];
  std::snprintf(label, sizeof(label), "/tofu-%016" PRIx64 "-%d-%" PRIu64, bootstrap_.job_id(),
                bootstrap_.rank(), generation.fetch_add(1));
  auto block = shared_memory_.create(kind, label, nbytes, no_shared_memory_);
  for (SharedPlace &place : places) {
    place.block_bytes = nbytes;
    if (block) std::snprintf(place.name, sizeof(place.name), "%s", block->name().c_str());
  }
  return block;
}

/* ---------------------------------------------------------------------- */

void Handshake::use_shared_memory(std::size_t i, const ShmRegion &outgoing,
                                  const ShmRegion &incoming)
{
  peers_[i].channel = make_shm_channel(outgoing, incoming);
  report_.nshm++;
  report_.nregistered++;
  report_.nbytes_registered += shm_region_bytes(options_.link.nslots, incoming.capacity);
}

/* ---------------------------------------------------------------------- */

void Handshake::use_network()
{
  const Peers peers = unserved(Way::OFI);
  if (peers.empty()) return;
  std::vector<OfiWindow> mine(peers.size());
  within_memory(no_network_, [&]() { open_network(peers, mine); });
  if (!no_network_.empty()) network_.reset();

  const std::vector<OfiWindow> theirs = swap(peers, mine);
  std::vector<bool> opened(peers.size());
  for (std::size_t k = 0; network_ && k < peers.size(); k++)
    within_memory(no_network_, [&]() { opened[k] = open_window(peers[k], theirs[k]); });

  opened = both_opened(peers, opened, no_network_);
  const std::vector<bool> both = both_opened(peers, make_contact(peers, opened), no_network_);
  for (std::size_t k = 0; k < peers.size(); k++) {
    if (!both[k]) {
      peers_[peers[k]].channel.reset();
      continue;
    }
    report_.nofi++;
    report_.provider = network_->provider();
  }
}

/* ----------------------------------------------------------------------
   only if there is a peer that needs it: nothing listens otherwise.  Loopback
   if all of those are on this host
------------------------------------------------------------------------- */

void Handshake::open_network(const Peers &peers, std::vector<OfiWindow> &windows)
{
  std::vector<OfiNeed> needs;
  std::vector<HostNetworks> others;
  for (const std::size_t i : peers) {
    window_of_[i] = static_cast<int>(needs.size());
    needs.push_back({peers_[i].rank, peers_[i].endpoint, options_.link.nslots,
                     peers_[i].send_capacity, theirs_[i].capacity});
    if (theirs_[i].identity.host != mine_[i].identity.host) others.push_back(theirs_[i].networks);
  }

  OfiOptions options;
  options.provider = options_.provider;
  options.source = choose_address(options_.interface, mine_[0].networks, others);
  options.nendpoints = options_.nendpoints;
  options.threads = options_.nlanes > 1;
  options.faults = options_.ofi_faults;
  std::string why;
  network_ = OfiBackend::open(options, why);
  if (network_ && !network_->prepare(needs, why)) network_.reset();
  if (!network_) {
    no_network_ = why;
    return;
  }
  report_.nregistered += network_->nregistered();
  report_.nbytes_registered += network_->nbytes_registered();
  for (std::size_t k = 0; k < peers.size(); k++)
    windows[k] = network_->window(window_of_[peers[k]]);
}

/* ----------------------------------------------------------------------
   make a channel to what a peer has, unless it has something else than this rank
------------------------------------------------------------------------- */

bool Handshake::open_window(std::size_t i, const OfiWindow &theirs)
{
  const std::string provider(theirs.provider);
  if (provider != network_->provider()) {
    if (no_network_.empty() && !provider.empty())    // without one the peer says why
      no_network_ = name_of(peers_[i].rank) + " has provider " + provider + ", " +
          name_of(bootstrap_.rank()) + " has " + network_->provider();
    return false;
  }
  try {
    peers_[i].channel = network_->make_channel(window_of_[i], theirs);
  } catch (const TransportError &failure) {
    no_network_ = failure.what();
    return false;
  }
  return true;
}

/* ----------------------------------------------------------------------
   a first write each way, so that what cannot work shows while there is a choice.  Providers move
   messages only while they are called, so a rank that has reached its peers goes on until it has
   also heard from all of them

   Returns: [npeers] whether something went there and came from there
------------------------------------------------------------------------- */

std::vector<bool> Handshake::make_contact(const Peers &peers, const std::vector<bool> &opened)
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
                                const Contact contact = look_for_contact(peers[k]);
                                reached[k] = contact == Contact::MADE;
                                return contact != Contact::AWAITED;
                              }),
               open.end());
    if (!open.empty()) std::this_thread::yield();
  }
  if (!open.empty() && no_network_.empty())
    no_network_ = name_of(bootstrap_.rank()) + " and " + name_of(peers_[peers[open[0]]].rank) +
        " could not reach each other within " + std::to_string(PATIENCE_WITH_CONTACT.count()) +
        " s; libfabric provider " + network_->provider();
  return reached;
}

/* ---------------------------------------------------------------------- */

Handshake::Contact Handshake::look_for_contact(std::size_t i)
{
  try {
    return peers_[i].channel->in_contact() ? Contact::MADE : Contact::AWAITED;
  } catch (const TransportError &failure) {
    if (no_network_.empty()) no_network_ = failure.what();
    return Contact::IMPOSSIBLE;
  }
}

/* ----------------------------------------------------------------------
   say why pairs that should not need MPI will have it
------------------------------------------------------------------------- */

void Handshake::fall_back()
{
  for (const std::size_t i : unserved(Way::SHM))
    if (report_.nfallback++ == 0)
      report_.fallback_reason = no_shared_memory_.empty()
          ? name_of(peers_[i].rank) + " could not share memory"
          : no_shared_memory_;
  for (const std::size_t i : unserved(Way::OFI))
    if (report_.network_reason.empty())
      report_.network_reason = no_network_.empty()
          ? name_of(peers_[i].rank) + " could not use the network directly"
          : no_network_;
}

/* ---------------------------------------------------------------------- */

void Handshake::use_mpi(std::size_t i)
{
  if (!mpi_) {
    const std::string &why = way_[i] == Way::SHM ? no_shared_memory_ : no_network_;
    report_.error = "no transport serves " + name_of(bootstrap_.rank()) + " and " +
        name_of(peers_[i].rank) + (why.empty() ? "" : ": " + why);
    return;
  }
  peers_[i].channel = mpi_->make_channel(peers_[i].rank, options_.link.nslots,
                                         peers_[i].send_capacity, theirs_[i].capacity);
  peers_[i].over_mpi = true;
  report_.nmpi++;
  report_.nregistered++;
  report_.nbytes_registered += options_.link.nslots * (CACHE_LINE + theirs_[i].capacity);
}

/* ----------------------------------------------------------------------
   a channel that the peer lacks ends here, before anything went through it: its goodbye would never
   be received, and what an MPI communicator has not received when it ends can reach the next one,
   which may get the same number
------------------------------------------------------------------------- */

void Handshake::keep_what_both_have()
{
  Peers all(peers_.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<bool> made;
  for (const HandshakePeer &peer : peers_) made.push_back(peer.channel != nullptr);
  const std::vector<bool> both = both_opened(all, made, report_.error);
  for (const std::size_t i : all)
    if (!both[i]) peers_[i].channel.reset();
}

}    // namespace TOFU_NS
