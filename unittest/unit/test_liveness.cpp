// SPDX-License-Identifier: GPL-2.0-only
//
// A dead peer is noticed: the identity of a process, and a transport whose other rank is killed.

#include "transport/channel_mpi.h"
#include "transport/liveness.h"
#include "transport/transport.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace TOFU_NS;

namespace {

/** Ends the child however the test ends. */
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

}    // namespace

TEST(Liveness, ThisProcessIsAliveAndWatchable)
{
  const auto self = ProcessIdentity::self();
  EXPECT_EQ(self.pid, getpid());
  EXPECT_TRUE(self.watchable());
  EXPECT_TRUE(self.alive());
}

TEST(Liveness, AKilledProcessIsDeadEvenBeforeItIsReapedAndAfter)
{
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const auto self = ProcessIdentity::self();
    if (write(fds[1], &self, sizeof(self)) < 0) _exit(1);
    pause();
    _exit(0);
  }
  Child child(pid);
  const auto identity = identity_of_child(fds[0]);
  EXPECT_TRUE(identity.watchable());
  EXPECT_TRUE(identity.alive());
  child.kill();
  siginfo_t info;
  waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
  EXPECT_FALSE(identity.alive()) << "as a zombie";
  child.reap();
  EXPECT_FALSE(identity.alive()) << "reaped";
  close(fds[0]);
  close(fds[1]);
}

TEST(Liveness, AnotherProcessWithTheSameNumberIsNotTakenForIt)
{
  auto other = ProcessIdentity::self();
  other.start_time += 1;
  EXPECT_FALSE(other.watchable());
  EXPECT_FALSE(other.alive());
}

TEST(Liveness, AProcessOfAnotherHostIsNotWatched)
{
  auto other = ProcessIdentity::self();
  other.host ^= 1;
  EXPECT_FALSE(other.watchable());
}

TEST(Liveness, WaitingForAKilledRankEndsWithinSecondsAndNamesItAndLeavesNoSegment)
{
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  auto shared_memory = make_posix_shared_memory();
  const pid_t pid = fork();
  const int rank = pid == 0 ? 1 : 0;
  SocketBootstrap bootstrap(rank, fds[rank]);
  if (rank == 1) {
    Transport transport(bootstrap, *shared_memory, nullptr, {});
    transport.connect({0}, {Link::BLOCK});
    transport.link(0).open(MessageKind::USER);
    transport.link(0).close();
    raise(SIGKILL);
  }
  Child child(pid);
  Transport transport(bootstrap, *shared_memory, nullptr, {});
  const auto report = transport.connect({1}, {Link::BLOCK});
  ASSERT_EQ(report.error, "");
  ASSERT_EQ(report.nshm, 1);

  // what it sent before it died is still delivered

  transport.wait(0, MessageKind::USER);
  transport.link(0).release();

  const auto start = std::chrono::steady_clock::now();
  try {
    transport.wait(0, MessageKind::USER);
    FAIL() << "a message from a dead rank";
  } catch (const TransportError &error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("rank 0"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 1"), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(pid)), std::string::npos) << text;
    EXPECT_NE(text.find("ended"), std::string::npos) << text;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_NE(std::system("ls /dev/shm | grep -q '^tofu-'"), 0) << "a segment is left";
  close(fds[0]);
  close(fds[1]);
}
