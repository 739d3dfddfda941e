// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_CLUSTERED_STYLE_H
#define LMP_CLUSTERED_STYLE_H

#include "clusters_on_pool.h"
#include "kernel_style.h"
#include "long_range_table.h"

#include <optional>

namespace LAMMPS_NS {

/** Lennard-Jones forces and the short-range part of an Ewald sum of charges: a KernelStyle of which
    pairs may be computed in clusters of atoms. */
template <class Base> class ClusteredStyle : public KernelStyle<Base, TOFU_NS::LJCoulCoefficients> {
  using Parent = KernelStyle<Base, TOFU_NS::LJCoulCoefficients>;

 public:
  ClusteredStyle(class LAMMPS *lmp) : Parent(lmp), clusters(this->on_pool) {}

  void init_style() override
  {
    Parent::init_style();
    clusters.reset();
  }

  void compute(int eflag, int vflag) override
  {
    this->ev_init(eflag, vflag);
    TOFU_NS::ClusterPotential potential;
    potential.lj = this->all_coefficients();
    long_range = &table.fill(this, this->g_ewald, this->cut_coulsq);
    clusters.gather(this->list, this->charges, potential.lj.ntypes > 1);
    lj_switching = switching();
    potential.switched = lj_switching.has_value();
    if (lj_switching) potential.switching = *lj_switching;
    clusters.compute(this, this->list, potential, *long_range,
                     [&](const PairJob &job, int first, int last, PairTally &tally) {
                       kernel(potential.lj, job, first, last, tally);
                     });
    this->add_virial();
  }

  double memory_usage() override { return Parent::memory_usage() + clusters.memory_usage(); }

 protected:
  using typename Parent::All;
  using typename Parent::PairJob;
  using typename Parent::PairTally;

  /** How CHARMM's switching function acts on Lennard-Jones energies, if it does. */
  virtual std::optional<TOFU_NS::Switching> switching() const { return {}; }

  void kernel(const All &all, const PairJob &job, int first, int last,
              PairTally &tally) const override
  {
    if (lj_switching)
      TOFU_NS::lj_charmm_coul_long(all, *lj_switching, *long_range, job, first, last, tally);
    else
      TOFU_NS::lj_cut_coul_long(all, *long_range, job, first, last, tally);
  }

 private:
  ClustersOnPool clusters;
  LongRangeTable table;
  const TOFU_NS::LongRange *long_range = nullptr;      // in this step
  std::optional<TOFU_NS::Switching> lj_switching;    // likewise
};

}    // namespace LAMMPS_NS

#endif
