// SPDX-License-Identifier: GPL-2.0-only
//
// A dead peer is noticed: the identity of a process, and a transport whose other rank is killed.

#include "unit/errors.h"

#include "transport/liveness.h"
#include "transport/rank_watch.h"
#include "transport/transport.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace TOFU_NS;
using TOFU_TEST::expect_words;
using TOFU_TEST::message_of;

namespace {

/** A child process, which is killed whether the test passes or fails. */
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() { reap(); }
  pid_t pid() const { return pid_; }
  void kill() { ::kill(pid_, SIGKILL); }
  void reap()
  {
    if (!pid_) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

ProcessIdentity identity_of_child(int fd)
{
  ProcessIdentity identity{};
  EXPECT_EQ(read(fd, &identity, sizeof(identity)), static_cast<ssize_t>(sizeof(identity)));
  return identity;
}

/** Two processes joined by a socket pair. */
class SocketBootstrap : public Bootstrap {
 public:
  SocketBootstrap(int rank, int fd) : rank_(rank), fd_(fd) {}
  int rank() const override { return rank_; }
  int size() const override { return 2; }
  int node() const override { return 0; }
  int ranks_on_node() const override { return 2; }
  std::uint64_t job_id() const override { return static_cast<std::uint64_t>(getpgrp()); }
  void exchange(const std::vector<int> &peers, const void *send, void *recv,
                std::size_t nbytes) override
  {
    ASSERT_EQ(peers.size(), 1u);
    ASSERT_EQ(write(fd_, send, nbytes), static_cast<ssize_t>(nbytes));
    ASSERT_EQ(::recv(fd_, recv, nbytes, MSG_WAITALL), static_cast<ssize_t>(nbytes));
  }

 private:
  int rank_, fd_;
};

/** A child that sleeps, and its identity. */
class Sleeper {
 public:
  Sleeper() : child_(fork_sleeper()) { identity = identity_of_child(fds_[0]); }
  ~Sleeper()
  {
    close(fds_[0]);
    close(fds_[1]);
  }
  Child &child() { return child_; }
  ProcessIdentity identity{};

 private:
  int fds_[2];
  Child child_;

  pid_t fork_sleeper()
  {
    EXPECT_EQ(pipe(fds_), 0);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const auto self = ProcessIdentity::self();
    if (write(fds_[1], &self, sizeof(self)) < 0) _exit(1);
    pause();
    _exit(0);
  }
};

/** No descriptor can be opened while one of these exists. */
class NoDescriptors {
 public:
  NoDescriptors()
  {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

TEST(Liveness, ThisProcessHasNotEnded)
{
  const auto self = ProcessIdentity::self();
  EXPECT_EQ(self.pid, getpid());
  EXPECT_TRUE(self.watchable());
  EXPECT_FALSE(ProcessWatch(self).ended());
}

TEST(Liveness, OtherStartTimesOfThisProcessAreNoDeathSinceEmulatorsGiveEachThreadItsOwn)
{
  auto thread = ProcessIdentity::self();
  thread.start_time += 1;
  EXPECT_FALSE(ProcessWatch(thread).ended());
}

TEST(Liveness, AKilledProcessIsDeadEvenBeforeItIsReapedAndAfter)
{
  Sleeper sleeper;
  EXPECT_TRUE(sleeper.identity.watchable());
  const ProcessWatch watch(sleeper.identity);
  const auto by_number = [&]() {    // as with a kernel without pidfd
    NoDescriptors none;
    return ProcessWatch(sleeper.identity);
  }();
  EXPECT_EQ(by_number.descriptor(), -1);
  EXPECT_FALSE(watch.ended());
  EXPECT_FALSE(by_number.ended());
  sleeper.child().kill();
  siginfo_t info;
  waitid(P_PID, sleeper.child().pid(), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(watch.ended()) << "as a zombie";
  sleeper.child().reap();
  EXPECT_TRUE(watch.ended()) << "reaped";
}

TEST(Liveness, ALivingProcessIsNoDeadOneWhileNothingCanBeOpened)
{
  Sleeper sleeper;
  const ProcessWatch watch(sleeper.identity);
  {
    NoDescriptors none;
    EXPECT_FALSE(watch.ended());
  }
  sleeper.child().kill();
  siginfo_t info;
  waitid(P_PID, sleeper.child().pid(), &info, WEXITED | WNOWAIT);
  NoDescriptors none;
  if (watch.descriptor() >= 0) { EXPECT_TRUE(watch.ended()); }
  sleeper.child().reap();
  EXPECT_TRUE(watch.ended());
}

TEST(Liveness, AnotherProcessWithTheSameNumberIsNotTakenForIt)
{
  Sleeper sleeper;
  auto other = sleeper.identity;
  other.start_time += 1;
  EXPECT_FALSE(other.watchable());
  EXPECT_FALSE(ProcessWatch(other).ended()) << "what cannot be watched is not reported";
}

TEST(Liveness, AProcessOfAnotherHostIsNotWatched)
{
  auto other = ProcessIdentity::self();
  other.host ^= 1;
  EXPECT_FALSE(other.watchable());
}

/* ---------------------------------------------------------------------- */

/** Receives the alarm of a watch. */
class Bell {
 public:
  RankWatch::Alarm alarm()
  {
    return [this](const std::string &text) {
      std::lock_guard<std::mutex> lock(mutex_);
      text_ = text;
      rung_.notify_all();
    };
  }

  /** Text of the alarm within so many seconds; empty if there was none. */
  std::string wait(double seconds)
  {
    std::unique_lock<std::mutex> lock(mutex_);
    rung_.wait_for(lock, std::chrono::duration<double>(seconds), [&]() { return !text_.empty(); });
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  std::string text_;
};

TEST(RankWatch, NamesTheRankThatHasEndedAfterTheGrace)
{
  Sleeper first, second;
  Bell bell;
  RankWatch watch(7, {{7, ProcessIdentity::self()}, {3, first.identity}, {5, second.identity}}, 0.2,
                  bell.alarm());
  EXPECT_EQ(bell.wait(0.1), "");
  second.child().kill();
  EXPECT_EQ(bell.wait(0.1), "") << "before the grace is over";
  const std::string text = bell.wait(5.0);
  expect_words(text, {"rank 7", "rank 5"});
  EXPECT_EQ(text.find("rank 3"), std::string::npos) << text;
}

TEST(RankWatch, WorksWithoutDescriptorsOfProcessesAsWell)
{
  Sleeper sleeper;
  Bell bell;
  rlimit before, few;    // pidfds beyond half of the limit are closed again
  getrlimit(RLIMIT_NOFILE, &before);
  few = before;
  few.rlim_cur = 9;
  setrlimit(RLIMIT_NOFILE, &few);
  EXPECT_EQ(ProcessWatch(sleeper.identity).descriptor(), -1);
  RankWatch watch(0, {{1, sleeper.identity}}, 0.0, bell.alarm());
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(bell.wait(0.1), "");
  sleeper.child().reap();
  expect_words(bell.wait(5.0), {"rank 1"});
}

TEST(RankWatch, SaysNothingOnceItHasBeenStopped)
{
  Sleeper sleeper;
  Bell bell;
  {
    RankWatch watch(0, {{1, sleeper.identity}}, 0.2, bell.alarm());
    sleeper.child().kill();
    EXPECT_EQ(bell.wait(0.05), "");
  }
  EXPECT_EQ(bell.wait(0.5), "");
}

TEST(RankWatch, StopsAtOnceWhereThereIsNobodyToWatch)
{
  Bell bell;
  RankWatch watch(0, {{0, ProcessIdentity::self()}}, 0.0, bell.alarm());
  EXPECT_EQ(bell.wait(0.05), "");
}

TEST(Liveness, WaitingForAKilledRankEndsWithinSecondsAndNamesItAndLeavesNoSegment)
{
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  const pid_t pid = fork();
  const int rank = pid == 0 ? 1 : 0;
  SocketBootstrap bootstrap(rank, fds[rank]);
  if (rank == 1) {
    Transport transport(bootstrap, nullptr, {});
    transport.connect({0}, {Link::BLOCK});
    transport.link(0).open(MessageKind::USER);
    transport.link(0).close();
    raise(SIGKILL);
  }
  Child child(pid);
  Transport transport(bootstrap, nullptr, {});
  const auto report = transport.connect({1}, {Link::BLOCK});
  ASSERT_EQ(report.error, "");
  ASSERT_EQ(report.use_of("shm").npeers, 1);

  // a message that the rank sent before its end is still delivered

  transport.wait(0, MessageKind::USER);
  transport.link(0).release();

  const auto start = std::chrono::steady_clock::now();
  expect_words(message_of<TransportError>([&] { transport.wait(0, MessageKind::USER); }),
               {"rank 0", "rank 1", std::to_string(pid), "ended"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  const std::string own = std::to_string(bootstrap.job_id());
  EXPECT_NE(std::system(("ls /dev/shm | grep -q '^tofu-.*" + own + "'").c_str()), 0)
      << "a segment is left";
  close(fds[0]);
  close(fds[1]);
}

}    // namespace
