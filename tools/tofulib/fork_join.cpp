// SPDX-License-Identifier: GPL-2.0-only
//
// fork_join libgomp|threadpool ROUNDS PROCESSOR ...
//
// Prints the time in nanoseconds to fork and join one thread for each processor, with OpenMP or
// with TOFU's pool: the median of the repetitions.  A process has one kind of threads, since the
// other kind would spin on the same processors meanwhile.  OpenMP takes its processors from its own
// variables.

#include "pool/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <string>
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
  const std::string kind = narg > 1 ? arg[1] : "";
  const int rounds = narg > 2 ? std::atoi(arg[2]) : 0;
  TOFU_NS::ThreadPool::Options options;
  for (int i = 3; i < narg; i++) options.processors.push_back(std::atoi(arg[i]));
  options.pin = true;
  const int nthreads = static_cast<int>(options.processors.size());
  if ((kind != "libgomp" && kind != "threadpool") || rounds < 1 || nthreads < 2) {
    std::fprintf(stderr, "fork_join libgomp|threadpool ROUNDS PROCESSOR PROCESSOR ...\n");
    return 1;
  }
  struct alignas(64) Counter {
    volatile long n = 0;
  };
  std::vector<Counter> counters(nthreads);
  const auto count = [&](int thread) {
    counters[thread].n = counters[thread].n + 1;
  };

  TOFU_NS::ThreadPool pool(options);
  if (kind == "threadpool") pool.grow(nthreads);
  const int nfound = kind == "threadpool" ? pool.nthreads() : omp_get_max_threads();
  if (nfound != nthreads) {
    std::fprintf(stderr, "%d processors, %d threads of %s\n", nthreads, nfound, kind.c_str());
    return 1;
  }

  std::vector<double> times;
  for (int round = 0; round < rounds; round++)
    times.push_back(nanoseconds([&]() {
      if (kind == "threadpool") {
        pool.run(nthreads, count);
      } else {
#pragma omp parallel
        count(omp_get_thread_num());
      }
    }));
  std::printf("%g\n", median(times));
}
