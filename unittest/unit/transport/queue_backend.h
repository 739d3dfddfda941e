// SPDX-License-Identifier: GPL-2.0-only
//
// A backend for ranks that are threads of one process: slots behind a lock.  This file and a row of
// the table are all that a new backend needs.

#ifndef TOFU_TEST_QUEUE_BACKEND_H
#define TOFU_TEST_QUEUE_BACKEND_H

#include "base/aligned_array.h"
#include "transport/backend.h"

#include <cstring>
#include <mutex>

namespace TOFU_TEST {

using namespace TOFU_NS;

/** Messages that a rank has received from one peer. */
struct Mailbox {
  struct Slot {
    MessageHeader header{};
    AlignedArray<std::byte> payload;
  };

  explicit Mailbox(int nslots) : slots(nslots) {}

  std::mutex mutex;
  std::vector<Slot> slots;
  std::uint64_t nreleased = 0;    // slots of the other direction that the peer has released
  bool greeted = false, closed = false;
};

class QueueChannel : public Channel {
 public:
  QueueChannel(const PeerNeed &need, std::shared_ptr<Mailbox> out, std::shared_ptr<Mailbox> in) :
      capacity_(need.send_capacity), out_(std::move(out)), in_(std::move(in)),
      staged_(static_cast<std::byte *>(staging_.room(capacity_)))
  {
  }

  const char *name() const override { return "queue"; }
  std::byte *send_payload(int) override { return staged_; }
  std::size_t send_capacity() const override { return capacity_; }
  bool remote_stores() const override { return false; }
  ArrayAccess *arrays() override { return nullptr; }

  void put(int slot, const MessageHeader &header) override
  {
    const std::lock_guard<std::mutex> lock(out_->mutex);
    Mailbox::Slot &theirs = out_->slots[slot];
    std::memcpy(theirs.payload.room(capacity_), staged_, header.nbytes);
    theirs.header = header;
  }

  const MessageHeader *poll(int slot, std::uint64_t sequence) override
  {
    const std::lock_guard<std::mutex> lock(in_->mutex);
    arrived_ = in_->slots[slot].header;
    payload_ = in_->slots[slot].payload.room(0);
    return arrived_.sequence == sequence ? &arrived_ : nullptr;
  }
  const std::byte *recv_payload(int) const override { return payload_; }
  void release(int) override {}

  void post_credit(std::uint64_t nreleased) override
  {
    const std::lock_guard<std::mutex> lock(out_->mutex);
    out_->nreleased = nreleased;
  }
  std::uint64_t poll_credit() override
  {
    const std::lock_guard<std::mutex> lock(in_->mutex);
    return in_->nreleased;
  }

  void start_contact() override { set(out_->greeted); }
  bool in_contact() override { return is_set(in_->greeted); }
  void start_close() override { set(out_->closed); }
  bool closed() override { return is_set(in_->closed); }
  void progress() override {}
  bool settled() override { return true; }
  void check_peer() override {}

 private:
  void set(bool &flag)
  {
    const std::lock_guard<std::mutex> lock(out_->mutex);
    flag = true;
  }
  bool is_set(const bool &flag)
  {
    const std::lock_guard<std::mutex> lock(in_->mutex);
    return flag;
  }

  const std::size_t capacity_;
  std::shared_ptr<Mailbox> out_, in_;    // mailbox of the peer; of this rank
  AlignedArray<std::byte> staging_;
  std::byte *const staged_;
  MessageHeader arrived_{};
  const std::byte *payload_ = nullptr;
};

/** An address is a pointer to this rank's mailbox for the peer. */
class QueueBackend : public Backend {
 public:
  bool prepare(const std::vector<PeerNeed> &peers, std::byte *addresses, std::string &) override
  {
    peers_ = peers;
    for (const PeerNeed &peer : peers) mine_.push_back(std::make_shared<Mailbox>(peer.nslots));
    for (std::size_t i = 0; i < peers.size(); i++) {
      const std::shared_ptr<Mailbox> *const address = &mine_[i];
      std::memcpy(addresses + i * sizeof(address), &address, sizeof(address));
    }
    return true;
  }

  std::unique_ptr<Channel> open(std::size_t i, const std::byte *theirs, std::string &) override
  {
    const std::shared_ptr<Mailbox> *address;
    std::memcpy(&address, theirs, sizeof(address));
    return address ? std::make_unique<QueueChannel>(peers_[i], *address, mine_[i]) : nullptr;
  }

  void all_opened() override {}
  std::string detail() const override { return ""; }
  RegisteredMemory registered() const override { return {}; }

 private:
  std::vector<PeerNeed> peers_;
  std::vector<std::shared_ptr<Mailbox>> mine_;
};

inline std::unique_ptr<Backend> make_queue_backend(const BackendResources &)
{
  return std::make_unique<QueueBackend>();
}

}    // namespace TOFU_TEST

#endif
