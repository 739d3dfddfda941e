// SPDX-License-Identifier: GPL-2.0-only
// Time that a flag takes from one processor to another.  Two threads, pinned on the two processors
// given as arguments, pass a counter back and forth; the program prints the median time of one way
// in nanoseconds.
//
// Virtual machines move their processors: at one time two processors are on one physical core (well
// below 100 ns), at another on two (well above).  Timings of communication are only comparable
// within one of these states.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

namespace {

constexpr int ROUNDS = 200;    // samples
constexpr int PASSES = 100;    // there and back again, in each sample
alignas(64) std::atomic<int> ball{0};

void pin(int cpu)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) != 0) {
    std::fprintf(stderr, "ping: cannot run on processor %d\n", cpu);
    std::exit(1);
  }
}

// wait for the ball to have the given value, then add one to it
void hit(int value)
{
  while (ball.load(std::memory_order_acquire) != value) {}
  ball.store(value + 1, std::memory_order_release);
}

}    // namespace

int main(int argc, char **argv)
{
  if (argc != 3) {
    std::fprintf(stderr, "usage: ping CPU1 CPU2\n");
    return 1;
  }
  std::thread other([cpu = std::atoi(argv[2])] {
    pin(cpu);
    for (int n = 0; n < ROUNDS * PASSES; n++) hit(2 * n + 1);
  });
  pin(std::atoi(argv[1]));

  std::vector<double> samples;
  for (int round = 0, n = 0; round < ROUNDS; round++) {
    const auto start = std::chrono::steady_clock::now();
    for (int pass = 0; pass < PASSES; pass++, n++) hit(2 * n);
    while (ball.load(std::memory_order_acquire) != 2 * n) {}
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    samples.push_back(elapsed.count() / (2 * PASSES));
  }
  other.join();
  std::nth_element(samples.begin(), samples.begin() + ROUNDS / 2, samples.end());
  std::printf("%.1f\n", samples[ROUNDS / 2]);
}
