// SPDX-License-Identifier: GPL-2.0-only
//
// One-way latency and bandwidth of MPI and of every backend of libtofu_rdma, for 'tools/tofu
// latency'.
//
//   mpirun -np RANKS tofu_rdma_latency REPETITIONS
//
// Rank i works with rank i + RANKS/2. All variants are measured in one run, interleaved: every
// repetition goes through all sizes, and for each size through all variants, one right after the
// other, starting with another one each time. Prints
//
//   skip VARIANT REASON
//   sample VARIANT BYTES MICROSECONDS MEGABYTES_PER_SECOND
//
// Latency: half of there and back again, mean over a burst, of the slowest pair.
// Bandwidth: a window of messages one way, then an empty one back; of the slowest pair.

#include "tofu_rdma.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr std::size_t SMALLEST = 8, LARGEST = std::size_t(1) << 20;
constexpr std::size_t BURST_BYTES = std::size_t(1) << 22;    // moved by a burst, at most
constexpr int LONGEST_BURST = 500, SHORTEST_BURST = 8;
constexpr int WINDOW = 16;    // messages under way when bandwidth is measured

/** Messages of one kind between two ranks. */
class Variant {
 public:
  virtual ~Variant() = default;
  virtual const char *name() const = 0;
  virtual void send(const void *data, std::size_t nbytes) = 0;
  virtual void receive(std::size_t nbytes) = 0;    // into data()
  virtual unsigned char *data() = 0;

  /** A window of messages; a variant that can have several under way does. */
  virtual void send_window(const void *bytes, std::size_t nbytes)
  {
    for (int i = 0; i < WINDOW; i++) send(bytes, nbytes);
  }
  virtual void receive_window(std::size_t nbytes)
  {
    for (int i = 0; i < WINDOW; i++) receive(nbytes);
  }
};

/** MPI itself: the reference. */
class SendRecv : public Variant {
 public:
  explicit SendRecv(int partner) : partner_(partner), memory_(LARGEST) {}
  const char *name() const override { return "Send/Recv"; }
  unsigned char *data() override { return memory_.data(); }

  void send(const void *bytes, std::size_t nbytes) override
  {
    MPI_Send(bytes, static_cast<int>(nbytes), MPI_BYTE, partner_, 0, MPI_COMM_WORLD);
  }

  void receive(std::size_t nbytes) override
  {
    MPI_Recv(memory_.data(), static_cast<int>(nbytes), MPI_BYTE, partner_, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }

  void send_window(const void *bytes, std::size_t nbytes) override
  {
    for (auto &request : requests_)
      MPI_Isend(bytes, static_cast<int>(nbytes), MPI_BYTE, partner_, 0, MPI_COMM_WORLD, &request);
    MPI_Waitall(WINDOW, requests_, MPI_STATUSES_IGNORE);
  }

  // all into the same memory, as the puts of the other variants

  void receive_window(std::size_t nbytes) override
  {
    for (auto &request : requests_)
      MPI_Irecv(memory_.data(), static_cast<int>(nbytes), MPI_BYTE, partner_, 0, MPI_COMM_WORLD,
                &request);
    MPI_Waitall(WINDOW, requests_, MPI_STATUSES_IGNORE);
  }

 private:
  int partner_;
  std::vector<unsigned char> memory_;
  MPI_Request requests_[WINDOW];
};

[[noreturn]] void give_up(const char *text)
{
  std::fprintf(stderr, "tofu_rdma_latency: %s\n", text);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void check(int status)
{
  if (status != TOFU_RDMA_OK) give_up(tofu_rdma_message());
}

/** Put and wait over one backend. */
class Put : public Variant {
 public:
  Put(tofu_rdma *context, int partner, const std::string &name) :
      context_(context), partner_(partner), name_(name), memory_(LARGEST)
  {
    int region;
    check(tofu_rdma_register(context_, memory_.data(), memory_.size(), &region));
    check(tofu_rdma_commit(context_));
    check(tofu_rdma_remote(context_, partner_, region, &to_));
  }
  ~Put() override { tofu_rdma_free(&context_); }
  const char *name() const override { return name_.c_str(); }
  unsigned char *data() override { return memory_.data(); }

  void send(const void *bytes, std::size_t nbytes) override
  {
    check(tofu_rdma_put(context_, &to_, 0, bytes, nbytes, 0));
  }

  void receive(std::size_t) override { check(tofu_rdma_wait(context_, partner_, 0, nullptr)); }

 private:
  tofu_rdma *context_;
  int partner_;
  std::string name_;
  std::vector<unsigned char> memory_;
  tofu_rdma_address to_;
};

/** Two ranks that exchange messages. */
struct Pair {
  int rank, partner;
  bool first;    // starts
};

using Variants = std::vector<std::unique_ptr<Variant>>;

/** Put over a backend, unless it cannot serve here. */
void add_put(Variants &variants, const Pair &pair, const char *backend, bool stream)
{
  const std::string name = std::string("tofu ") + backend + (stream ? "" : " plain");
  tofu_rdma_options options;
  tofu_rdma_default_options(&options);
  options.backend = backend;
  options.stream = stream;
  tofu_rdma *context;
  if (tofu_rdma_create(MPI_COMM_WORLD, 1, &pair.partner, &options, &context) == TOFU_RDMA_OK)
    variants.push_back(std::make_unique<Put>(context, pair.partner, name));
  else if (pair.rank == 0)
    std::printf("skip %s\t%s\n", name.c_str(), tofu_rdma_message());
}

/** MPI, and every backend of the library; "auto" is one of the others. */
Variants make_variants(const Pair &pair)
{
  Variants variants;
  variants.push_back(std::make_unique<SendRecv>(pair.partner));
  for (int i = 0; const char *backend = tofu_rdma_backend_name(i); i++) {
    if (std::strcmp(backend, "auto") == 0) continue;
    add_put(variants, pair, backend, true);
    if (std::strcmp(backend, "shm") == 0) add_put(variants, pair, backend, false);
  }
  return variants;
}

int burst_length(std::size_t nbytes)
{
  return std::max(SHORTEST_BURST,
                  static_cast<int>(std::min<std::size_t>(LONGEST_BURST, BURST_BYTES / nbytes)));
}

double slowest(double seconds)
{
  double most;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/** Seconds of one way. */
double latency(Variant &variant, const Pair &pair, const void *bytes, std::size_t nbytes)
{
  const int n = burst_length(nbytes);
  MPI_Barrier(MPI_COMM_WORLD);
  double start = 0.0;
  for (int i = -n / 10 - 1; i < n; i++) {    // the first are not timed
    if (i == 0) start = MPI_Wtime();
    if (pair.first) variant.send(bytes, nbytes);
    variant.receive(nbytes);
    if (!pair.first) variant.send(bytes, nbytes);
  }
  return slowest((MPI_Wtime() - start) / (2 * n));
}

/** Bytes per second. */
double bandwidth(Variant &variant, const Pair &pair, const void *bytes, std::size_t nbytes)
{
  const int n = std::max(2, burst_length(nbytes) / WINDOW);
  MPI_Barrier(MPI_COMM_WORLD);
  double start = 0.0;
  for (int i = -1; i < n; i++) {
    if (i == 0) start = MPI_Wtime();
    if (pair.first) {
      variant.send_window(bytes, nbytes);
      variant.receive(0);
    } else {
      variant.receive_window(nbytes);
      variant.send(bytes, 0);
    }
  }
  return static_cast<double>(nbytes) * WINDOW * n / slowest(MPI_Wtime() - start);
}

/** Check that the bytes have arrived: a time without them would be meaningless. */
void check_arrived(Variant &variant, const unsigned char *expected, std::size_t nbytes)
{
  if (std::memcmp(variant.data(), expected, nbytes) != 0)
    give_up((std::string(variant.name()) + " did not bring the bytes that were sent").c_str());
}

void measure(Variants &variants, const Pair &pair, int nrepetitions)
{
  std::vector<unsigned char> bytes(LARGEST);
  for (int repetition = 0; repetition < nrepetitions; repetition++)
    for (std::size_t nbytes = SMALLEST; nbytes <= LARGEST; nbytes *= 2) {
      for (std::size_t i = 0; i < nbytes; i++)
        bytes[i] = static_cast<unsigned char>(i * 7 + i / 256 + repetition + nbytes % 251);
      for (std::size_t k = 0; k < variants.size(); k++) {
        Variant &variant = *variants[(k + repetition) % variants.size()];
        const double seconds = latency(variant, pair, bytes.data(), nbytes);
        check_arrived(variant, bytes.data(), nbytes);
        const double rate = bandwidth(variant, pair, bytes.data(), nbytes);
        if (pair.rank == 0)
          std::printf("sample %s\t%zu %.4f %.3f\n", variant.name(), nbytes, seconds * 1e6,
                      rate / 1e6);
      }
    }
}

}    // namespace

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long nrepetitions = argc == 2 ? std::strtol(argv[1], nullptr, 10) : 0;
  if (nrepetitions < 1 || nrepetitions > INT_MAX || size % 2)
    give_up("needs an even number of ranks and one argument, the number of repetitions");
  const bool first = rank < size / 2;
  const Pair pair{rank, first ? rank + size / 2 : rank - size / 2, first};

  auto variants = make_variants(pair);
  measure(variants, pair, static_cast<int>(nrepetitions));
  variants.clear();
  MPI_Finalize();
}
