// SPDX-License-Identifier: GPL-2.0-only

#include "process_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace TOFU_EMULATOR {

using Clock = std::chrono::steady_clock;

struct ProcessRank::Shared {
  struct Box {
    std::atomic<int> full{0};
    unsigned char bytes[MAX_BYTES];
  };
  std::atomic<int> ended[64];
  Box boxes[1];    // [size * size], from rank to rank
};

namespace {

  void wait_until(const std::function<bool()> &reached, const std::atomic<int> &peer_ended)
  {
    for (int looks = 0; !reached(); looks++) {
      if (peer_ended && !reached()) {
        std::fprintf(stderr, "a peer has ended before its message came\n");
        std::exit(3);
      }
      usleep(looks < 100 ? 10 : 200);
    }
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void ProcessRank::exchange(const std::vector<int> &peers, const void *send, void *recv,
                           std::size_t nbytes)
{
  if (nbytes > MAX_BYTES) std::abort();
  for (std::size_t i = 0; i < peers.size(); i++) {
    Shared::Box &box = shared_.boxes[rank_ * size_ + peers[i]];
    wait_until([&]() { return !box.full.load(); }, shared_.ended[peers[i]]);
    std::memcpy(box.bytes, static_cast<const char *>(send) + i * nbytes, nbytes);
    box.full = 1;
  }
  for (std::size_t i = 0; i < peers.size(); i++) {
    Shared::Box &box = shared_.boxes[peers[i] * size_ + rank_];
    wait_until([&]() { return box.full.load() != 0; }, shared_.ended[peers[i]]);
    std::memcpy(static_cast<char *>(recv) + i * nbytes, box.bytes, nbytes);
    box.full = 0;
  }
}

/* ---------------------------------------------------------------------- */

bool Outcome::good() const
{
  return std::all_of(statuses.begin(), statuses.end(), [](int status) { return status == 0; });
}

/* ---------------------------------------------------------------------- */

namespace {

  [[noreturn]] void be_rank(ProcessRank::Shared &shared, int rank, int size, int errors,
                            const std::string &job, const Variables &variables,
                            const std::function<void(ProcessRank &)> &body)
  {
    dup2(errors, STDERR_FILENO);
    dup2(errors, STDOUT_FILENO);
    setenv("TOFU_EMULATOR_JOB", job.c_str(), 1);
    setenv("TOFU_EMULATOR_RANK", std::to_string(rank).c_str(), 1);
    setenv("TOFU_EMULATOR_SIZE", std::to_string(size).c_str(), 1);
    for (const auto &[name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    // libraries have handlers that end the process as if by exit(1)
    for (const int terminating : {SIGINT, SIGTERM}) std::signal(terminating, SIG_DFL);
    ProcessRank self(shared, rank, size);
    try {
      body(self);
    } catch (const std::exception &error) {    // else this process would go on to other tests
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      std::exit(1);
    }
    std::fflush(stdout);
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }

  /** Read without waiting, as long as there is something. */
  void drain(int fd, std::string &text)
  {
    char bytes[4096];
    for (ssize_t n; (n = read(fd, bytes, sizeof(bytes))) > 0;) text.append(bytes, n);
  }

  std::string name_of_end(int status)
  {
    return status > 128 ? "by signal " + std::to_string(status - 128)
                        : "with status " + std::to_string(status);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

Outcome run_processes(int size, const Variables &variables,
                      const std::function<void(ProcessRank &)> &body, double seconds,
                      double patience)
{
  static int njobs = 0;
  const std::string job = std::to_string(getpid()) + "-" + std::to_string(njobs++);
  const std::size_t nbytes = sizeof(ProcessRank::Shared) +
      sizeof(ProcessRank::Shared::Box) * static_cast<std::size_t>(size) * size;
  void *memory = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto shared = new (memory) ProcessRank::Shared;
  int errors[2];
  if (memory == MAP_FAILED || pipe(errors) != 0) std::abort();
  fcntl(errors[0], F_SETFL, O_NONBLOCK);
  std::fflush(nullptr);
  std::vector<pid_t> pids;
  for (int rank = 0; rank < size; rank++) {
    const pid_t pid = fork();
    if (pid == 0) be_rank(*shared, rank, size, errors[1], job, variables, body);
    pids.push_back(pid);
  }
  close(errors[1]);

  Outcome outcome;
  outcome.statuses.assign(size, -1);
  outcome.seconds.assign(size, 0.0);
  const auto start = Clock::now();
  const auto seconds_now = [&]() {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto limit_of = [&](double of_all) {
    return Clock::now() + std::chrono::milliseconds(static_cast<long>(1000.0 * of_all));
  };
  auto limit = limit_of(seconds);
  bool killed = false;
  for (int nended = 0; nended < size; usleep(500)) {
    drain(errors[0], outcome.errors);
    if (!killed && Clock::now() > limit) {
      killed = true;
      outcome.errors += "\nkilled after " + std::to_string(seconds_now()) + " s\n";
      for (int rank = 0; rank < size; rank++)
        if (outcome.statuses[rank] < 0) kill(pids[rank], SIGKILL);
    }
    for (int rank = 0; rank < size; rank++) {
      int status;
      if (outcome.statuses[rank] >= 0 || waitpid(pids[rank], &status, WNOHANG) != pids[rank])
        continue;
      outcome.statuses[rank] = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      outcome.seconds[rank] = seconds_now();
      shared->ended[rank] = 1;
      if (outcome.statuses[rank] != 0) limit = std::min(limit, limit_of(patience));
      nended++;
    }
  }
  drain(errors[0], outcome.errors);
  for (int rank = 0; rank < size; rank++)
    if (outcome.statuses[rank] != 0)
      outcome.errors +=
          "rank " + std::to_string(rank) + " ended " + name_of_end(outcome.statuses[rank]) + "\n";
  close(errors[0]);
  munmap(memory, nbytes);
  unlink(("/dev/shm/emulated-interconnect-" + job).c_str());    // if some rank has never come
  return outcome;
}

}    // namespace TOFU_EMULATOR
