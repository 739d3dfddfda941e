// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(dplr/threadpool,FixDPLRThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_DPLR_THREADPOOL_H
#define LMP_FIX_DPLR_THREADPOOL_H

#include "fix.h"

#include "threadpool/pool/work_on_pool.h"

#include <memory>

namespace LAMMPS_NS {

/** Long-range forces of deep potentials: Wannier centers, whose places a model predicts from those
    of atoms, carry charges, and what a kspace style finds for them goes on to the atoms.

    Source: Zhang et al., J. Chem. Phys. 156 (2022) 124107. */
class FixDPLRThreadpool : public Fix, public WorkOnPool {
 public:
  FixDPLRThreadpool(class LAMMPS *, int, char **);
  ~FixDPLRThreadpool() override;
  int setmask() override;
  void init() override;
  void init_list(int, class NeighList *) override;

  void pre_exchange() override;
  void min_pre_exchange() override;
  void setup_post_neighbor() override;
  void post_neighbor() override;
  void min_post_neighbor() override;
  void setup_pre_force(int) override;
  void pre_force(int) override;
  void min_pre_force(int) override;
  void setup_pre_reverse(int, int) override;
  void pre_reverse(int, int) override;
  void min_pre_reverse(int, int) override;

  int pack_forward_comm(int, int *, double *, int, int *) override;
  void unpack_forward_comm(int, int, double *) override;
  int pack_reverse_comm(int, int, double *) override;
  void unpack_reverse_comm(int, int *, double *) override;

  double compute_scalar() override;
  double compute_vector(int) override;
  double memory_usage() override;
  bool in_single_precision() const override;    // fitting nets

 private:
  struct State;
  std::unique_ptr<State> state;

  void check_run();
  void request_list();
  void rebuild();
  void repeat_earlier_fixes();
  void add_forces();
};

}    // namespace LAMMPS_NS

#endif
#endif
