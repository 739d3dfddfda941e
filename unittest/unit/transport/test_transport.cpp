// SPDX-License-Identifier: GPL-2.0-only
//
// Guarantees of a transport, over every backend, number of slots and number of ranks.

#include "faulty_libfabric.h"
#include "queue_backend.h"
#include "unit/errors.h"
#include "world.h"

#include <cctype>
#include <chrono>
#include <thread>

#ifdef TOFU_MPI_WORLD
#include "transport/bootstrap_mpi.h"
#include <mpi.h>
#endif
#ifdef TOFU_PROCESS_WORLD
#include "process_world.h"
#endif

using namespace TOFU_TEST;

namespace TOFU_TEST {

#ifdef TOFU_MPI_WORLD

bool mpi_world()
{
  return true;
}

// the table of tests is made before MPI_Init()

int world_size()
{
  const char *size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (!size) size = std::getenv("PMI_SIZE");
  return size ? std::atoi(size) : 1;
}

void run_ranks(int, const Body &body)
{
  MPI_Comm comm = MPI_COMM_WORLD;
  auto bootstrap = make_mpi_bootstrap(&comm, 0);
  auto shared_memory = make_posix_shared_memory();
  World world{bootstrap->rank(), bootstrap->size(), *bootstrap, *shared_memory, &comm};
  body(world);
  MPI_Barrier(comm);
}

#elif defined(TOFU_PROCESS_WORLD)

bool mpi_world()
{
  return false;
}

int world_size()
{
  return 1;
}

// their variables are those of this process, which has set them

void run_ranks(int size, const Body &body)
{
  const TOFU_EMULATOR::Outcome outcome = run_process_ranks(size, {}, body);
  EXPECT_TRUE(outcome.good()) << outcome.errors;
}

#else

bool mpi_world()
{
  return false;
}

int world_size()
{
  return 1;
}

void run_ranks(int size, const Body &body)
{
  on_threads(size, [&](Bootstrap &bootstrap, SharedMemory &shared_memory) {
    World world{bootstrap.rank(), size, bootstrap, shared_memory};
    body(world);
  });
}

#endif

}    // namespace TOFU_TEST

namespace {

// under ThreadSanitizer a network stack takes seconds per test, and further providers and rows test
// no other code of TOFU: there every number of slots, every fault and every check occurs once

#ifdef __SANITIZE_THREAD__
constexpr bool FEW_OF_THE_NETWORK = true;
#else
constexpr bool FEW_OF_THE_NETWORK = false;
#endif

/** The table of TOFU's backends, with the queues in front of the others. */
const BackendTable &backends_and_queue()
{
  static const BackendTable table = []() {
    BackendTable rows = all_backends();
    rows.insert(rows.begin(),
                {"queue", "queues", Reach::NODE, true, sizeof(void *), make_queue_backend});
    return rows;
  }();
  return table;
}

/** One row of the table of tests. */
struct Setting {
  const char *backend;
  int nslots;
  bool stream, verify;
  std::uint64_t shuffle_seed;
  const char *provider = "";     // of libfabric
  unsigned busy_writes = 0;      // attempts out of 8 that find its queue full
  std::uint64_t scramble = 0;    // seed of the order in which its completions are reported
  unsigned flags = 0;            // forms of these reports: a bit for each form of OfiFaults
  int emulator_seed = -1;        // of the emulator of uTofu; its queue of orders is short then
  bool extra_notices = false;
};

std::string setting_name(const testing::TestParamInfo<Setting> &info)
{
  const Setting &s = info.param;
  std::string name = s.backend;
  if (*s.provider) {
    name += "_";
    for (const char *c = s.provider; *c; c++) name += std::isalnum(*c) ? *c : '_';
    name += "_";
  }
  if (s.busy_writes) name += "Busy";
  if (s.scramble) name += "Scrambled";
  if (s.flags) name += "Flags" + std::to_string(s.flags);
  if (s.emulator_seed >= 0) name += "Seed" + std::to_string(s.emulator_seed) + "With";
  if (s.extra_notices) name += "Extra";
  name += std::to_string(s.nslots) + (s.nslots == 1 ? "slot" : "slots");
  name += s.stream ? "Streamed" : "Plain";
  if (s.verify) name += "Verified";
  if (s.shuffle_seed) name += "Shuffled";
  return name;
}

TransportOptions options_of(const World &world, const Setting &setting)
{
  TransportOptions options = world.options();
  options.backend = setting.backend;
  options.link.nslots = setting.nslots;
  options.link.stream = setting.stream;
  options.link.verify = setting.verify;
  options.shuffle_seed = setting.shuffle_seed;
  options.provider = setting.provider;
  return options;
}

OfiFaults faults_of(const Setting &setting)
{
  OfiFaults faults;
  faults.busy_writes = setting.busy_writes;
  faults.scramble = setting.scramble;
  faults.own_with_data_flag = setting.flags & 1;
  faults.own_without_write = setting.flags & 2;
  faults.notices_without_write = setting.flags & 4;
  faults.notices_with_context = setting.flags & 8;
  return faults;
}

/** Value that tells sender, receiver, message and place. */
std::uint64_t mark(int from, int to, int message, std::size_t place)
{
  return ((static_cast<std::uint64_t>(from) * 100 + to) * 10000 + message) * 1000000 + place;
}

/** Number of 8-byte values of a message: from none to those of several slots. */
std::size_t length_of(int from, int to, int message)
{
  static const std::size_t lengths[] = {0, 1, 7, 8, 9, 63, 511, 512, 513, 1500, 4000};
  return lengths[(from * 3 + to * 5 + message) % (sizeof(lengths) / sizeof(lengths[0]))];
}

void send_marked(Transport &transport, int me, int index, int message)
{
  Link &link = transport.link(index);
  std::vector<std::uint64_t> values(length_of(me, link.peer(), message));
  for (std::size_t i = 0; i < values.size(); i++) values[i] = mark(me, link.peer(), message, i);
  link.open(MessageKind::USER);
  link.append(values.data(), values.size() * sizeof(values[0]));
  link.close();
}

void expect_marked(Transport &transport, int me, int index, int message)
{
  const Message &got = transport.wait(index, MessageKind::USER);
  const int from = transport.link(index).peer();
  EXPECT_EQ(got.nbytes, length_of(from, me, message) * 8)
      << "message " << message << " of rank " << from;
  auto values = reinterpret_cast<const std::uint64_t *>(got.data);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.nbytes / 8; i++)
    if (values[i] != mark(from, me, message, i)) wrong++;
  EXPECT_EQ(wrong, 0u) << "values of message " << message << " of rank " << from;
  transport.link(index).release();
}

ConnectReport connect_to_all(Transport &transport, const World &world)
{
  const auto peers = all_others(world.rank, world.size);
  return transport.connect(peers, std::vector<std::size_t>(peers.size(), Link::BLOCK));
}

/** A message to each peer and from it. */
void swap_marked(Transport &transport, int me, int message)
{
  for (int k = 0; k < transport.npeers(); k++) send_marked(transport, me, k, message);
  for (int k = 0; k < transport.npeers(); k++) expect_marked(transport, me, k, message);
}

class TransportTest : public testing::TestWithParam<Setting> {
 protected:
  /** Connect all ranks with each other and run the body. */
  template <class Work> void connected(int nranks, Work work)
  {
    if (std::string(GetParam().backend) == "ofi") {
      const std::string why = why_not(GetParam().provider);
      if (!why.empty()) GTEST_SKIP() << why;
    }
    if (GetParam().emulator_seed >= 0) {
      setenv("TOFU_EMULATOR_SEED", std::to_string(GetParam().emulator_seed).c_str(), 1);
      setenv("TOFU_EMULATOR_EXTRA_NOTICES", GetParam().extra_notices ? "on" : "off", 1);
      setenv("TOFU_EMULATOR_TOQ", GetParam().emulator_seed % 2 ? "4" : "64", 1);
    }
    run_ranks(nranks, [&](World &world) {
      const TransportOptions options = options_of(world, GetParam());
      const FaultyLibfabric faulty(faults_of(GetParam()));
      Transport transport(world.bootstrap, world.comm, options, backends_and_queue());
      const auto report = connect_to_all(transport, world);
      EXPECT_EQ(report.error, "");
      EXPECT_EQ(report.use_of("ofi").reason, "");
      EXPECT_EQ(report.use_of(GetParam().backend).npeers, world.size - 1);
      work(world, transport);
    });
  }

  /** A number of messages: fewer over the emulator of uTofu, where many seeds take the place of
      long tests. */
  static int number_of_messages(int usual)
  {
    return GetParam().emulator_seed >= 0 ? usual / 4 : usual;
  }
};

}    // namespace

/* ---------------------------------------------------------------------- */

TEST_P(TransportTest, EveryMessageArrivesOnceInOrderAndWhole)
{
  connected(4, [](World &world, Transport &transport) {
    const int nmessages = number_of_messages(100);
    for (int message = 0; message < nmessages; message++)
      swap_marked(transport, world.rank, message);
  });
}

TEST_P(TransportTest, ALongBurstInOneDirectionOverwritesNothing)
{
  connected(2, [](World &world, Transport &transport) {
    if (world.rank > 1 || world.size < 2) return;
    const int other = transport.find(1 - world.rank);
    const int nmessages = number_of_messages(250);
    for (int message = 0; message < nmessages; message++) {
      if (world.rank == 0) {
        send_marked(transport, 0, other, message);
      } else {
        if (message % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        expect_marked(transport, 1, other, message);
      }
    }
    // after the burst the other direction still works, and so does the first one
    for (int message = nmessages; message < nmessages + 10; message++) {
      if (world.rank == 1) send_marked(transport, 1, other, message);
      if (world.rank == 0) expect_marked(transport, 0, other, message);
      if (world.rank == 0) send_marked(transport, 0, other, message);
      if (world.rank == 1) expect_marked(transport, 1, other, message);
    }
  });
}

TEST_P(TransportTest, LongMessagesInAllDirectionsAtOnceDoNotBlockEachOther)
{
  connected(3, [](World &world, Transport &transport) {
    // many times as many as all slots hold
    const std::size_t nvalues = number_of_messages(60000);
    for (int round = 0; round < 3; round++) {
      for (int k = 0; k < transport.npeers(); k++) {
        Link &link = transport.link(k);
        link.open(MessageKind::USER);
        for (std::size_t i = 0; i < nvalues; i++) {
          const std::uint64_t value = mark(world.rank, link.peer(), round, i);
          link.append(&value, sizeof(value));
        }
        link.close();
      }
      for (int k = 0; k < transport.npeers(); k++) {
        const Message &got = transport.wait(k, MessageKind::USER);
        EXPECT_EQ(got.nbytes, nvalues * 8);
        auto values = reinterpret_cast<const std::uint64_t *>(got.data);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < got.nbytes / 8; i++)
          if (values[i] != mark(transport.link(k).peer(), world.rank, round, i)) wrong++;
        EXPECT_EQ(wrong, 0u);
        transport.link(k).release();
      }
    }
    if (transport.npeers()) {
      EXPECT_EQ(transport.counters().nfragmented, 3u * transport.npeers());
    }
  });
}

TEST_P(TransportTest, TwoLongSendersAndTwoWhoWaitForTheOtherOneDoNotWaitInACircle)
{
  connected(4, [](World &world, Transport &transport) {
    if (world.size < 4 || world.rank > 3) return;
    const std::size_t nvalues = 20000;    // more than all slots hold
    auto send = [&](int to) {
      Link &link = transport.link(transport.find(to));
      const std::vector<double> values(nvalues, world.rank);
      link.open(MessageKind::USER);
      link.append(values.data(), nvalues * sizeof(double));
      link.close();
    };
    auto receive = [&](int from) {
      const Message &got = transport.wait(transport.find(from), MessageKind::USER);
      EXPECT_EQ(got.nbytes, nvalues * sizeof(double));
      EXPECT_EQ(reinterpret_cast<const double *>(got.data)[nvalues - 1], from);
      transport.link(transport.find(from)).release();
    };
    const int first[] = {1, 2, 3, 0}, second[] = {3, 0, 1, 2};
    for (int round = 0; round < 3; round++)
      for (int other : {first[world.rank], second[world.rank]})
        world.rank % 2 == 0 ? send(other) : receive(other);
    transport.settle(Transport::ALL_LANES);
  });
}

TEST_P(TransportTest, ReservedBlocksAndAppendedBytesMixInOneMessage)
{
  connected(2, [](World &world, Transport &transport) {
    for (int k = 0; k < transport.npeers(); k++) {
      Link &link = transport.link(k);
      link.open(MessageKind::USER);
      for (int i = 0; i < 40; i++) {
        const double one = i;
        link.append(&one, sizeof(one));
        auto block = reinterpret_cast<double *>(link.reserve(Link::BLOCK));
        for (std::size_t j = 0; j < Link::BLOCK / 8; j++) block[j] = i + 1000.0 * j;
        link.commit(Link::BLOCK);
      }
      link.close();
    }
    for (int k = 0; k < transport.npeers(); k++) {
      const Message &got = transport.wait(k, MessageKind::USER);
      EXPECT_EQ(got.nbytes, 40 * (Link::BLOCK + 8));
      auto values = reinterpret_cast<const double *>(got.data);
      int wrong = 0;
      for (int i = 0; i < 40; i++) {
        if (*values++ != i) wrong++;
        for (std::size_t j = 0; j < Link::BLOCK / 8; j++)
          if (*values++ != i + 1000.0 * j) wrong++;
      }
      EXPECT_EQ(wrong, 0);
      transport.link(k).release();
    }
    (void) world;
  });
}

TEST_P(TransportTest, WaitAnyServesEveryLinkOnce)
{
  connected(4, [](World &world, Transport &transport) {
    for (int message = 0; message < 50; message++) {
      for (int k = 0; k < transport.npeers(); k++) send_marked(transport, world.rank, k, message);
      std::vector<int> pending(transport.npeers());
      std::iota(pending.begin(), pending.end(), 0);
      std::vector<int> served;
      while (!pending.empty()) {
        const int k = transport.wait_any(pending, MessageKind::USER);
        served.push_back(k);
        expect_marked(transport, world.rank, k, message);
      }
      std::sort(served.begin(), served.end());
      for (int k = 0; k < transport.npeers(); k++) EXPECT_EQ(served[k], k);
    }
  });
}

TEST_P(TransportTest, AMessageOfAnotherKindIsAnErrorThatNamesBothKinds)
{
  connected(2, [](World &, Transport &transport) {
    for (int k = 0; k < transport.npeers(); k++) {
      transport.link(k).open(MessageKind::REVERSE);
      transport.link(k).close();
    }
    for (int k = 0; k < transport.npeers(); k++) {
      const auto wait = [&] {
        transport.wait(k, MessageKind::FORWARD);
      };
      expect_words(message_of<TransportError>(wait), {"forward", "reverse"});
    }
  });
}

TEST_P(TransportTest, AlternatingTrafficNeedsNoLoneCredits)
{
  if (GetParam().nslots < 4) GTEST_SKIP() << "with fewer than 4 slots every release is urgent";
  connected(2, [](World &, Transport &transport) {
    const int nrounds = number_of_messages(100);
    for (int round = 0; round < nrounds; round++)
      for (MessageKind kind : {MessageKind::FORWARD, MessageKind::REVERSE}) {
        for (int k = 0; k < transport.npeers(); k++) {
          transport.link(k).open(kind);
          transport.link(k).close();
        }
        for (int k = 0; k < transport.npeers(); k++) {
          transport.wait(k, kind);
          transport.link(k).release();
        }
      }
    EXPECT_EQ(transport.counters().nlone_credits, 0u);
    EXPECT_EQ(transport.counters().ncredit_waits, 0u);
    EXPECT_EQ(transport.counters().nmessages, 2u * nrounds * transport.npeers());
  });
}

TEST_P(TransportTest, WhatFitsIsSentWhileNobodyReads)
{
  const int nslots = GetParam().nslots;
  connected(2, [nslots](World &world, Transport &transport) {
    if (world.rank > 1 || world.size < 2) return;
    const int index = transport.find(1 - world.rank);
    Link &link = transport.link(index);
    for (int round = 0; round < 5; round++)
      for (int per_message : {1, 2, 3}) {    // slots
        const std::vector<char> bytes(per_message * Link::BLOCK - (round % 2 ? 0 : 1000));
        const int expected = nslots / per_message;
        if (world.rank == 0) {
          int nsent = 0;
          for (; nsent < 2 * nslots && link.fits(bytes.size()); nsent++) {
            link.open(MessageKind::USER);
            link.append(bytes.data(), bytes.size());
            link.close();
          }
          EXPECT_EQ(nsent, expected);
        }
        const std::uint64_t here = 1;
        std::uint64_t there = 0;    // the sender comes here although no message has been read
        world.bootstrap.exchange({1 - world.rank}, &here, &there, sizeof here);
        for (int n = 0; n < expected && world.rank == 1; n++) {
          EXPECT_EQ(transport.wait(index, MessageKind::USER).nbytes, bytes.size());
          link.release();
        }
        if (world.rank == 1) {    // the credit for all messages rides on this one
          link.open(MessageKind::FORWARD);
          link.close();
        } else {
          transport.wait(index, MessageKind::FORWARD);
          link.release();
        }
        transport.settle(Transport::ALL_LANES);
      }
    if (world.rank == 0) { EXPECT_EQ(transport.counters().ncredit_waits, 0u); }
  });
}

/** One row per backend is enough for 40,000 messages. */
bool is_for_many_messages(const Setting &one)
{
  return one.nslots == 7 && !one.shuffle_seed && !one.busy_writes && !mpi_world() &&
      one.emulator_seed < 0;
}

void swap_messages(Transport &transport, int other, int nrounds)
{
  for (int round = 0; round < nrounds; round++) {
    transport.link(other).open(MessageKind::FORWARD);
    transport.link(other).close();
    transport.wait(other, MessageKind::FORWARD);
    transport.link(other).release();
  }
}

TEST_P(TransportTest, CreditThatRodeOnMessagesForLongIsNotForgottenWhenOneGoesAlone)
{
  if (!is_for_many_messages(GetParam())) GTEST_SKIP() << "another row of this backend has it";
  connected(2, [](World &world, Transport &transport) {
    const int other = transport.find(1 - world.rank);
    swap_messages(transport, other, 40000);
    EXPECT_EQ(transport.counters().nlone_credits, 0u);
    for (int message = 0; message < 20; message++) {
      if (world.rank == 0) send_marked(transport, 0, other, message);
      if (world.rank == 1) expect_marked(transport, 1, other, message);
    }
  });
}

/* ----------------------------------------------------------------------
   the peer tells its count of released slots once more: not one that went alone long ago
------------------------------------------------------------------------- */

TEST_P(TransportTest, APeerThatIsAskedAfterManyMessagesTellsItsPresentCredit)
{
  if (!is_for_many_messages(GetParam())) GTEST_SKIP() << "another row of this backend has it";
  connected(2, [](World &world, Transport &transport) {
    const int other = transport.find(1 - world.rank);
    swap_messages(transport, other, 40000);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    transport.link(other).channel().check_peer();
    swap_messages(transport, other, 100);
    for (int sender = 0; sender < 2; sender++)
      for (int message = 0; message < 20; message++) {
        if (world.rank == sender) send_marked(transport, world.rank, other, message);
        if (world.rank != sender) expect_marked(transport, world.rank, other, message);
      }
  });
}

/* ---------------------------------------------------------------------- */

#ifndef TOFU_PROCESS_WORLD

TEST(TransportConnect, ASecondTransportOfTheSameJobDoesNotDisturbTheFirst)
{
  run_ranks(2, [](World &world) {
    // each transport drives its own links only, so that no message may wait for the other transport

    const auto peers = all_others(world.rank, world.size);
    const std::vector<std::size_t> capacities(peers.size(), 16 * Link::BLOCK);
    Transport first(world.bootstrap, world.comm, world.options());
    Transport second(world.bootstrap, world.comm, world.options());
    EXPECT_EQ(first.connect(peers, capacities).error, "");
    EXPECT_EQ(second.connect(peers, capacities).error, "");
    for (int message = 0; message < 20; message++) {
      for (int k = 0; k < first.npeers(); k++) {
        send_marked(first, world.rank, k, message);
        send_marked(second, world.rank, k, message + 1000);
      }
      for (int k = 0; k < first.npeers(); k++) {
        expect_marked(second, world.rank, k, message + 1000);
        expect_marked(first, world.rank, k, message);
      }
    }
  });
}

TEST(TransportConnect, ASeedChangesTheOrderInWhichMessagesThatAreThereAreRead)
{
  run_ranks(4, [](World &world) {
    const auto peers = all_others(world.rank, world.size);
    const std::vector<std::size_t> capacities(peers.size(), Link::BLOCK);
    for (int seed : {0, 300}) {
      TransportOptions options = world.options();
      options.shuffle_seed = seed;
      Transport transport(world.bootstrap, world.comm, options);
      EXPECT_EQ(transport.connect(peers, capacities).error, "");
      int nshuffled = 0;
      for (int round = 0; round < 20; round++) {
        for (int k = 0; k < transport.npeers(); k++) {
          transport.link(k).open(MessageKind::USER);
          transport.link(k).close();
        }
        std::vector<char> sent(peers.size()), received(peers.size());
        world.bootstrap.exchange(peers, sent.data(), received.data(), 1);    // all have sent
        std::vector<int> pending(transport.npeers()), served;
        std::iota(pending.begin(), pending.end(), 0);
        while (!pending.empty()) {
          served.push_back(transport.wait_any(pending, MessageKind::USER));
          transport.link(served.back()).release();
        }
        nshuffled += !std::is_sorted(served.begin(), served.end());
      }
      EXPECT_EQ(nshuffled > 0, seed > 0 && peers.size() > 1);
    }
  });
}

TEST(TransportConnect, ReconnectingManyTimesLosesNoCredit)
{
  for (const std::string backend : {"auto", "mpi", "ofi"}) {
    if (backend == "mpi" && !mpi_world()) continue;
    run_ranks(2, [&](World &world) {
      TransportOptions options = world.options();
      options.backend = backend;
      options.link.nslots = 2;    // every release sends a lone credit
      for (int time = 0; time < (FEW_OF_THE_NETWORK ? 3 : 10); time++) {
        Transport transport(world.bootstrap, world.comm, options);
        const auto report = connect_to_all(transport, world);
        if (!report.error.empty()) break;    // there is neither libfabric nor MPI
        for (int message = 0; message < 7; message++) swap_marked(transport, world.rank, message);
      }
    });
  }
}

TEST(TransportConnect, WithoutSharedMemoryItFallsBackToMpiOrSaysWhyItCannot)
{
  run_ranks(2, [](World &world) {
    HeapSharedMemory full;
    full.refuse = true;
    TransportOptions options = world.options();
    options.shared_memory = &full;
    Transport transport(world.bootstrap, world.comm, options);
    const auto report = connect_to_all(transport, world);
    if (world.size == 1) return;
    const BackendUse shm = report.use_of("shm");
    expect_words(shm.reason, {"no room"});
    EXPECT_EQ(shm.nfallback, world.size - 1);
    if (!mpi_world()) {
      expect_words(report.error, {"no room"});
      return;
    }
    EXPECT_EQ(report.error, "");
    EXPECT_EQ(report.use_of("mpi").npeers, world.size - 1);
    EXPECT_EQ(report.nmain_thread, world.size - 1);
    for (int message = 0; message < 20; message++) swap_marked(transport, world.rank, message);
  });
}

TEST(TransportConnect, AProviderThatCannotStartOrRegisterGivesWayToMpiWithAReason)
{
  struct Trouble {
    const char *provider;
    int refused;
    const char *word;
  };
  for (const Trouble &trouble :
       {Trouble{"no_such_provider", 0, "provider"}, Trouble{"tcp;ofi_rxm", 1, "registration"}}) {
    if (trouble.refused && !why_not(trouble.provider).empty()) continue;
    run_ranks(3, [&](World &world) {
      OfiFaults faults;
      if (world.rank == 0) faults.refuse_registration = trouble.refused;
      const FaultyLibfabric faulty(faults);
      TransportOptions options = world.options();
      options.backend = "ofi";
      options.provider = trouble.provider;
      if (world.size == 1) return;
      Transport transport(world.bootstrap, world.comm, options);
      const auto report = connect_to_all(transport, world);
      const BackendUse ofi = report.use_of("ofi");
      expect_words(ofi.reason, {trouble.word});
      if (world.rank == 0 || !trouble.refused) {
        EXPECT_EQ(ofi.npeers, 0);
      } else {
        EXPECT_EQ(ofi.reason.find("rank 0: "), 0u) << ofi.reason;
        EXPECT_EQ(ofi.npeers, world.size - 2);    // the other ranks are not affected
      }
      if (!mpi_world()) {
        EXPECT_NE(report.error, "");
        return;
      }
      EXPECT_EQ(report.error, "");
      for (int message = 0; message < 20; message++) swap_marked(transport, world.rank, message);
    });
  }
}

TEST(TransportConnect, APairThatCannotReachAnonymousMemoryUsesNamedMemory)
{
  if (mpi_world()) return;
  HeapSharedMemory shared_memory;
  shared_memory.refuse_anonymous = true;
  run_ranks(3, [&](World &world) {
    TransportOptions options;
    options.shared_memory = &shared_memory;
    Transport transport(world.bootstrap, nullptr, options);
    const auto report = connect_to_all(transport, world);
    EXPECT_EQ(report.error, "");
    EXPECT_EQ(report.use_of("shm").npeers, 2);
    EXPECT_EQ(report.use_of("shm").reason, "");
    swap_marked(transport, world.rank, 1);
  });
  EXPECT_EQ(shared_memory.nmade[0], 0);
  EXPECT_EQ(shared_memory.nmade[1], 3);
}

TEST(TransportConnect, ARankWithoutMemoryLeavesNobodyWaiting)
{
  run_ranks(3, [&](World &world) {
    HeapSharedMemory none;
    none.out_of_memory = true;
    if (world.size == 1) return;
    TransportOptions options = world.options();
    if (world.rank == 1) options.shared_memory = &none;
    Transport transport(world.bootstrap, world.comm, options);
    const auto report = connect_to_all(transport, world);
    const BackendUse shm = report.use_of("shm");
    expect_words(shm.reason, {"rank 1 has too little memory"});
    EXPECT_EQ(shm.npeers, world.rank == 1 ? 0 : world.size - 2);    // other ranks are not affected
    transport.mark_broken();
  });
}

/** Two ranks that write to each other by libfabric's TCP, with faults.

    \param faults_of   (rank) -> faults
    \param body        called with the rank and its connected transport */
template <class FaultsOf, class Body>
void run_two_over_tcp(const FaultsOf &faults_of, const Body &body,
                      int nslots = TransportOptions().link.nslots)
{
  if (!why_not("tcp;ofi_rxm").empty() || world_size() > 2) return;
  run_ranks(2, [&](World &world) {
    const FaultyLibfabric faulty(faults_of(world.rank));
    TransportOptions options = world.options();
    options.backend = "ofi";
    options.provider = "tcp;ofi_rxm";
    options.link.nslots = nslots;
    if (world.size == 1) return;
    Transport transport(world.bootstrap, world.comm, options);
    const auto report = connect_to_all(transport, world);
    ASSERT_EQ(report.use_of("ofi").npeers, 1) << report.use_of("ofi").reason;
    body(world.rank, transport);
  });
}

TEST(TransportConnect, AProviderThatLosesCompletionsIsAnErrorAndNoEndlessWait)
{
  const auto faults = [](int rank) {
    OfiFaults found;
    found.lose_completion = rank == 0 ? 2 : 0;    // the first is that of the handshake
    return found;
  };
  const auto body = [](int rank, Transport &transport) {
    if (rank == 0) {
      EXPECT_THROW(
          {
            for (int message = 0; message < 2; message++)
              send_marked(transport, rank, 0, 1);    // into the same slot
          },
          TransportError);
    } else {
      expect_marked(transport, rank, 0, 1);
    }
    transport.mark_broken();
  };
  run_two_over_tcp(faults, body, 1);
}

TEST(TransportConnect, AMessageThatIsLostOnTheWayIsAnErrorAndNoEndlessWait)
{
  const auto faults = [](int rank) {
    OfiFaults found;
    found.lose_message = rank == 0 ? 2 : 0;
    return found;
  };
  run_two_over_tcp(faults, [](int rank, Transport &transport) {
    if (rank == 0) {
      expect_marked(transport, rank, 0, 1);
      const auto receive = [&] {
        expect_marked(transport, rank, 0, 2);
      };
      expect_words(message_of<TransportError>(receive), {"of its 2 messages 1 have come"});
      send_marked(transport, rank, 0, 3);
    } else {
      for (int message = 1; message < 3; message++) send_marked(transport, rank, 0, message);
      expect_marked(transport, rank, 0, 3);    // answers in the meantime
    }
    transport.mark_broken();
  });
}

TEST(TransportConnect, AQueueThatIsFullForSecondsIsNoLostConnection)
{
  const auto faults = [](int rank) {
    OfiFaults found;
    found.full_for = std::chrono::milliseconds(rank == 0 ? 2500 : 0);
    return found;
  };
  run_two_over_tcp(faults, [](int rank, Transport &transport) {
    if (rank == 0) {
      // the peer requests a sign of life before the first check of this rank
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      send_marked(transport, rank, 0, 1);
      expect_marked(transport, rank, 0, 2);
    } else {
      expect_marked(transport, rank, 0, 1);
      send_marked(transport, rank, 0, 2);
    }
  });
}

TEST(TransportConnect, AfterAFailureTheEndDoesNotWaitForAPeerThatNeverCloses)
{
  std::atomic<bool> ended{false};
  if (mpi_world()) return;    // MPI itself would wait for a rank that does not come
  for (const char *backend : {"auto", "ofi"}) {
    ended = false;
    run_ranks(2, [&](World &world) {
      TransportOptions options = world.options();
      options.backend = backend;
      auto transport = std::make_unique<Transport>(world.bootstrap, world.comm, options);
      const auto report = connect_to_all(*transport, world);
      if (!report.error.empty()) return;    // no libfabric
      if (world.rank == 0) {
        transport->mark_broken();
        const auto start = std::chrono::steady_clock::now();
        transport.reset();
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
        ended = true;
      } else {
        while (!ended) std::this_thread::yield();    // as if the rank had stopped
        transport->mark_broken();
      }
    });
  }
}

TEST(TransportConnect, TransportShmRefusesToFallBack)
{
  run_ranks(2, [](World &world) {
    HeapSharedMemory full;
    full.refuse = true;
    TransportOptions options = world.options();
    options.backend = "shm";
    options.shared_memory = &full;
    Transport transport(world.bootstrap, world.comm, options);
    const auto report = connect_to_all(transport, world);
    if (world.size > 1) { EXPECT_NE(report.error, ""); }
  });
}

#endif

/* ---------------------------------------------------------------------- */

#ifdef TOFU_PROCESS_WORLD

static int number_of_variable(const char *name, int usual)
{
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : usual;
}

// every number of slots; other seeds by variables: the first one, and how many

static std::vector<Setting> settings()
{
  const int first = number_of_variable("TOFU_UTOFU_FIRST_SEED", 1);
  const int nseeds = number_of_variable("TOFU_UTOFU_SEEDS", 3);
  std::vector<Setting> all;
  const auto add = [&](int nslots, bool verify, std::uint64_t shuffle, int seed, bool extra) {
    Setting setting{"utofu", nslots, false, verify, shuffle};
    setting.emulator_seed = seed;
    setting.extra_notices = extra;
    all.push_back(setting);
  };
  add(4, false, 0, 0, false);
  for (int seed = first; seed < first + nseeds; seed++) {
    const int nslots[] = {4, 1, 2, 7};
    add(nslots[(seed - 1) % 4], seed % 4 == 0, seed % 3 == 0 ? 12345 : 0, seed, seed % 5 == 2);
  }
  return all;
}

#else

static std::vector<Setting> settings()
{
  std::vector<Setting> all;
  for (const char *backend : {"shm", mpi_world() ? "mpi" : "queue"}) {
    for (int nslots : {1, 2, 4, 7}) all.push_back({backend, nslots, false, false, 0});
    all.push_back({backend, 4, true, false, 0});
    all.push_back({backend, 4, false, true, 0});
    all.push_back({backend, 4, true, false, 12345});
    all.push_back({backend, 2, false, false, 99});
  }

  // libfabric's shm provider crashes when one of several endpoints of a process is closed

  std::vector<const char *> providers{"tcp;ofi_rxm"};
  if (!FEW_OF_THE_NETWORK) providers.push_back("tcp");
  if (mpi_world()) providers.push_back("shm");
  for (const char *provider : providers) {
    all.push_back({"ofi", 4, false, true, 0, provider, 7});

    // with many more ranks than cores the rest takes minutes over a network stack

    if (world_size() > 3) continue;
    all.push_back({"ofi", 7, false, false, 0, provider});
    all.push_back({"ofi", 1, false, false, 7, provider, 5});
    all.push_back({"ofi", 2, false, false, 0, provider, 3, 815});
    if (std::string(provider) == "tcp;ofi_rxm")
      for (const unsigned flags : {3u, 12u, 15u})
        if (!FEW_OF_THE_NETWORK || flags == 15u)
          all.push_back({"ofi", 2, false, true, 0, provider, 0, 0, flags});
    if (FEW_OF_THE_NETWORK) continue;
    for (int nslots : {1, 2}) all.push_back({"ofi", nslots, false, false, 0, provider});
    all.push_back({"ofi", 4, false, true, 12345, provider});
    all.push_back({"ofi", 4, false, true, 0, provider, 0, 4711});
  }

  // the provider sockets of libfabric 1 is slow; there own writes look like those of peers

  if (mpi_world() && world_size() <= 3) all.push_back({"ofi", 2, false, true, 0, "sockets"});
  return all;
}

#endif

INSTANTIATE_TEST_SUITE_P(Backends, TransportTest, testing::ValuesIn(settings()), setting_name);
