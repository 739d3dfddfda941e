// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(eam/cd/threadpool,PairEAMCDOneSiteThreadpool);
PairStyle(eam/cd/old/threadpool,PairEAMCDTwoSiteThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_EAM_CD_THREADPOOL_H
#define LMP_PAIR_EAM_CD_THREADPOOL_H

#include "pair_eam_cd.h"

#include "lammps/lammps_version.h"
#include "threadpool/pair/pair_on_pool.h"
#include "threadpool/pool/work_on_pool.h"

#include "base/aligned_array.h"
#include "kernels/manybody/eam_cd.h"

#include <vector>

namespace LAMMPS_NS {

using BasesOfEAMCD = TOFU_NS::VirtualBases<PairEAM, PairEAMCD>;

class PairEAMCDThreadpool : public PairEAMCD, public WorkOnPool {
 public:
  void init_style() override;
  double init_one(int, int) override;
  void compute(int, int) override;
  int pack_forward_comm(int, int *, double *, int, int *) override;
  void unpack_forward_comm(int, int, double *) override;
  double memory_usage() override;
  void add_tally_callback(class Compute *) override;
  std::string left_to_lammps() const override;

 protected:
  template <class... Bases>
  PairEAMCDThreadpool(class LAMMPS *lmp, int version, TOFU_NS::BasesToConstruct<Bases...>) :
      Bases(lmp)..., PairEAMCD(lmp, version), pair(lmp)
  {
    prepare();
  }

 private:
  PairOnPool pair;
  bool on_pool = true;      // else LAMMPS' code computes
  int stock_forward = 0;    // size of its messages
  TOFU_NS::EAMCDTables tables;
  bool stale = true;    // tables must be filled anew
  TOFU_NS::EAMInside inside;
  std::vector<TOFU_NS::RowArena> arenas;    // [nparts]
  TOFU_NS::AlignedArray<double> atoms;      // [natoms+1][STRIDE]
  std::vector<double> energies;             // [nparts] of embedding
  int first_sent = 0, nsent = 0;            // of the values of an atom

  void prepare();
  double *values_of(int i);
  void allocate_atoms();
  void fill_tables();
  void sum_up_densities();
  void sum_up_slopes();
  template <class Work> void for_owned(const Work &);
  void embed(bool energy);
  void differentiate(int i);
  void tell_ghosts(int first, int n);
};

class PairEAMCDOneSiteThreadpool : public PairEAMCDThreadpool {
 public:
  PairEAMCDOneSiteThreadpool(class LAMMPS *lmp) : PairEAMCDOneSiteThreadpool(lmp, BasesOfEAMCD()) {}

 private:
  template <class... Bases>
  PairEAMCDOneSiteThreadpool(class LAMMPS *lmp, TOFU_NS::BasesToConstruct<Bases...> bases) :
      Bases(lmp)..., PairEAMCDThreadpool(lmp, 1, bases)
  {
  }
};

class PairEAMCDTwoSiteThreadpool : public PairEAMCDThreadpool {
 public:
  PairEAMCDTwoSiteThreadpool(class LAMMPS *lmp) : PairEAMCDTwoSiteThreadpool(lmp, BasesOfEAMCD()) {}

 private:
  template <class... Bases>
  PairEAMCDTwoSiteThreadpool(class LAMMPS *lmp, TOFU_NS::BasesToConstruct<Bases...> bases) :
      Bases(lmp)..., PairEAMCDThreadpool(lmp, 2, bases)
  {
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
