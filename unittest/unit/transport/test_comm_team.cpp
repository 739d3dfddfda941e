// SPDX-License-Identifier: GPL-2.0-only

#include "unit/errors.h"

#include "transport/comm_team.h"
#include "transport/transport_error.h"

#include <chrono>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace TOFU_NS;
using TOFU_TEST::expect_words;
using TOFU_TEST::message_of;

class CommTeamTest : public testing::TestWithParam<bool> {};    // crowded

TEST_P(CommTeamTest, EveryMemberWorksOnceInEveryRun)
{
  for (int size : {1, 2, 3, 7}) {
    CommTeam team(size, GetParam());
    ASSERT_EQ(team.size(), size);
    std::vector<int> count(size, 0);    // not atomic: run() orders all accesses
    for (int run = 0; run < 300; run++) {
      team.run([&](int member) { count[member]++; });
      for (int member = 0; member < size; member++) ASSERT_EQ(count[member], run + 1);
    }
  }
}

TEST_P(CommTeamTest, MembersSeeWhatTheCallerWroteAndTheCallerSeesTheirs)
{
  CommTeam team(3, GetParam());
  std::vector<long> in(1000), out(3);
  for (int run = 0; run < 200; run++) {
    for (long &value : in) value = run;
    team.run([&](int member) {
      out[member] = 0;
      for (long value : in) out[member] += value;
    });
    for (long sum : out) ASSERT_EQ(sum, 1000L * run);
  }
}

TEST_P(CommTeamTest, AMemberThatSleepsIsWokenUp)
{
  CommTeam team(3, GetParam());
  int count[3] = {0, 0, 0};
  for (int run = 0; run < 5; run++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    team.run([&](int member) { count[member]++; });
  }
  for (int c : count) EXPECT_EQ(c, 5);
}

TEST_P(CommTeamTest, TheExceptionOfTheLowestMemberReachesTheCallerAfterAllHaveEnded)
{
  CommTeam team(4, GetParam());
  std::vector<int> ended(4, 0);
  for (int run = 0; run < 20; run++) {
    const std::string caught = message_of([&] {
      team.run([&](int member) {
        ended[member]++;
        if (member >= 2) throw std::runtime_error("member " + std::to_string(member));
      });
    });
    EXPECT_EQ(caught, "member 2");
    for (int e : ended) ASSERT_EQ(e, run + 1);
  }
  team.run([](int) {});    // the exception is not thrown again
}

TEST_P(CommTeamTest, ATeamThatNeverWorkedEnds)
{
  for (int i = 0; i < 20; i++) CommTeam team(4, GetParam());
}

// sanitizers reserve more address space than can be limited

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST(CommTeamLender, LentThreadsDoTheWorkUntilTheLenderSaysNo)
{
  int nlent = 0;
  bool lends = true;
  CommTeam team(3, true, [&](int nmembers, const std::function<void(int)> &part) {
    if (!lends) return false;
    nlent++;
    std::vector<std::thread> lent;
    for (int member = 0; member < nmembers; member++) lent.emplace_back(part, member);
    for (auto &thread : lent) thread.join();
    return true;
  });
  ASSERT_EQ(team.size(), 3);
  std::vector<int> count(3, 0);
  for (int run = 0; run < 30; run++) {
    lends = run % 10 < 5;
    team.run([&](int member) { count[member]++; });
    for (int member = 0; member < 3; member++) ASSERT_EQ(count[member], run + 1);
  }
  EXPECT_EQ(nlent, 15);
}

TEST(CommTeamLender, TheExceptionOfTheLowestMemberReachesTheCaller)
{
  CommTeam team(2, true, [](int nmembers, const std::function<void(int)> &part) {
    std::thread other(part, nmembers - 1);
    part(0);
    other.join();
    return true;
  });
  EXPECT_THROW(team.run([](int member) {
    if (member == 1) throw std::runtime_error("one");
  }),
               std::runtime_error);
}

TEST(CommTeamLimit, WithoutRoomForItsThreadsItSaysSoAndLeavesNoneBehind)
{
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit tight = before;
  tight.rlim_cur = pages * sysconf(_SC_PAGESIZE) + 40 * 1024 * 1024;    // stacks of a few threads
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  const std::string text = message_of<TransportError>([] { CommTeam team(64, true); });
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  expect_words(text, {"64 communication threads"});
  CommTeam(3, true).run([](int) {});
}

#endif

INSTANTIATE_TEST_SUITE_P(Cores, CommTeamTest, testing::Bool(),
                         [](const auto &info) { return info.param ? "Crowded" : "Free"; });
