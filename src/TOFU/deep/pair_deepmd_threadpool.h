// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(deepmd/threadpool,PairDeepMDThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_DEEPMD_THREADPOOL_H
#define LMP_PAIR_DEEPMD_THREADPOOL_H

#include "pair.h"

#include "kernels/data/pair_data.h"
#include "threadpool/pool/work_on_pool.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

/** Deep potentials: what pair_style deepmd of deepmd-kit computes, without that library. */
class PairDeepMDThreadpool : public Pair, public WorkOnPool {
 public:
  PairDeepMDThreadpool(class LAMMPS *);
  ~PairDeepMDThreadpool() override;

  void settings(int, char **) override;
  void coeff(int, char **) override;
  void init_style() override;
  double init_one(int, int) override;
  void compute(int, int) override;
  void *extract(const char *, int &) override;
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;
  double memory_usage() override;
  bool in_single_precision() const override;    // fitting nets

  /** Types of the first model that pair_coeff gives the atom types. */
  struct TypeMap {
    std::vector<int> numbers;          // [ntypes+1] type of the model, negative: not an atom
    std::vector<std::string> names;    // of types of the model
    bool named = false;    // pair_coeff has names; else atom types have the model's order
  };
  TypeMap type_map() const;

  /** Of all models, distance; after init_style(). */
  double cutoff() const;

 private:
  struct State;
  std::unique_ptr<State> state;

  void allocate();
  TOFU_NS::PairTally compute_model(int number, double **f, bool wants_virial);
  void add_tally(const TOFU_NS::PairTally &);
  void compute_deviation();
  void warn_of_overflows();
};

}    // namespace LAMMPS_NS

#endif
#endif
