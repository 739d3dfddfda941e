// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(meam/threadpool,PairMEAMThreadpool);
PairStyle(meam/ms/threadpool,PairMEAMMSThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_MEAM_THREADPOOL_H
#define LMP_PAIR_MEAM_THREADPOOL_H

#include "pair_meam.h"

#include "threadpool/pair/pair_on_pool.h"
#include "threadpool/pool/work_on_pool.h"

#include "base/aligned_array.h"
#include "kernels/manybody/meam_embedding.h"
#include "pool/part_sums.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class PairMEAMThreadpool : public PairMEAM, public WorkOnPool {
 public:
  PairMEAMThreadpool(class LAMMPS *);
  void settings(int, char **) override;
  void init_style() override;
  double init_one(int, int) override;
  void compute(int, int) override;
  int pack_forward_comm(int, int *, double *, int, int *) override;
  void unpack_forward_comm(int, int, double *) override;
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;
  double memory_usage() override;
  std::string left_to_lammps() const override;

 private:
  PairOnPool pair;
  TOFU_NS::MEAMTables tables;
  TOFU_NS::MEAMRow row;                            // of the tables
  std::unique_ptr<TOFU_NS::MEAMFunctions> functions;
  TOFU_NS::MEAMEmbedding embedding;
  bool stale = true;                               // tables must be filled anew
  bool on_pool = true;                             // else LAMMPS' code computes
  int stock_forward = 0, stock_reverse = 0;        // sizes of LAMMPS' messages
  std::vector<double> elements;                    // [natoms] their numbers, or -1
  TOFU_NS::AlignedArray<double> rows;              // [natoms+1][row.stride()]
  std::unique_ptr<TOFU_NS::PartSums> part_rows;    // the same of each part
  std::vector<TOFU_NS::MEAMPairs> pairs;           // [nparts]
  std::vector<double> energies;                    // [nparts] of embedding
  std::vector<int> failures;                       // [nparts]

  double *row_of(int i) { return rows.data() + static_cast<std::size_t>(row.stride()) * i; }
  bool can_compute() const;
  void fill_tables();
  void fill_elements();
  void fill_embedding();
  void fill_splines();
  void find_scale();
  void gather();
  void sum_up_densities();
  void embed(bool energy);
};

class PairMEAMMSThreadpool : public PairMEAMThreadpool {
 public:
  PairMEAMMSThreadpool(class LAMMPS *);
};

}    // namespace LAMMPS_NS

#endif
#endif
