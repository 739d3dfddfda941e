// SPDX-License-Identifier: GPL-2.0-only
//
// What the emulator of uTofu does with programs that follow the rules, and with those that do not.

#include "process_ranks.h"
#include "tofu_emulator.h"
#include "utofu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace TOFU_EMULATOR;

namespace {

constexpr unsigned long NOTICE = UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;
constexpr unsigned long TCQ = UTOFU_ONESIDED_FLAG_TCQ_NOTICE;
constexpr unsigned long LOCAL = UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE;
constexpr unsigned long STRONG = UTOFU_ONESIDED_FLAG_STRONG_ORDER;
constexpr unsigned long INJECT = UTOFU_ONESIDED_FLAG_CACHE_INJECTION;

/** Pages of their own, zeroed. */
struct Pages {
  explicit Pages(std::size_t n) : nbytes((n + 65535) / 65536 * 65536)
  {
    // aligned to 64 KiB: a child process lacks whole pages
    char *at = static_cast<char *>(
        mmap(nullptr, nbytes + 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    bytes = at + (65536 - reinterpret_cast<std::uintptr_t>(at) % 65536) % 65536;
  }
  char *bytes;
  std::size_t nbytes;
};

/** A queue with registered memory, and what the other ranks have. */
struct End {
  explicit End(ProcessRank &rank, std::size_t nbytes = 65536, unsigned long flags = 0,
               unsigned long queue_flags = UTOFU_VCQ_FLAG_THREAD_SAFE) :
      pages(nbytes),
      me(rank)
  {
    EXPECT_EQ(utofu_create_vcq(0, queue_flags, &hdl), UTOFU_SUCCESS);
    EXPECT_EQ(utofu_query_vcq_id(hdl, &mine.id), UTOFU_SUCCESS);
    EXPECT_EQ(utofu_reg_mem(hdl, pages.bytes, nbytes, flags, &mine.stadd), UTOFU_SUCCESS);
    others = rank.all(mine);
  }

  int put(int to, std::size_t from_at, std::size_t to_at, std::size_t n, unsigned long flags,
          std::uint64_t edata = 0)
  {
    return retried([&]() {
      return utofu_put(hdl, others[to].id, mine.stadd + from_at, others[to].stadd + to_at, n, edata,
                       flags, this);
    });
  }

  int retried(const std::function<int()> &post)
  {
    int code;
    void *data;
    while ((code = post()) == UTOFU_ERR_BUSY)
      if (utofu_poll_tcq(hdl, 0, &data) == UTOFU_ERR_NOT_FOUND) usleep(20);
    return code;
  }

  int next_notice(utofu_mrq_notice &notice)
  {
    int code;
    while ((code = utofu_poll_mrq(hdl, 0, &notice)) == UTOFU_ERR_NOT_FOUND) usleep(20);
    return code;
  }

  int next_sent()
  {
    int code;
    void *data;
    while ((code = utofu_poll_tcq(hdl, 0, &data)) == UTOFU_ERR_NOT_FOUND) usleep(20);
    EXPECT_EQ(data, this);
    return code;
  }

  void drain()
  {
    void *data;
    utofu_mrq_notice notice;
    while (utofu_poll_tcq(hdl, 0, &data) != UTOFU_ERR_NOT_FOUND) {}
    while (utofu_poll_mrq(hdl, 0, &notice) != UTOFU_ERR_NOT_FOUND) {}
  }

  /** All ranks together. */
  void close()
  {
    me.barrier();
    usleep(20000);
    drain();
    utofu_dereg_mem(hdl, mine.stadd, 0);
    EXPECT_EQ(utofu_free_vcq(hdl), UTOFU_SUCCESS);
  }

  struct Address {
    utofu_vcq_id_t id = 0;
    utofu_stadd_t stadd = 0;
  };
  Pages pages;
  ProcessRank &me;
  utofu_vcq_hdl_t hdl = 0;
  Address mine;
  std::vector<Address> others;
};

void expect_good(const Outcome &outcome)
{
  EXPECT_TRUE(outcome.good()) << outcome.errors;
}

Variables seeded(int seed)
{
  return {{"TOFU_EMULATOR_SEED", std::to_string(seed)}};
}

}    // namespace

/* ---------------------------------------------------------------------- */

TEST(Emulator, ExportsTheFunctionsOfItsListAndTheHeaderDeclaresThoseOfUTofu)
{
  std::ifstream map(EMULATOR_FOLDER "/tofucom.map"), header(EMULATOR_FOLDER "/utofu.h");
  std::stringstream listed, declared;
  listed << map.rdbuf();
  declared << header.rdbuf();
  const auto names = [](const std::string &text, const char *pattern) {
    std::set<std::string> found;
    const std::regex word(pattern);
    for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it)
      found.insert((*it)[1]);
    return found;
  };
  std::set<std::string> in_map = names(listed.str(), "\\b(utofu_[a-z0-9_]+);");
  const std::set<std::string> in_header = names(declared.str(), "\\b(utofu_[a-z0-9_]+)\\(");
  EXPECT_EQ(in_header.size(), 65u);
  EXPECT_EQ(in_map.count("utofu_get_last_error"), 1u);
  for (const std::string &name : in_map) EXPECT_NE(dlsym(RTLD_DEFAULT, name.c_str()), nullptr);
  in_map.erase("utofu_get_last_error");
  EXPECT_EQ(in_map, in_header);
}

TEST(Emulator, APutArrivesWithItsNoticeAndItsSourceIsFreeAfterTheEntry)
{
  for (int seed : {0, 1, 2})
    expect_good(run_processes(2, seeded(seed), [](ProcessRank &rank) {
      End end(rank);
      const int other = 1 - rank.rank();
      for (std::size_t i = 0; i < 10000; i++) end.pages.bytes[i] = static_cast<char>(i * 7 + 1);
      rank.barrier();
      EXPECT_EQ(end.put(other, 3, 20001, 9000, NOTICE | TCQ, 77), UTOFU_SUCCESS);
      EXPECT_EQ(end.next_sent(), UTOFU_SUCCESS);
      std::memset(end.pages.bytes, 0, 10000);
      utofu_mrq_notice notice;
      ASSERT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
      EXPECT_EQ(notice.notice_type, UTOFU_MRQ_TYPE_RMT_PUT);
      EXPECT_EQ(notice.edata, 77u);
      EXPECT_EQ(notice.vcq_id, end.others[other].id);
      EXPECT_EQ(notice.rmt_stadd, end.mine.stadd + 29001);
      int wrong = 0;
      for (std::size_t i = 0; i < 9000; i++)
        wrong += end.pages.bytes[20001 + i] != static_cast<char>((i + 3) * 7 + 1);
      EXPECT_EQ(wrong, 0);
      end.close();
    }));
}

TEST(Emulator, WrongArgumentsGetTheirCodes)
{
  expect_good(run_processes(1, {}, [](ProcessRank &rank) {
    End end(rank);
    char *const bytes = end.pages.bytes;
    utofu_vcq_hdl_t hdl;
    utofu_stadd_t stadd;
    EXPECT_EQ(utofu_create_vcq(6, 0, &hdl), UTOFU_ERR_INVALID_TNI_ID);
    EXPECT_EQ(utofu_create_vcq(0, 8, &hdl), UTOFU_ERR_INVALID_FLAGS);
    EXPECT_EQ(utofu_create_vcq(0, 6, &hdl), UTOFU_ERR_INVALID_FLAGS);
    EXPECT_EQ(utofu_create_vcq(0, UTOFU_VCQ_FLAG_EXCLUSIVE, &hdl), UTOFU_ERR_NOT_AVAILABLE);
    EXPECT_EQ(utofu_create_vcq(0, UTOFU_VCQ_FLAG_SESSION_MODE, &hdl), UTOFU_ERR_NOT_SUPPORTED);
    EXPECT_EQ(utofu_create_vcq_with_cmp_id(0, 8, 0, &hdl), UTOFU_ERR_INVALID_CMP_ID);
    EXPECT_EQ(utofu_create_vcq_with_cmp_id(0, 0, 0, &hdl), UTOFU_ERR_USED);
    EXPECT_EQ(utofu_free_vcq(4711), UTOFU_ERR_INVALID_VCQ_HDL);
    EXPECT_EQ(utofu_reg_mem(end.hdl, bytes, 0, 0, &stadd), UTOFU_ERR_INVALID_SIZE);
    EXPECT_EQ(utofu_reg_mem(end.hdl, bytes, 8, 2, &stadd), UTOFU_ERR_INVALID_FLAGS);
    EXPECT_EQ(utofu_reg_mem_with_stag(end.hdl, bytes + 8, 256, 1, 0, &stadd),
              UTOFU_ERR_INVALID_ADDRESS);
    EXPECT_EQ(utofu_reg_mem_with_stag(end.hdl, bytes, 100, 1, 0, &stadd), UTOFU_ERR_INVALID_SIZE);
    EXPECT_EQ(utofu_reg_mem_with_stag(end.hdl, bytes, 256, 256, 0, &stadd), UTOFU_ERR_INVALID_STAG);
    EXPECT_EQ(utofu_reg_mem_with_stag(end.hdl, bytes, 256, 1, 0, &stadd), UTOFU_SUCCESS);
    utofu_stadd_t computed;
    EXPECT_EQ(utofu_query_stadd(end.mine.id, 1, &computed), UTOFU_SUCCESS);
    EXPECT_EQ(computed, stadd);
    EXPECT_EQ(utofu_reg_mem_with_stag(end.hdl, bytes, 512, 1, 0, &computed), UTOFU_ERR_USED);
    EXPECT_EQ(utofu_dereg_mem(end.hdl, stadd, 0), UTOFU_SUCCESS);

    const utofu_stadd_t at = end.mine.stadd;
    const utofu_vcq_id_t id = end.mine.id;
    const auto put = [&](std::size_t n, std::uint64_t edata, unsigned long flags) {
      return utofu_put(end.hdl, id, at, at + 1024, n, edata, flags, nullptr);
    };
    EXPECT_EQ(put(16777216, 0, 0), UTOFU_ERR_INVALID_SIZE);
    EXPECT_EQ(put(8, 256, 0), UTOFU_ERR_INVALID_EDATA);
    EXPECT_EQ(put(8, 0, 1UL << 4), UTOFU_ERR_INVALID_FLAGS);
    EXPECT_EQ(put(8, 0, UTOFU_ONESIDED_FLAG_PADDING | INJECT), UTOFU_ERR_INVALID_FLAGS);
    EXPECT_EQ(utofu_put(end.hdl, 1, at, at, 8, 0, 0, nullptr), UTOFU_ERR_INVALID_VCQ_ID);
    EXPECT_EQ(utofu_put(5, id, at, at, 8, 0, 0, nullptr), UTOFU_ERR_INVALID_VCQ_HDL);
    EXPECT_EQ(utofu_put_piggyback(end.hdl, id, bytes, at, 33, 0, 0, nullptr),
              UTOFU_ERR_INVALID_SIZE);
    EXPECT_EQ(utofu_put_piggyback8(end.hdl, id, 1, at, 9, 0, 0, nullptr), UTOFU_ERR_INVALID_SIZE);
    EXPECT_EQ(utofu_put_gap(end.hdl, id, at, at, 8, 0, 0, 1921, 0, nullptr), UTOFU_ERR_INVALID_ARG);
    EXPECT_EQ(utofu_put_stride(end.hdl, id, at, at, 8, 16, 0, 0, 0, nullptr),
              UTOFU_ERR_INVALID_NUMBER);
    EXPECT_EQ(utofu_armw8(end.hdl, id, UTOFU_ARMW_OP_ADD, 1, at + 4, 0, 0, nullptr),
              UTOFU_ERR_INVALID_STADD);
    EXPECT_EQ(utofu_armw4(end.hdl, id, static_cast<utofu_armw_op>(9), 1, at, 0, 0, nullptr),
              UTOFU_ERR_INVALID_OP);
    alignas(8) char desc[64];
    size_t n;
    EXPECT_EQ(utofu_prepare_nop(end.hdl, 0, desc + 4, &n), UTOFU_ERR_INVALID_DESC);
    std::memset(desc, 0, sizeof(desc));
    EXPECT_EQ(utofu_post_toq(end.hdl, desc, 64, nullptr), UTOFU_ERR_INVALID_DESC);
    EXPECT_EQ(utofu_post_toq(end.hdl, nullptr, 0, nullptr), UTOFU_SUCCESS);
    end.close();
  }));
}

TEST(Emulator, ErrorsComeThroughBothQueuesWithoutAnyFlag)
{
  for (int seed : {0, 3})
    expect_good(run_processes(2, seeded(seed), [](ProcessRank &rank) {
      End end(rank);
      const int other = 1 - rank.rank();
      utofu_stadd_t read_only;
      utofu_mrq_notice notice;
      EXPECT_EQ(
          utofu_reg_mem(end.hdl, end.pages.bytes, 4096, UTOFU_REG_MEM_FLAG_READ_ONLY, &read_only),
          UTOFU_SUCCESS);
      const auto theirs = rank.all(read_only);
      const auto put_at = [&](utofu_stadd_t lcl, utofu_stadd_t rmt, std::size_t n) {
        const auto post = [&]() {
          return utofu_put(end.hdl, end.others[other].id, lcl, rmt, n, 0, 0, &end);
        };
        EXPECT_EQ(end.retried(post), UTOFU_SUCCESS);
      };
      const utofu_stadd_t lcl = end.mine.stadd, rmt = end.others[other].stadd;
      put_at(lcl + 1000000, rmt, 8);
      EXPECT_EQ(end.next_sent(), UTOFU_ERR_TCQ_STADD);
      put_at(lcl + 65000, rmt, 1000);
      EXPECT_EQ(end.next_sent(), UTOFU_ERR_TCQ_LENGTH);
      put_at(lcl, rmt + 1000000, 8);
      EXPECT_EQ(end.next_notice(notice), UTOFU_ERR_MRQ_RMT_STADD);
      put_at(lcl, rmt + 65000, 1000);
      EXPECT_EQ(end.next_notice(notice), UTOFU_ERR_MRQ_RMT_LENGTH);
      put_at(lcl, theirs[other], 8);
      EXPECT_EQ(end.next_notice(notice), UTOFU_ERR_MRQ_RMT_MEMORY);
      rank.barrier();
      // after its errors the pair still works
      EXPECT_EQ(end.put(other, 0, 512, 8, NOTICE | STRONG), UTOFU_SUCCESS);
      EXPECT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
      rank.barrier();
      EXPECT_EQ(utofu_dereg_mem(end.hdl, end.mine.stadd, 0), UTOFU_SUCCESS);
      rank.barrier();
      put_at(read_only, rmt, 8);
      EXPECT_EQ(end.next_notice(notice), UTOFU_ERR_MRQ_RMT_STADD);
      rank.barrier();
      EXPECT_EQ(utofu_dereg_mem(end.hdl, read_only, 0), UTOFU_SUCCESS);
      EXPECT_EQ(utofu_free_vcq(end.hdl), UTOFU_SUCCESS);
    }));
}

TEST(Emulator, APeerThatHasGoneIsAnError)
{
  expect_good(run_processes(3, {}, [](ProcessRank &rank) {
    End end(rank);
    utofu_mrq_notice notice;
    if (rank.rank() == 1) {
      utofu_dereg_mem(end.hdl, end.mine.stadd, 0);
      EXPECT_EQ(utofu_free_vcq(end.hdl), UTOFU_SUCCESS);
      rank.barrier();
      return;
    }
    rank.barrier();
    if (rank.rank() == 2) return;    // with a queue that is not freed
    EXPECT_EQ(end.put(1, 0, 0, 8, LOCAL), UTOFU_SUCCESS);
    EXPECT_EQ(end.next_notice(notice), UTOFU_ERR_MRQ_PEER);
    usleep(200000);
    EXPECT_EQ(end.put(2, 0, 0, 8, 0), UTOFU_SUCCESS);
    EXPECT_EQ(end.next_notice(notice), UTOFU_ERR_MRQ_PEER);
    utofu_dereg_mem(end.hdl, end.mine.stadd, 0);
    EXPECT_EQ(utofu_free_vcq(end.hdl), UTOFU_SUCCESS);
  }));
}

TEST(Emulator, AFullQueueOfOrdersIsBusyUntilEntriesAreRead)
{
  expect_good(run_processes(1, {{"TOFU_EMULATOR_TOQ", "4"}}, [](ProcessRank &rank) {
    End end(rank);
    for (int i = 0; i < 4; i++) EXPECT_EQ(end.put(0, 0, 512, 8, TCQ), UTOFU_SUCCESS);
    size_t unread = 0;
    while (unread < 4) utofu_query_num_unread_tcq(end.hdl, &unread);
    const auto post = [&]() {
      return utofu_put(end.hdl, end.mine.id, end.mine.stadd, end.mine.stadd + 512, 8, 0, TCQ, &end);
    };
    EXPECT_EQ(post(), UTOFU_ERR_BUSY);
    EXPECT_EQ(end.next_sent(), UTOFU_SUCCESS);
    EXPECT_EQ(post(), UTOFU_SUCCESS);
    end.close();
  }));
}

TEST(Emulator, AReceiveQueueThatOverflowsEndsTheProcess)
{
  const Outcome outcome = run_processes(2, {{"TOFU_EMULATOR_MRQ", "5"}}, [](ProcessRank &rank) {
    End end(rank);
    if (rank.rank() == 0)
      for (int i = 0; i < 6; i++) end.put(1, 0, 0, 8, NOTICE);
    usleep(500000);
    end.drain();
    std::_Exit(0);
  });
  EXPECT_EQ(outcome.statuses[1], 128 + SIGABRT);
  EXPECT_TRUE(outcome.has("utofu: process ") && outcome.has("MRQ Overflow on TNI 0 CQ "))
      << outcome.errors;
}

TEST(Emulator, QueuesOfTheHardwareAreSharedByTheRanksOfANode)
{
  expect_good(run_processes(2, {}, [](ProcessRank &rank) {
    std::vector<utofu_vcq_hdl_t> all;
    utofu_vcq_hdl_t hdl;
    while (utofu_create_vcq(2, UTOFU_VCQ_FLAG_THREAD_SAFE, &hdl) == UTOFU_SUCCESS)
      all.push_back(hdl);
    EXPECT_EQ(all.size(), 8u);
    utofu_vcq_id_t id;
    utofu_query_vcq_id(all[0], &id);
    std::uint8_t coords[6];
    utofu_tni_id_t tni;
    utofu_cq_id_t cq;
    std::uint16_t extra;
    EXPECT_EQ(utofu_query_vcq_info(id, coords, &tni, &cq, &extra), UTOFU_SUCCESS);
    EXPECT_EQ(tni, 2);
    const auto cqs = rank.all(cq);
    EXPECT_NE(cqs[0], cqs[1]);
    for (const utofu_vcq_hdl_t one : all) EXPECT_EQ(utofu_free_vcq(one), UTOFU_SUCCESS);
    rank.barrier();
  }));
}

TEST(Emulator, ViolationsEndTheProcessWithAClearText)
{
  struct Violation {
    const char *text;
    std::function<void(End &)> body;
  };
  const Violation violations[] = {
      {"queue that was freed",
       [](End &end) {
         utofu_free_vcq(end.hdl);
         utofu_free_vcq(end.hdl);
       }},
      {"memory that is not registered",
       [](End &end) {
         utofu_dereg_mem(end.hdl, end.mine.stadd, 0);
         utofu_dereg_mem(end.hdl, end.mine.stadd, 0);
       }},
      {"orders in flight",
       [](End &end) {
         for (int i = 0; i < 1000; i++) end.put(0, 0, 8192, 40000, 0);
         utofu_free_vcq(end.hdl);
       }},
      {"TOQ Direct Descriptor Exception",
       [](End &end) {
         std::vector<std::thread> threads;
         for (int t = 0; t < 4; t++)
           threads.emplace_back([&]() {
             void *data;
             for (int i = 0; i < 200000; i++) {
               utofu_put(end.hdl, end.mine.id, end.mine.stadd, end.mine.stadd + 512, 8, 0, TCQ,
                         nullptr);
               utofu_poll_tcq(end.hdl, 0, &data);
             }
           });
         for (auto &thread : threads) thread.join();
       }},
  };
  for (const Violation &violation : violations) {
    const Outcome outcome = run_processes(1, {}, [&](ProcessRank &rank) {
      End end(rank, 65536, 0, 0);
      violation.body(end);
    });
    EXPECT_EQ(outcome.statuses[0], 128 + SIGABRT) << violation.text;
    EXPECT_TRUE(outcome.has(violation.text)) << outcome.errors;
  }
}

TEST(Emulator, AChildLacksTheRegisteredPagesAndMayNotCall)
{
  expect_good(run_processes(1, {}, [](ProcessRank &rank) {
    End end(rank);
    const auto status_of = [](const std::function<void()> &body) {
      const pid_t pid = fork();
      if (pid == 0) {
        body();
        _exit(0);
      }
      int status;
      waitpid(pid, &status, 0);
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    };
    volatile char *const byte = end.pages.bytes + 60000;
    EXPECT_NE(status_of([&]() { *byte = 1; }), 0);    // SIGSEGV, unless a sanitizer takes it
    EXPECT_EQ(status_of([&]() { utofu_free_vcq(end.hdl); }), 128 + SIGABRT);
    utofu_dereg_mem(end.hdl, end.mine.stadd, 0);
    EXPECT_EQ(status_of([&]() { *byte = 1; }), 0);
    utofu_free_vcq(end.hdl);
  }));
}

/* ---------------------------------------------------------------------- */

namespace {

/** How often a receiver that watches memory sees the flag before the data, and the last byte of a
    put before the others. */
struct Surprises {
  int flag_first = 0, last_first = 0;
};

Surprises count_surprises(unsigned long order, int seed)
{
  Surprises *const sum = static_cast<Surprises *>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  *sum = {};
  expect_good(run_processes(2, seeded(seed), [&](ProcessRank &rank) {
    End end(rank);
    constexpr std::size_t N = 4096, FLAG = 32768;
    auto *bytes = reinterpret_cast<volatile char *>(end.pages.bytes);
    for (int round = 1; round <= 20; round++) {
      if (rank.rank() == 0) {
        std::memset(end.pages.bytes, round, N);
        EXPECT_EQ(end.put(1, 0, 0, N, order), UTOFU_SUCCESS);
        const auto post = [&]() {
          return utofu_put_piggyback8(end.hdl, end.others[1].id, round, end.others[1].stadd + FLAG,
                                      8, 0, order | TCQ, &end);
        };
        EXPECT_EQ(end.retried(post), UTOFU_SUCCESS);
      } else {
        bool watched = false;
        while (bytes[FLAG] != round || bytes[N - 1] != round) {
          if (bytes[FLAG] == round && bytes[N - 1] != round) sum->flag_first++, usleep(100);
          if (!watched && bytes[N - 1] == round) {
            watched = true;
            for (std::size_t i = 0; i < N; i += 64) sum->last_first += bytes[i] != round;
          }
        }
        while (bytes[0] != round) {}
      }
      usleep(3000);
      rank.barrier();
      end.drain();
    }
    end.close();
  }));
  const Surprises result = *sum;
  munmap(sum, 4096);
  return result;
}

}    // namespace

TEST(Emulator, WithoutStrongOrderAFlagComesBeforeItsDataAndWithItNever)
{
  int loose_flag = 0, loose_last = 0;
  for (int seed : {1, 2, 3}) {
    const Surprises loose = count_surprises(0, seed), strict = count_surprises(STRONG, seed);
    loose_flag += loose.flag_first;
    loose_last += loose.last_first;
    EXPECT_EQ(strict.flag_first, 0);
    EXPECT_EQ(strict.last_first, 0);
  }
  EXPECT_GT(loose_flag, 0);
  EXPECT_GT(loose_last, 0);
}

TEST(Emulator, ASourceThatIsWrittenBeforeItsEntryArrivesWrong)
{
  const Outcome outcome = run_processes(1, seeded(5), [](ProcessRank &rank) {
    End end(rank);
    int wrong = 0;
    for (int round = 1; round <= 50; round++) {
      std::memset(end.pages.bytes, round, 4096);
      end.put(0, 0, 8192, 4096, NOTICE | TCQ);
      std::memset(end.pages.bytes, 99, 4096);
      utofu_mrq_notice notice;
      end.next_notice(notice);
      for (int i = 0; i < 4096; i++) wrong += end.pages.bytes[8192 + i] != round;
      end.next_sent();
    }
    EXPECT_GT(wrong, 0);
    end.close();
  });
  expect_good(outcome);
}

TEST(Emulator, NoticesOfOnePairComeInOrderAndExtraOnesOnRequest)
{
  for (int seed : {0, 7})
    for (bool extra : {false, true}) {
      Variables variables = seeded(seed);
      variables.emplace_back("TOFU_EMULATOR_EXTRA_NOTICES", extra ? "on" : "off");
      expect_good(run_processes(2, variables, [extra](ProcessRank &rank) {
        End end(rank);
        const int other = 1 - rank.rank();
        for (unsigned i = 0; i < 60; i++) {
          EXPECT_EQ(end.put(other, 0, 300 * i, 300, NOTICE, i), UTOFU_SUCCESS);
          EXPECT_EQ(end.put(other, 0, 20000, 8, 0, 200), UTOFU_SUCCESS);
        }
        unsigned next = 0;
        int nextra = 0;
        while (next < 60 || (extra && nextra < 60)) {
          utofu_mrq_notice notice;
          ASSERT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
          if (notice.edata == 200)
            nextra++;
          else
            EXPECT_EQ(notice.edata, next++);
        }
        EXPECT_EQ(nextra, extra ? 60 : 0);
        end.close();
      }));
    }
}

TEST(Emulator, PaddingOverwritesTheRestOfTheLine)
{
  expect_good(run_processes(1, {}, [](ProcessRank &rank) {
    End end(rank);
    std::memset(end.pages.bytes, 1, 1024);
    std::uint64_t value = 5;
    EXPECT_EQ(utofu_put_piggyback(end.hdl, end.mine.id, &value, end.mine.stadd + 264, 8, 0,
                                  NOTICE | INJECT | UTOFU_ONESIDED_FLAG_PADDING, nullptr),
              UTOFU_SUCCESS);
    utofu_mrq_notice notice;
    EXPECT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
    EXPECT_EQ(std::memcmp(end.pages.bytes + 264, &value, 8), 0);
    int inside = 0, outside = 0;
    for (int i = 0; i < 1024; i++)
      if (end.pages.bytes[i] != 1) (i >= 256 && i < 512 ? inside : outside)++;
    EXPECT_GT(inside, 200);
    EXPECT_EQ(outside, 0);
    end.close();
  }));
}

TEST(Emulator, GetsAtomicsStridesAndPreparedOrdersDoWhatTheyShould)
{
  for (int seed : {0, 11})
    expect_good(run_processes(2, seeded(seed), [](ProcessRank &rank) {
      End end(rank);
      const int other = 1 - rank.rank();
      char *const bytes = end.pages.bytes;
      const utofu_vcq_id_t id = end.others[other].id;
      const utofu_stadd_t lcl = end.mine.stadd, rmt = end.others[other].stadd;
      utofu_mrq_notice notice;
      for (int i = 0; i < 3000; i++) bytes[i] = static_cast<char>(i + rank.rank());
      rank.barrier();
      const auto get = [&]() {
        return utofu_get(end.hdl, id, lcl + 10000, rmt + 5, 2500, 9, LOCAL, &end);
      };
      EXPECT_EQ(end.retried(get), UTOFU_SUCCESS);
      ASSERT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
      EXPECT_EQ(notice.notice_type, UTOFU_MRQ_TYPE_LCL_GET);
      EXPECT_EQ(notice.lcl_stadd, lcl + 12500);
      int wrong = 0;
      for (int i = 0; i < 2500; i++) wrong += bytes[10000 + i] != static_cast<char>(i + 5 + other);
      EXPECT_EQ(wrong, 0);

      std::uint64_t word = 100;
      std::memcpy(bytes + 4096, &word, 8);
      rank.barrier();
      const auto add = [&]() {
        return utofu_armw8(end.hdl, id, UTOFU_ARMW_OP_ADD, 11, rmt + 4096, 3, LOCAL, &end);
      };
      EXPECT_EQ(end.retried(add), UTOFU_SUCCESS);
      ASSERT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
      EXPECT_EQ(notice.notice_type, UTOFU_MRQ_TYPE_LCL_ARMW);
      EXPECT_EQ(notice.rmt_value, 100u);
      const auto swap = [&]() {
        return utofu_cswap8(end.hdl, id, 111, 7, rmt + 4096, 3, LOCAL, &end);
      };
      EXPECT_EQ(end.retried(swap), UTOFU_SUCCESS);
      ASSERT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
      EXPECT_EQ(notice.rmt_value, 111u);
      rank.barrier();
      std::memcpy(&word, bytes + 4096, 8);
      EXPECT_EQ(word, 7u);

      alignas(8) char desc[3 * 64];
      size_t n = 0;
      EXPECT_EQ(
          utofu_prepare_put_stride(end.hdl, id, lcl, rmt + 40000, 100, 400, 3, 8, NOTICE, desc, &n),
          UTOFU_SUCCESS);
      EXPECT_EQ(n, sizeof(desc));
      for (int time = 0; time < 2; time++) {
        const auto post = [&]() {
          return utofu_post_toq(end.hdl, desc, n, &end);
        };
        EXPECT_EQ(end.retried(post), UTOFU_SUCCESS);
        for (int i = 0; i < 3; i++) {
          ASSERT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
          EXPECT_EQ(notice.rmt_stadd, lcl + 40000 + 400 * i + 100);
        }
      }
      wrong = 0;
      for (int b = 0; b < 3; b++)
        for (int i = 0; i < 100; i++)
          wrong += bytes[40000 + 400 * b + i] != static_cast<char>(400 * b + i + other);
      EXPECT_EQ(wrong, 0);
      end.close();
    }));
}

TEST(Emulator, APathChangesTheIdButNotWhatANoticeSays)
{
  expect_good(run_processes(2, {{"TOFU_EMULATOR_RANKS_PER_NODE", "1"}}, [](ProcessRank &rank) {
    End end(rank);
    const int other = 1 - rank.rank();
    std::uint8_t coords[6];
    EXPECT_EQ(utofu_query_my_coords(coords), UTOFU_SUCCESS);
    EXPECT_EQ(coords[3], rank.rank());
    utofu_vcq_id_t id = end.others[other].id;
    EXPECT_EQ(utofu_set_vcq_id_path(&id, nullptr), UTOFU_SUCCESS);
    EXPECT_NE(id, end.others[other].id);
    EXPECT_EQ(utofu_put(end.hdl, id, end.mine.stadd, end.others[other].stadd, 8, 0, NOTICE | LOCAL,
                        nullptr),
              UTOFU_SUCCESS);
    for (int i = 0; i < 2; i++) {
      utofu_mrq_notice notice;
      ASSERT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
      EXPECT_EQ(notice.vcq_id, end.others[other].id);
    }
    end.close();
  }));
}

TEST(Emulator, RegistrationsAreCountedAndTheNthCanFail)
{
  expect_good(run_processes(2, {{"TOFU_EMULATOR_FULL_REGISTRATION", "3@1"}}, [](ProcessRank &rank) {
    End end(rank);
    utofu_stadd_t again, more;
    EXPECT_EQ(utofu_reg_mem(end.hdl, end.pages.bytes, 65536, 0, &again), UTOFU_SUCCESS);
    EXPECT_EQ(again, end.mine.stadd);
    EXPECT_EQ(utofu_reg_mem(end.hdl, end.pages.bytes, 100, 0, &more),
              rank.rank() == 1 ? UTOFU_ERR_FULL : UTOFU_SUCCESS);
    if (rank.rank() == 0) { EXPECT_EQ(utofu_dereg_mem(end.hdl, more, 0), UTOFU_SUCCESS); }
    EXPECT_EQ(utofu_dereg_mem(end.hdl, again, 0), UTOFU_SUCCESS);
    rank.barrier();
    EXPECT_EQ(end.put(1 - rank.rank(), 0, 0, 8, NOTICE), UTOFU_SUCCESS);
    utofu_mrq_notice notice;
    EXPECT_EQ(end.next_notice(notice), UTOFU_SUCCESS);
    end.close();
  }));
}

TEST(ProcessRanks, ASignalOrAnExceptionEndsARankAndIsNamed)
{
  const auto before = std::signal(SIGTERM, [](int) { std::exit(1); });    // as of some libraries
  const Outcome outcome = run_processes(3, {}, [](ProcessRank &rank) {
    if (rank.rank() == 1) std::raise(SIGTERM);
    if (rank.rank() == 2) throw std::runtime_error("no more");
  });
  std::signal(SIGTERM, before);
  EXPECT_EQ(outcome.statuses, (std::vector<int>{0, 128 + SIGTERM, 1})) << outcome.errors;
  EXPECT_TRUE(outcome.has("rank 1 ended by signal 15")) << outcome.errors;
  EXPECT_TRUE(outcome.has("rank 2: no more")) << outcome.errors;
}

TEST(Emulator, ItReportsAtTheEndAndDiesOnRequest)
{
  const Outcome outcome = run_processes(
      2, {{"TOFU_EMULATOR_REPORT", "on"}, {"TOFU_EMULATOR_DEATH", "3@1"}}, [](ProcessRank &rank) {
        End end(rank);
        for (int i = 0; i < 2 + rank.rank(); i++) end.put(rank.rank(), 0, 512, 8, NOTICE | TCQ);
        usleep(50000);
      });
  EXPECT_EQ(outcome.statuses[0], 0);
  EXPECT_EQ(outcome.statuses[1], 128 + SIGKILL);
  EXPECT_TRUE(outcome.has("rank 0, end; 1 queues not freed; 1 registrations left; 2 orders"))
      << outcome.errors;
  EXPECT_TRUE(outcome.has("unread 2 TCQ, 2 MRQ")) << outcome.errors;
}

/* ---------------------------------------------------------------------- */

namespace {

/** A butterfly of 4 ranks: gate 0 is start and end, gates 1 and 2 are relays. */
struct Butterfly {
  explicit Butterfly(ProcessRank &rank)
  {
    EXPECT_EQ(utofu_alloc_vbg(0, 3, 0, gates), UTOFU_SUCCESS);
    struct Gates {
      utofu_vbg_id_t ids[3];
    };
    Gates mine;
    std::copy(gates, gates + 3, mine.ids);
    const auto all = rank.all(mine);
    const auto &x = all[rank.rank() ^ 1].ids, &y = all[rank.rank() ^ 2].ids;
    const utofu_vbg_id_t none = UTOFU_VBG_ID_NULL;
    // the start packs off to the first partner's relay; what comes from there meets the own value
    utofu_vbg_setting settings[3] = {
        {gates[0], gates[2], none, gates[1], x[1], {UTOFU_PATH_COORD_NULL, 0, 0}},
        {gates[1], gates[0], x[0], gates[2], y[2], {UTOFU_PATH_COORD_NULL, 0, 0}},
        {gates[2], gates[1], y[1], gates[0], none, {UTOFU_PATH_COORD_NULL, 0, 0}}};
    EXPECT_EQ(utofu_set_vbg(settings, 3), UTOFU_SUCCESS);
    rank.barrier();
  }
  template <class Poll> int wait(Poll poll)
  {
    int code;
    while ((code = poll()) == UTOFU_ERR_NOT_COMPLETED) usleep(20);
    return code;
  }
  utofu_vbg_id_t gates[3];
};

}    // namespace

TEST(EmulatedGates, AButterflyGivesAllRanksTheSum)
{
  for (int seed : {0, 1})
    expect_good(run_processes(4, seeded(seed), [](ProcessRank &rank) {
      Butterfly circuit(rank);
      const utofu_vbg_id_t id = circuit.gates[0];
      EXPECT_EQ(utofu_poll_barrier(id, 0), UTOFU_ERR_BUSY);
      for (int round = 0; round < 20; round++) {
        std::uint64_t data[6] = {1, std::uint64_t(rank.rank()), ~std::uint64_t(0), 0, 5, 1};
        EXPECT_EQ(utofu_reduce_uint64(id, UTOFU_REDUCE_OP_SUM, data, 6, 0), UTOFU_SUCCESS);
        if (round == 0) { EXPECT_EQ(utofu_barrier(id, 0), UTOFU_ERR_BUSY); }
        EXPECT_EQ(circuit.wait([&]() { return utofu_poll_reduce_uint64(id, 0, data); }),
                  UTOFU_SUCCESS);
        EXPECT_EQ(data[0], 4u);
        EXPECT_EQ(data[1], 6u);
        EXPECT_EQ(data[2], ~std::uint64_t(0) - 3);
        double sums[3] = {1e20, rank.rank() == 2 ? 1.5 : -0.25, rank.rank() * 1e-30};
        if (rank.rank() % 2) sums[0] = -1e20;
        EXPECT_EQ(utofu_reduce_double(id, UTOFU_REDUCE_OP_BFPSUM, sums, 3, 0), UTOFU_SUCCESS);
        EXPECT_EQ(circuit.wait([&]() { return utofu_poll_reduce_double(id, 0, sums); }),
                  UTOFU_SUCCESS);
        EXPECT_EQ(sums[0], 0.0);
        EXPECT_EQ(sums[1], 0.75);
        EXPECT_NEAR(sums[2], 6e-30, 1e-45);
      }
      std::uint64_t best[2] = {std::uint64_t(rank.rank() % 2), std::uint64_t(rank.rank())};
      EXPECT_EQ(utofu_reduce_uint64(id, UTOFU_REDUCE_OP_MAXLOC, best, 2, 0), UTOFU_SUCCESS);
      EXPECT_EQ(circuit.wait([&]() { return utofu_poll_reduce_uint64(id, 0, best); }),
                UTOFU_SUCCESS);
      EXPECT_EQ(best[1], 1u);
      // ranks that call different things
      std::uint64_t one = 1;
      if (rank.rank() == 0)
        EXPECT_EQ(utofu_reduce_uint64(id, UTOFU_REDUCE_OP_MAX, &one, 1, 0), UTOFU_SUCCESS);
      else
        EXPECT_EQ(utofu_reduce_uint64(id, UTOFU_REDUCE_OP_SUM, &one, 1, 0), UTOFU_SUCCESS);
      EXPECT_EQ(circuit.wait([&]() { return utofu_poll_reduce_uint64(id, 0, &one); }),
                UTOFU_ERR_BARRIER_MISMATCH);
      rank.barrier();
      EXPECT_EQ(utofu_free_vbg(circuit.gates, 3), UTOFU_SUCCESS);
    }));
}

TEST(EmulatedGates, InAChainOnlyTheMasterHasTheTotal)
{
  expect_good(run_processes(3, {}, [](ProcessRank &rank) {
    // rank 0 packs off to the relay of rank 1, that one to the relay of rank 2, and this to the
    // start/end gate of rank 2, the master
    utofu_vbg_id_t gates[2];
    EXPECT_EQ(utofu_alloc_vbg(1, 2, 0, gates), UTOFU_SUCCESS);
    const auto relays = rank.all(gates[1]);
    const utofu_vbg_id_t none = UTOFU_VBG_ID_NULL;
    const int me = rank.rank();
    utofu_vbg_setting settings[2] = {
        {gates[0], gates[1], none, gates[1], none, {UTOFU_PATH_COORD_NULL, 0, 0}},
        {gates[1],
         gates[0],
         me > 0 ? relays[me - 1] : none,
         gates[0],
         me < 2 ? relays[me + 1] : none,
         {UTOFU_PATH_COORD_NULL, 0, 0}}};
    EXPECT_EQ(utofu_set_vbg(settings, 2), UTOFU_SUCCESS);
    rank.barrier();
    std::uint64_t value = 10 + me;
    EXPECT_EQ(utofu_reduce_uint64(gates[0], UTOFU_REDUCE_OP_SUM, &value, 1, 0), UTOFU_SUCCESS);
    int code;
    while ((code = utofu_poll_reduce_uint64(gates[0], 0, &value)) == UTOFU_ERR_NOT_COMPLETED)
      usleep(20);
    EXPECT_EQ(code, UTOFU_SUCCESS);
    const std::uint64_t partial[] = {10, 21, 33};
    EXPECT_EQ(value, partial[me]);
    rank.barrier();
    EXPECT_EQ(utofu_free_vbg(gates, 2), UTOFU_SUCCESS);
  }));
}

TEST(EmulatedGates, AnOperationThatComesBeforeTheLastOneIsOverEndsTheProcess)
{
  const Outcome outcome = run_processes(2, {}, [](ProcessRank &rank) {
    // the first rank of a chain that does not lead back knows too early that it is done
    utofu_vbg_id_t gates[2];
    utofu_alloc_vbg(1, 2, 0, gates);
    const auto relays = rank.all(gates[1]);
    const utofu_vbg_id_t none = UTOFU_VBG_ID_NULL;
    const bool first = rank.rank() == 0;
    utofu_vbg_setting settings[2] = {
        {gates[0], gates[1], none, gates[1], none, {UTOFU_PATH_COORD_NULL, 0, 0}},
        {gates[1],
         gates[0],
         first ? none : relays[0],
         gates[0],
         first ? relays[1] : none,
         {UTOFU_PATH_COORD_NULL, 0, 0}}};
    utofu_set_vbg(settings, 2);
    rank.barrier();
    for (int i = 0; i < 2 && first; i++) {
      EXPECT_EQ(utofu_barrier(gates[0], 0), UTOFU_SUCCESS);
      while (utofu_poll_barrier(gates[0], 0) == UTOFU_ERR_NOT_COMPLETED) usleep(20);
    }
    usleep(200000);
    std::_Exit(0);
  });
  EXPECT_EQ(outcome.statuses[1], 128 + SIGABRT) << outcome.errors;
  EXPECT_TRUE(outcome.has("has not used the last one")) << outcome.errors;
}

TEST(EmulatedGates, ThereAreSixteenStartsAndThirtyTwoRelays)
{
  expect_good(run_processes(1, {}, [](ProcessRank &) {
    std::vector<utofu_vbg_id_t> all(64);
    EXPECT_EQ(utofu_alloc_vbg(0, 34, 0, all.data()), UTOFU_ERR_FULL);
    EXPECT_EQ(utofu_alloc_vbg(0, 33, 0, all.data()), UTOFU_SUCCESS);
    utofu_vbg_id_t more[2];
    EXPECT_EQ(utofu_alloc_vbg(0, 2, 0, more), UTOFU_ERR_FULL);
    for (int i = 0; i < 15; i++) EXPECT_EQ(utofu_alloc_vbg(0, 1, 0, more), UTOFU_SUCCESS);
    EXPECT_EQ(utofu_alloc_vbg(0, 1, 0, more), UTOFU_ERR_FULL);
    EXPECT_EQ(utofu_alloc_vbg(1, 1, 0, more), UTOFU_SUCCESS);
    utofu_vbg_setting wrong{more[0], all[1], UTOFU_VBG_ID_NULL, all[1], UTOFU_VBG_ID_NULL, {}};
    EXPECT_EQ(utofu_set_vbg(&wrong, 1), UTOFU_ERR_INVALID_VBG_ID);    // another interface
  }));
}

TEST(EmulatedGates, ACircuitThatDoesNotEndIsReported)
{
  const Outcome outcome = run_processes(1, {}, [](ProcessRank &) {
    utofu_vbg_id_t gates[2];
    utofu_alloc_vbg(0, 2, 0, gates);
    utofu_vbg_setting setting{gates[0], gates[1],          UTOFU_VBG_ID_NULL,
                              gates[1], UTOFU_VBG_ID_NULL, {}};
    EXPECT_EQ(utofu_set_vbg(&setting, 1), UTOFU_SUCCESS);    // the relay is not set
    EXPECT_EQ(utofu_barrier(gates[0], 0), UTOFU_SUCCESS);
    usleep(20000);
    EXPECT_EQ(utofu_poll_barrier(gates[0], 0), UTOFU_ERR_NOT_COMPLETED);
  });
  EXPECT_TRUE(outcome.has("has not ended")) << outcome.errors;
}
