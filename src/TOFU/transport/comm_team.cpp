// SPDX-License-Identifier: GPL-2.0-only

#include "comm_team.h"

#include "transport_error.h"

#include <sched.h>
#include <string>
#include <system_error>
#include <utility>

namespace TOFU_NS {

static constexpr unsigned SPINS = 5000, SPINS_CROWDED = 20;
static constexpr unsigned YIELDS = 5000;    // polls that yield the core, before sleep

/* ---------------------------------------------------------------------- */

CommTeam::CommTeam(int size, bool crowded, Lender lender, std::function<void()> on_start) :
    spins_(crowded ? SPINS_CROWDED : SPINS), lender_(std::move(lender)),
    on_start_(std::move(on_start)), failures_(size)
{
  if (!lender_) start();
}

/* ---------------------------------------------------------------------- */

void CommTeam::start()
{
  threads_.reserve(size() - 1);
  try {
    for (int member = 1; member < size(); member++)
      threads_.emplace_back([this, member]() { serve(member); });
  } catch (const std::system_error &failure) {
    const std::string started = std::to_string(threads_.size() + 1);
    end();
    threads_.clear();    // as if nothing had been: it may be tried again
    over_ = false;
    generation_.reset();
    throw TransportError("cannot start " + std::to_string(size()) +
                         " communication threads, only " + started + ": " + failure.what() +
                         "; use fewer threads or raise the limit of processes");
  }
}

/* ---------------------------------------------------------------------- */

CommTeam::~CommTeam()
{
  end();
}

/* ---------------------------------------------------------------------- */

void CommTeam::end()
{
  over_ = true;
  generation_.raise();
  for (std::thread &thread : threads_) thread.join();
}

/* ---------------------------------------------------------------------- */

void CommTeam::run(const std::function<void(int)> &work, const std::function<void(int)> &meanwhile)
{
  work_ = &work;
  meanwhile_ = &meanwhile;
  nworking_.store(size(), std::memory_order_relaxed);
  failures_.assign(failures_.size(), nullptr);
  if (!lender_ || !lender_(size(), [this](int member) { do_part(member); })) run_on_own_threads();
  for (const std::exception_ptr &failure : failures_)
    if (failure) std::rethrow_exception(failure);
}

/* ----------------------------------------------------------------------
   generation_ publishes work_ and all that the caller wrote before, nbusy_
   publishes what the members wrote
------------------------------------------------------------------------- */

void CommTeam::run_on_own_threads()
{
  if (threads_.empty()) start();
  nbusy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  generation_.raise();
  do_part(0);
  for (unsigned npolls = 0; nbusy_.load(std::memory_order_acquire) > 0; npolls++)
    yield_after(npolls);
}

/* ---------------------------------------------------------------------- */

void CommTeam::serve(int member)
{
  on_start_();
  for (unsigned done = 0;; done++) {
    await_work(done);
    if (over_) return;
    do_part(member);
    nbusy_.fetch_sub(1, std::memory_order_release);
  }
}

/* ---------------------------------------------------------------------- */

void CommTeam::do_part(int member)
{
  std::exception_ptr &failure = failures_[member];
  auto guarded = [&](const std::function<void(int)> &act) {
    try {
      act(member);
    } catch (...) {
      failure = std::current_exception();
    }
  };
  guarded(*work_);
  nworking_.fetch_sub(1);
  for (unsigned npolls = 0; nworking_.load(std::memory_order_acquire) > 0; npolls++) {
    if (!failure) guarded(*meanwhile_);
    yield_after(npolls);
  }
}

/* ---------------------------------------------------------------------- */

void CommTeam::yield_after(unsigned npolls) const
{
  if (npolls < spins_)
    relax();
  else
    sched_yield();
}

/* ----------------------------------------------------------------------
   return when more runs have begun than this member has done
------------------------------------------------------------------------- */

void CommTeam::await_work(unsigned done)
{
  unsigned npolls = 0;
  generation_.await(done, [&]() {
    yield_after(npolls);
    return ++npolls < spins_ + YIELDS;
  });
}

}    // namespace TOFU_NS
