// SPDX-License-Identifier: GPL-2.0-only

#include "rank_watch.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace TOFU_NS {

namespace {

  constexpr int POLL_EVERY = 500;    // milliseconds, where the kernel does not report an end

}    // namespace

/* ----------------------------------------------------------------------
   the thread handles no signal: those of the program are for its other threads
------------------------------------------------------------------------- */

RankWatch::RankWatch(int me, const std::vector<RankProcess> &others, double grace, Alarm alarm) :
    me_(me), grace_(grace), alarm_(std::move(alarm))
{
  for (const RankProcess &other : others) {
    if (other.rank == me || other.process.pid == getpid() || !other.process.watchable()) continue;
    ranks_.push_back(other.rank);
    watches_.emplace_back(other.process);
    if (watches_.back().descriptor() < 0) all_have_descriptors_ = false;
  }
  if (watches_.empty()) return;
  if (pipe2(stop_, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe of the watching thread");

  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread(&RankWatch::look, this);
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    for (int fd : stop_) close(fd);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/* ---------------------------------------------------------------------- */

RankWatch::~RankWatch()
{
  if (!thread_.joinable()) return;
  close(stop_[1]);
  thread_.join();
  close(stop_[0]);
}

/* ---------------------------------------------------------------------- */

void RankWatch::watch()
{
  while (wait_for_an_end()) {
    const int ended = find_ended();
    if (ended < 0) continue;
    if (wait_for_stop(grace_)) return;
    alarm_("rank " + std::to_string(me_) + " has noticed that the process " +
           std::to_string(watches_[ended].process().pid) + " of rank " +
           std::to_string(ranks_[ended]) + " has ended, so the run cannot go on");
    return;
  }
}

/* ----------------------------------------------------------------------
   sleep until a process ends, or may have ended; false: stop
------------------------------------------------------------------------- */

bool RankWatch::wait_for_an_end()
{
  std::vector<pollfd> descriptors(1, {stop_[0], POLLIN, 0});
  for (const ProcessWatch &watch : watches_)
    if (watch.descriptor() >= 0) descriptors.push_back({watch.descriptor(), POLLIN, 0});
  const int n =
      poll(descriptors.data(), descriptors.size(), all_have_descriptors_ ? -1 : POLL_EVERY);
  if (n < 0) return !wait_for_stop(0.1);    // EINTR, or memory is short just now
  return descriptors[0].revents == 0;
}

/* ---------------------------------------------------------------------- */

int RankWatch::find_ended() const
{
  for (std::size_t i = 0; i < watches_.size(); i++)
    if (watches_[i].ended()) return static_cast<int>(i);
  return -1;
}

/* ---------------------------------------------------------------------- */

bool RankWatch::wait_for_stop(double seconds)
{
  pollfd look = {stop_[0], POLLIN, 0};
  return poll(&look, 1, static_cast<int>(1000.0 * seconds)) > 0;
}

}    // namespace TOFU_NS
