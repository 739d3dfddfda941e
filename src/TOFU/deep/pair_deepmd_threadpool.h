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
  bool in_single_precision() const override;    // of fitting nets, by package threadpool precision

  /** Types of the models, which all have the same ones, that pair_coeff gives the atom types. */
  struct TypeMap {
    std::vector<int> numbers;          // [ntypes+1] type of the model, negative: ignored (NULL)
    std::vector<std::string> names;    // of types of the model
    bool named = false;    // pair_coeff has names; else atom types have the model's order
  };
  TypeMap type_map() const;

  /** The largest of all models, distance; after init_style(). */
  double cutoff() const;

 private:
  struct State;
  std::unique_ptr<State> state;

  void allocate();
  TOFU_NS::PairTally compute_model(int imodel, double **f, bool wants_virial);
  void add_tally(const TOFU_NS::PairTally &);
  void compute_with_deviation();    // forces of the first model, and the file of deviations
  void warn_of_neighbors_beyond_sel();
};

}    // namespace LAMMPS_NS

#endif
#endif
