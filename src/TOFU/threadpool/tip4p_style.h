/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_TIP4P_STYLE_H
#define LMP_TIP4P_STYLE_H

#include "long_range_table.h"
#include "pairwise_style.h"
#include "tip4p_on_pool.h"

#include "force.h"

#include "kernels/charge_sites.h"

namespace LAMMPS_NS {

/** A pair style of TIP4P water: Base with another compute(), which calls compute_long() or
    compute_cut(), with Lennard-Jones forces if the last argument says so. */
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

  /** The whole of Pair::compute() with the short-range part of an Ewald sum. */
  void compute_long(int eflag, int vflag, const TOFU_NS::LJCutCoefficients *lj)
  {
    const TOFU_NS::LongRange &long_range = table.fill(this, this->g_ewald, this->cut_coulsq);
    compute_with(eflag, vflag, lj, [&](const auto &cutoffs, auto &&...rest) {
      TOFU_NS::charge_sites_long(cutoffs, qqrd2e(), long_range, rest...);
    });
  }

  /** The same with charges cut off. */
  void compute_cut(int eflag, int vflag, const TOFU_NS::LJCutCoefficients *lj)
  {
    compute_with(eflag, vflag, lj, [&](const auto &cutoffs, auto &&...rest) {
      TOFU_NS::charge_sites_cut(cutoffs, qqrd2e(), rest...);
    });
  }

  /** Coefficients of styles with Lennard-Jones forces. */
  TOFU_NS::LJCutCoefficients lj_coefficients()
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
    return {this->on_pool.ntypes(), this->coefficients()};
  }

 private:
  Tip4pOnPool tip4p;
  LongRangeTable table;

  double qqrd2e() const { return this->force->qqrd2e; }

  template <class Charges>
  void compute_with(int eflag, int vflag, const TOFU_NS::LJCutCoefficients *lj, Charges &&charges)
  {
    this->ev_init(eflag, vflag);
    const double reach = this->cut_coul + 2.0 * this->qdist;
    const TOFU_NS::SiteCutoffs cutoffs{reach * reach, this->cut_coulsq};
    const Tip4pModel model{this->typeO, this->typeH, this->alpha, cutoffs.atoms_cutsq};
    tip4p.compute(
        this, this->list, this->on_pool, model,
        [&](const PairJob &job, int first, int last, PairTally &tally) {
          charges(cutoffs, job, first, last, tally);
        },
        lj);
    this->add_virial();
  }
};

}    // namespace LAMMPS_NS

#endif
