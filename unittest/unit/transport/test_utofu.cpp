// SPDX-License-Identifier: GPL-2.0-only
//
// The uTofu backend where the machine is scarce, slow or broken; what is the same for all backends
// is in test_transport.cpp.

#include "unit/errors.h"
#include "utofu_traffic.h"

#include "mesh/exchange/reduction-gates.h"
#include "tofu_emulator.h"
#include "transport/comm_team.h"
#include "transport/interconnect.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace TOFU_TEST;
using TOFU_EMULATOR::Outcome;
using TOFU_EMULATOR::Variables;

namespace {

void expect_good(const Outcome &outcome)
{
  EXPECT_TRUE(outcome.good()) << outcome.errors;
}

/** What is left when all transports are gone: no queue, no registration, no order. */
void expect_nothing_left()
{
  tofu_emulator_counts counts;
  tofu_emulator_count(&counts);
  EXPECT_EQ(counts.vcqs, 0u);
  EXPECT_EQ(counts.registrations, 0u);
  EXPECT_EQ(counts.unread_tcq, 0u);
}

Variables seeded(int seed, int toq = 4)
{
  return {{"TOFU_EMULATOR_SEED", std::to_string(seed)}, {"TOFU_EMULATOR_TOQ", std::to_string(toq)}};
}

/* ---------------------------------------------------------------------- */

TEST(Utofu, ArraysGrowWhileMessagesAreUnderWay)
{
  for (int seed : {0, 1, 2, 3})
    expect_good(run_process_ranks(3, seeded(seed), [](World &world) {
      {
        UtofuTransport made(world, utofu_options(world));
        ASSERT_EQ(made.report.error, "");
        EXPECT_EQ(made.report.use_of("utofu").npeers, 2);
        Traffic traffic(world, made.transport);
        traffic.run(24);
        EXPECT_EQ(traffic.nlanded, 2 * 24);
        EXPECT_EQ(traffic.nregistered, 2 * 8);    // one queue, two arrays, eight times
        EXPECT_GT(made.transport.counters().nbytes_in_place, 0u);
      }
      expect_nothing_left();
    }));
}

TEST(Utofu, EndpointsAreOnInterfacesOfTheirOwnAndRanksBeginWithDifferentOnes)
{
  expect_good(run_process_ranks(3, {}, [](World &world) {
    TransportOptions options = utofu_options(world);
    options.nendpoints = 2;
    UtofuTransport made(world, options);
    const char *expected[] = {"2 queues, network interfaces 0 1",
                              "2 queues, network interfaces 2 3",
                              "2 queues, network interfaces 4 5"};
    EXPECT_EQ(made.report.use_of("utofu").detail, expected[world.rank]);
    Traffic(world, made.transport).exchange(1, 100);
  }));
}

TEST(Utofu, TwoLanesShareOneInterface)
{
  for (int seed : {0, 4}) {
    Variables variables = seeded(seed, 8);
    variables.emplace_back("TOFU_EMULATOR_TNIS", "1");
    expect_good(run_process_ranks(3, variables, [](World &world) {
      {
        TransportOptions options = utofu_options(world);
        options.nlanes = options.nendpoints = 2;
        UtofuTransport made(world, options);
        Transport &transport = made.transport;
        ASSERT_EQ(made.report.error, "");
        CommTeam team(2, true);
        for (int round = 0; round < 200; round++) {
          const Transport::Concurrent concurrent(transport);
          team.run(
              [&](int lane) {
                for (int k = 0; k < transport.npeers(); k++) {
                  if (transport.lane_of(k) != lane) continue;
                  Link &link = transport.link(k);
                  const std::uint64_t value = 1000 * world.rank + round;
                  link.open(MessageKind::USER);
                  link.append(&value, sizeof(value));
                  link.close();
                }
                for (int k = 0; k < transport.npeers(); k++) {
                  if (transport.lane_of(k) != lane) continue;
                  const Message &got = transport.wait(k, MessageKind::USER);
                  std::uint64_t value;
                  std::memcpy(&value, got.data, 8);
                  EXPECT_EQ(value, 1000u * transport.link(k).peer() + round);
                  transport.link(k).release();
                }
                transport.settle(lane);
              },
              [&](int lane) { transport.progress(lane); });
        }
      }
      expect_nothing_left();
    }));
  }
}

/* ---------------------------------------------------------------------- */

TEST(Utofu, WithoutAQueueOnOneRankItsPairsGoElsewhereWithAReason)
{
  expect_good(run_process_ranks(3, {{"TOFU_EMULATOR_FULL_QUEUE", "1@1"}}, [](World &world) {
    UtofuTransport made(world, utofu_options(world));
    const BackendUse use = made.report.use_of("utofu");
    expect_words(use.reason, {"rank 1", "UTOFU_ERR_FULL"});
    EXPECT_EQ(use.npeers, world.rank == 1 ? 0 : 1);
    EXPECT_NE(made.report.error, "");    // this program has no MPI to fall back on
    made.transport.mark_broken();
  }));
}

TEST(Utofu, WithFewerQueuesPeersShareAnEndpointOfTheirThread)
{
  expect_good(run_process_ranks(4, {{"TOFU_EMULATOR_FULL_QUEUE", "2@1"}}, [](World &world) {
    TransportOptions options = utofu_options(world);
    options.nendpoints = 3;
    UtofuTransport made(world, options);
    ASSERT_EQ(made.report.error, "");
    EXPECT_EQ(made.report.use_of("utofu").detail.substr(0, 7),
              world.rank == 1 ? "1 queue" : "3 queue");
    Traffic(world, made.transport).run(4);
  }));
  expect_good(run_process_ranks(3, {{"TOFU_EMULATOR_FULL_QUEUE", "2@1"}}, [](World &world) {
    TransportOptions options = utofu_options(world);
    options.nlanes = options.nendpoints = 2;
    UtofuTransport made(world, options);
    const std::string reason = made.report.use_of("utofu").reason;
    expect_words(reason, {"fewer threads"});
    made.transport.mark_broken();
  }));
}

TEST(Utofu, ARegistrationThatIsRefusedIsAReasonOrACopy)
{
  expect_good(run_process_ranks(2, {{"TOFU_EMULATOR_FULL_REGISTRATION", "2@0"}}, [](World &world) {
    UtofuTransport made(world, utofu_options(world));
    const std::string reason = made.report.use_of("utofu").reason;
    expect_words(reason, {"registration of memory: UTOFU_ERR_FULL"});
    EXPECT_EQ(made.report.use_of("utofu").npeers, 0);
  }));
  expect_good(run_process_ranks(2, {{"TOFU_EMULATOR_FULL_REGISTRATION", "4@0"}}, [](World &world) {
    std::string warning;
    TransportOptions options = utofu_options(world);
    options.warn = [&](const std::string &text) {
      warning = text;
    };
    UtofuTransport made(world, options);
    Traffic traffic(world, made.transport);
    traffic.run(6);
    EXPECT_EQ(warning.find("copied") != std::string::npos, world.rank == 0) << warning;
    EXPECT_EQ(traffic.nlanded, world.rank == 0 ? 0 : 6);    // only rank 1 still makes offers
  }));
}

/* ---------------------------------------------------------------------- */

/** Rank 0 fills all slots of a peer that does not poll. */
Outcome fill_the_receive_queue(int nslots, const Variables &variables)
{
  return run_process_ranks(2, variables, [nslots](World &world) {
    UtofuTransport made(world, utofu_options(world, nslots));
    const BackendUse use = made.report.use_of("utofu");
    if (use.npeers == 0) {
      expect_words(use.reason, {"UTOFU_NUM_MRQ_ENTRIES"});
      std::fprintf(stderr, "refused\n");
      return;
    }
    std::uint64_t mine = 0, theirs;
    if (world.rank == 0) {
      for (int message = 0; message < nslots; message++) {
        made.transport.link(0).open(MessageKind::USER);
        made.transport.link(0).close();
      }
      made.transport.settle(Transport::ALL_LANES);
    }
    world.bootstrap.exchange({1 - world.rank}, &mine, &theirs, sizeof(mine));
    usleep(100000);
    for (int message = 0; message < nslots && world.rank == 1; message++) {
      made.transport.wait(0, MessageKind::USER);
      made.transport.link(0).release();
    }
  });
}

TEST(Utofu, TheReceiveQueueIsLongEnoughOrTheSetUpIsRefused)
{
  const Variables shortest = {{"UTOFU_NUM_MRQ_ENTRIES", "2048"}};
  const Outcome at_the_bound = fill_the_receive_queue(1022, shortest);
  expect_good(at_the_bound);
  EXPECT_FALSE(at_the_bound.has("refused"));
  const Outcome beyond = fill_the_receive_queue(1023, shortest);
  expect_good(beyond);
  EXPECT_TRUE(beyond.has("refused"));
  expect_good(fill_the_receive_queue(1023, {{"UTOFU_NUM_MRQ_ENTRIES", "8Ki"}}));
  const Outcome deceived = fill_the_receive_queue(1022, {{"TOFU_EMULATOR_MRQ", "1000"}});
  EXPECT_TRUE(deceived.has("MRQ Overflow")) << deceived.errors;
}

/* ---------------------------------------------------------------------- */

TEST(Utofu, TransportsComeAndGoAHundredTimes)
{
  expect_good(run_process_ranks(2, seeded(9), [](World &world) {
    for (int time = 0; time < 100; time++) {
      UtofuTransport made(world, utofu_options(world, 2));
      ASSERT_EQ(made.report.error, "");
      Traffic(world, made.transport).exchange(time, 10);
    }
    // who sees the end of the peer's process waits no longer for the answer to its own goodbye
    std::uint64_t mine = 0, theirs;
    world.bootstrap.exchange({1 - world.rank}, &mine, &theirs, sizeof(mine));
    expect_nothing_left();
    tofu_emulator_counts counts;
    tofu_emulator_count(&counts);
    EXPECT_EQ(counts.unread_mrq, 0u);
  }));
}

// what the interfaces hold on the way to a process that is stopped: twice 1024 packets of a line

TEST(Utofu, AnEndWhileOrdersAreHeldUpForSecondsLeavesNoQueue)
{
  expect_good(run_process_ranks(2, {}, [](World &world) {
    auto made = std::make_unique<UtofuTransport>(world, utofu_options(world, 256));
    ASSERT_EQ(made->report.error, "");
    const std::int64_t mine = getpid();
    std::int64_t theirs;
    world.bootstrap.exchange({1 - world.rank}, &mine, &theirs, sizeof(mine));
    made->transport.mark_broken();    // its end waits a second for the peer, then for the queue
    if (world.rank == 0) {
      kill(static_cast<pid_t>(theirs), SIGSTOP);
      std::thread waker([&]() {
        usleep(2500000);
        kill(static_cast<pid_t>(theirs), SIGCONT);
      });
      const std::vector<std::byte> block(Link::BLOCK);
      for (int message = 0; message < 200; message++) {
        Link &link = made->transport.link(0);
        link.open(MessageKind::USER);
        link.append(block.data(), block.size());
        link.close();
      }
      made.reset();
      waker.join();
    }
    std::uint64_t sent = 0, got;
    world.bootstrap.exchange({1 - world.rank}, &sent, &got, sizeof(sent));
    made.reset();
    expect_nothing_left();
  }));
}

TEST(Utofu, TwoTransportsOfAJobDoNotDisturbEachOther)
{
  expect_good(run_process_ranks(2, seeded(10, 64), [](World &world) {
    UtofuTransport first(world, utofu_options(world));
    UtofuTransport second(world, utofu_options(world));
    Traffic one(world, first.transport), two(world, second.transport);
    for (int round = 0; round < 20; round++) {
      one.exchange(round, 50);
      two.exchange(round + 1000, 70);
    }
  }));
}

TEST(Utofu, ARankMayStartPrograms)
{
  expect_good(run_process_ranks(2, {}, [](World &world) {
    UtofuTransport made(world, utofu_options(world));
    Traffic traffic(world, made.transport);
    traffic.exchange(1, 100);
    const pid_t pid = fork();
    if (pid == 0) {
      std::vector<char> some(100000, 1);    // slots are on pages of their own: the heap is whole
      _exit(some[5000] - 1);
    }
    int status;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    traffic.run(2);    // with arrays of the heap, which a child lacks from now on
    EXPECT_EQ(std::system("true"), 0);
    traffic.exchange(3, 100);
  }));
}

TEST(Utofu, APeerThatIsKilledIsNamedSoon)
{
  for (int seed : {0, 1}) {
    Variables variables = seeded(seed, 64);
    variables.emplace_back("TOFU_EMULATOR_DEATH", "60@1");
    const Outcome outcome = run_process_ranks(3, variables, [](World &world) {
      auto made = std::make_unique<UtofuTransport>(world, utofu_options(world));
      try {
        for (int round = 0; round < 1000; round++)
          Traffic(world, made->transport).exchange(round, 9);
        ADD_FAILURE() << "nothing thrown";
      } catch (const TransportError &error) {
        expect_words(error.what(), {"rank "});
        std::fprintf(stderr, "rank %d: %s\n", world.rank, error.what());
        made->transport.mark_broken();
        std::_Exit(0);    // the program ends itself, and with it the job
      }
    });
    EXPECT_EQ(outcome.statuses[1], 128 + SIGKILL) << outcome.errors;
    EXPECT_EQ(outcome.statuses[0] + outcome.statuses[2], 0) << outcome.errors;
    EXPECT_TRUE(outcome.has("rank 1")) << outcome.errors;
    for (int rank : {0, 2}) EXPECT_LT(outcome.seconds[rank] - outcome.seconds[1], 5.0);
  }
}

TEST(Utofu, ALongWaitAsksThePeerAndGoesOn)
{
  expect_good(run_process_ranks(2, seeded(3), [](World &world) {
    UtofuTransport made(world, utofu_options(world));
    if (world.rank == 1) usleep(2500000);    // its interfaces answer meanwhile
    Traffic(world, made.transport).exchange(1, 10);
  }));
}

TEST(Utofu, AQueueThatHasGoneIsAnErrorWithTheNameOfTheCode)
{
  expect_good(run_process_ranks(2, {}, [](World &world) {
    auto made = std::make_unique<UtofuTransport>(world, utofu_options(world));
    std::uint64_t mine = 0, theirs;
    if (world.rank == 1) {
      made->transport.mark_broken();    // it does not wait for the goodbye
      made.reset();
      world.bootstrap.exchange({0}, &mine, &theirs, sizeof(mine));
      return;
    }
    world.bootstrap.exchange({1}, &mine, &theirs, sizeof(mine));
    const std::string text = message_of<TransportError>([&] {
      for (int message = 0; message < 100; message++) {
        made->transport.link(0).open(MessageKind::USER);
        made->transport.link(0).close();
        made->transport.settle(Transport::ALL_LANES);
      }
    });
    expect_words(text, {"rank 1", "UTOFU_ERR_MRQ_PEER"});
    made->transport.mark_broken();
  }));
}

/* ---------------------------------------------------------------------- */

/** Sums of a row of all ranks over gates: integers and doubles, with and without a finding.

    \param gates   whether the row has them */
void expect_sums(World &world, bool gates)
{
  std::vector<int> ranks(world.size), cuts{0};
  std::iota(ranks.begin(), ranks.end(), 0);
  for (int p = 0; p < world.size; p++) cuts.push_back(cuts.back() + (p == 1 ? 0 : 5 + p));
  const std::size_t nall = cuts.back() * 3, first = cuts[world.rank] * 3,
                    nmine = cuts[world.rank + 1] * 3 - first;
  UtofuTransport made(world, utofu_options(world));
  const auto in_a_row = [&](auto zero) {
    using T = decltype(zero);
    const ReductionRow row{ranks, world.rank};
    GateReduction<T> reduction(row, make_reduction<T>(ReductionChain::DIRECT, row));
    auto direct = make_reduction<T>(ReductionChain::DIRECT, row);
    reduction.bind(made.transport);
    direct->bind(made.transport);
    EXPECT_EQ(reduction.why_not().empty(), gates) << reduction.why_not();
    if (!gates) { EXPECT_NE(reduction.why_not().find("rank 1: "), std::string::npos); }
    std::vector<T> partial(nall), mine(nmine), again(nmine), expected(nmine);
    for (int round = 0; round < 3; round++) {
      for (std::size_t i = 0; i < nall; i++)
        partial[i] = static_cast<T>(world.rank + 1) * static_cast<T>(i * 7 + round) / 3;
      ReductionMark mark, theirs;
      if (round == 1 && world.rank == 2) mark = theirs = {2, 1, 0.5};
      reduction.sum(cuts.data(), 3, partial.data(), mine.data(), &mark);
      reduction.sum(cuts.data(), 3, partial.data(), again.data(), nullptr);
      direct->sum(cuts.data(), 3, partial.data(), expected.data(), &theirs);
      EXPECT_EQ(mark.rank, theirs.rank);
      EXPECT_EQ(mine, again);
      for (std::size_t i = 0; i < nmine; i++) {
        if (std::is_same_v<T, std::uint64_t>)
          EXPECT_EQ(mine[i], expected[i]);
        else
          EXPECT_NEAR(static_cast<double>(mine[i]), static_cast<double>(expected[i]), 1e-10);
      }
    }
    made.transport.settle(Transport::ALL_LANES);
  };
  in_a_row(std::uint64_t(0));
  in_a_row(0.0);
}

TEST(UtofuGates, SumsAreThoseOfMessages)
{
  for (int seed : {0, 1, 2}) {
    const Outcome outcome =
        run_process_ranks(4, seeded(seed, 64), [](World &world) { expect_sums(world, true); });
    expect_good(outcome);
    EXPECT_FALSE(outcome.has("gates not freed")) << outcome.errors;
  }
}

TEST(UtofuGates, ARowWithoutGatesOnOneRankDoesWithoutThemOnAll)
{
  expect_good(run_process_ranks(3, {}, [](World &world) {
    if (world.rank == 1) setenv("TOFU_EMULATOR_RELAY_GATES", "0", 1);
    expect_sums(world, false);
  }));
}

/* ---------------------------------------------------------------------- */

TEST(UtofuPlaces, NodesHaveCoordinatesInTheInterconnect)
{
  expect_good(run_process_ranks(4, {{"TOFU_EMULATOR_RANKS_PER_NODE", "2"}}, [](World &world) {
    const std::vector<int> expected{0, 0, 0, world.rank / 2, 0, 0};
    EXPECT_EQ(interconnect_coords(), expected);
    EXPECT_EQ(interconnect_rings().size(), expected.size());
  }));
}

}    // namespace
