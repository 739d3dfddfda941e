// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(THREADPOOL,FixThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_THREADPOOL_H
#define LMP_FIX_THREADPOOL_H

#include "fix.h"

#include "threadpool/pool/rank_pool.h"

#include <string>

namespace LAMMPS_NS {

/** Keeps the pool of the /threadpool styles as long as a script wants it, and has Neighbor make its
    lists for them. */
class FixThreadpool : public Fix {
 public:
  FixThreadpool(class LAMMPS *, int, char **);
  ~FixThreadpool() override;
  int setmask() override;
  void init() override;
  void setup(int) override { log_styles(); }
  void min_setup(int) override { log_styles(); }
  void setup_pre_neighbor() override;
  void pre_neighbor() override {}
  void min_pre_neighbor() override {}
  void post_run() override;
  void *extract(const char *, int &) override;    // "threadpool": the RankPool; "parts": an int
  double memory_usage() override;

 private:
  RankPool rank_pool;
  std::string logged;    // of the styles in use
  int parts = 0;

  void add_balance();
  void log_styles();
};

}    // namespace LAMMPS_NS

#endif
#endif
