// SPDX-License-Identifier: GPL-2.0-only
//
// CommTeam: the caller and some threads that work together for a few microseconds, many times a
// second.
//
// A thread without work spins for about 0.1 ms, then yields between polls, and sleeps after some
// milliseconds, so that it uses no processor time between runs.

#ifndef TOFU_TRANSPORT_COMM_TEAM_H
#define TOFU_TRANSPORT_COMM_TEAM_H

#include "base/generation.h"

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace TOFU_NS {

class CommTeam {
 public:
  /** part(member) for all members at the same time, on threads of another owner.

      \return   false, with nothing done, if there are not enough of them now. */
  using Lender = std::function<bool(int nmembers, const std::function<void(int)> &part)>;

  /** \param size       members; at least 1
      \param crowded    true if there are not enough cores for all: yield the core early
      \param lender     called first at each run(); the team uses threads of its own when it returns
                        false, or if there is none
      \param on_start   called by each thread of its own as it begins
      \throws TransportError if the system gives no more threads. */
  CommTeam(
      int size, bool crowded, Lender lender = nullptr, std::function<void()> on_start = []() {});
  ~CommTeam();
  CommTeam(const CommTeam &) = delete;
  CommTeam &operator=(const CommTeam &) = delete;

  int size() const { return static_cast<int>(failures_.size()); }

  /** Every member does work(member), member 0 is the caller; returns when all have.  Data that the
      caller wrote before is visible to all members; data that they wrote is visible to the caller
      after.  If members throw, the exception of the lowest is thrown here, after all have ended.

      \param work        called with the number of the member
      \param meanwhile   called again and again by members that are done while others are not
      \throws TransportError as the constructor does. */
  void run(
      const std::function<void(int)> &work, const std::function<void(int)> &meanwhile = [](int) {});

 private:
  void start();
  void end();
  void run_on_own_threads();
  void serve(int member);
  void do_part(int member);
  void yield_after(unsigned npolls) const;
  void await_work(unsigned done);

  const unsigned spins_;    // polls before the core is yielded
  const Lender lender_;
  const std::function<void()> on_start_;
  std::vector<std::thread> threads_;
  std::vector<std::exception_ptr> failures_;    // [size]

  const std::function<void(int)> *work_ = nullptr;    // both written before generation_
  const std::function<void(int)> *meanwhile_ = nullptr;
  Generation generation_;                       // # of runs begun
  alignas(64) std::atomic<int> nworking_{0};    // members whose work is not done
  alignas(64) std::atomic<int> nbusy_{0};       // members other than the caller in a run
  std::atomic<bool> over_{false};
};

}    // namespace TOFU_NS

#endif
