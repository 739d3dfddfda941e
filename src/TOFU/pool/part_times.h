// SPDX-License-Identifier: GPL-2.0-only
//
// PartTimes: the time that each part of a pool takes, and the time in which the caller works alone.
//
// Times are processor time of the thread that works, so that other processes on its core do not
// count.  Reading that clock takes half a microsecond; this is measured once and subtracted.

#ifndef TOFU_POOL_PART_TIMES_H
#define TOFU_POOL_PART_TIMES_H

#include <random>
#include <vector>

namespace TOFU_NS {

class PartTimes {
 public:
  struct Fork {
    double alone = 0.0;           // seconds of the caller since the last fork
    std::vector<double> parts;    // seconds of each part; empty: no fork
  };

  /** Sums over forks. */
  struct Sums {
    double alone = 0.0;      // seconds of the caller out of parts
    double parts = 0.0;      // of all parts
    double longest = 0.0;    // of the longest part of each fork
    long long nforks = 0;

    void add(const Fork &);
    void add(const Sums &);
  };

  PartTimes();

  /** Begin to count. */
  void begin();

  /** All since begin() or the last take(); the last one is no fork, but what the caller has done
      behind it. */
  std::vector<Fork> take();

  /** The pool forks; its parts have not begun. */
  void open(int nparts);

  /** The part to begin with, a random one: the first of the parts that follow each other on one
      core reads data that the others find in its caches.  With a core for each part none does. */
  int first_part(int nparts);

  /** Whether parts are open. */
  bool is_open() const { return !times_.empty(); }

  /** Run one part, by any thread. */
  template <class Work> void time_part(int part, Work &&work)
  {
    const double begin = now();
    work();
    times_[part].seconds = now() - begin;
  }

  /** All parts have ended. */
  void close();

 private:
  struct alignas(64) Time {
    double seconds;
  };

  std::vector<Fork> forks_;
  std::vector<Time> times_;    // of open parts, each written by the thread of the part
  double mark_ = 0.0;          // since when the caller works alone
  double clock_ = 0.0;         // what an interval without work takes
  std::minstd_rand random_{std::random_device()()};    // another one in each process

  static double now();    // processor time of the calling thread
  double without_clock(double seconds) const;
};

}    // namespace TOFU_NS

#endif
