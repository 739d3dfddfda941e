// SPDX-License-Identifier: GPL-2.0-only
//
// SideThread: a thread that does one piece of work after the other, beside the work of the caller.
//
// Between two pieces the thread looks for the next one for a while, then sleeps.  Only the thread
// that has made it may use it.

#ifndef TOFU_POOL_SIDE_THREAD_H
#define TOFU_POOL_SIDE_THREAD_H

#include "base/generation.h"

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace TOFU_NS {

class SideThread {
 public:
  struct Options {
    std::vector<int> processors;    // that the thread may use; empty: those of its maker
    double spin = 0.0;              // seconds that it looks for work before it sleeps
  };

  /** Throws std::system_error if the system gives no more threads. */
  explicit SideThread(const Options &);

  /** Waits for the work in hand. */
  ~SideThread();
  SideThread(const SideThread &) = delete;
  SideThread &operator=(const SideThread &) = delete;

  /** Begin work(), which sees what the caller wrote before; nothing may be in hand. */
  void start(std::function<void()> work);

  /** Something was started and not waited for. */
  bool busy() const { return busy_; }

  /** Return when it is done; the caller sees what it wrote.  Does nothing if there is none in hand.
      Throws what the work threw. */
  void join();

 private:
  void serve();
  bool await(unsigned last);

  const Options options_;
  std::function<void()> work_;    // written before started_
  std::exception_ptr failure_;    // read by the caller after done_
  bool busy_ = false;             // the caller's own
  Generation started_, done_;     // pieces of work
  std::atomic<bool> over_{false};
  unsigned end_ = 0;    // number of the start that is the end; written before over_
  std::thread thread_;
};

}    // namespace TOFU_NS

#endif
