// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Pairs of clusters in place of rows, for pair styles with charges and a
   long-range solver, in steps of a run in mixed precision that need forces alone.
   Clusters are made of positions of atoms where rows may be deferred
   (npair_threadpool.h), else of rows.
------------------------------------------------------------------------- */

#ifndef LMP_CLUSTERS_ON_POOL_H
#define LMP_CLUSTERS_ON_POOL_H

#include "pair_on_pool.h"

#include "kernels/cluster/cluster_pairs.h"

#include <memory>
#include <vector>

namespace LAMMPS_NS {

class ClustersOnPool {
 public:
  /** \param pairs   of the pair style */
  explicit ClustersOnPool(PairOnPool &pairs) : pairs(pairs) {}

  /** In Pair::init_style(). */
  void reset();

  /** As PairOnPool::gather().

      \param list   from Pair::init_list() */
  void gather(class NeighList *list, const double *charge, bool types);

  /** As PairOnPool::compute().

      \param list        as for gather()
      \param potential   without the Coulomb part
      \param coul        has the Coulomb part
      \param rows        kernel for other steps */
  void compute(class Pair *, class NeighList *list, const TOFU_NS::ClusterPotential &potential,
               const TOFU_NS::LongRange &coul, const PairOnPool::Kernel &rows);

  double memory_usage() const;

 private:
  struct Part {
    TOFU_NS::ClusterList list;
    TOFU_NS::ClusterAtoms atoms;
    std::vector<TOFU_NS::ClusterList::Range> ranges;
    std::vector<TOFU_NS::ClusterList::Exception> exceptions;
  };

  PairOnPool &pairs;
  std::vector<std::unique_ptr<Part>> parts;
  PairOnPool::ListState seen;
  bool is_made = false;    // of this list, for all parts
  TOFU_NS::EwaldPolynomial polynomial;
  TOFU_NS::EwaldPieces pieces;
  double g_ewald = 0.0, cut_coulsq = 0.0;    // of the polynomial
  int nuses = 0;    // steps with the present list in which clusters are of use
  int wait = 0;     // such steps that take rows first, since the last list was short-lived
  std::vector<double> work;    // [parts]

  void note_list(class NeighList *);
  void search(class NeighList *, const class NPairThreadpool &);
  void search(int part, const class NPairThreadpool &);
  void make_of_rows();
  void measure_work();
};

}    // namespace LAMMPS_NS

#endif
