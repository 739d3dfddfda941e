// SPDX-License-Identifier: GPL-2.0-only
//
// Deliberate violations of uTofu's rules: the emulator must make each of them visible, so that one
// in the backend would be.  Calls of the backend go through the functions here, which change them
// on their way to the library.

#include "utofu_traffic.h"

#include "transport/comm_team.h"

#include <atomic>
#include <cstdio>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <unistd.h>
#include <utofu.h>

using namespace TOFU_TEST;

namespace {

enum Mutant {
  NONE,
  CREDIT_WITHOUT_ORDER,
  LANDING_WITHOUT_ORDER,
  PIECES_WITHOUT_ORDER,
  NOTICE_BEFORE_DATA,
  SOURCE_USED_BEFORE_ITS_ENTRY,
  PADDING_BESIDE_LIVE_DATA,
  SOURCE_DEREGISTERED_BEFORE_ITS_ENTRY,
  ENTRIES_NOT_READ,
  BUSY_TAKEN_FOR_SUCCESS,
  QUEUES_NOT_THREAD_SAFE,
  ONE_REGISTRATION_FOR_ALL_QUEUES,
  TAG_OF_TWO_BYTES,
  NOTICE_FORGOTTEN,
  PUT_OF_A_WHOLE_LINE,
  NMUTANTS
};

constexpr const char *NAMES[] = {"None",
                                 "CreditWithoutOrder",
                                 "LandingWithoutOrder",
                                 "PiecesWithoutOrder",
                                 "NoticeBeforeData",
                                 "SourceUsedBeforeItsEntry",
                                 "PaddingBesideLiveData",
                                 "SourceDeregisteredBeforeItsEntry",
                                 "EntriesNotRead",
                                 "BusyTakenForSuccess",
                                 "QueuesNotThreadSafe",
                                 "OneRegistrationForAllQueues",
                                 "TagOfTwoBytes",
                                 "NoticeForgotten",
                                 "PutOfAWholeLine"};

int mutant = NONE;
std::atomic<bool> began{false};    // mutants that only hang begin when all ranks are connected

constexpr unsigned long STRONG = UTOFU_ONESIDED_FLAG_STRONG_ORDER;
constexpr unsigned long NOTICE = UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;
constexpr unsigned long TCQ = UTOFU_ONESIDED_FLAG_TCQ_NOTICE;

template <class Function> Function real(Function, const char *name)
{
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) real(&name, #name)

std::mutex mutex;
std::map<utofu_stadd_t, std::pair<const char *, std::size_t>> registered;
std::map<std::pair<void *, std::size_t>, utofu_stadd_t> first_registration;
std::deque<void *> invented;    // entries of the queue of what was sent

const char *memory_at(utofu_stadd_t stadd)
{
  const std::lock_guard<std::mutex> lock(mutex);
  auto found = registered.upper_bound(stadd);
  if (found == registered.begin()) return nullptr;
  --found;
  const std::uint64_t offset = stadd - found->first;
  return offset < found->second.second ? found->second.first + offset : nullptr;
}

/** A second order that belongs to one that was taken must be taken, too. */
template <class Post> void insist(Post post)
{
  while (post() == UTOFU_ERR_BUSY) usleep(20);
}

int as_success(int code)
{
  return mutant == BUSY_TAKEN_FOR_SUCCESS && began && code == UTOFU_ERR_BUSY ? UTOFU_SUCCESS : code;
}

}    // namespace

extern "C" {

int utofu_put(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt, utofu_stadd_t lcl, utofu_stadd_t at,
              size_t n, uint64_t edata, unsigned long flags, void *cbdata)
{
  const auto put = REAL(utofu_put);
  const auto piggyback8 = REAL(utofu_put_piggyback8);
  if (mutant == PIECES_WITHOUT_ORDER) flags &= ~STRONG;
  if (mutant == TAG_OF_TWO_BYTES) edata |= 0x100;
  if (mutant == NOTICE_FORGOTTEN) flags &= ~NOTICE;
  if (mutant == PUT_OF_A_WHOLE_LINE) n = (n + 255) / 256 * 256;
  if (mutant == NOTICE_BEFORE_DATA && flags & NOTICE) {
    const int code = piggyback8(hdl, rmt, 0, at + n - 1, 1, edata, NOTICE, cbdata);
    if (code != UTOFU_SUCCESS) return code;
    insist([&]() { return put(hdl, rmt, lcl, at, n, edata, flags & ~NOTICE, cbdata); });
    return UTOFU_SUCCESS;
  }
  if (mutant == SOURCE_USED_BEFORE_ITS_ENTRY && flags & TCQ) {
    const int code = put(hdl, rmt, lcl, at, n, edata, flags & ~TCQ, cbdata);
    const std::lock_guard<std::mutex> lock(mutex);
    if (code == UTOFU_SUCCESS) invented.push_back(cbdata);
    return code;
  }
  if (mutant == PADDING_BESIDE_LIVE_DATA && !(flags & NOTICE) && n > 8) {
    uint64_t end;
    std::memcpy(&end, memory_at(lcl) + n - 8, 8);
    const int code = put(hdl, rmt, lcl, at, n - 8, edata, flags, cbdata);
    if (code != UTOFU_SUCCESS) return code;
    insist([&]() {
      return piggyback8(hdl, rmt, end, at + n - 8, 8, edata,
                        flags | UTOFU_ONESIDED_FLAG_CACHE_INJECTION | UTOFU_ONESIDED_FLAG_PADDING,
                        cbdata);
    });
    return UTOFU_SUCCESS;
  }
  const int code = put(hdl, rmt, lcl, at, n, edata, flags, cbdata);
  if (mutant == SOURCE_DEREGISTERED_BEFORE_ITS_ENTRY && code == UTOFU_SUCCESS &&
      !(flags & NOTICE)) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto region = std::prev(registered.upper_bound(lcl));
    REAL(utofu_dereg_mem)(hdl, region->first, 0);
  }
  return as_success(code);
}

int utofu_put_piggyback(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt, void *data, utofu_stadd_t at,
                        size_t n, uint64_t edata, unsigned long flags, void *cbdata)
{
  if (mutant == LANDING_WITHOUT_ORDER) flags &= ~STRONG;
  return as_success(REAL(utofu_put_piggyback)(hdl, rmt, data, at, n, edata, flags, cbdata));
}

int utofu_put_piggyback8(utofu_vcq_hdl_t hdl, utofu_vcq_id_t rmt, uint64_t data, utofu_stadd_t at,
                         size_t n, uint64_t edata, unsigned long flags, void *cbdata)
{
  if (mutant == CREDIT_WITHOUT_ORDER) flags &= ~STRONG;
  return as_success(REAL(utofu_put_piggyback8)(hdl, rmt, data, at, n, edata, flags, cbdata));
}

int utofu_poll_tcq(utofu_vcq_hdl_t hdl, unsigned long flags, void **cbdata)
{
  if (mutant == ENTRIES_NOT_READ && began) return UTOFU_ERR_NOT_FOUND;
  if (mutant == SOURCE_USED_BEFORE_ITS_ENTRY) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!invented.empty()) {
      *cbdata = invented.front();
      invented.pop_front();
      return UTOFU_SUCCESS;
    }
  }
  return REAL(utofu_poll_tcq)(hdl, flags, cbdata);
}

int utofu_create_vcq(utofu_tni_id_t tni, unsigned long flags, utofu_vcq_hdl_t *hdl)
{
  if (mutant == QUEUES_NOT_THREAD_SAFE) flags &= ~UTOFU_VCQ_FLAG_THREAD_SAFE;
  return REAL(utofu_create_vcq)(tni, flags, hdl);
}

int utofu_reg_mem(utofu_vcq_hdl_t hdl, void *at, size_t n, unsigned long flags,
                  utofu_stadd_t *stadd)
{
  if (mutant == ONE_REGISTRATION_FOR_ALL_QUEUES && first_registration.count({at, n})) {
    *stadd = first_registration[{at, n}];
    return UTOFU_SUCCESS;
  }
  const int code = REAL(utofu_reg_mem)(hdl, at, n, flags, stadd);
  const std::lock_guard<std::mutex> lock(mutex);
  registered[*stadd] = {static_cast<const char *>(at), n};
  first_registration[{at, n}] = *stadd;
  return code;
}

}    // extern "C"

/* ---------------------------------------------------------------------- */

namespace {

/** All forms of messages, and in the end the whole credit. */
void talk(World &world)
{
  TransportOptions options = utofu_options(world, 2);
  if (mutant == ONE_REGISTRATION_FOR_ALL_QUEUES) options.nendpoints = 2;
  UtofuTransport made(world, options);
  ASSERT_EQ(made.report.error, "");
  began = true;
  Traffic traffic(world, made.transport);
  traffic.run(4);
  for (int round = 0; round < 60; round++) {
    traffic.burst(100 + round, 2);
    for (int k = 0; k < made.transport.npeers(); k++) {
      int looks = 0;
      while (world.rank > made.transport.link(k).peer() &&
             !made.transport.link(k).fits(2 * Link::BLOCK)) {
        usleep(500);
        if (++looks < (mutant == NONE ? 60000 : 2000)) continue;    // 30 s, 1 s
        ADD_FAILURE() << "credit is missing";
        std::fflush(nullptr);
        std::_Exit(1);
      }
    }
  }
}

/** Two threads at the same time, on one interface. */
void talk_in_threads(World &world)
{
  TransportOptions options = utofu_options(world);
  options.nlanes = options.nendpoints = 2;
  UtofuTransport made(world, options);
  CommTeam team(2, true);
  for (int round = 0; round < 500; round++) {
    const Transport::Concurrent concurrent(made.transport);
    team.run([&](int lane) {
      for (int k = 0; k < made.transport.npeers(); k++) {
        if (made.transport.lane_of(k) != lane) continue;
        made.transport.link(k).open(MessageKind::USER);
        made.transport.link(k).close();
        made.transport.wait(k, MessageKind::USER);
        made.transport.link(k).release();
      }
    });
  }
}

TOFU_EMULATOR::Outcome outcome_of(int which, int seed)
{
  mutant = which;
  const bool threads = which == QUEUES_NOT_THREAD_SAFE;
  const TOFU_EMULATOR::Variables variables = {{"TOFU_EMULATOR_SEED", std::to_string(seed)},
                                              {"TOFU_EMULATOR_TOQ", "16"},
                                              {"TOFU_EMULATOR_TNIS", threads ? "1" : "6"}};
  const bool hangs = which == ENTRIES_NOT_READ || which == BUSY_TAKEN_FOR_SUCCESS ||
      which == NOTICE_FORGOTTEN;
  return run_process_ranks(
      threads || which == ONE_REGISTRATION_FOR_ALL_QUEUES ? 3 : 2, variables,
      [threads](World &world) {
        try {
          threads ? talk_in_threads(world) : talk(world);
        } catch (const TransportError &error) {
          ADD_FAILURE() << error.what();
        }
        std::fflush(nullptr);
        if (testing::Test::HasFailure()) std::_Exit(1);    // no peer waits for a goodbye
      },
      hangs               ? 6.0
          : which == NONE ? 300.0
                          : 60.0,
      0.2);
}

class UtofuMutant : public testing::TestWithParam<int> {};

}    // namespace

TEST_P(UtofuMutant, IsCaught)
{
  static constexpr int SEEDS = 8;
  std::string last;
  for (int seed = 1; seed <= SEEDS; seed++) {
    const TOFU_EMULATOR::Outcome outcome = outcome_of(GetParam(), seed);
    if (!outcome.good()) {
      std::printf("seed %d: %.200s\n", seed, outcome.errors.c_str());
      return;
    }
  }
  ADD_FAILURE() << "not caught with " << SEEDS << " seeds";
}

TEST(UtofuBackend, PassesWhereMutantsAreCaught)
{
  for (int seed = 1; seed <= 3; seed++) {
    const TOFU_EMULATOR::Outcome outcome = outcome_of(NONE, seed);
    EXPECT_TRUE(outcome.good()) << outcome.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, UtofuMutant, testing::Range(NONE + 1, int(NMUTANTS)),
                         [](const auto &info) { return std::string(NAMES[info.param]); });
