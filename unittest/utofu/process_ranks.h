// SPDX-License-Identifier: GPL-2.0-only
//
// Ranks of a test that are processes: forked from the test program, which itself never calls uTofu,
// with small messages through shared memory for what comes before any queue is open.

#ifndef TOFU_EMULATOR_PROCESS_RANKS_H
#define TOFU_EMULATOR_PROCESS_RANKS_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace TOFU_EMULATOR {

/** What a rank has beside uTofu. */
class ProcessRank {
 public:
  static constexpr std::size_t MAX_BYTES = 4096;
  struct Shared;

  ProcessRank(Shared &shared, int rank, int size) : shared_(shared), rank_(rank), size_(size) {}
  int rank() const { return rank_; }
  int size() const { return size_; }

  /** Swap one block of bytes with every peer, which must list this rank. */
  void exchange(const std::vector<int> &peers, const void *send, void *recv, std::size_t nbytes);

  /** The block of every rank, in order; plain data. */
  template <class Block> std::vector<Block> all(const Block &mine)
  {
    std::vector<Block> blocks(size_, mine);
    for (int other = 0; other < size_; other++)
      if (other != rank_) exchange({other}, &mine, &blocks[other], sizeof(Block));
    return blocks;
  }
  void barrier() { all(0); }

 private:
  Shared &shared_;
  int rank_, size_;
};

/** How the ranks ended. */
struct Outcome {
  std::vector<int> statuses;      // exit status; 128 + signal
  std::vector<double> seconds;    // from the start of all to the end of each
  std::string errors;             // all that they have written, and how those ended that failed
  bool good() const;
  bool has(const std::string &text) const { return errors.find(text) != std::string::npos; }
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/** Run the body in so many processes, which then end with exit(): 1 after a failure of GoogleTest
    or an exception.

    \param variables   of the environment, for these processes
    \param seconds     after which they are killed; on a busy machine minutes may be no hang
    \param patience    seconds that the others have after one has failed */
Outcome run_processes(int size, const Variables &variables,
                      const std::function<void(ProcessRank &)> &body, double seconds = 300.0,
                      double patience = 15.0);

}    // namespace TOFU_EMULATOR

#endif
