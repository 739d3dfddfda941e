// SPDX-License-Identifier: GPL-2.0-only
//
// ThreadPool: fork and join in tenths of a microsecond, for stages of a few microseconds.
//
// Work is cut into parts, and results depend on the parts alone.  The number of threads that share
// the parts depends on the number of processors.  So the same number of parts gives bitwise the
// same results on one core and on many, and more parts than processors cost a few calls each.
//
// Fork is one store of a generation number that all workers poll, join is one store of each worker
// into a cache line of its own.  A worker without work spins for a while, then sleeps.

#ifndef TOFU_POOL_THREAD_POOL_H
#define TOFU_POOL_THREAD_POOL_H

#include "base/generation.h"
#include "base/share.h"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace TOFU_NS {

class ThreadPool {
 public:
  struct Options {
    std::vector<int>
        processors;        // one thread each at most, the caller's first; empty: one thread
    bool pin = false;      // bind each thread to its processor
    double spin = 2e-3;    // seconds of polling before a worker sleeps
  };

  /** A pool of one thread, the caller's. */
  explicit ThreadPool(const Options &);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /** Add threads up to this number, or to the number of processors if that is lower.

      \throws std::system_error if the system gives no more threads; the pool keeps those it got.
      */
  void grow(int nthreads);

  int nthreads() const { return static_cast<int>(workers_.size()) + 1; }

  /** Processors of the options without a thread. */
  std::vector<int> spare_processors() const;

  /** [nthreads()] the processor of each thread, the caller's first; empty if none is bound. */
  std::vector<int> bound_processors() const;

  /** Processors that were allowed to the caller's thread before it was bound; empty if none is
      bound. */
  const std::vector<int> &callers_processors() const { return callers_processors_; }

  /** Run work(part) for every part from 0 to nparts-1; returns when all have ended.  Each thread
      takes a block of parts in ascending order.  Data that the caller wrote before are visible to
      all parts; data that parts wrote are visible to the caller after.  If parts throw, the
      exception of the lowest part is thrown here, after all have ended.  A run within a part, or
      during the run of another thread, runs all parts on the calling thread. */
  template <class Work> void run(int nparts, Work &&work) { run(task(nparts, work)); }

  /** Have all runs of the calling thread timed, in any pool; nullptr: none.  Runs within a part
      belong to that part.  A run of one part is no fork. */
  static void set_times(class PartTimes *);

  /** As run(), for parts that wait for each other: each has a thread of its own, the first part
      that of the caller.

      \return   false, with nothing done, if there are not as many threads now. */
  template <class Work> bool run_together(int nparts, Work &&work)
  {
    return run_together(task(nparts, work));
  }

 private:
  struct Task {
    int nparts;
    void (*call)(const void *, int);
    const void *callable;
  };

  struct alignas(64) Worker {
    std::atomic<unsigned> done{0};    // last generation that it has finished
    std::exception_ptr failure;       // of its lowest part; read by the caller after done
    std::thread thread;
  };

  /** A lock that is released by a store.  A mutex is released by a read-modify-write instruction,
      which waits until all earlier stores have reached the caches of other cores. */
  class OneAtATime {
   public:
    bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
    void lock()
    {
      while (!try_lock()) std::this_thread::yield();
    }
    void unlock() { held_.store(false, std::memory_order_release); }

   private:
    std::atomic<bool> held_{false};
  };

  template <class Work> static Task task(int nparts, Work &work)
  {
    using Callable = std::remove_reference_t<Work>;
    return {nparts,
            [](const void *callable, int part) {
              (*const_cast<Callable *>(static_cast<const Callable *>(callable)))(part);
            },
            &work};
  }

  void end();
  void run(const Task &);
  void run_timed(const Task &, PartTimes &);
  void run_untimed(const Task &);
  bool run_together(const Task &);
  void share(const Task &, int nthreads);
  void run_alone(const Task &);
  std::exception_ptr do_parts(const Task &, int thread, int nthreads) const;
  void serve(Worker &self, int thread, unsigned last);

  const Options options_;
  std::vector<std::unique_ptr<Worker>>
      workers_;                            // threads other than the caller; changed by grow() alone
  std::vector<int> callers_processors_;    // restored at the end; empty: not pinned

  Task task_{};         // written before generation_
  int nsharing_ = 1;    // threads that share its parts; likewise
  Generation generation_;
  std::atomic<bool> over_{false};
  alignas(64) OneAtATime running_;    // held during a run; workers read over_, not this line
};

}    // namespace TOFU_NS

#endif
