// SPDX-License-Identifier: GPL-2.0-only
//
// Ranks of tests of the uTofu backend: forked processes, each with the emulated interfaces.

#ifndef TOFU_TEST_PROCESS_WORLD_H
#define TOFU_TEST_PROCESS_WORLD_H

#include "process_ranks.h"
#include "world.h"

#include <cstdlib>
#include <string>

namespace TOFU_TEST {

class ProcessBootstrap : public Bootstrap {
 public:
  explicit ProcessBootstrap(TOFU_EMULATOR::ProcessRank &rank) : rank_(rank) {}
  int rank() const override { return rank_.rank(); }
  int size() const override { return rank_.size(); }
  int node() const override { return 0; }
  int ranks_on_node() const override { return rank_.size(); }
  std::uint64_t job_id() const override { return 4711; }
  void exchange(const std::vector<int> &peers, const void *send, void *recv,
                std::size_t nbytes) override
  {
    rank_.exchange(peers, send, recv, nbytes);
  }

 private:
  TOFU_EMULATOR::ProcessRank &rank_;
};

/** Run the body on every rank and tell how the processes ended. */
inline TOFU_EMULATOR::Outcome run_process_ranks(int size, const TOFU_EMULATOR::Variables &variables,
                                                const Body &body, double seconds = 300.0,
                                                double patience = 15.0)
{
  return TOFU_EMULATOR::run_processes(
      size, variables,
      [&](TOFU_EMULATOR::ProcessRank &rank) {
        ProcessBootstrap bootstrap(rank);
        auto shared_memory = make_posix_shared_memory();
        World world{rank.rank(), rank.size(), bootstrap, *shared_memory};
        body(world);
      },
      seconds, patience);
}

}    // namespace TOFU_TEST

#endif
