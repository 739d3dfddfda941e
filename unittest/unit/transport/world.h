// SPDX-License-Identifier: GPL-2.0-only
//
// A world of ranks for tests of the transport: threads of this process over heap memory, where
// sanitizers see all accesses, or MPI processes (TOFU_MPI_WORLD).  run_ranks() calls the same body
// in both.

#ifndef TOFU_TEST_WORLD_H
#define TOFU_TEST_WORLD_H

#include "unit/testing.h"

#include "transport/bootstrap.h"
#include "transport/ofi/ofi_backend.h"
#include "transport/shm/shm_segment.h"
#include "transport/transport.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

namespace TOFU_TEST {

using namespace TOFU_NS;

/** Blocks on the heap, found by name.  Creation fails if `refuse` or `refuse_anonymous` is set for
    the creating rank, with bad_alloc if `out_of_memory` is set. */
class HeapSharedMemory : public SharedMemory {
 public:
  std::shared_ptr<SharedBlock> create(Kind kind, const std::string &label, std::size_t nbytes,
                                      std::string &why) override
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (out_of_memory) throw std::bad_alloc();
    if (refuse || (refuse_anonymous && kind == Kind::ANONYMOUS)) {
      why = "no room for " + label;
      return nullptr;
    }
    nmade[kind == Kind::ANONYMOUS ? 0 : 1]++;
    const std::string name = (kind == Kind::ANONYMOUS ? "anonymous " : "named ") + label;
    auto block = std::make_shared<HeapBlock>(name, nbytes);
    blocks_[name] = block;
    return block;
  }

  std::shared_ptr<SharedBlock> attach(const std::string &name, std::size_t,
                                      std::string &why) override
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = blocks_.find(name);
    if (found == blocks_.end()) {
      why = "nothing named " + name;
      return nullptr;
    }
    return found->second.lock();
  }

  bool refuse = false, refuse_anonymous = false, out_of_memory = false;
  int nmade[2] = {0, 0};    // # of blocks, anonymous and named

 private:
  class HeapBlock : public SharedBlock {
   public:
    HeapBlock(std::string name, std::size_t nbytes) :
        name_(std::move(name)),
        data_(static_cast<std::byte *>(::operator new(nbytes, std::align_val_t(4096))))
    {
      std::memset(data_, 0, nbytes);
    }
    ~HeapBlock() override { ::operator delete(data_, std::align_val_t(4096)); }
    std::byte *data() override { return data_; }
    const std::string &name() const override { return name_; }
    void unlink() override {}

   private:
    std::string name_;
    std::byte *data_;
  };

  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<HeapBlock>> blocks_;
};

/** Mailboxes between threads. */
class ThreadPost {
 public:
  void send(int from, int to, const void *data, std::size_t nbytes)
  {
    auto bytes = static_cast<const char *>(data);
    std::lock_guard<std::mutex> lock(mutex_);
    boxes_[{from, to}].emplace_back(bytes, bytes + nbytes);
    arrived_.notify_all();
  }

  void receive(int from, int to, void *data)
  {
    std::unique_lock<std::mutex> lock(mutex_);
    auto &box = boxes_[{from, to}];
    arrived_.wait(lock, [&]() { return !box.empty(); });
    std::memcpy(data, box.front().data(), box.front().size());
    box.erase(box.begin());
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::vector<std::vector<char>>> boxes_;
};

class ThreadBootstrap : public Bootstrap {
 public:
  ThreadBootstrap(ThreadPost &post, int rank, int size) : post_(post), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int node() const override { return 0; }
  int ranks_on_node() const override { return size_; }
  std::uint64_t job_id() const override { return 4711; }

  void exchange(const std::vector<int> &peers, const void *send, void *recv,
                std::size_t nbytes) override
  {
    for (std::size_t i = 0; i < peers.size(); i++)
      post_.send(rank_, peers[i], static_cast<const char *>(send) + i * nbytes, nbytes);
    for (std::size_t i = 0; i < peers.size(); i++)
      post_.receive(peers[i], rank_, static_cast<char *>(recv) + i * nbytes);
  }

 private:
  ThreadPost &post_;
  int rank_, size_;
};

/** Call body(bootstrap, shared memory) on nranks ranks, each of which is a thread. */
inline void on_threads(int nranks, const std::function<void(Bootstrap &, SharedMemory &)> &body)
{
  ThreadPost post;
  HeapSharedMemory memory;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < nranks; rank++)
    threads.emplace_back([&, rank]() {
      ThreadBootstrap bootstrap(post, rank, nranks);
      body(bootstrap, memory);
    });
  for (auto &thread : threads) thread.join();
}

/** All ranks but this one. */
inline std::vector<int> all_others(int rank, int size)
{
  std::vector<int> others;
  for (int other = 0; other < size; other++)
    if (other != rank) others.push_back(other);
  return others;
}

/** Reason why this machine cannot use a libfabric provider; empty if it can. */
inline std::string why_not(const std::string &provider)
{
  OfiOptions options;
  options.provider = provider;
  options.source = "127.0.0.1";
  return why_no_provider(options);
}

struct World {
  int rank, size;
  Bootstrap &bootstrap;
  SharedMemory &shared_memory;
  const void *comm = nullptr;    // pointer to an MPI_Comm; nullptr where there is no MPI

  /** Options for a transport of these ranks. */
  TransportOptions options() const
  {
    TransportOptions result;
    result.shared_memory = &shared_memory;
    return result;
  }
};

using Body = std::function<void(World &)>;

/** Run the body on every rank, in threads: `size` of them; under MPI: on all processes. */
void run_ranks(int size, const Body &body);

/** True if this build has MPI ranks. */
bool mpi_world();

/** Number of MPI processes; 1 where ranks are threads. */
int world_size();

}    // namespace TOFU_TEST

#endif
