// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(granular/threadpool,PairGranularThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_GRANULAR_THREADPOOL_H
#define LMP_PAIR_GRANULAR_THREADPOOL_H

#include "pair_granular.h"

#include "threadpool/pair/contacts_on_pool.h"
#include "threadpool/pool/work_on_pool.h"

#include "kernels/granular/grains.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

class PairGranularThreadpool : public PairGranular, public WorkOnPool {
 public:
  PairGranularThreadpool(class LAMMPS *);
  void compute(int, int) override;
  void init_style() override;
  double init_one(int, int) override;
  double memory_usage() override;
  std::string left_to_lammps() const override;

 private:
  ContactsOnPool contacts;

  // models in use, as the kernel takes them; they are read when they are needed first, after
  // coefficients have been mixed

  bool models_are_read = false;
  std::string missing;    // in the kernel; empty: it has all of them
  std::vector<TOFU_NS::GrainModel> grain_models;
  std::vector<int> model_of_types;    // [ntypes+1][ntypes+1]
  std::vector<bool> is_used;          // likewise, whether these types have a model

  void read_models();
};

}    // namespace LAMMPS_NS

#endif
#endif
