// SPDX-License-Identifier: GPL-2.0-only
//
// libtofu_rdma over TOFU's transport.
//
// Every put travels as one message of the transport per slot: a PutHeader and the bytes.  The
// receiver copies the bytes to the region while it looks for notices.

#include "tofu_rdma.h"

#include "backends.h"

#include "transport/bootstrap_mpi.h"
#include "transport/mpi/communicator.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <vector>

using namespace TOFU_NS;

namespace {

constexpr int MAX_SLOTS = 64;
constexpr std::size_t MAX_SLOT_BYTES = std::size_t(1) << 27;
constexpr MessageKind KIND = MessageKind::USER;
constexpr unsigned LOOKS_BEFORE_CHECK = 10000;    // milliseconds

// ---- what travels: plain data, multiples of 8 bytes

enum class Operation : std::uint32_t { PUT = 1, COMMIT = 2 };

struct PutHeader {
  Operation operation;
  std::int32_t region;
  std::uint64_t offset;       // of this piece in the region
  std::uint64_t nbytes;       // of this piece; they follow
  std::uint64_t put_bytes;    // of the whole put, which ends with the piece that has the notice
  std::int32_t notice;
  std::uint32_t unused;
};

struct CommitHeader {
  Operation operation;
  std::uint32_t nregions;    // as many std::uint64_t follow: their sizes
};

// ---- errors

/** A call that failed; becomes an error code at the border of the library. */
struct Problem {
  int code;
  std::string text;
};

/** The last text; of fixed size, so that running out of memory can be reported. */
thread_local char last_message[2048] = "";

int fail(int code, const char *call, const char *text)
{
  std::snprintf(last_message, sizeof(last_message), "%s: %s", call, text);
  return code;
}

std::string number(std::uint64_t value)
{
  return std::to_string(value);
}

std::string all_backend_names()
{
  std::string names;
  for (const std::string &name : TOFU_RDMA::backend_names())
    names += (names.empty() ? "" : ", ") + name;
  return names;
}

/** Mixes the bits of a number (splitmix64), so that sums and XORs of results tell sets apart. */
std::uint64_t mix(std::uint64_t x)
{
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

struct Region {
  std::byte *memory;
  std::uint64_t nbytes;
};

}    // namespace

/* ----------------------------------------------------------------------
   the context; members end in reverse order: the transport first
------------------------------------------------------------------------- */

struct tofu_rdma {
 public:
  tofu_rdma(MPI_Comm parent, std::vector<int> peers, const tofu_rdma_options &options);

  int add_region(void *memory, std::size_t nbytes);
  void commit();
  tofu_rdma_address remote(int peer, int region) const;
  void put(const tofu_rdma_address &to, std::size_t offset, const void *local, std::size_t nbytes,
           int notice);
  void wait(int peer, int notice, tofu_rdma_event *event);
  bool test(int peer, int notice, tofu_rdma_event *event);
  void progress();
  void finish();
  const char *peer_backend(int peer);

  int me() const { return me_; }

  /** The transport has failed: nothing but free is possible. */
  void set_broken();
  bool broken() const { return broken_; }

 private:
  struct Peer {
    int rank;
    int link;                              // index in the transport, SELF for this rank
    std::vector<std::uint64_t> regions;    // their sizes
    std::uint64_t ncommits = 0;            // that have arrived
  };
  static constexpr int SELF = -1;

  void check(const std::vector<int> &peers, const tofu_rdma_options &options, std::string &error);
  void agree(const std::vector<int> &peers, const tofu_rdma_options &options,
             const std::string &error);
  std::string find_one_sided_peer(const std::vector<int> &peers);
  std::string connect(const std::vector<int> &others, const std::vector<std::size_t> &capacities);
  void agree_on_report(const std::string &error);

  const Peer *find(int rank) const;
  const Peer &need(int rank) const;
  bool take(int peer, int notice, tofu_rdma_event *event);
  void check_put(const tofu_rdma_address &to, std::size_t offset, const void *local,
                 std::size_t nbytes, int notice);
  void put_pieces(int index, int region, std::size_t offset, const std::byte *source,
                  std::size_t nbytes, int notice);
  void check_notice(int peer, int notice) const;
  void block(int first);
  bool look(int link);
  void land(int link, const Message &message);
  void land_put(int link, const Message &message);
  void land_commit(int link, const Message &message);
  [[noreturn]] void damaged(int link, const std::string &what) const;

  TOFU_NS::MpiCommunicator comm_;
  bool broken_ = false;
  int me_ = 0, size_ = 1;
  TransportOptions options_;
  std::unique_ptr<Bootstrap> bootstrap_;
  std::vector<Peer> peers_;               // ascending ranks
  std::vector<int> peer_of_link_;         // index in peers_
  std::vector<Region> regions_;           // of this rank
  std::uint64_t ncommits_ = 0;            // of this rank
  std::deque<tofu_rdma_event> events_;    // landed with a notice and not yet taken, oldest first
  std::vector<int> pending_;              // scratch of block()
  std::unique_ptr<Transport> transport_;
};

/* ---------------------------------------------------------------------- */

tofu_rdma::tofu_rdma(MPI_Comm parent, std::vector<int> peers, const tofu_rdma_options &options) :
    comm_(parent)
{
  if (comm_.status() != MPI_SUCCESS) throw Problem{TOFU_RDMA_ERROR_CONNECT, "MPI_Comm_dup failed"};
  MPI_Comm_rank(comm_.get(), &me_);
  MPI_Comm_size(comm_.get(), &size_);
  std::sort(peers.begin(), peers.end());
  std::string error;
  check(peers, options, error);
  agree(peers, options, error);

  TOFU_RDMA::choose_backend(options.backend, options_);
  options_.link.nslots = options.slots;
  options_.link.stream = options.stream != 0;
  options_.link.verify = options.verify != 0;
  options_.warn_seconds = options.warn_seconds;
  options_.warn = [warn = options.warn, user = options.warn_user](const std::string &text) {
    if (warn)
      warn(text.c_str(), user);
    else
      std::fprintf(stderr, "tofu_rdma: %s\n", text.c_str());
  };

  std::vector<int> others;
  for (int rank : peers) {
    peers_.push_back({rank, SELF, {}});
    if (rank == me_) continue;
    peers_.back().link = static_cast<int>(others.size());
    peer_of_link_.push_back(static_cast<int>(peers_.size()) - 1);
    others.push_back(rank);
  }

  bootstrap_ = make_mpi_bootstrap(&comm_.get(), options.node_size);
  transport_ = std::make_unique<Transport>(*bootstrap_, &comm_.get(), options_);
  const std::vector<std::size_t> capacities(others.size(), sizeof(PutHeader) + options.slot_bytes);
  agree_on_report(connect(others, capacities));
}

/* ----------------------------------------------------------------------
   Returns: text of the error; no exception is thrown, since the others wait for this rank to agree
------------------------------------------------------------------------- */

std::string tofu_rdma::connect(const std::vector<int> &others,
                               const std::vector<std::size_t> &capacities)
{
  try {
    return transport_->connect(others, capacities).error;
  } catch (const std::exception &failure) {
    return failure.what();
  }
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::set_broken()
{
  broken_ = true;
  transport_->mark_broken();
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::check(const std::vector<int> &peers, const tofu_rdma_options &options,
                      std::string &error)
{
  const auto &known = TOFU_RDMA::backend_names();
  if (!options.backend || std::find(known.begin(), known.end(), options.backend) == known.end())
    error = "there is no backend '" + std::string(options.backend ? options.backend : "NULL") +
        "'; this library has " + all_backend_names();
  if (options.slots < 1 || options.slots > MAX_SLOTS)
    error = "options.slots is " + std::to_string(options.slots) + "; allowed are 1 to " +
        std::to_string(MAX_SLOTS);
  if (options.slot_bytes < 1 || options.slot_bytes > MAX_SLOT_BYTES)
    error = "options.slot_bytes is " + number(options.slot_bytes) + "; allowed are 1 to " +
        number(MAX_SLOT_BYTES);
  if (options.node_size < 0)
    error = "options.node_size is " + std::to_string(options.node_size) + "; 0 asks MPI";
  for (std::size_t i = 0; i < peers.size(); i++) {
    if (peers[i] < 0 || peers[i] >= size_)
      error = "peer " + std::to_string(peers[i]) +
          " is no rank of the communicator, which has 0 to " + std::to_string(size_ - 1);
    if (i > 0 && peers[i] == peers[i - 1])
      error = "peer " + std::to_string(peers[i]) + " is listed twice; list each rank once";
  }
}

/* ----------------------------------------------------------------------
   all ranks fail or none; every link (i,j) is to be listed by i and by j, so
   that the XOR of a hash of it over both is zero: no list of all ranks needed
------------------------------------------------------------------------- */

void tofu_rdma::agree(const std::vector<int> &peers, const tofu_rdma_options &options,
                      const std::string &error)
{
  std::uint64_t same = error.empty() ? mix(options.slots) ^ mix(mix(options.node_size)) : 0;
  for (const char *c = options.backend; error.empty() && *c; c++) same = mix(same + *c);
  std::uint64_t links = 0;
  for (int rank : peers)
    if (rank != me_)
      links ^= mix((static_cast<std::uint64_t>(std::min(rank, me_)) << 32) | std::max(rank, me_));

  std::uint64_t mine[3] = {error.empty() ? 0u : 1u, same, ~same}, most[3], unpaired;
  MPI_Allreduce(mine, most, 3, MPI_UINT64_T, MPI_MAX, comm_.get());
  if (!error.empty()) throw Problem{TOFU_RDMA_ERROR_ARGUMENT, error};
  if (most[0])
    throw Problem{TOFU_RDMA_ERROR_ARGUMENT,
                  "another rank passed wrong arguments; its message has them"};
  if (most[1] != ~most[2])
    throw Problem{
        TOFU_RDMA_ERROR_ARGUMENT,
        "options differ between ranks; backend, slots and node_size must be the same on all"};
  MPI_Allreduce(&links, &unpaired, 1, MPI_UINT64_T, MPI_BXOR, comm_.get());
  if (unpaired) throw Problem{TOFU_RDMA_ERROR_ARGUMENT, find_one_sided_peer(peers)};
}

/* ---------------------------------------------------------------------- */

std::string tofu_rdma::find_one_sided_peer(const std::vector<int> &peers)
{
  std::vector<int> listed(size_, 0), lists_me(size_);
  for (int rank : peers) listed[rank] = 1;
  MPI_Alltoall(listed.data(), 1, MPI_INT, lists_me.data(), 1, MPI_INT, comm_.get());
  for (int rank = 0; rank < size_; rank++) {
    if (listed[rank] && !lists_me[rank])
      return "this rank lists rank " + std::to_string(rank) +
          ", which does not list this rank; peers must list each other";
    if (!listed[rank] && lists_me[rank])
      return "rank " + std::to_string(rank) +
          " lists this rank, which does not list it; peers must list each other";
  }
  return "two other ranks do not list each other; their messages say which";
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::agree_on_report(const std::string &error)
{
  int mine = error.empty() ? 0 : 1, any;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm_.get());
  if (any) set_broken();    // links that one side has made need no goodbye
  if (mine) throw Problem{TOFU_RDMA_ERROR_CONNECT, error};
  if (any)
    throw Problem{TOFU_RDMA_ERROR_CONNECT, "another rank could not connect; its message says why"};
}

/* ---------------------------------------------------------------------- */

const tofu_rdma::Peer *tofu_rdma::find(int rank) const
{
  const auto place = std::lower_bound(peers_.begin(), peers_.end(), rank,
                                      [](const Peer &peer, int r) { return peer.rank < r; });
  return place == peers_.end() || place->rank != rank ? nullptr : &*place;
}

/* ---------------------------------------------------------------------- */

const tofu_rdma::Peer &tofu_rdma::need(int rank) const
{
  const Peer *peer = find(rank);
  if (!peer)
    throw Problem{TOFU_RDMA_ERROR_ARGUMENT,
                  "rank " + std::to_string(rank) + " is none of the " + number(peers_.size()) +
                      " peers of this context; list it in tofu_rdma_create()"};
  return *peer;
}

/* ---------------------------------------------------------------------- */

int tofu_rdma::add_region(void *memory, std::size_t nbytes)
{
  if (!memory && nbytes)
    throw Problem{TOFU_RDMA_ERROR_ARGUMENT, "memory is NULL but has " + number(nbytes) + " bytes"};
  if (regions_.size() >= INT_MAX) throw Problem{TOFU_RDMA_ERROR_ARGUMENT, "too many regions"};
  regions_.push_back({static_cast<std::byte *>(memory), nbytes});
  return static_cast<int>(regions_.size()) - 1;
}

/* ----------------------------------------------------------------------
   sizes travel over the links: puts of a peer that is ahead may follow directly
------------------------------------------------------------------------- */

void tofu_rdma::commit()
{
  std::vector<std::uint64_t> sizes;
  for (const Region &region : regions_) sizes.push_back(region.nbytes);
  const CommitHeader header{Operation::COMMIT, static_cast<std::uint32_t>(sizes.size())};

  ncommits_++;
  for (Peer &peer : peers_) {
    if (peer.link == SELF) {
      peer.regions = sizes;
      peer.ncommits = ncommits_;
      continue;
    }
    Link &link = transport_->link(peer.link);
    link.open(KIND);
    link.append(&header, sizeof(header));
    link.append(sizes.data(), sizes.size() * sizeof(sizes[0]));
    link.close();
  }
  for (const Peer &peer : peers_)
    while (peer.ncommits < ncommits_) block(peer.link);
  transport_->settle(Transport::ALL_LANES);
}

/* ---------------------------------------------------------------------- */

tofu_rdma_address tofu_rdma::remote(int rank, int region) const
{
  const Peer &peer = need(rank);
  if (ncommits_ == 0)
    throw Problem{TOFU_RDMA_ERROR_STATE,
                  "regions of peers are not known yet; call tofu_rdma_commit() first"};
  if (region < 0 || static_cast<std::size_t>(region) >= peer.regions.size())
    throw Problem{TOFU_RDMA_ERROR_ARGUMENT,
                  "rank " + std::to_string(rank) + " has committed " + number(peer.regions.size()) +
                      " regions, asked for number " + std::to_string(region) +
                      "; numbers start at 0"};
  return {rank, region, static_cast<std::size_t>(peer.regions[region])};
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::put(const tofu_rdma_address &to, std::size_t offset, const void *local,
                    std::size_t nbytes, int notice)
{
  check_put(to, offset, local, nbytes, notice);
  const Peer &peer = need(to.peer);
  if (peer.link == SELF) {
    if (nbytes) std::memmove(regions_[to.region].memory + offset, local, nbytes);
    if (notice >= 0) events_.push_back({me_, notice, to.region, offset, nbytes});
    return;
  }
  put_pieces(peer.link, to.region, offset, static_cast<const std::byte *>(local), nbytes, notice);

  // the caller may go on to an MPI collective, which would not send the messages that are still
  // here

  transport_->settle(Transport::ALL_LANES);
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::check_put(const tofu_rdma_address &to, std::size_t offset, const void *local,
                          std::size_t nbytes, int notice)
{
  const std::size_t limit = remote(to.peer, to.region).bytes;
  if (nbytes > limit || offset > limit - nbytes)
    throw Problem{TOFU_RDMA_ERROR_BOUNDS,
                  number(nbytes) + " bytes at offset " + number(offset) +
                      " do not fit into region " + std::to_string(to.region) + " of rank " +
                      std::to_string(to.peer) + ", which has " + number(limit) +
                      " bytes; nothing was sent. Register more there"};
  if (!local && nbytes)
    throw Problem{TOFU_RDMA_ERROR_ARGUMENT, "local is NULL but has " + number(nbytes) + " bytes"};
  if (notice < 0 && notice != TOFU_RDMA_NO_NOTICE)
    throw Problem{TOFU_RDMA_ERROR_ARGUMENT,
                  "notice is " + std::to_string(notice) +
                      "; allowed are 0 and above, and TOFU_RDMA_NO_NOTICE"};
}

/* ----------------------------------------------------------------------
   pieces that fill a slot each: the receiver lands them straight from there
------------------------------------------------------------------------- */

void tofu_rdma::put_pieces(int index, int region, std::size_t offset, const std::byte *source,
                           std::size_t nbytes, int notice)
{
  Link &link = transport_->link(index);
  const std::size_t room = transport_->capacity(index) - sizeof(PutHeader);
  std::size_t done = 0;
  do {
    const std::size_t n = std::min(room, nbytes - done);
    const int its_notice = done + n == nbytes ? notice : TOFU_RDMA_NO_NOTICE;
    const PutHeader header{Operation::PUT, region, offset + done, n, nbytes, its_notice, 0};
    link.open(KIND);
    link.append(&header, sizeof(header));
    link.append(source + done, n);
    link.close();
    done += n;
  } while (done < nbytes);
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::check_notice(int peer, int notice) const
{
  if (peer != TOFU_RDMA_ANY) need(peer);
  if (notice < 0 && notice != TOFU_RDMA_ANY)
    throw Problem{TOFU_RDMA_ERROR_ARGUMENT,
                  "notice is " + std::to_string(notice) +
                      "; allowed are 0 and above, and TOFU_RDMA_ANY"};
}

/* ---------------------------------------------------------------------- */

bool tofu_rdma::take(int peer, int notice, tofu_rdma_event *event)
{
  const auto fits = [&](const tofu_rdma_event &one) {
    return (peer == TOFU_RDMA_ANY || peer == one.peer) &&
        (notice == TOFU_RDMA_ANY || notice == one.notice);
  };
  const auto found = std::find_if(events_.begin(), events_.end(), fits);
  if (found == events_.end()) return false;
  if (event) *event = *found;
  events_.erase(found);
  return true;
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::wait(int peer, int notice, tofu_rdma_event *event)
{
  check_notice(peer, notice);
  const int awaited = peer == TOFU_RDMA_ANY ? (transport_->npeers() ? 0 : SELF) : need(peer).link;
  while (!take(peer, notice, event)) {
    if (awaited == SELF)
      throw Problem{
          TOFU_RDMA_ERROR_FOREVER,
          "no put to this rank itself has that notice, and no other rank can bring it; put first"};
    block(awaited);
  }
}

/* ---------------------------------------------------------------------- */

bool tofu_rdma::test(int peer, int notice, tofu_rdma_event *event)
{
  check_notice(peer, notice);
  if (take(peer, notice, event)) return true;
  for (int link = 0; link < transport_->npeers(); link++) look(link);
  return take(peer, notice, event);
}

/* ----------------------------------------------------------------------
   as many messages as there are slots: a peer that goes on putting cannot
   keep this rank here
------------------------------------------------------------------------- */

void tofu_rdma::progress()
{
  for (int link = 0; link < transport_->npeers(); link++) {
    transport_->link(link).channel().progress();
    for (int i = 0; i < options_.link.nslots && look(link); i++) {}
  }
}

/* ----------------------------------------------------------------------
   land one message, of any peer: another peer may need the slot before the
   awaited one can go on
------------------------------------------------------------------------- */

void tofu_rdma::block(int awaited)
{
  if (look(awaited)) return;
  pending_.assign(1, awaited);    // first in the list: the one that a warning names
  for (int link = 0; link < transport_->npeers(); link++)
    if (link != awaited) pending_.push_back(link);
  look(transport_->wait_any(pending_, KIND));
}

/* ---------------------------------------------------------------------- */

bool tofu_rdma::look(int link)
{
  const Message *message = transport_->link(link).try_receive();
  if (!message) return false;
  land(link, *message);
  transport_->link(link).release();
  return true;
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::land(int link, const Message &message)
{
  if (message.nbytes < sizeof(CommitHeader)) damaged(link, number(message.nbytes) + " bytes");
  Operation operation;
  std::memcpy(&operation, message.data, sizeof(operation));
  if (operation == Operation::PUT)
    land_put(link, message);
  else if (operation == Operation::COMMIT)
    land_commit(link, message);
  else
    damaged(link, "operation " + number(static_cast<std::uint32_t>(operation)));
}

/* ----------------------------------------------------------------------
   the sender has checked all of this; a message that fails here was damaged
------------------------------------------------------------------------- */

void tofu_rdma::land_put(int link, const Message &message)
{
  PutHeader header;
  if (message.nbytes < sizeof(header)) damaged(link, number(message.nbytes) + " bytes");
  std::memcpy(&header, message.data, sizeof(header));
  const auto region = static_cast<std::size_t>(header.region);
  if (header.nbytes != message.nbytes - sizeof(header) || header.region < 0 ||
      region >= regions_.size() || header.nbytes > regions_[region].nbytes ||
      header.offset > regions_[region].nbytes - header.nbytes)
    damaged(link,
            number(header.nbytes) + " bytes at offset " + number(header.offset) + " of region " +
                std::to_string(header.region));

  if (header.nbytes)
    std::memcpy(regions_[region].memory + header.offset, message.data + sizeof(header),
                header.nbytes);
  if (header.notice >= 0)
    events_.push_back({peers_[peer_of_link_[link]].rank, header.notice, header.region,
                       static_cast<std::size_t>(header.offset + header.nbytes - header.put_bytes),
                       static_cast<std::size_t>(header.put_bytes)});
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::land_commit(int link, const Message &message)
{
  CommitHeader header;
  std::memcpy(&header, message.data, sizeof(header));
  Peer &peer = peers_[peer_of_link_[link]];
  peer.regions.resize(header.nregions);
  if (message.nbytes != sizeof(header) + header.nregions * sizeof(peer.regions[0]))
    damaged(link, number(header.nregions) + " regions in " + number(message.nbytes) + " bytes");
  if (header.nregions)
    std::memcpy(peer.regions.data(), message.data + sizeof(header),
                message.nbytes - sizeof(header));
  peer.ncommits++;
}

/* ---------------------------------------------------------------------- */

void tofu_rdma::damaged(int link, const std::string &what) const
{
  throw TransportError(
      "a message of rank " + std::to_string(transport_->link(link).peer()) + " makes no sense: " +
      what + ". Both ranks must run the same libtofu_rdma; options.verify finds damage on the way");
}

/* ----------------------------------------------------------------------
   no rank leaves until all ranks are here, since the last puts of this rank may
   still need it.  Messages that arrive meanwhile are copied out of their slots,
   so that no rank waits for a slot
------------------------------------------------------------------------- */

void tofu_rdma::finish()
{
  MPI_Request all;
  MPI_Ibarrier(comm_.get(), &all);
  int done = 0;
  for (unsigned nlooks = 1; !done; nlooks++) {
    if (nlooks % LOOKS_BEFORE_CHECK == 0) transport_->expect_all_alive();
    for (int i = 0; i < transport_->npeers(); i++) {
      transport_->link(i).channel().progress();
      transport_->link(i).drain();
    }
    MPI_Test(&all, &done, MPI_STATUS_IGNORE);
  }
}

/* ---------------------------------------------------------------------- */

const char *tofu_rdma::peer_backend(int rank)
{
  const Peer *peer = find(rank);
  if (!peer) return nullptr;
  return peer->link == SELF ? "self" : transport_->link(peer->link).channel().name();
}

/* ----------------------------------------------------------------------
   boundary of the library: no exception passes it
------------------------------------------------------------------------- */

namespace {

/** Run the body of a call; turn an exception into an error code and a text. */
template <class Body> int guarded(const char *call, tofu_rdma *context, const Body &body)
{
  char where[64];
  std::snprintf(where, sizeof(where), "rank %d, %s", context->me(), call);
  try {
    if (context->broken())
      throw Problem{
          TOFU_RDMA_ERROR_PEER,
          "an earlier call on this context failed for good; only tofu_rdma_free() is left"};
    body();
    return TOFU_RDMA_OK;
  } catch (const Problem &problem) {
    return fail(problem.code, where, problem.text.c_str());
  } catch (const TransportError &error) {
    context->set_broken();
    return fail(TOFU_RDMA_ERROR_PEER, where, error.what());
  } catch (const std::bad_alloc &) {
    context->set_broken();
    return fail(TOFU_RDMA_ERROR_MEMORY, where, "out of memory; use fewer or smaller slots");
  } catch (const std::exception &error) {
    context->set_broken();
    return fail(TOFU_RDMA_ERROR_INTERNAL, where, error.what());
  }
}

/** For arguments that are looked at before there is a context to guard. */
int null_argument(const char *call, const char *name)
{
  return fail(TOFU_RDMA_ERROR_ARGUMENT, call, (std::string(name) + " is NULL").c_str());
}

std::string create_where(MPI_Comm comm)
{
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return "rank " + std::to_string(rank) + ", tofu_rdma_create";
}

}    // namespace

/* ---------------------------------------------------------------------- */

void tofu_rdma_default_options(tofu_rdma_options *options)
{
  if (options) *options = {"auto", 4, 32768, 1, 0, 0, 30.0, nullptr, nullptr};
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_create(MPI_Comm comm, int npeers, const int *peers, const tofu_rdma_options *options,
                     tofu_rdma **context)
{
  const char *call = "tofu_rdma_create";
  if (!context) return null_argument(call, "context");
  *context = nullptr;
  if (npeers < 0 || (npeers > 0 && !peers))
    return null_argument(call, "peers, or npeers is negative,");
  int running = 0, over = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&over);
  if (!running || over || comm == MPI_COMM_NULL)
    return fail(TOFU_RDMA_ERROR_STATE, call,
                "needs a communicator between MPI_Init and MPI_Finalize");
  tofu_rdma_options defaults;
  tofu_rdma_default_options(&defaults);
  try {
    *context =
        new tofu_rdma(comm, std::vector<int>(peers, peers + npeers), options ? *options : defaults);
    return TOFU_RDMA_OK;
  } catch (const Problem &problem) {
    return fail(problem.code, create_where(comm).c_str(), problem.text.c_str());
  } catch (const std::bad_alloc &) {
    return fail(TOFU_RDMA_ERROR_MEMORY, call, "out of memory; use fewer or smaller slots");
  } catch (const std::exception &error) {
    return fail(TOFU_RDMA_ERROR_CONNECT, create_where(comm).c_str(), error.what());
  }
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_create_f(MPI_Fint comm, int npeers, const int *peers,
                       const tofu_rdma_options *options, tofu_rdma **context)
{
  return tofu_rdma_create(MPI_Comm_f2c(comm), npeers, peers, options, context);
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_refuse_section_f(void)
{
  return fail(TOFU_RDMA_ERROR_ARGUMENT, "tofu_rdma",
              "the array is a section that is not contiguous; give a whole array, or a copy");
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_register(tofu_rdma *context, void *memory, size_t bytes, int *region)
{
  if (!context || !region)
    return null_argument("tofu_rdma_register", context ? "region" : "context");
  return guarded("tofu_rdma_register", context,
                 [&]() { *region = context->add_region(memory, bytes); });
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_commit(tofu_rdma *context)
{
  if (!context) return null_argument("tofu_rdma_commit", "context");
  return guarded("tofu_rdma_commit", context, [&]() { context->commit(); });
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_remote(tofu_rdma *context, int peer, int region, tofu_rdma_address *address)
{
  if (!context || !address)
    return null_argument("tofu_rdma_remote", context ? "address" : "context");
  return guarded("tofu_rdma_remote", context, [&]() { *address = context->remote(peer, region); });
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_put(tofu_rdma *context, const tofu_rdma_address *to, size_t offset, const void *local,
                  size_t bytes, int notice)
{
  if (!context || !to) return null_argument("tofu_rdma_put", context ? "to" : "context");
  return guarded("tofu_rdma_put", context,
                 [&]() { context->put(*to, offset, local, bytes, notice); });
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_wait(tofu_rdma *context, int peer, int notice, tofu_rdma_event *event)
{
  if (!context) return null_argument("tofu_rdma_wait", "context");
  return guarded("tofu_rdma_wait", context, [&]() { context->wait(peer, notice, event); });
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_test(tofu_rdma *context, int peer, int notice, int *found, tofu_rdma_event *event)
{
  if (!context || !found) return null_argument("tofu_rdma_test", context ? "found" : "context");
  *found = 0;
  return guarded("tofu_rdma_test", context, [&]() { *found = context->test(peer, notice, event); });
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_progress(tofu_rdma *context)
{
  if (!context) return null_argument("tofu_rdma_progress", "context");
  return guarded("tofu_rdma_progress", context, [&]() { context->progress(); });
}

/* ---------------------------------------------------------------------- */

int tofu_rdma_free(tofu_rdma **context)
{
  if (!context || !*context) return TOFU_RDMA_OK;
  int over = 0;
  MPI_Finalized(&over);
  int status = TOFU_RDMA_OK;
  if (over)
    status =
        fail(TOFU_RDMA_ERROR_STATE, "tofu_rdma_free", "called after MPI_Finalize; call it before");
  else if (!(*context)->broken())
    status = guarded("tofu_rdma_free", *context, [&]() { (*context)->finish(); });
  delete *context;
  *context = nullptr;
  return status;
}

/* ---------------------------------------------------------------------- */

const char *tofu_rdma_peer_backend(tofu_rdma *context, int peer)
{
  return context ? context->peer_backend(peer) : nullptr;
}

/* ---------------------------------------------------------------------- */

const char *tofu_rdma_backend_name(int index)
{
  const auto &names = TOFU_RDMA::backend_names();
  return index >= 0 && index < static_cast<int>(names.size()) ? names[index].c_str() : nullptr;
}

/* ---------------------------------------------------------------------- */

const char *tofu_rdma_message(void)
{
  return last_message;
}
