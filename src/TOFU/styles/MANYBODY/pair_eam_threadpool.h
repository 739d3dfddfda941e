// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(eam/threadpool,PairEAMThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_EAM_THREADPOOL_H
#define LMP_PAIR_EAM_THREADPOOL_H

#include "pair_eam.h"

#include <memory>
#include <vector>

namespace LAMMPS_NS {

// virtual: eam/alloy and eam/fs inherit from it and from what reads their files

class PairEAMThreadpool : virtual public PairEAM {
 public:
  PairEAMThreadpool(class LAMMPS *);
  ~PairEAMThreadpool() override;
  void init_style() override;
  double init_one(int, int) override;

  /** As PairEAM::extract(), and "tofu/any_rows": this object, which embeds the atoms that it
      owns wherever their rows are. */
  void *extract(const char *, int &) override;
  void compute(int, int) override;
  double single(int, int, int, int, double, double, double, double &) override;
  double memory_usage() override;
  void add_tally_callback(class Compute *) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl;

  void allocate_atoms();
  void fill_tables();
  void compute_densities();
  const class RingNeighList *ring_list() const;
  void embed(bool energy);
  void tell_densities_beyond();
  void hear_of_densities_beyond(bool some);
  void count_pairs();
};

}    // namespace LAMMPS_NS

#endif
#endif
