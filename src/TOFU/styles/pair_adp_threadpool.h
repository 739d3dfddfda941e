// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(adp/threadpool,PairADPThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_ADP_THREADPOOL_H
#define LMP_PAIR_ADP_THREADPOOL_H

#include "pair_adp.h"

#include "threadpool/pair/pair_on_pool.h"
#include "threadpool/pool/work_on_pool.h"

#include "base/aligned_array.h"
#include "kernels/manybody/adp.h"

#include <vector>

namespace LAMMPS_NS {

class PairADPThreadpool : public PairADP, public WorkOnPool {
 public:
  PairADPThreadpool(class LAMMPS *);
  void init_style() override;
  double init_one(int, int) override;
  void compute(int, int) override;
  int pack_forward_comm(int, int *, double *, int, int *) override;
  void unpack_forward_comm(int, int, double *) override;
  double memory_usage() override;
  void add_tally_callback(class Compute *) override;
  std::string left_to_lammps() const override;

 private:
  PairOnPool pair;
  bool on_pool = true;    // else LAMMPS' code computes
  TOFU_NS::ADPTables tables;
  bool stale = true;    // tables must be filled anew
  TOFU_NS::EAMInside inside;
  std::vector<TOFU_NS::RowArena> arenas;    // [nparts]
  TOFU_NS::AlignedArray<double> moments;    // [natoms+1][STRIDE]
  std::vector<double> energies;             // [nparts] of embedding

  double *moments_of(int i);
  void allocate_atoms();
  void fill_tables();
  void sum_up_moments();
  void embed(bool energy);
};

}    // namespace LAMMPS_NS

#endif
#endif
