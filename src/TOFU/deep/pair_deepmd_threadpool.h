/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef PAIR_CLASS
// clang-format off
PairStyle(deepmd/threadpool,PairDeepMDThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_DEEPMD_THREADPOOL_H
#define LMP_PAIR_DEEPMD_THREADPOOL_H

#include "pair.h"

#include "kernels/pair_data.h"

#include <memory>

namespace LAMMPS_NS {

/** Deep potentials: what pair_style deepmd of deepmd-kit computes, without that library. */
class PairDeepMDThreadpool : public Pair {
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
