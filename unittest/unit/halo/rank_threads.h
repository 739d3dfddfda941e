// SPDX-License-Identifier: GPL-2.0-only
//
// Ranks as threads over heap memory, and reductions of theirs.

#ifndef TOFU_TEST_RANK_THREADS_H
#define TOFU_TEST_RANK_THREADS_H

#include "unit/transport/world.h"

namespace TOFU_TEST {

/** body(world) on all ranks. */
template <class RankBody> void on_all_ranks(int size, RankBody &&body)
{
  on_threads(size, [&](Bootstrap &bootstrap, SharedMemory &shared_memory) {
    World world{bootstrap.rank(), size, bootstrap, shared_memory};
    body(world);
  });
}

/** The largest numbers of all ranks; all of them have to call it. */
class LargestOfRanks {
 public:
  explicit LargestOfRanks(int size) : size_(size) {}

  void reduce(int *numbers, int n)
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (narrived_ == 0) largest_.assign(numbers, numbers + n);
    for (int i = 0; i < n; i++) largest_[i] = std::max(largest_[i], numbers[i]);
    const int round = round_;
    if (++narrived_ == size_) {
      narrived_ = 0;
      round_++;
      result_ = largest_;
      complete_.notify_all();
    } else {
      complete_.wait(lock, [&]() { return round_ != round; });
    }
    std::copy_n(result_.begin(), n, numbers);
  }

 private:
  const int size_;
  std::mutex mutex_;
  std::condition_variable complete_;
  int narrived_ = 0, round_ = 0;
  std::vector<int> largest_, result_;
};

}    // namespace TOFU_TEST

#endif
