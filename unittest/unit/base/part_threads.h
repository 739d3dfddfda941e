// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_TEST_PART_THREADS_H
#define TOFU_TEST_PART_THREADS_H

#include "base/parts.h"

#include <thread>
#include <vector>

namespace TOFU_TEST {

/** Parts of which each has a thread of its own. */
inline TOFU_NS::Parts part_threads(int nparts)
{
  return {nparts, [](int n, const TOFU_NS::Parts::Work &work) {
            std::vector<std::thread> threads;
            for (int part = 0; part < n; part++) threads.emplace_back(std::cref(work), part);
            for (std::thread &one : threads) one.join();
          }};
}

}    // namespace TOFU_TEST

#endif
