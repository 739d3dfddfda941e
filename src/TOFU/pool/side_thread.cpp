// SPDX-License-Identifier: GPL-2.0-only

#include "side_thread.h"

#include "base/relax.h"
#include "processors.h"

#include <chrono>
#include <utility>

namespace TOFU_NS {

namespace {

  constexpr unsigned LOOKS_PER_CLOCK = 64;    // the clock costs as much as a few looks
  constexpr double PATIENCE = 50e-6;    // seconds that the caller polls before it yields its core

  template <class Ready> bool look_for(double seconds, Ready &&ready)
  {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    do {
      for (unsigned looks = 0; looks < LOOKS_PER_CLOCK; looks++) {
        if (ready()) return true;
        relax();
      }
    } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    return false;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

SideThread::SideThread(const Options &options) : options_(options)
{
  thread_ = std::thread([this]() { serve(); });
  if (!options_.processors.empty()) bind_thread(thread_, options_.processors);
}

/* ---------------------------------------------------------------------- */

SideThread::~SideThread()
{
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
    started_++;
  }
  wake_.notify_all();
  thread_.join();
}

/* ---------------------------------------------------------------------- */

void SideThread::start(std::function<void()> work)
{
  work_ = std::move(work);
  busy_ = true;
  const std::lock_guard<std::mutex> lock(mutex_);    // against going to sleep just now
  started_++;
  if (asleep_) wake_.notify_all();
}

/* ---------------------------------------------------------------------- */

void SideThread::join()
{
  if (!busy_) return;
  const unsigned number = started_;
  const auto is_done = [&]() {
    return done_.load(std::memory_order_acquire) == number;
  };
  if (!look_for(PATIENCE, is_done)) {
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, is_done);
  }
  busy_ = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/* ---------------------------------------------------------------------- */

void SideThread::serve()
{
  for (unsigned last = 0; await(last); last++) {
    try {
      work_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_.store(last + 1, std::memory_order_release);
    }
    finished_.notify_all();
  }
}

/* ----------------------------------------------------------------------
   Returns: true when there is work after the last, false at the end
------------------------------------------------------------------------- */

bool SideThread::await(unsigned last)
{
  look_for(options_.spin, [&]() { return started_.load(std::memory_order_acquire) != last; });
  std::unique_lock<std::mutex> lock(mutex_);
  asleep_ = true;
  wake_.wait(lock, [&]() { return started_.load() != last; });
  asleep_ = false;
  return !over_ || started_.load() != last + 1;    // the end counts as the last start
}

}    // namespace TOFU_NS
