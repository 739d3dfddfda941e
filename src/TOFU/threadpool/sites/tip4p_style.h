// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_TIP4P_STYLE_H
#define LMP_TIP4P_STYLE_H

#include "threadpool/pair/long_range_table.h"
#include "threadpool/pair/pairwise_style.h"
#include "tip4p_on_pool.h"

#include "force.h"

#include "kernels/pair/lj_cut.h"
#include "kernels/sites/charge_sites.h"

namespace LAMMPS_NS {

/** A pair style of TIP4P water: Base with another compute(), which calls compute_long(),
    compute_cut() or compute_charges().  Their last argument is the kernel of Lennard-Jones forces,
    which hydrogens have no part in, or nothing. */
template <class Base>
class Tip4pStyle :
    public PairwiseStyle<Base, PairOnPool::Preferred::HALF, PairOnPool::Precision::DOUBLE> {
  using Parent = PairwiseStyle<Base, PairOnPool::Preferred::HALF, PairOnPool::Precision::DOUBLE>;

 public:
  Tip4pStyle(class LAMMPS *lmp) : Parent(lmp), tip4p(lmp) {}

  void init_style() override
  {
    Parent::init_style();
    tip4p.reset();
  }

  double memory_usage() override { return Parent::memory_usage() + tip4p.memory_usage(); }

 protected:
  using PairJob = TOFU_NS::PairJob;
  using PairTally = TOFU_NS::PairTally;
  using Kernel = PairOnPool::Kernel;

  /** The whole of Pair::compute() with the short-range part of an Ewald sum. */
  void compute_long(int eflag, int vflag, const Kernel &lj = {})
  {
    const TOFU_NS::LongRange &long_range = table.fill(this, this->g_ewald, this->cut_coulsq);
    const auto charges = [&](auto &&...job) {
      TOFU_NS::charge_sites_long(cutoffs(), this->force->qqrd2e, long_range, job...);
    };
    compute_charges(eflag, vflag, charges, lj);
  }

  /** The same with charges cut off. */
  void compute_cut(int eflag, int vflag, const Kernel &lj = {})
  {
    const auto charges = [&](auto &&...job) {
      TOFU_NS::charge_sites_cut(cutoffs(), this->force->qqrd2e, job...);
    };
    compute_charges(eflag, vflag, charges, lj);
  }

  /** The same with any kernel of charges; see Tip4pOnPool::compute(). */
  void compute_charges(int eflag, int vflag, const Kernel &charges, const Kernel &lj = {})
  {
    this->ev_init(eflag, vflag);
    const Tip4pModel model{this->typeO, this->typeH, this->alpha, cutoffs().atoms_cutsq};
    tip4p.compute(this, this->list, this->on_pool, model, charges, lj);
    this->add_virial();
  }

  /** Lennard-Jones forces with cut-offs. */
  Kernel lj_forces()
  {
    this->fill_coefficients(TOFU_NS::LJCutCoefficients::NCOEFFICIENTS,
                            [&](int i, int j, double *to) {
                              to[0] = this->cut_ljsq[i][j];
                              to[1] = this->lj1[i][j];
                              to[2] = this->lj2[i][j];
                              to[4] = this->lj3[i][j];
                              to[5] = this->lj4[i][j];
                              to[6] = this->offset[i][j];
                            });
    const TOFU_NS::LJCutCoefficients lj{this->on_pool.ntypes(), this->coefficients()};
    return [lj](auto &&...job) {
      TOFU_NS::lj_cut(lj, job...);
    };
  }

  TOFU_NS::SiteCutoffs cutoffs() const
  {
    const double atoms_cut = this->cut_coul + 2.0 * this->qdist;
    return {atoms_cut * atoms_cut, this->cut_coulsq};
  }

 private:
  Tip4pOnPool tip4p;
  LongRangeTable table;
};

}    // namespace LAMMPS_NS

#endif
