// SPDX-License-Identifier: GPL-2.0-only

#include "mpi_backend.h"

#include "communicator.h"
#include "transport/transport_error.h"

#include <chrono>
#include <climits>
#include <cstring>
#include <mpi.h>
#include <new>
#include <string>
#include <vector>

namespace TOFU_NS {

namespace {

  // two tags keep lone credits apart from the messages, whose order assigns them to slots

  constexpr int TAG_MESSAGE = 1;
  constexpr int TAG_CREDIT = 2;

  // last credit of a channel: with it everything the peer ever sent has been received

  constexpr std::uint64_t GOODBYE = UINT64_MAX;

  /** Cache-line aligned bytes. */
  class AlignedBuffer {
   public:
    explicit AlignedBuffer(std::size_t nbytes) :
        data_(static_cast<std::byte *>(::operator new(nbytes, std::align_val_t(CACHE_LINE))))
    {
      std::memset(data_, 0, nbytes);
    }
    ~AlignedBuffer() { ::operator delete(data_, std::align_val_t(CACHE_LINE)); }
    AlignedBuffer(const AlignedBuffer &) = delete;
    AlignedBuffer &operator=(const AlignedBuffer &) = delete;
    std::byte *data() const { return data_; }

   private:
    std::byte *data_;
  };

  void check(int status, const char *call, int peer)
  {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw TransportError(std::string(call) + " with rank " + std::to_string(peer) +
                         " failed: " + std::string(text, length) + "; transport mpi");
  }

  /** End a request that is no longer waited for, without blocking on a peer that may be gone. */
  void abandon(MPI_Request &request)
  {
    if (request == MPI_REQUEST_NULL) return;
    int done = 0;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (!done && std::chrono::steady_clock::now() < limit)
      if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    if (!done) MPI_Request_free(&request);
  }

  void cancel(MPI_Request &request)
  {
    if (request == MPI_REQUEST_NULL) return;
    if (MPI_Cancel(&request) == MPI_SUCCESS) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  /** A ring of slots, each with header, payload and the request that moves it. */
  class SlotRing {
   public:
    SlotRing(int nslots, std::size_t capacity) :
        capacity_(capacity), storage_(nslots * (CACHE_LINE + capacity)),
        requests_(nslots, MPI_REQUEST_NULL)
    {
    }

    std::size_t capacity() const { return capacity_; }
    std::byte *slot(int i) const { return storage_.data() + i * (CACHE_LINE + capacity_); }
    std::byte *payload(int i) const { return slot(i) + CACHE_LINE; }
    MessageHeader *header(int i) const { return reinterpret_cast<MessageHeader *>(slot(i)); }
    MPI_Request &request(int i) { return requests_[i]; }
    std::vector<MPI_Request> &requests() { return requests_; }

   private:
    std::size_t capacity_;
    AlignedBuffer storage_;
    std::vector<MPI_Request> requests_;
  };

  class MpiChannel : public Channel {
   public:
    MpiChannel(std::shared_ptr<MpiCommunicator> communicator, const PeerNeed &need) :
        communicator_(std::move(communicator)), comm_(communicator_->get()), peer_(need.peer),
        out_(need.nslots, need.send_capacity), in_(need.nslots, need.recv_capacity),
        credit_out_(need.nslots), credit_requests_(need.nslots, MPI_REQUEST_NULL)
    {
      for (int slot = 0; slot < need.nslots; slot++) post_receive(slot);
      post_credit_receive();
    }

    ~MpiChannel() override
    {
      int finalized = 0;
      MPI_Finalized(&finalized);
      if (finalized) return;
      for (auto &request : out_.requests()) abandon(request);
      for (auto &request : credit_requests_) abandon(request);
      for (auto &request : in_.requests()) cancel(request);
      cancel(credit_in_request_);
    }

    const char *name() const override { return "mpi"; }

    // the previous message of the slot has been released by the peer, so that its send is complete
    // or about to be: this wait does not depend on what the peer does next

    std::byte *send_payload(int slot) override
    {
      if (out_.request(slot) != MPI_REQUEST_NULL)
        check(MPI_Wait(&out_.request(slot), MPI_STATUS_IGNORE), "MPI_Wait", peer_);
      return out_.payload(slot);
    }

    std::size_t send_capacity() const override { return out_.capacity(); }
    bool remote_stores() const override { return false; }
    ArrayAccess *arrays() override { return nullptr; }

    void put(int slot, const MessageHeader &header) override
    {
      *out_.header(slot) = header;
      check(MPI_Isend(out_.slot(slot), static_cast<int>(CACHE_LINE + header.nbytes), MPI_BYTE,
                      peer_, TAG_MESSAGE, comm_, &out_.request(slot)),
            "MPI_Isend", peer_);
    }

    const MessageHeader *poll(int slot, std::uint64_t) override
    {
      if (in_.request(slot) != MPI_REQUEST_NULL) {
        int done = 0;
        check(MPI_Test(&in_.request(slot), &done, MPI_STATUS_IGNORE), "MPI_Test", peer_);
        if (!done) return nullptr;
      }
      return in_.header(slot);
    }

    const std::byte *recv_payload(int slot) const override { return in_.payload(slot); }
    void release(int slot) override { post_receive(slot); }

    // credits are cumulative: one that is still under way in the next slot of this small ring is
    // older than nslots credits and has long been received

    void post_credit(std::uint64_t nreleased) override
    {
      const auto i = ncredits_++ % credit_out_.size();
      if (credit_requests_[i] != MPI_REQUEST_NULL)
        check(MPI_Wait(&credit_requests_[i], MPI_STATUS_IGNORE), "MPI_Wait", peer_);
      credit_out_[i] = nreleased;
      check(MPI_Isend(&credit_out_[i], 1, MPI_UINT64_T, peer_, TAG_CREDIT, comm_,
                      &credit_requests_[i]),
            "MPI_Isend", peer_);
    }

    std::uint64_t poll_credit() override
    {
      int done = 1;
      while (done) {
        check(MPI_Test(&credit_in_request_, &done, MPI_STATUS_IGNORE), "MPI_Test", peer_);
        if (done) {
          if (credit_in_ == GOODBYE)
            peer_closed_ = true;
          else if (credit_in_ > credit_seen_)
            credit_seen_ = credit_in_;
          post_credit_receive();
        }
      }
      return credit_seen_;
    }

    // MPI connects by itself, sends what it has taken, and ends the job when a rank is lost

    void start_contact() override {}
    bool in_contact() override { return true; }
    bool settled() override { return true; }
    void check_peer() override {}

    // a new transport may get a communicator with the same internal number: a credit still under
    // way must not be taken for one of the new channel's

    void start_close() override { post_credit(GOODBYE); }

    bool closed() override
    {
      if (!peer_closed_) poll_credit();
      return peer_closed_;
    }

    // any call into MPI moves everything that is under way

    void progress() override
    {
      int flag;
      check(MPI_Iprobe(peer_, TAG_CREDIT, comm_, &flag, MPI_STATUS_IGNORE), "MPI_Iprobe", peer_);
    }

   private:
    void post_receive(int slot)
    {
      check(MPI_Irecv(in_.slot(slot), static_cast<int>(CACHE_LINE + in_.capacity()), MPI_BYTE,
                      peer_, TAG_MESSAGE, comm_, &in_.request(slot)),
            "MPI_Irecv", peer_);
    }

    void post_credit_receive()
    {
      check(MPI_Irecv(&credit_in_, 1, MPI_UINT64_T, peer_, TAG_CREDIT, comm_, &credit_in_request_),
            "MPI_Irecv", peer_);
    }

    std::shared_ptr<MpiCommunicator> communicator_;
    MPI_Comm comm_;
    int peer_;
    SlotRing out_, in_;

    std::vector<std::uint64_t> credit_out_;    // lone credits under way to the peer
    std::vector<MPI_Request> credit_requests_;
    std::size_t ncredits_ = 0;
    std::uint64_t credit_in_ = 0;    // lands here from the peer
    MPI_Request credit_in_request_ = MPI_REQUEST_NULL;
    std::uint64_t credit_seen_ = 0;
    bool peer_closed_ = false;
  };

  class MpiBackend : public Backend {
   public:
    explicit MpiBackend(MPI_Comm comm) : communicator_(std::make_shared<MpiCommunicator>(comm))
    {
      MPI_Comm_set_errhandler(communicator_->get(), MPI_ERRORS_RETURN);
    }

    bool prepare(const std::vector<PeerNeed> &peers, std::byte *, std::string &) override
    {
      peers_ = peers;
      return true;
    }

    std::unique_ptr<Channel> open(std::size_t i, const std::byte *, std::string &) override
    {
      const PeerNeed &peer = peers_[i];
      auto channel = std::make_unique<MpiChannel>(communicator_, peer);
      registered_.nregions++;
      registered_.nbytes += peer.nslots * (CACHE_LINE + peer.recv_capacity);
      return channel;
    }

    void all_opened() override {}
    std::string detail() const override { return ""; }
    RegisteredMemory registered() const override { return registered_; }

   private:
    std::shared_ptr<MpiCommunicator> communicator_;
    std::vector<PeerNeed> peers_;
    RegisteredMemory registered_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<Backend> make_mpi_backend(const BackendResources &resources)
{
  if (!resources.comm) return nullptr;
  return std::make_unique<MpiBackend>(*static_cast<const MPI_Comm *>(resources.comm));
}

}    // namespace TOFU_NS
