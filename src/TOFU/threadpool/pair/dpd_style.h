// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_DPD_STYLE_H
#define LMP_DPD_STYLE_H

#include "dpd_on_pool.h"
#include "pairwise_style.h"

#include "kernels/pair/dpd.h"

#include <string>

namespace LAMMPS_NS {

/** Dissipative particle dynamics on the pool: Base, which is PairDPD or derives from it, with
    another compute(), which calls compute_dpd(). */
template <class Base>
class DpdStyle :
    public PairwiseStyle<Base, PairOnPool::Preferred::HALF, PairOnPool::Precision::DOUBLE> {
 public:
  DpdStyle(class LAMMPS *lmp) :
      PairwiseStyle<Base, PairOnPool::Preferred::HALF, PairOnPool::Precision::DOUBLE>(lmp),
      dpd_on_pool(lmp)
  {
  }

  std::string left_to_lammps() const override
  {
    return dpd_on_pool.can_compute() ? "" : "atoms without ids";
  }

 protected:
  DpdOnPool dpd_on_pool;

  /** The whole of Pair::compute(), at this->temperature.

      \param repulsion   whether there are conservative forces, with coefficient a0 */
  void compute_dpd(int eflag, int vflag, bool repulsion)
  {
    if (!dpd_on_pool.can_compute()) {
      Base::compute(eflag, vflag);
      return;
    }
    this->ev_init(eflag, vflag);
    this->fill_coefficients(TOFU_NS::DpdCoefficients::NCOEFFICIENTS, [&](int i, int j, double *c) {
      c[0] = this->cutsq[i][j];
      c[1] = this->cut[i][j] > 0.0 ? 1.0 / this->cut[i][j] : 0.0;
      c[2] = repulsion ? this->a0[i][j] : 0.0;
      c[3] = this->gamma[i][j];
    });
    TOFU_NS::DpdCoefficients all = dpd_on_pool.coefficients(this->temperature, this->seed);
    all.table = this->coefficients();
    all.largest_cutsq = this->largest_cutsq;
    this->on_pool.gather(this->list, dpd_on_pool.ids(), all.ntypes > 1);
    this->compute_rows(
        [&](const TOFU_NS::PairJob &job, int first, int last, TOFU_NS::PairTally &tally) {
          TOFU_NS::dissipative_particles(all, job, first, last, tally);
        });
  }
};

}    // namespace LAMMPS_NS

#endif
