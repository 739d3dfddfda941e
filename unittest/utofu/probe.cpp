// SPDX-License-Identifier: GPL-2.0-only
//
// Prints what the documents about uTofu leave open: how many queues a process gets, how long they
// are, which notices come unasked, what each flag costs, which wrong arguments are refused.  For a
// machine with the Tofu interconnect D, on two ranks, best on two nodes:
//
//   mpiFCC -Nclang -O2 -std=c++17 unittest/utofu/probe.cpp -ltofucom -o utofu_probe
//   mpiexec -np 2 ./utofu_probe > probe.txt
//
// With the emulator beside this file it runs, too; then its times mean nothing.

#include <mpi.h>
#include <utofu.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned long NOTICE = UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;
constexpr unsigned long TCQ = UTOFU_ONESIDED_FLAG_TCQ_NOTICE;
constexpr unsigned long STRONG = UTOFU_ONESIDED_FLAG_STRONG_ORDER;
constexpr unsigned long INJECT = UTOFU_ONESIDED_FLAG_CACHE_INJECTION;
constexpr unsigned long PADDING = UTOFU_ONESIDED_FLAG_PADDING;

int me, size, peer;
int nrounds = 1000;    // of each time; the argument of the program

/** A line of the output, for each rank in turn. */
void tell(const std::string &text)
{
  for (int rank = 0; rank < size; rank++) {
    if (rank == me) {
      std::printf("rank %d  %s\n", me, text.c_str());
      std::fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

double since(Clock::time_point start)
{
  return 1e6 * std::chrono::duration<double>(Clock::now() - start).count();
}

/** A queue, memory on pages of its own, and what the peer has. */
struct End {
  static constexpr std::size_t BYTES = 1 << 20;

  End()
  {
    memory = static_cast<char *>(std::aligned_alloc(65536, BYTES));
    std::memset(memory, 0, BYTES);
    code = utofu_create_vcq(0, UTOFU_VCQ_FLAG_THREAD_SAFE, &queue);
    if (code == UTOFU_SUCCESS) code = utofu_query_vcq_id(queue, &mine[0]);
    if (code == UTOFU_SUCCESS) code = utofu_reg_mem(queue, memory, BYTES, 0, &mine[1]);
    MPI_Sendrecv(mine, 2, MPI_UINT64_T, peer, 0, theirs, 2, MPI_UINT64_T, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    path = theirs[0];
    utofu_set_vcq_id_path(&path, nullptr);
  }
  ~End()
  {
    void *data = nullptr;    // entries come in order: this one is the last
    insist([&]() { return utofu_nop(queue, TCQ, this); });
    while (data != this) utofu_poll_tcq(queue, 0, &data);
    MPI_Barrier(MPI_COMM_WORLD);
    drain();
    utofu_dereg_mem(queue, mine[1], 0);
    utofu_free_vcq(queue);
    std::free(memory);
  }

  int drain()
  {
    int n = 0;
    void *data;
    utofu_mrq_notice notice;
    while (utofu_poll_tcq(queue, 0, &data) != UTOFU_ERR_NOT_FOUND) {}
    while (utofu_poll_mrq(queue, 0, &notice) != UTOFU_ERR_NOT_FOUND) n++;
    return n;
  }

  utofu_mrq_notice await()
  {
    utofu_mrq_notice notice{};
    void *data;
    while (utofu_poll_mrq(queue, 0, &notice) == UTOFU_ERR_NOT_FOUND)
      utofu_poll_tcq(queue, 0, &data);
    return notice;
  }

  template <class Post> void insist(Post post)
  {
    void *data;
    while (post() == UTOFU_ERR_BUSY) utofu_poll_tcq(queue, 0, &data);
  }

  char *memory;
  utofu_vcq_hdl_t queue = 0;
  std::uint64_t mine[2] = {0, 0}, theirs[2];    // id, STADD
  utofu_vcq_id_t path;
  int code;
};

/* ---------------------------------------------------------------------- */

void probe_machine()
{
  int tofu[2], api[2];
  std::uint8_t at[6] = {};
  utofu_query_tofu_version(&tofu[0], &tofu[1]);
  utofu_query_utofu_version(&api[0], &api[1]);
  utofu_query_my_coords(at);
  char text[200];
  std::snprintf(text, sizeof(text), "Tofu %d.%d, uTofu %d.%d, node %d,%d,%d,%d,%d,%d", tofu[0],
                tofu[1], api[0], api[1], at[0], at[1], at[2], at[3], at[4], at[5]);
  tell(text);
  utofu_onesided_caps *caps = nullptr;
  if (utofu_query_onesided_caps(0, &caps) != UTOFU_SUCCESS) return;
  std::snprintf(
      text, sizeof(text),
      "caps: flags %lx, armw %lx, components %u, stags %u, put %zu, piggyback %zu, mtu %zu",
      caps->flags, caps->armw_ops, caps->num_cmp_ids, caps->num_reserved_stags,
      caps->max_putget_size, caps->max_piggyback_size, caps->max_mtu);
  tell(text);
}

/** Of one circuit. */
std::size_t count_gates(utofu_tni_id_t interface)
{
  std::vector<utofu_vbg_id_t> gates(64);
  std::size_t n = gates.size();
  while (n > 0 && utofu_alloc_vbg(interface, n, 0, gates.data()) != UTOFU_SUCCESS) n--;
  if (n) utofu_free_vbg(gates.data(), n);
  return n;
}

/** How many queues each interface grants, and on which queues of the hardware. */
void probe_queues()
{
  utofu_tni_id_t *ids = nullptr;
  std::size_t n = 0;
  if (utofu_get_onesided_tnis(&ids, &n) != UTOFU_SUCCESS) n = 0;
  for (std::size_t i = 0; i < n; i++) {
    std::string text = "queues of interface " + std::to_string(ids[i]) + ":";
    std::vector<utofu_vcq_hdl_t> queues;
    utofu_vcq_hdl_t queue;
    int code;
    while ((code = utofu_create_vcq(ids[i], UTOFU_VCQ_FLAG_THREAD_SAFE, &queue)) == UTOFU_SUCCESS) {
      utofu_vcq_id_t id;
      std::uint8_t at[6];
      utofu_tni_id_t tni;
      utofu_cq_id_t cq;
      std::uint16_t component;
      utofu_query_vcq_id(queue, &id);
      utofu_query_vcq_info(id, at, &tni, &cq, &component);
      text += " " + std::to_string(cq) + "." + std::to_string(component);
      queues.push_back(queue);
    }
    tell(text + ", then code " + std::to_string(code));
    for (const utofu_vcq_hdl_t one : queues) utofu_free_vcq(one);
    std::size_t ngates = 0;
    for (int rank = 0; rank < size; rank++) {    // ranks of a node share them
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == me) ngates = count_gates(ids[i]);
    }
    tell("gates of interface " + std::to_string(ids[i]) + " at a time: " + std::to_string(ngates));
  }
  std::free(ids);
}

/** Orders until there is no room, if nobody reads their entries. */
void probe_lengths()
{
  End end;
  int n = 0, code = UTOFU_SUCCESS;
  while (code == UTOFU_SUCCESS && n < 1000000) {
    code = utofu_put_piggyback8(end.queue, end.path, 1, end.theirs[1], 8, 0, TCQ, nullptr);
    if (code == UTOFU_SUCCESS) n++;
  }
  tell("orders until code " + std::to_string(code) + ": " + std::to_string(n));
  MPI_Barrier(MPI_COMM_WORLD);
  tell("notices of puts without the flag: " + std::to_string(end.drain()));
}

/** Half of a round trip with notices. */
template <class Post> double latency(End &end, Post post)
{
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = Clock::now();
  for (int round = 0; round < nrounds; round++) {
    if (me % 2 == 0) end.insist(post);
    end.await();
    if (me % 2 == 1) end.insist(post);
  }
  const double microseconds = since(start) / nrounds / 2;
  MPI_Barrier(MPI_COMM_WORLD);
  end.drain();
  return microseconds;
}

void probe_latency()
{
  End end;
  struct Way {
    const char *name;
    unsigned long flags;
  };
  const Way ways[] = {{"notice", NOTICE},
                      {"notice, entry", NOTICE | TCQ},
                      {"notice, injection", NOTICE | INJECT},
                      {"notice, order", NOTICE | STRONG},
                      {"notice, injection, order", NOTICE | INJECT | STRONG},
                      {"notice, injection, padding", NOTICE | INJECT | PADDING}};
  char data[32] = {};
  char text[200];
  for (const Way &way : ways) {
    const double eight = latency(end, [&]() {
      return utofu_put_piggyback8(end.queue, end.path, 1, end.theirs[1], 8, 0, way.flags, nullptr);
    });
    const double thirty_two = latency(end, [&]() {
      return utofu_put_piggyback(end.queue, end.path, data, end.theirs[1], 32, 0, way.flags,
                                 nullptr);
    });
    std::snprintf(text, sizeof(text), "one way, us, %s: piggyback8 %.3f, piggyback 32 %.3f",
                  way.name, eight, thirty_two);
    std::string line = text;
    for (const std::size_t n : {8, 256, 4096, 65536}) {
      if (way.flags & PADDING) continue;    // for piggyback only
      const double us = latency(end, [&]() {
        return utofu_put(end.queue, end.path, end.mine[1] + 524288, end.theirs[1], n, 0, way.flags,
                         nullptr);
      });
      std::snprintf(text, sizeof(text), ", put %zu %.3f", n, us);
      line += text;
    }
    tell(line);
  }
}

void probe_memory()
{
  End end;
  for (const std::size_t n : {std::size_t(4096), std::size_t(65536), End::BYTES}) {
    constexpr int ROUNDS = 100;
    char *memory = static_cast<char *>(std::aligned_alloc(65536, End::BYTES));
    std::memset(memory, 0, End::BYTES);
    const auto start = Clock::now();
    int code = UTOFU_SUCCESS;
    for (int i = 0; i < ROUNDS && code == UTOFU_SUCCESS; i++) {
      utofu_stadd_t stadd;
      code = utofu_reg_mem(end.queue, memory, n, 0, &stadd);
      if (code == UTOFU_SUCCESS) utofu_dereg_mem(end.queue, stadd, 0);
    }
    char text[100];
    std::snprintf(text, sizeof(text), "registration of %zu bytes and back: %.1f us, code %d", n,
                  since(start) / ROUNDS, code);
    tell(text);
    std::free(memory);
  }
}

/** Codes for wrong arguments; what is not refused at once may come as an entry. */
void probe_codes()
{
  End end;
  const auto put = [&](std::size_t n, std::uint64_t edata, unsigned long flags) {
    return utofu_put(end.queue, end.path, end.mine[1], end.theirs[1], n, edata, flags, nullptr);
  };
  std::string text = "codes: length 2^24 " + std::to_string(put(1 << 24, 0, 0));
  text += ", EDATA 256 " + std::to_string(put(8, 256, 0));
  text += ", length 0 " + std::to_string(put(0, 0, 0));
  text += ", unknown flag " + std::to_string(put(8, 0, 1UL << 4));
  text += ", source not registered " +
      std::to_string(utofu_put(end.queue, end.path, 1, end.theirs[1], 8, 0, 0, nullptr));
  text += ", target not registered " +
      std::to_string(utofu_put(end.queue, end.path, end.mine[1], 1, 8, 0, 0, nullptr));
  const auto start = Clock::now();
  void *data;
  utofu_mrq_notice notice;
  while (since(start) < 100000.0) {
    int code = utofu_poll_tcq(end.queue, 0, &data);
    if (code != UTOFU_ERR_NOT_FOUND && code) text += ", entry " + std::to_string(code);
    code = utofu_poll_mrq(end.queue, 0, &notice);
    if (code != UTOFU_ERR_NOT_FOUND && code) text += ", notice " + std::to_string(code);
  }
  tell(text);
}

/** Which id a notice carries, and in which order lines arrive. */
void probe_notices()
{
  End end;
  end.insist([&]() {
    return utofu_put(end.queue, end.path, end.mine[1], end.theirs[1] + 4096, 100, 7, NOTICE,
                     nullptr);
  });
  const utofu_mrq_notice notice = end.await();
  char text[200];
  std::snprintf(text, sizeof(text),
                "notice: id as queried %s, end address %s, EDATA %d; path changes the id: %s",
                notice.vcq_id == end.theirs[0] ? "yes" : "no",
                notice.rmt_stadd == end.mine[1] + 4196 ? "yes" : "no",
                static_cast<int>(notice.edata), end.path != end.theirs[0] ? "yes" : "no");
  tell(text);
  for (const unsigned long flags : {0UL, STRONG}) {
    int early = 0;
    volatile char *const bytes = end.memory + 131072;
    for (char round = 1; round < 100 && round < nrounds; round++) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (me % 2 == 0) {
        std::memset(end.memory, round, 65536);
        end.insist([&]() {
          return utofu_put(end.queue, end.path, end.mine[1], end.theirs[1] + 131072, 65536, 0,
                           flags | TCQ, nullptr);
        });
        void *data;
        while (utofu_poll_tcq(end.queue, 0, &data) == UTOFU_ERR_NOT_FOUND) {}
      } else {
        while (bytes[65535] != round) {}
        for (std::size_t i = 0; i < 65536; i += 256) early += bytes[i] != round;
        for (std::size_t i = 0; i < 65536; i += 256)
          while (bytes[i] != round) {}
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    end.drain();
    tell(std::string(flags ? "with" : "without") +
         " order: lines that came after the last byte of puts of 256 lines: " +
         std::to_string(early));
  }
}

}    // namespace

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  peer = me ^ 1;
  if (argc > 1) nrounds = std::atoi(argv[1]);
  if (size % 2) {
    if (me == 0) std::fprintf(stderr, "the probe needs an even number of ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  probe_machine();
  probe_queues();
  probe_lengths();
  probe_notices();
  probe_latency();
  probe_memory();
  probe_codes();
  MPI_Finalize();
  return 0;
}
