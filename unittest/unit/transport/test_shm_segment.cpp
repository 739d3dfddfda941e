// SPDX-License-Identifier: GPL-2.0-only

#include "unit/errors.h"

#include "transport/shm/shm_backend.h"
#include "transport/shm/shm_segment.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace TOFU_NS;
using TOFU_TEST::expect_words;

namespace {

std::string fresh_name()
{
  static int count = 0;
  return "/tofu-unittest-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}

using Kind = SharedMemory::Kind;

bool exists(const std::string &name)
{
  return access(("/dev/shm" + name).c_str(), F_OK) == 0;
}

class Segments : public testing::Test {
 protected:
  explicit Segments(Kind kind_in) : kind(kind_in) {}

  const Kind kind;
  std::unique_ptr<SharedMemory> memory = make_posix_shared_memory();
  const std::string label = fresh_name();
  std::string why;

  std::shared_ptr<SharedBlock> make(std::size_t nbytes)
  {
    return memory->create(kind, label, nbytes, why);
  }
};

class ShmSegment : public Segments, public testing::WithParamInterface<Kind> {
 protected:
  ShmSegment() : Segments(GetParam()) {}
};

class ShmSegmentAnonymous : public Segments {
 protected:
  ShmSegmentAnonymous() : Segments(Kind::ANONYMOUS) {}
};

class ShmSegmentNamed : public Segments {
 protected:
  ShmSegmentNamed() : Segments(Kind::NAMED) {}
};

}    // namespace

TEST_P(ShmSegment, WhatOneMappingWritesTheOtherReads)
{
  auto creator = make(8192);
  ASSERT_TRUE(creator) << why;
  auto peer = memory->attach(creator->name(), 8192, why);
  ASSERT_TRUE(peer) << why;
  ASSERT_NE(creator->data(), peer->data());
  for (int i : {0, 4095, 8191}) {
    EXPECT_EQ(peer->data()[i], std::byte{0});
    creator->data()[i] = static_cast<std::byte>(i % 251 + 1);
    EXPECT_EQ(peer->data()[i], static_cast<std::byte>(i % 251 + 1));
  }
}

TEST_P(ShmSegment, AnotherProcessAttachesByTheName)
{
  auto creator = make(4096);
  ASSERT_TRUE(creator) << why;
  const pid_t pid = fork();
  if (pid == 0) {
    std::string child_why;
    auto peer = memory->attach(creator->name(), 4096, child_why);
    if (!peer) _exit(1);
    peer->data()[5] = std::byte{77};
    _exit(0);
  }
  int status;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(creator->data()[5], std::byte{77});
}

TEST_P(ShmSegment, MappingsOutliveTheName)
{
  auto creator = make(4096);
  ASSERT_TRUE(creator) << why;
  const std::string name = creator->name();
  auto peer = memory->attach(name, 4096, why);
  ASSERT_TRUE(peer) << why;
  creator->unlink();
  EXPECT_FALSE(exists(label));
  EXPECT_FALSE(memory->attach(name, 4096, why));
  expect_words(why, {"No such file"});
  creator->data()[17] = std::byte{99};
  creator.reset();
  EXPECT_EQ(peer->data()[17], std::byte{99});
}

TEST_P(ShmSegment, TheNameFitsIntoAnAddress)
{
  const std::string longest = "/tofu-0123456789abcdef-2147483647-0123456789abcdef";
  auto creator = memory->create(kind, longest, 4096, why);
  ASSERT_TRUE(creator) << why;
  EXPECT_LT(creator->name().size(), sizeof(ShmAddress::name));
}

TEST_P(ShmSegment, NothingIsLeftAtTheEndOfTheCreator)
{
  make(4096);
  EXPECT_FALSE(exists(label));
}

TEST_P(ShmSegment, MoreThanThereIsFailsWithReasonAndRemedyAndLeavesNothing)
{
  EXPECT_FALSE(make(std::size_t(1) << 50));
  expect_words(why, {"posix_fallocate", std::to_string(std::size_t(1) << 50)});
  EXPECT_FALSE(exists(label));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ShmSegment, testing::Values(Kind::ANONYMOUS, Kind::NAMED),
                         [](const auto &info) {
                           return info.param == Kind::NAMED ? "Named" : "Anonymous";
                         });

TEST_F(ShmSegmentAnonymous, HasNoNameAtAnyTime)
{
  auto block = make(4096);
  ASSERT_TRUE(block) << why;
  EXPECT_FALSE(exists(label));
}

TEST_F(ShmSegmentAnonymous, AnotherFileUnderTheSameDescriptorIsNotTakenForIt)
{
  auto block = make(4096);
  ASSERT_TRUE(block) << why;
  const std::string name = block->name();
  int pid, fd;
  ASSERT_EQ(std::sscanf(name.c_str(), "/proc/%d/fd/%d:", &pid, &fd), 2);
  block->unlink();
  const int other = memfd_create("other", 0);
  ASSERT_EQ(dup2(other, fd), fd);
  EXPECT_FALSE(memory->attach(name, 4096, why));
  close(fd);
  if (other != fd) close(other);
}

TEST_F(ShmSegmentNamed, AnotherFileWithTheSameNameIsNotTakenForIt)
{
  auto block = make(4096);
  ASSERT_TRUE(block) << why;
  const std::string name = block->name();
  block->unlink();
  auto other = make(8192);
  ASSERT_TRUE(other) << why;
  EXPECT_FALSE(memory->attach(name, 4096, why));
  EXPECT_TRUE(memory->attach(other->name(), 8192, why)) << why;
}

TEST_F(ShmSegmentNamed, AFileWithALeaseOfAnotherProcessIsNotWaitedFor)
{
  const std::string path = "/dev/shm" + label;
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  ASSERT_GE(fd, 0);
  const auto handler = signal(SIGIO, SIG_IGN);
  ASSERT_EQ(fcntl(fd, F_SETLEASE, F_WRLCK), 0) << std::strerror(errno);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(memory->attach(path + ":0:0", 4096, why));
  EXPECT_EQ(remove_abandoned_blocks(label.substr(1)), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  fcntl(fd, F_SETLEASE, F_UNLCK);
  close(fd);
  unlink(path.c_str());
  signal(SIGIO, handler);
}

TEST_F(ShmSegmentNamed, OnlyTheUserMayOpenIt)
{
  auto block = make(4096);
  ASSERT_TRUE(block) << why;
  struct stat info;
  ASSERT_EQ(stat(("/dev/shm" + label).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(ShmSegmentNamed, ANameThatExistsIsNotTaken)
{
  auto first = make(4096);
  ASSERT_TRUE(first) << why;
  EXPECT_FALSE(make(4096));
  EXPECT_TRUE(exists(label));
}

TEST_F(ShmSegmentNamed, WhatAKilledProcessHasLeftIsRemovedByTheNextAndNothingElse)
{
  const auto name = fresh_name();
  auto block = make(4096);
  ASSERT_TRUE(block) << why;
  const pid_t pid = fork();
  if (pid == 0) {
    std::string child_why;
    auto doomed = memory->create(kind, name, 4096, child_why);
    raise(SIGKILL);
  }
  ASSERT_EQ(waitpid(pid, nullptr, 0), pid);
  ASSERT_TRUE(exists(name));
  EXPECT_EQ(remove_abandoned_blocks("tofu-unittest-" + std::to_string(getpid())), 1);
  EXPECT_FALSE(exists(name));
  EXPECT_TRUE(exists(label));
}
