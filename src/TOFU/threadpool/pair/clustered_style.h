/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_CLUSTERED_STYLE_H
#define LMP_CLUSTERED_STYLE_H

#include "clusters_on_pool.h"
#include "long_range_table.h"
#include "pairwise_style.h"

namespace LAMMPS_NS {

/** A PairwiseStyle with charges and a long-range solver, of which pairs may be computed in clusters
    of atoms. */
template <class Base>
class ClusteredStyle : public PairwiseStyle<Base, PairOnPool::Preferred::HALF> {
  using Parent = PairwiseStyle<Base, PairOnPool::Preferred::HALF>;

 public:
  ClusteredStyle(class LAMMPS *lmp) : Parent(lmp), clusters(this->on_pool) {}

  void init_style() override
  {
    Parent::init_style();
    clusters.reset();
  }

  double memory_usage() override { return Parent::memory_usage() + clusters.memory_usage(); }

 protected:
  LongRangeTable table;

  /** See ClustersOnPool::gather(). */
  void gather_atoms(const double *charge, bool types)
  {
    clusters.gather(this->list, charge, types);
  }

  /** Let the kernels compute all pairs; see ClustersOnPool::compute(). */
  template <class Rows>
  void compute_pairs(const TOFU_NS::ClusterPotential &potential, const TOFU_NS::LongRange &coul,
                     Rows &&rows)
  {
    clusters.compute(this, this->list, potential, coul, rows);
    this->add_virial();
  }

 private:
  ClustersOnPool clusters;
};

}    // namespace LAMMPS_NS

#endif
