// SPDX-License-Identifier: GPL-2.0-only
//
// SideThread: a thread that runs tasks one after the other, beside the work of the caller.
//
// Between two tasks the thread polls for a while, then sleeps.  Only the thread that has made the
// object may use it.

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
    double spin = 0.0;              // seconds of polling before the thread sleeps
  };

  /** Throws std::system_error if the system gives no more threads. */
  explicit SideThread(const Options &);

  /** Waits for the task that was started. */
  ~SideThread();
  SideThread(const SideThread &) = delete;
  SideThread &operator=(const SideThread &) = delete;

  /** Start work(), to which all earlier writes of the caller are visible.  The task before must
      have been joined. */
  void start(std::function<void()> work);

  /** Whether a task was started and not joined. */
  bool busy() const { return busy_; }

  /** Wait for the task; its writes are visible to the caller then.  Returns at once if there is
      none. Throws the exception of the task. */
  void join();

 private:
  void serve();
  bool await(unsigned last);

  const Options options_;
  std::function<void()> work_;    // written before started_
  std::exception_ptr failure_;    // read by the caller after done_
  bool busy_ = false;             // accessed by the caller only
  Generation started_, done_;     // tasks
  std::atomic<bool> over_{false};
  unsigned end_ = 0;    // number of the start that is the end; written before over_
  std::thread thread_;
};

}    // namespace TOFU_NS

#endif
