// SPDX-License-Identifier: GPL-2.0-only

#include "handshake.h"

#include "channel_mpi.h"
#include "channel_shm.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace TOFU_NS {

namespace {

  // a slot of an MPI message is counted in int

  constexpr std::size_t CAPACITY_LIMIT = std::size_t(1) << 28;

  std::size_t usable_capacity(std::size_t wanted)
  {
    return std::min(round_to_lines(std::max(wanted, Link::BLOCK)), CAPACITY_LIMIT);
  }

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
    my_places_(peers.size()), my_verdicts_(peers.size()), blocks_(peers.size()),
    window_of_(peers.size(), -1)
{
  for (HandshakePeer &peer : peers_) {
    ranks_.push_back(peer.rank);
    peer.send_capacity = usable_capacity(peer.send_capacity);
  }
}

/* ---------------------------------------------------------------------- */

std::shared_ptr<SharedBlock> Handshake::run()
{
  swap_offers();
  choose_ways();
  make_shared_block();
  open_network();
  swap_places();
  open_theirs();
  agree();
  return block_;
}

/* ---------------------------------------------------------------------- */

template <class Block> std::vector<Block> Handshake::swap(const std::vector<Block> &mine)
{
  std::vector<Block> theirs(mine.size());
  bootstrap_.exchange(ranks_, mine.data(), theirs.data(), sizeof(Block));
  return theirs;
}

/* ---------------------------------------------------------------------- */

void Handshake::swap_offers()
{
  for (const HandshakePeer &peer : peers_)
    mine_.push_back(
        {ProcessIdentity::self(), local_networks(), bootstrap_.node(), peer.send_capacity});
  theirs_ = swap(mine_);
  for (std::size_t i = 0; i < peers_.size(); i++) peers_[i].identity = theirs_[i].identity;
}

/* ----------------------------------------------------------------------
   the same on both sides of a pair, since both know both nodes
------------------------------------------------------------------------- */

void Handshake::choose_ways()
{
  for (std::size_t i = 0; i < peers_.size(); i++) {
    const bool same_node = theirs_[i].node == bootstrap_.node();
    Way way = same_node ? Way::SHM : Way::OFI;
    if (options_.backend == BackendChoice::OFI) way = Way::OFI;
    if (options_.backend == BackendChoice::MPI) way = Way::MPI;
    if (options_.backend == BackendChoice::SHM && !same_node) {
      way = Way::MPI;
      if (report_.error.empty())
        report_.error = "transport shm cannot serve " + name_of(bootstrap_.rank()) + " and " +
            name_of(ranks_[i]) + ", which are on different nodes; use transport auto";
    }
    way_.push_back(way);
  }
}

/* ----------------------------------------------------------------------
   one block per rank holds the incoming slots of all its peers on the node
------------------------------------------------------------------------- */

void Handshake::make_shared_block()
{
  std::size_t nbytes = 0;
  for (std::size_t i = 0; i < peers_.size(); i++) {
    if (way_[i] != Way::SHM) continue;
    my_places_[i].offset = nbytes;
    nbytes += shm_region_bytes(options_.link.nslots, theirs_[i].capacity);
  }
  if (nbytes == 0) return;

  static std::atomic<std::uint64_t> generation{0};    // a process may hold several transports
  char name[64];
  std::snprintf(name, sizeof(name), "/tofu-%016" PRIx64 "-%d-%" PRIu64, bootstrap_.job_id(),
                bootstrap_.rank(), generation.fetch_add(1));
  block_ = shared_memory_.create(name, nbytes, no_shared_memory_);
  for (std::size_t i = 0; i < peers_.size(); i++) {
    std::memcpy(my_places_[i].name, name, sizeof(name));
    my_places_[i].block_bytes = nbytes;
    my_places_[i].shared = block_ && way_[i] == Way::SHM;
  }
}

/* ----------------------------------------------------------------------
   only if there is a peer that needs it: nothing listens otherwise.  Loopback
   if all of those are on this host
------------------------------------------------------------------------- */

void Handshake::open_network()
{
  std::vector<OfiNeed> needs;
  std::vector<HostNetworks> others;
  for (std::size_t i = 0; i < peers_.size(); i++) {
    if (way_[i] != Way::OFI) continue;
    window_of_[i] = static_cast<int>(needs.size());
    needs.push_back({ranks_[i], peers_[i].endpoint, options_.link.nslots, peers_[i].send_capacity,
                     theirs_[i].capacity});
    if (theirs_[i].identity.host != mine_[i].identity.host) others.push_back(theirs_[i].networks);
  }
  if (needs.empty()) return;

  OfiOptions options;
  options.provider = options_.provider;
  options.source = choose_address(options_.interface, mine_[0].networks, others);
  options.nendpoints = options_.nendpoints;
  options.threads = options_.nlanes > 1;
  options.faults = options_.ofi_faults;
  network_ = OfiBackend::open(options, no_network_);
  if (network_ && !network_->prepare(needs, no_network_)) network_.reset();
  if (!network_) return;
  report_.nregistered += network_->nregistered();
  report_.nbytes_registered += network_->nbytes_registered();
  for (std::size_t i = 0; i < peers_.size(); i++)
    if (window_of_[i] >= 0) my_places_[i].window = network_->window(window_of_[i]);
}

/* ---------------------------------------------------------------------- */

void Handshake::swap_places()
{
  places_ = swap(my_places_);
}

/* ----------------------------------------------------------------------
   a pair uses what both sides could open
------------------------------------------------------------------------- */

void Handshake::open_theirs()
{
  for (std::size_t i = 0; i < peers_.size(); i++) {
    if (way_[i] == Way::SHM && places_[i].shared && my_places_[i].shared) {
      blocks_[i] =
          shared_memory_.attach(places_[i].name, places_[i].block_bytes, no_shared_memory_);
      my_verdicts_[i].opened = blocks_[i] != nullptr;
    }
    if (way_[i] == Way::OFI && network_) {
      const std::string provider(places_[i].window.provider);
      if (provider != network_->provider()) {
        if (no_network_.empty())
          no_network_ = name_of(ranks_[i]) + " has " +
              (provider.empty() ? "no provider" : "provider " + provider) + ", " +
              name_of(bootstrap_.rank()) + " has " + network_->provider();
        continue;
      }
      try {
        peers_[i].channel = network_->make_channel(window_of_[i], places_[i].window);
        my_verdicts_[i].opened = 1;
      } catch (const TransportError &failure) {
        no_network_ = failure.what();
      }
    }
  }
}

/* ---------------------------------------------------------------------- */

void Handshake::agree()
{
  verdicts_ = swap(my_verdicts_);
  if (block_) block_->unlink();
  for (std::size_t i = 0; i < peers_.size(); i++) {
    if (my_verdicts_[i].opened && verdicts_[i].opened) {
      if (way_[i] == Way::SHM)
        use_shared_memory(i);
      else
        use_network(i);
    } else {
      if (way_[i] != Way::MPI) fall_back(i);
      use_mpi(i);
    }
  }
  if (options_.backend == BackendChoice::SHM && report_.nfallback && report_.error.empty())
    report_.error = "transport shm failed: " + report_.fallback_reason + "; use transport auto";
}

/* ---------------------------------------------------------------------- */

void Handshake::use_shared_memory(std::size_t i)
{
  const std::size_t recv_capacity = theirs_[i].capacity;
  peers_[i].channel = make_shm_channel({blocks_[i], places_[i].offset, peers_[i].send_capacity},
                                       {block_, my_places_[i].offset, recv_capacity});
  report_.nshm++;
  report_.nregistered++;
  report_.nbytes_registered += shm_region_bytes(options_.link.nslots, recv_capacity);
}

/* ---------------------------------------------------------------------- */

void Handshake::use_network(std::size_t)
{
  report_.nofi++;
  report_.provider = network_->provider();
}

/* ---------------------------------------------------------------------- */

void Handshake::fall_back(std::size_t i)
{
  const std::string peer = name_of(ranks_[i]);
  if (way_[i] == Way::SHM) {
    if (report_.nfallback++ == 0)
      report_.fallback_reason = no_shared_memory_.empty() ? peer + " could not share memory"
                                                          : no_shared_memory_;
  } else if (report_.network_reason.empty()) {
    report_.network_reason = no_network_.empty() ? peer + " could not use the network directly"
                                                 : no_network_;
  }
}

/* ---------------------------------------------------------------------- */

void Handshake::use_mpi(std::size_t i)
{
  if (!mpi_) {
    const std::string &why = way_[i] == Way::SHM ? no_shared_memory_ : no_network_;
    report_.error = "no transport serves " + name_of(bootstrap_.rank()) + " and " +
        name_of(ranks_[i]) + (why.empty() ? "" : ": " + why);
    return;
  }
  peers_[i].channel = mpi_->make_channel(ranks_[i], options_.link.nslots, peers_[i].send_capacity,
                                         theirs_[i].capacity);
  peers_[i].over_mpi = true;
  report_.nmpi++;
  report_.nregistered++;
  report_.nbytes_registered += options_.link.nslots * (CACHE_LINE + theirs_[i].capacity);
}

}    // namespace TOFU_NS
