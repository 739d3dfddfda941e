// SPDX-License-Identifier: GPL-2.0-only
//
// Guarantees of tofu_rdma.h, over every backend that the library names, with MPI ranks.

#include "unit/testing.h"

#include <tofu_rdma.h>

#include <chrono>
#include <new>
#include <thread>

/* ----------------------------------------------------------------------
   slots are the only aligned memory of this size.  A limit of the process (RLIMIT_AS) would hit the
   MPI library as well, and Open MPI waits for ever when it lacks memory
------------------------------------------------------------------------- */

static bool slots_are_refused = false;

void *operator new(std::size_t nbytes, std::align_val_t alignment)
{
  const auto align = static_cast<std::size_t>(alignment);
  const bool refused = slots_are_refused && nbytes >= 1 << 20;
  void *memory = refused ? nullptr
                         : std::aligned_alloc(align, (nbytes + align - 1) / align * align);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void operator delete(void *memory, std::align_val_t) noexcept
{
  std::free(memory);
}
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept
{
  std::free(memory);
}

namespace {

int my_rank()
{
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int nranks()
{
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/** All ranks, this one included. */
std::vector<int> everybody()
{
  std::vector<int> ranks(nranks());
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

tofu_rdma_options options_for(const char *backend, int slots = 4, std::size_t slot_bytes = 4096)
{
  tofu_rdma_options options;
  tofu_rdma_default_options(&options);
  options.backend = backend;
  options.slots = slots;
  options.slot_bytes = slot_bytes;
  return options;
}

#define OK(call) ASSERT_EQ(call, TOFU_RDMA_OK) << tofu_rdma_message()

/** Expect that a call fails with this code, and that its text has these words. */
#define FAILS(call, code, words)                                               \
  do {                                                                         \
    EXPECT_EQ(call, code);                                                     \
    EXPECT_NE(std::string(tofu_rdma_message()).find(words), std::string::npos) \
        << tofu_rdma_message();                                                \
  } while (false)

/** Byte that tells sender, receiver, round and place. */
unsigned char mark(int from, int to, int round, std::size_t place)
{
  std::uint64_t x = ((from * 131u + to) * 131u + round) * 2654435761u + place * 40503u;
  return static_cast<unsigned char>((x ^ (x >> 13)) & 0xff);
}

/** A context with all ranks as peers and one region in which each of them has a part. */
struct Board {
  tofu_rdma *context = nullptr;
  std::size_t part;
  std::vector<unsigned char> memory;
  std::vector<tofu_rdma_address> to;
  int region = -1;

  explicit Board(std::size_t bytes) : part(bytes), memory(bytes * nranks()), to(nranks()) {}

  void make(const tofu_rdma_options &options)
  {
    const auto peers = everybody();
    OK(tofu_rdma_create(MPI_COMM_WORLD, nranks(), peers.data(), &options, &context));
    OK(tofu_rdma_register(context, memory.data(), memory.size(), &region));
    OK(tofu_rdma_commit(context));
    for (int rank : peers) OK(tofu_rdma_remote(context, rank, region, &to[rank]));
  }

  void free() { OK(tofu_rdma_free(&context)); }
};

class TofuRdma : public testing::TestWithParam<const char *> {};

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, RandomPutsLandWhereTheyWereSent)
{
  static constexpr std::size_t PART = 3000;
  for (int slots : {1, 2, 7}) {
    Board board(PART);
    auto options = options_for(GetParam(), slots);
    options.stream = slots != 2;
    ASSERT_NO_FATAL_FAILURE(board.make(options));
    const int me = my_rank();
    std::vector<std::vector<unsigned char>> expected(nranks(), std::vector<unsigned char>(PART, 0));

    // sender and receiver draw the same numbers, so that the receiver knows which bytes must come

    std::vector<std::mt19937> draw_out, draw_in;
    for (int rank : everybody()) {
      draw_out.emplace_back(me * 100 + rank);
      draw_in.emplace_back(rank * 100 + me);
    }
    const auto draw = [](std::mt19937 &random, std::size_t &offset, std::size_t &bytes) {
      offset = random() % PART;
      bytes = random() % (PART - offset + 1);
    };
    for (int round = 0; round < 30; round++) {
      for (int rank : everybody()) {
        std::size_t offset, bytes;
        draw(draw_out[rank], offset, bytes);
        std::vector<unsigned char> data(bytes);
        for (std::size_t i = 0; i < bytes; i++) data[i] = mark(me, rank, round, i);
        OK(tofu_rdma_put(board.context, &board.to[rank], me * PART + offset, data.data(), bytes,
                         round));
        std::fill(data.begin(), data.end(), 0xee);    // the array may be reused at once
      }
      for (int rank : everybody()) {
        std::size_t offset, bytes;
        draw(draw_in[rank], offset, bytes);
        tofu_rdma_event event;
        OK(tofu_rdma_wait(board.context, rank, round, &event));
        EXPECT_EQ(event.peer, rank);
        EXPECT_EQ(event.notice, round);
        EXPECT_EQ(event.region, board.region);
        EXPECT_EQ(event.offset, rank * PART + offset);
        EXPECT_EQ(event.bytes, bytes);
        for (std::size_t i = 0; i < bytes; i++)
          expected[rank][offset + i] = mark(rank, me, round, i);
      }
      MPI_Barrier(MPI_COMM_WORLD);    // parts are compared as a whole: no rank may be a round ahead
      for (int rank : everybody())
        ASSERT_EQ(std::memcmp(&board.memory[rank * PART], expected[rank].data(), PART), 0)
            << "from rank " << rank << " in round " << round;
      MPI_Barrier(MPI_COMM_WORLD);
    }
    ASSERT_NO_FATAL_FAILURE(board.free());
  }
}

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, PutsAndNoticesOfOnePeerKeepTheirOrder)
{
  static constexpr int N = 100;
  Board board(sizeof(int) * N);
  ASSERT_NO_FATAL_FAILURE(board.make(options_for(GetParam(), 2)));
  const int next = (my_rank() + 1) % nranks(), previous = (my_rank() + nranks() - 1) % nranks();
  for (int i = 0; i < N; i++) {
    const bool announced = i % 2;    // other puts become known by the next notice
    OK(tofu_rdma_put(board.context, &board.to[next], sizeof(int) * i, &i, sizeof(i),
                     announced ? i % 10 : TOFU_RDMA_NO_NOTICE));
  }
  for (int i = 1; i < N; i += 2) {
    tofu_rdma_event event;
    OK(tofu_rdma_wait(board.context, previous, TOFU_RDMA_ANY, &event));
    EXPECT_EQ(event.notice, i % 10);
    EXPECT_EQ(event.offset, sizeof(int) * i);
    for (int j = 0; j <= i; j++) {
      int value;
      std::memcpy(&value, &board.memory[sizeof(int) * j], sizeof(value));
      EXPECT_EQ(value, j);
    }
  }
  ASSERT_NO_FATAL_FAILURE(board.free());
}

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, NoticesCanBeTakenByNumberAndFromAnyPeer)
{
  Board board(8);
  ASSERT_NO_FATAL_FAILURE(board.make(options_for(GetParam())));
  for (int rank : everybody())
    for (int notice : {5, 6, 5})
      OK(tofu_rdma_put(board.context, &board.to[rank], 0, nullptr, 0, notice));
  for (int rank : everybody()) OK(tofu_rdma_wait(board.context, rank, 6, nullptr));
  std::vector<int> seen(nranks(), 0);
  for (int i = 0; i < 2 * nranks(); i++) {
    tofu_rdma_event event;
    OK(tofu_rdma_wait(board.context, TOFU_RDMA_ANY, 5, &event));
    seen[event.peer]++;
  }
  for (int rank : everybody()) EXPECT_EQ(seen[rank], 2);
  int found = 1;
  OK(tofu_rdma_test(board.context, TOFU_RDMA_ANY, TOFU_RDMA_ANY, &found, nullptr));
  EXPECT_EQ(found, 0);
  ASSERT_NO_FATAL_FAILURE(board.free());
}

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, TestFindsANoticeWithoutBlocking)
{
  Board board(8);
  ASSERT_NO_FATAL_FAILURE(board.make(options_for(GetParam())));
  const int next = (my_rank() + 1) % nranks(), previous = (my_rank() + nranks() - 1) % nranks();
  int found = 1;
  if (nranks() > 1) {
    OK(tofu_rdma_test(board.context, previous, 3, &found, nullptr));
    EXPECT_EQ(found, 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t value = 1000 + my_rank();
  OK(tofu_rdma_put(board.context, &board.to[next], 0, &value, sizeof(value), 3));
  tofu_rdma_event event;
  for (found = 0; !found; std::this_thread::yield())
    OK(tofu_rdma_test(board.context, previous, 3, &found, &event));
  std::uint64_t came;
  std::memcpy(&came, board.memory.data(), sizeof(came));
  EXPECT_EQ(came, 1000u + previous);
  EXPECT_EQ(event.bytes, sizeof(value));
  ASSERT_NO_FATAL_FAILURE(board.free());
}

/* ----------------------------------------------------------------------
   all ranks put before any of them waits, with far more bytes than the slots hold
------------------------------------------------------------------------- */

TEST_P(TofuRdma, LargePutsGoInPiecesAndDoNotBlockEachOther)
{
  static constexpr std::size_t PART = 1000003;
  for (std::size_t slot_bytes : {std::size_t(1), std::size_t(65536)}) {
    Board board(PART);
    ASSERT_NO_FATAL_FAILURE(board.make(options_for(GetParam(), 2, slot_bytes)));
    const int me = my_rank();
    std::vector<unsigned char> data(PART);
    for (int rank : everybody()) {
      for (std::size_t i = 0; i < PART; i++) data[i] = mark(me, rank, 0, i);
      OK(tofu_rdma_put(board.context, &board.to[rank], me * PART, data.data(), PART, 0));
    }
    for (int i = 0; i < nranks(); i++) {
      tofu_rdma_event event;
      OK(tofu_rdma_wait(board.context, TOFU_RDMA_ANY, 0, &event));
      EXPECT_EQ(event.offset, event.peer * PART);
      EXPECT_EQ(event.bytes, PART);
      std::size_t nwrong = 0;
      for (std::size_t k = 0; k < PART; k++)
        nwrong += board.memory[event.peer * PART + k] != mark(event.peer, me, 0, k);
      EXPECT_EQ(nwrong, 0u);
    }
    ASSERT_NO_FATAL_FAILURE(board.free());
  }
}

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, PutBeyondTheRegionIsRefusedAtTheSenderAndHarmsNothing)
{
  Board board(100);
  ASSERT_NO_FATAL_FAILURE(board.make(options_for(GetParam())));
  const auto size = board.memory.size();
  std::vector<unsigned char> data(size + 1, 1);
  for (int rank : everybody()) {
    const tofu_rdma_address *to = &board.to[rank];
    FAILS(tofu_rdma_put(board.context, to, 0, data.data(), size + 1, 0), TOFU_RDMA_ERROR_BOUNDS,
          "do not fit into region 0 of rank " + std::to_string(rank) + ", which has " +
              std::to_string(size) + " bytes");
    EXPECT_EQ(tofu_rdma_put(board.context, to, size, data.data(), 1, 0), TOFU_RDMA_ERROR_BOUNDS);
    EXPECT_EQ(tofu_rdma_put(board.context, to, SIZE_MAX, data.data(), 2, 0),
              TOFU_RDMA_ERROR_BOUNDS);
    EXPECT_EQ(tofu_rdma_put(board.context, to, 2, data.data(), SIZE_MAX, 0),
              TOFU_RDMA_ERROR_BOUNDS);
    tofu_rdma_address forged = *to;
    forged.bytes = SIZE_MAX;    // the size that the peer has registered counts
    EXPECT_EQ(tofu_rdma_put(board.context, &forged, size, data.data(), 1, 0),
              TOFU_RDMA_ERROR_BOUNDS);
    OK(tofu_rdma_put(board.context, to, size, nullptr, 0, 7));    // the context still works
  }
  for (int rank : everybody()) OK(tofu_rdma_wait(board.context, rank, TOFU_RDMA_ANY, nullptr));
  EXPECT_EQ(std::count(board.memory.begin(), board.memory.end(), 0), static_cast<long>(size));
  ASSERT_NO_FATAL_FAILURE(board.free());
}

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, RankMayPutToItself)
{
  const int me = my_rank();
  const auto options = options_for(GetParam());
  tofu_rdma *context;
  OK(tofu_rdma_create(MPI_COMM_WORLD, 1, &me, &options, &context));
  char memory[] = "................", word[] = "halo";
  int region;
  OK(tofu_rdma_register(context, memory, sizeof(memory), &region));
  OK(tofu_rdma_commit(context));
  tofu_rdma_address to;
  OK(tofu_rdma_remote(context, me, region, &to));
  EXPECT_STREQ(tofu_rdma_peer_backend(context, me), "self");
  OK(tofu_rdma_put(context, &to, 2, word, 4, 9));
  OK(tofu_rdma_put(context, &to, 3, memory + 2, 4, 9));    // source and target overlap
  OK(tofu_rdma_wait(context, me, 9, nullptr));
  OK(tofu_rdma_wait(context, TOFU_RDMA_ANY, 9, nullptr));
  EXPECT_STREQ(memory, "..hhalo.........");
  FAILS(tofu_rdma_wait(context, me, 9, nullptr), TOFU_RDMA_ERROR_FOREVER,
        "no other rank can bring it");
  OK(tofu_rdma_free(&context));
}

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, TwoContextsDoNotMix)
{
  Board first(64), second(64);
  ASSERT_NO_FATAL_FAILURE(first.make(options_for(GetParam(), 2)));
  ASSERT_NO_FATAL_FAILURE(second.make(options_for(GetParam(), 3)));
  const unsigned char me = static_cast<unsigned char>(my_rank());
  for (int rank : everybody()) {
    const unsigned char one = 100 + me, two = 200 + me;
    OK(tofu_rdma_put(first.context, &first.to[rank], me, &one, 1, 1));
    OK(tofu_rdma_put(second.context, &second.to[rank], me, &two, 1, 2));
  }
  for (int rank : everybody()) {
    tofu_rdma_event event;
    OK(tofu_rdma_wait(second.context, rank, TOFU_RDMA_ANY, &event));
    EXPECT_EQ(event.notice, 2);
    OK(tofu_rdma_wait(first.context, rank, TOFU_RDMA_ANY, &event));
    EXPECT_EQ(event.notice, 1);
    EXPECT_EQ(first.memory[rank], 100 + rank);
    EXPECT_EQ(second.memory[rank], 200 + rank);
  }
  ASSERT_NO_FATAL_FAILURE(first.free());
  ASSERT_NO_FATAL_FAILURE(second.free());
}

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, RegionsDifferBetweenRanksAndMayBeAddedLater)
{
  const auto options = options_for(GetParam());
  const auto peers = everybody();
  const int me = my_rank();
  tofu_rdma *context;
  OK(tofu_rdma_create(MPI_COMM_WORLD, nranks(), peers.data(), &options, &context));
  tofu_rdma_address to;
  FAILS(tofu_rdma_remote(context, me, 0, &to), TOFU_RDMA_ERROR_STATE, "tofu_rdma_commit() first");
  std::vector<std::vector<unsigned char>> memory(me + 2, std::vector<unsigned char>(10));
  int region;
  for (int i = 0; i <= me; i++) {
    OK(tofu_rdma_register(context, memory[i].data(), 10 - i, &region));
    EXPECT_EQ(region, i);
  }
  OK(tofu_rdma_commit(context));
  for (int rank : peers) {
    OK(tofu_rdma_remote(context, rank, rank, &to));
    EXPECT_EQ(to.bytes, 10u - rank);
  }
  OK(tofu_rdma_register(context, memory[me + 1].data(), 3, &region));
  OK(tofu_rdma_commit(context));
  for (int rank : peers) {
    OK(tofu_rdma_remote(context, rank, rank + 1, &to));
    EXPECT_EQ(to.bytes, 3u);
    OK(tofu_rdma_put(context, &to, 0, "ab", 3, 0));
    FAILS(tofu_rdma_remote(context, rank, rank + 2, &to), TOFU_RDMA_ERROR_ARGUMENT,
          "has committed");
  }
  for (int rank : peers) OK(tofu_rdma_wait(context, rank, 0, nullptr));
  EXPECT_STREQ(reinterpret_cast<char *>(memory[me + 1].data()), "ab");
  OK(tofu_rdma_free(&context));
  EXPECT_EQ(context, nullptr);
  OK(tofu_rdma_free(&context));
}

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, ReceiverThatOnlyComputesLetsPutsThroughByProgress)
{
  Board board(8);
  ASSERT_NO_FATAL_FAILURE(board.make(options_for(GetParam(), 1)));
  static constexpr int N = 50;
  if (my_rank() == 0) {
    for (int rank = 1; rank < nranks(); rank++)
      for (int i = 0; i < N; i++)
        OK(tofu_rdma_put(board.context, &board.to[rank], 0, &i, sizeof(i), TOFU_RDMA_NO_NOTICE));
  } else {
    int last = 0;
    while (last != N - 1) {
      OK(tofu_rdma_progress(board.context));
      std::this_thread::yield();    // there may be more ranks than cores
      std::memcpy(&last, board.memory.data(), sizeof(last));
    }
  }
  ASSERT_NO_FATAL_FAILURE(board.free());
}

/* ----------------------------------------------------------------------
   no rank waits: puts that are in the slots at the end are lost, and no rank hangs
------------------------------------------------------------------------- */

TEST_P(TofuRdma, FreeWithoutWaitingHarmsNobody)
{
  Board board(30000);
  ASSERT_NO_FATAL_FAILURE(board.make(options_for(GetParam(), 2)));
  for (int rank : everybody())
    for (int i = 0; i < 5; i++)
      OK(tofu_rdma_put(board.context, &board.to[rank], 0, board.memory.data(), board.memory.size(),
                       0));
  ASSERT_NO_FATAL_FAILURE(board.free());
}

/* ---------------------------------------------------------------------- */

TEST_P(TofuRdma, ForcedBackendServesAllPeersAndVerifies)
{
  Board board(5000);
  auto options = options_for(GetParam());
  options.verify = 1;
  ASSERT_NO_FATAL_FAILURE(board.make(options));
  for (int rank : everybody()) {
    if (rank == my_rank()) continue;
    EXPECT_NE(tofu_rdma_peer_backend(board.context, rank), nullptr);
    if (std::string(GetParam()) == "shm" || std::string(GetParam()) == "mpi") {
      EXPECT_STREQ(tofu_rdma_peer_backend(board.context, rank), GetParam());
    }
    OK(tofu_rdma_put(board.context, &board.to[rank], 0, board.memory.data(), 5000, 0));
    OK(tofu_rdma_wait(board.context, rank, 0, nullptr));
  }
  EXPECT_EQ(tofu_rdma_peer_backend(board.context, nranks()), nullptr);
  ASSERT_NO_FATAL_FAILURE(board.free());
}

/* ---------------------------------------------------------------------- */

std::vector<const char *> backends()
{
  std::vector<const char *> names;
  for (int i = 0; tofu_rdma_backend_name(i); i++) names.push_back(tofu_rdma_backend_name(i));
  return names;
}

std::string test_name(const testing::TestParamInfo<const char *> &info)
{
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Backends, TofuRdma, testing::ValuesIn(backends()), test_name);

/* ---------------------------------------------------------------------- */

TEST(TofuRdmaErrors, WrongArgumentsFailOnAllRanks)
{
  tofu_rdma *context = reinterpret_cast<tofu_rdma *>(8);
  const auto create = [&](std::vector<int> peers, const tofu_rdma_options &options) {
    return tofu_rdma_create(MPI_COMM_WORLD, static_cast<int>(peers.size()), peers.data(), &options,
                            &context);
  };
  FAILS(create({nranks()}, options_for("auto")), TOFU_RDMA_ERROR_ARGUMENT, "is no rank");
  EXPECT_EQ(context, nullptr);
  FAILS(create({0, 0}, options_for("auto")), TOFU_RDMA_ERROR_ARGUMENT, "listed twice");
  FAILS(create({}, options_for("teleport")), TOFU_RDMA_ERROR_ARGUMENT, "auto, shm, ");
  FAILS(create({}, options_for("auto", 0)), TOFU_RDMA_ERROR_ARGUMENT, "allowed are 1 to 64");
  FAILS(create({}, options_for("auto", 4, 0)), TOFU_RDMA_ERROR_ARGUMENT, "slot_bytes");
  FAILS(tofu_rdma_create(MPI_COMM_NULL, 0, nullptr, nullptr, &context), TOFU_RDMA_ERROR_STATE,
        "communicator");
  EXPECT_EQ(tofu_rdma_create(MPI_COMM_WORLD, 0, nullptr, nullptr, nullptr),
            TOFU_RDMA_ERROR_ARGUMENT);
  EXPECT_EQ(tofu_rdma_commit(nullptr), TOFU_RDMA_ERROR_ARGUMENT);
}

/* ---------------------------------------------------------------------- */

TEST(TofuRdmaErrors, ErrorOfOneRankIsAnErrorOfAll)
{
  tofu_rdma *context;
  const bool odd_one = my_rank() == nranks() - 1;
  auto options = options_for("auto", odd_one ? 65 : 4);
  FAILS(tofu_rdma_create(MPI_COMM_WORLD, 0, nullptr, &options, &context), TOFU_RDMA_ERROR_ARGUMENT,
        odd_one ? "options.slots is 65" : "another rank");
  if (nranks() == 1) return;
  options = options_for(odd_one ? "mpi" : "auto");
  FAILS(tofu_rdma_create(MPI_COMM_WORLD, 0, nullptr, &options, &context), TOFU_RDMA_ERROR_ARGUMENT,
        "options differ");
  options = options_for("auto");
  const int zero = 0;    // the last rank lists rank 0, which lists no rank
  FAILS(tofu_rdma_create(MPI_COMM_WORLD, odd_one, &zero, &options, &context),
        TOFU_RDMA_ERROR_ARGUMENT,
        odd_one              ? "which does not list this rank"
            : my_rank() == 0 ? "which does not list it"
                             : "two other ranks");
}

/* ---------------------------------------------------------------------- */

/** As long as this object exists the process gets no memory for slots; the MPI library gets all
    memory. */
class LittleMemory {
 public:
  LittleMemory() { slots_are_refused = true; }
  ~LittleMemory() { slots_are_refused = false; }
};

TEST(TofuRdmaErrors, ARankWithoutMemoryMakesAllFailAtOnceAndNobodyWaits)
{
  if (nranks() < 2 || nranks() > 4) return;
  const auto peers = everybody();
  const auto options = options_for("mpi", 32, 1 << 20);
  tofu_rdma *context = nullptr;
  const auto start = std::chrono::steady_clock::now();
  int status;
  {
    std::unique_ptr<LittleMemory> little;
    if (my_rank() == 1) little = std::make_unique<LittleMemory>();
    status = tofu_rdma_create(MPI_COMM_WORLD, nranks(), peers.data(), &options, &context);
  }
  EXPECT_EQ(status, TOFU_RDMA_ERROR_CONNECT) << tofu_rdma_message();
  EXPECT_EQ(context, nullptr);
  EXPECT_NE(std::string(tofu_rdma_message()).find("rank 1 has too little memory"),
            std::string::npos)
      << tofu_rdma_message();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));

  // the next attempt, with enough memory, succeeds: no message of the first is left to reach it

  OK(tofu_rdma_create(MPI_COMM_WORLD, nranks(), peers.data(), &options, &context));
  OK(tofu_rdma_free(&context));
}

TEST(TofuRdmaErrors, SharedMemoryBetweenNodesIsRefused)
{
  if (nranks() == 1) GTEST_SKIP() << "needs two ranks";
  auto options = options_for("shm");
  options.node_size = 1;
  tofu_rdma *context;
  const auto peers = everybody();
  FAILS(tofu_rdma_create(MPI_COMM_WORLD, nranks(), peers.data(), &options, &context),
        TOFU_RDMA_ERROR_CONNECT, "different nodes");
  options.backend = "auto";
  options.node_size = 2;
  OK(tofu_rdma_create(MPI_COMM_WORLD, nranks(), peers.data(), &options, &context));
  for (int rank : peers)
    if (rank != my_rank()) {
      EXPECT_EQ(std::string(tofu_rdma_peer_backend(context, rank)) == "shm",
                rank / 2 == my_rank() / 2);
    }
  OK(tofu_rdma_free(&context));
}

/* ---------------------------------------------------------------------- */

TEST(TofuRdmaErrors, WrongCallsAreRefusedAndTheContextGoesOn)
{
  Board board(8);
  ASSERT_NO_FATAL_FAILURE(board.make(options_for("auto")));
  const int me = my_rank();
  int region, found;
  tofu_rdma_address stranger{nranks(), 0, 8};
  FAILS(tofu_rdma_put(board.context, &stranger, 0, &me, 1, 0), TOFU_RDMA_ERROR_ARGUMENT,
        "list it in");
  FAILS(tofu_rdma_put(board.context, &board.to[me], 0, nullptr, 1, 0), TOFU_RDMA_ERROR_ARGUMENT,
        "NULL");
  FAILS(tofu_rdma_put(board.context, &board.to[me], 0, &me, 1, -2), TOFU_RDMA_ERROR_ARGUMENT,
        "notice is -2");
  FAILS(tofu_rdma_wait(board.context, me, -5, nullptr), TOFU_RDMA_ERROR_ARGUMENT, "notice is -5");
  FAILS(tofu_rdma_test(board.context, nranks(), 0, &found, nullptr), TOFU_RDMA_ERROR_ARGUMENT,
        "rank " + std::to_string(me));
  FAILS(tofu_rdma_register(board.context, nullptr, 8, &region), TOFU_RDMA_ERROR_ARGUMENT, "NULL");
  FAILS(tofu_rdma_put(nullptr, &board.to[me], 0, &me, 1, 0), TOFU_RDMA_ERROR_ARGUMENT,
        "context is NULL");
  OK(tofu_rdma_put(board.context, &board.to[me], 0, &me, 1, 0));
  OK(tofu_rdma_wait(board.context, me, 0, nullptr));
  ASSERT_NO_FATAL_FAILURE(board.free());
}

}    // namespace
