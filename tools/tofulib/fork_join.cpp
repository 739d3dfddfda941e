// SPDX-License-Identifier: GPL-2.0-only
//
// fork_join ROUNDS PROCESSOR ...
//
// Prints how many nanoseconds it takes to fork and join as many threads of OpenMP, and as many of ours,
// as there are processors: medians of repetitions that take turns. OpenMP is told by its own variables
// where to run.

#include "pool/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

namespace {

constexpr int FORKS = 20000;

template <class Fork> double nanoseconds(Fork fork)
{
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < FORKS; i++) fork();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
             .count() /
      FORKS;
}

double median(std::vector<double> values)
{
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}    // namespace

int main(int narg, char **arg)
{
  TOFU_NS::ThreadPool::Options options;
  const int rounds = narg > 1 ? std::atoi(arg[1]) : 0;
  for (int i = 2; i < narg; i++) options.processors.push_back(std::atoi(arg[i]));
  options.pin = true;
  TOFU_NS::ThreadPool pool(options);
  const int nthreads = static_cast<int>(options.processors.size());
  pool.grow(nthreads);
  if (rounds < 1 || nthreads < 2 || pool.nthreads() != nthreads ||
      omp_get_max_threads() != nthreads) {
    std::fprintf(stderr, "%d rounds, %d processors, %d of our threads, %d of OpenMP\n", rounds,
                 nthreads, pool.nthreads(), omp_get_max_threads());
    return 1;
  }
  struct alignas(64) Counter {
    volatile long n = 0;
  };
  std::vector<Counter> counters(nthreads);

  std::vector<double> libgomp, ours;
  for (int round = 0; round < rounds; round++) {
    libgomp.push_back(nanoseconds([&]() {
#pragma omp parallel
      counters[omp_get_thread_num()].n = counters[omp_get_thread_num()].n + 1;
    }));
    ours.push_back(nanoseconds(
        [&]() { pool.run(nthreads, [&](int part) { counters[part].n = counters[part].n + 1; }); }));
  }
  std::printf("%g %g\n", median(libgomp), median(ours));
}
