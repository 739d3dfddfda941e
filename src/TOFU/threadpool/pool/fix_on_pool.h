// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the fixes and computes with the suffix /threadpool: they are
   derived from those without it, and let the parts of the pool loop over atoms
   (atom_loops.h).
------------------------------------------------------------------------- */

#ifndef LMP_FIX_ON_POOL_H
#define LMP_FIX_ON_POOL_H

#include "atom_loops.h"
#include "rank_pool.h"
#include "work_on_pool.h"

#include "utils.h"

#include <string>

namespace LAMMPS_NS {

/** Stock: the fix without the suffix.  The one that has the pool is not added in the constructor,
    which Modify calls with the place for this fix already chosen. */
template <class Stock> class FixOnPool : public Stock, public WorkOnPool {
 public:
  FixOnPool(class LAMMPS *lmp, int narg, char **arg) :
      Stock(lmp, narg, arg), threadpool(RankPool::find(lmp))
  {
  }

  /** Modify compares exact names when it looks for values of atoms in a restart file: with the
      suffix in its name a fix would lose those of Stock, and Stock its own. */
  void post_constructor() override
  {
    Stock::post_constructor();
    threadpool = RankPool::of(this->lmp);
    if (!this->restart_peratom) return;
    const std::string name = this->Fix::style;    // Stock may have another member of this name
    delete[] this->Fix::style;
    this->Fix::style = utils::strdup(name.substr(0, name.rfind("/threadpool")));
  }

  void init() override
  {
    Stock::init();
    threadpool = RankPool::of(this->lmp);
  }

 protected:
  RankPool *threadpool;
};

/** Stock: the compute without the suffix.  It may be made before there is a pool, as that of
    thermodynamic output is before package threadpool, and computes as Stock until there is one. */
template <class Stock> class ComputeOnPool : public Stock {
 public:
  using Stock::Stock;

  void init() override
  {
    Stock::init();
    RankPool::of(this->lmp);
  }
};

}    // namespace LAMMPS_NS

#endif
