// SPDX-License-Identifier: GPL-2.0-only

#include "transport/shm_segment.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace TOFU_NS;

namespace {

std::string fresh_name()
{
  static int count = 0;
  return "/tofu-unittest-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}

bool exists(const std::string &name)
{
  return access(("/dev/shm" + name).c_str(), F_OK) == 0;
}

}    // namespace

TEST(ShmSegment, WhatOneMappingWritesTheOtherReads)
{
  auto memory = make_posix_shared_memory();
  const auto name = fresh_name();
  std::string why;
  auto creator = memory->create(name, 8192, why);
  ASSERT_TRUE(creator) << why;
  auto peer = memory->attach(name, 8192, why);
  ASSERT_TRUE(peer) << why;
  ASSERT_NE(creator->data(), peer->data());
  for (int i : {0, 4095, 8191}) {
    EXPECT_EQ(peer->data()[i], std::byte{0});
    creator->data()[i] = static_cast<std::byte>(i % 251 + 1);
    EXPECT_EQ(peer->data()[i], static_cast<std::byte>(i % 251 + 1));
  }
}

TEST(ShmSegment, OnlyTheUserMayOpenIt)
{
  auto memory = make_posix_shared_memory();
  const auto name = fresh_name();
  std::string why;
  auto block = memory->create(name, 4096, why);
  ASSERT_TRUE(block) << why;
  struct stat info;
  ASSERT_EQ(stat(("/dev/shm" + name).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(ShmSegment, MappingsOutliveTheName)
{
  auto memory = make_posix_shared_memory();
  const auto name = fresh_name();
  std::string why;
  auto creator = memory->create(name, 4096, why);
  auto peer = memory->attach(name, 4096, why);
  ASSERT_TRUE(creator && peer) << why;
  creator->unlink();
  EXPECT_FALSE(exists(name));
  creator->data()[17] = std::byte{99};
  creator.reset();
  EXPECT_EQ(peer->data()[17], std::byte{99});
  EXPECT_FALSE(memory->attach(name, 4096, why));
  EXPECT_NE(why.find("No such file"), std::string::npos) << why;
}

TEST(ShmSegment, TheCreatorRemovesTheNameAtTheLatestAtItsEnd)
{
  auto memory = make_posix_shared_memory();
  const auto name = fresh_name();
  std::string why;
  memory->create(name, 4096, why);
  EXPECT_FALSE(exists(name));
}

TEST(ShmSegment, MoreThanThereIsFailsWithReasonAndRemedyAndLeavesNothing)
{
  auto memory = make_posix_shared_memory();
  const auto name = fresh_name();
  std::string why;
  EXPECT_FALSE(memory->create(name, std::size_t(1) << 50, why));
  EXPECT_NE(why.find("posix_fallocate"), std::string::npos) << why;
  EXPECT_NE(why.find(std::to_string(std::size_t(1) << 50)), std::string::npos) << why;
  EXPECT_FALSE(exists(name));
}

TEST(ShmSegment, ANameThatExistsIsNotTaken)
{
  auto memory = make_posix_shared_memory();
  const auto name = fresh_name();
  std::string why;
  auto first = memory->create(name, 4096, why);
  ASSERT_TRUE(first) << why;
  EXPECT_FALSE(memory->create(name, 4096, why));
  EXPECT_TRUE(exists(name));
}
