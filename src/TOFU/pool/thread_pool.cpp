// SPDX-License-Identifier: GPL-2.0-only

#include "thread_pool.h"

#include "base/relax.h"
#include "part_times.h"
#include "processors.h"

#include <algorithm>

namespace TOFU_NS {

namespace {

  constexpr unsigned LOOKS_BEFORE_YIELD =
      20000;    // of the caller, which waits for a thread that works

  thread_local bool in_part = false;
  thread_local PartTimes *times_of_thread = nullptr;    // of its runs

}    // namespace

/* ---------------------------------------------------------------------- */

ThreadPool::ThreadPool(const Options &options) : options_(options) {}

/* ----------------------------------------------------------------------
   a thread inherits the processors of the one that starts it, so that each
   is told its own
------------------------------------------------------------------------- */

void ThreadPool::grow(int nthreads_wanted)
{
  const std::lock_guard<OneAtATime> alone(running_);
  const int most = std::max(1, static_cast<int>(options_.processors.size()));
  const unsigned generation = generation_.number();
  for (int thread = nthreads(); thread < std::min(nthreads_wanted, most); thread++) {
    auto worker = std::make_unique<Worker>();
    worker->done = generation;
    Worker &self = *worker;
    workers_.push_back(std::move(worker));
    try {
      self.thread =
          std::thread([this, &self, thread, generation]() { serve(self, thread, generation); });
    } catch (...) {
      workers_.pop_back();
      throw;
    }
    if (options_.pin) bind_thread(self.thread, {options_.processors[thread]});
  }
  if (options_.pin && nthreads() > 1 && callers_processors_.empty()) {
    callers_processors_ = allowed_processors();
    bind_this_thread({options_.processors[0]});
  }
}

/* ---------------------------------------------------------------------- */

std::vector<int> ThreadPool::spare_processors() const
{
  const auto used = std::min<std::size_t>(options_.processors.size(), nthreads());
  return {options_.processors.begin() + static_cast<std::ptrdiff_t>(used),
          options_.processors.end()};
}

/* ---------------------------------------------------------------------- */

std::vector<int> ThreadPool::bound_processors() const
{
  if (callers_processors_.empty()) return {};
  return {options_.processors.begin(), options_.processors.begin() + nthreads()};
}

/* ---------------------------------------------------------------------- */

ThreadPool::~ThreadPool()
{
  end();
}

/* ---------------------------------------------------------------------- */

void ThreadPool::end()
{
  over_ = true;
  generation_.raise();
  for (auto &worker : workers_)
    if (worker->thread.joinable()) worker->thread.join();
  workers_.clear();
  if (!callers_processors_.empty()) bind_this_thread(callers_processors_);
}

/* ---------------------------------------------------------------------- */

void ThreadPool::set_times(PartTimes *wanted)
{
  times_of_thread = wanted;
}

/* ---------------------------------------------------------------------- */

void ThreadPool::run(const Task &task)
{
  if (times_of_thread && task.nparts > 1 && !times_of_thread->is_open())
    run_timed(task, *times_of_thread);
  else
    run_untimed(task);
}

/* ---------------------------------------------------------------------- */

void ThreadPool::run_timed(const Task &work, PartTimes &times)
{
  struct Open {
    Open(PartTimes &times, int nparts) : times(times) { times.open(nparts); }
    ~Open() { times.close(); }
    PartTimes &times;
  } const open(times, work.nparts);
  const int first = times.first_part(work.nparts);
  const auto timed = [&](int i) {
    const int part = (i + first) % work.nparts;
    times.time_part(part, [&] { work.call(work.callable, part); });
  };
  run_untimed(task(work.nparts, timed));
}

/* ---------------------------------------------------------------------- */

void ThreadPool::run_untimed(const Task &task)
{
  std::unique_lock<OneAtATime> alone(running_, std::defer_lock);
  const bool mine = task.nparts > 1 && !in_part && alone.try_lock();
  if (mine && !workers_.empty()) {
    share(task, nthreads());
    return;
  }
  if (mine) alone.unlock();    // parts may have runs of their own
  run_alone(task);
}

/* ---------------------------------------------------------------------- */

bool ThreadPool::run_together(const Task &task)
{
  std::unique_lock<OneAtATime> alone(running_, std::defer_lock);
  if (in_part || !alone.try_lock() || nthreads() < task.nparts) return false;
  share(task, task.nparts);    // one each, the first for the caller
  return true;
}

/* ---------------------------------------------------------------------- */

void ThreadPool::share(const Task &task, int nthreads)
{
  task_ = task;
  nsharing_ = nthreads;
  const unsigned generation = generation_.raise();

  std::exception_ptr failure = do_parts(task, 0, nsharing_);
  for (auto &worker : workers_) {
    for (unsigned looks = 0; worker->done.load(std::memory_order_acquire) != generation; looks++) {
      if (looks < LOOKS_BEFORE_YIELD)
        relax();
      else
        std::this_thread::yield();
    }
    if (!failure) failure = worker->failure;
    worker->failure = nullptr;
  }
  if (failure) std::rethrow_exception(failure);
}

/* ---------------------------------------------------------------------- */

void ThreadPool::run_alone(const Task &task)
{
  for (int part = 0; part < task.nparts; part++) task.call(task.callable, part);
}

/* ----------------------------------------------------------------------
   a failed part ends those of its thread that would follow
------------------------------------------------------------------------- */

std::exception_ptr ThreadPool::do_parts(const Task &task, int thread, int nthreads) const
{
  const int first = begin_of_share(thread, nthreads, task.nparts),
            last = begin_of_share(thread + 1, nthreads, task.nparts);
  std::exception_ptr failure;
  in_part = true;
  try {
    for (int part = first; part < last; part++) task.call(task.callable, part);
  } catch (...) {
    failure = std::current_exception();
  }
  in_part = false;
  return failure;
}

/* ---------------------------------------------------------------------- */

void ThreadPool::serve(Worker &self, int thread, unsigned last)
{
  for (;; last++) {
    generation_.await(last, SpinFor(options_.spin));
    if (over_.load(std::memory_order_relaxed)) return;
    self.failure = do_parts(task_, thread, nsharing_);
    self.done.store(last + 1, std::memory_order_release);
  }
}

}    // namespace TOFU_NS
