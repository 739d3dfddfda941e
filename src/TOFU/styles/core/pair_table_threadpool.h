// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(table/threadpool,PairTableThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_TABLE_THREADPOOL_H
#define LMP_PAIR_TABLE_THREADPOOL_H

#include "pair_table.h"

#include "threadpool/pair/pairwise_style.h"

#include "base/aligned_array.h"
#include "kernels/pair/distance_tables.h"

#include <atomic>

namespace LAMMPS_NS {

class PairTableThreadpool :
    public PairwiseStyle<PairTable, PairOnPool::Preferred::HALF, PairOnPool::Precision::DOUBLE> {
 public:
  using PairwiseStyle::PairwiseStyle;
  void init_style() override;
  void compute(int, int) override;
  double memory_usage() override;

 private:
  TOFU_NS::AlignedArray<double> rows;    // of all tables, as kernels load them
  bool filled = false;
  std::atomic<bool> is_outside{false};

  TOFU_NS::DistanceTables::Kind kind() const;
  int nentries() const;
  void fill_rows();
  void fill_row(const Table &, int k, double *to) const;
};

}    // namespace LAMMPS_NS

#endif
#endif
