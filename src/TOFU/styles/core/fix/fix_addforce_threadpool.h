// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(addforce/threadpool,FixAddForceThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_ADDFORCE_THREADPOOL_H
#define LMP_FIX_ADDFORCE_THREADPOOL_H

#include "fix_addforce.h"

#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/rank_sum.h"

#include <array>
#include <string>

namespace LAMMPS_NS {

/** One force for all atoms of the group.  What depends on the atom (regions, variables of style
    atom, energies) is left to fix addforce. */
class FixAddForceThreadpool : public FixOnPool<FixAddForce> {
 public:
  FixAddForceThreadpool(class LAMMPS *, int, char **);
  void init() override;
  void post_force(int) override;
  double compute_scalar() override;
  double compute_vector(int) override;
  std::string left_to_lammps() const override
  {
    return is_for_stock ? "forces that depend on the atom" : "";
  }

 private:
  std::array<double, 3> added{};
  std::array<std::string, 3> variables;    // of style equal, which tell it; "": a constant
  bool depends_on_atom = false;            // by its keywords
  bool is_for_stock = false;

  /** Potential energy, and forces [3] before; summed: the sums over ranks are of this step. */
  std::array<double, 4> mine{};
  RankSum sums{RankSum::Of::FORCES, 4, [this](double *part) {
                 std::copy(mine.begin(), mine.end(), part);
               }};
  bool summed = false;

  void tally(const std::array<double, 3> &positions);
  double sum_over_ranks(int);
};

}    // namespace LAMMPS_NS

#endif
#endif
